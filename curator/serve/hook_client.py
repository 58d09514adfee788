"""The process that an assistant starts for a hook. Imports as little as `curator.serve.client`: a prompt waits."""

import contextlib
import sys
import time

from curator.serve import client

HOOK = 0.25
"""Seconds that the hook of a prompt waits for the server."""
START = 1.0
"""Seconds that the hook of a session's start waits; it runs once, before the person types."""
WORDS = 0.1
"""Seconds reserved for an answer by words if the server does not respond."""


def hook(host: str, event: str) -> int:
    """Print the output of a host's hook. Return 0 and print nothing on errors, so that the prompt is not disturbed.

    If no server is ready, a prompt is answered by words alone, and a server is started for the next prompt. Prompts and
    session starts that a busy server does not answer in time are answered by words too.
    """
    until = time.monotonic() + (START if event == "session-start" else HOOK)
    try:
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
        try:
            connection = client.connect_current(HOOK)
            if event == "prompt" and not connection.ready:  # it may take minutes if it rebuilds the index
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
    except Exception as error:  # boundary: recorded for the person, but not shown in the host
        with contextlib.suppress(Exception):
            from curator.serve.hook_failures import note

            note(host, event, error)
    return 0


def _print(text: str) -> None:
    if text:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
