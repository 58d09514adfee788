"""The process that a host starts for a hook. Imports as little as `curator.serve.client`: a prompt waits for it."""

import contextlib
import sys
import time

from curator.serve import client

HOOK = 0.25
"""Seconds that a prompt's hook waits for the server."""
START = 1.0
"""Seconds that the hook of a session's start waits: it comes once, and nobody has typed yet."""
WORDS = 0.1
"""Seconds of these that an answer by words alone takes."""


def hook(host: str, event: str) -> int:
    """Print what a host's hook is to print. Always 0 and silent on errors: a memory is not worth a broken prompt.

    Without a server that is ready, a prompt is answered by words alone, and a server is started for the next one. So is
    a prompt, or the start of a session, that a busy server does not answer in time.
    """
    until = time.monotonic() + (START if event == "session-start" else HOOK)
    try:
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
        try:
            connection = client.connect_current(HOOK)
            if event == "prompt" and not connection.ready:  # to rebuild an index takes it minutes
                raise client.Unreachable("it still loads")
        except client.Unreachable:
            from curator.serve.hook_fallback import answer

            instead = answer(host, event, text)
            _print(instead.text)
            instead.note()
            return 0
        wait = max(until - time.monotonic(), 0.01)
        connection.send({"do": "hook", "host": host, "event": event, "input": text, "wait": wait})
        try:
            reply = connection.receive(max(wait - WORDS, 0.01))
        except client.Late:
            from curator.serve.hook_fallback import words_for

            instead = words_for(host, event, text)
            try:
                reply = connection.receive(max(until - time.monotonic(), 0.01))
            except client.Unreachable:
                _print(instead.text)
                instead.note()
                raise
        if "error" in reply:
            from curator.serve.hook_failures import Failed

            raise Failed(reply)
        _print(str(reply.get("out", "")))
    except Exception as error:  # a boundary: the host must not notice, but the person can look it up
        with contextlib.suppress(Exception):
            from curator.serve.hook_failures import note

            note(host, event, error)
    return 0


def _print(text: str) -> None:
    if text:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
