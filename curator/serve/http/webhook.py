"""Report errors to the web address in the environment variable CURATOR_ERROR_WEBHOOK.

A message contains the kind of error and the route, never a text. Each kind is sent at most once in five minutes.
"""

import http.client
import json
import logging
import os
import threading
import time
import urllib.request

from curator import __version__

VARIABLE = "CURATOR_ERROR_WEBHOOK"
WINDOW = 300.0
"""Seconds during which a kind of error is not sent again."""
_WAIT = 5.0
_log = logging.getLogger(__name__)


class Webhook:
    """Sends errors to the address, if there is one."""

    def __init__(self) -> None:
        self._url = os.environ.get(VARIABLE, "")
        self._sent: dict[str, float] = {}

    def report(self, kind: str, location: str) -> None:
        """Send an error in the background, unless one of its kind was sent in the last five minutes."""
        now = time.monotonic()
        if not self._url.startswith(("https://", "http://")) or now - self._sent.get(kind, -WINDOW) < WINDOW:
            return
        self._sent[kind] = now
        threading.Thread(target=self._send, args=(f"Curator {__version__}: {kind} in {location}",), daemon=True).start()

    def _send(self, text: str) -> None:
        body = json.dumps({"content": text, "text": text}).encode()  # the names of Discord and of Slack
        headers = {"Content-Type": "application/json", "User-Agent": f"curator/{__version__}"}
        try:
            request = urllib.request.Request(self._url, body, headers)
            urllib.request.urlopen(request, timeout=_WAIT).close()
        except (OSError, ValueError, http.client.HTTPException) as error:  # whose texts may have the address
            _log.warning("the error webhook rejected a message: %s", type(error).__name__)
