"""Hooks of coding assistants: what they send on standard input, and what they expect on standard output.

Claude Code, Codex and Gemini CLI send one JSON object with `session_id`, `cwd`, `transcript_path` (the session's log),
`hook_event_name` and, for a prompt, `prompt`. They add `hookSpecificOutput.additionalContext` of the answer to the
conversation. Claude Code cuts it at 10,000 characters.
"""

import json
from typing import NamedTuple

_CLAUDE = {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "compact": "PreCompact", "end": "SessionEnd"}
EVENTS = {
    "claude": _CLAUDE,
    "codex": _CLAUDE,
    "gemini": {**_CLAUDE, "prompt": "BeforeAgent", "compact": "PreCompress"},
}
"""Name of each event by host."""
LONGEST = 10_000
"""Characters that are added at most."""


class Event(NamedTuple):  # dataclasses take 10 ms to import
    """An event of a host."""

    host: str
    name: str
    session: str
    folder: str
    prompt: str
    source: str
    transcript: str


def parse(host: str, name: str, text: str) -> Event | None:
    """Return the event that a host sent; None if it is not one that is answered."""
    try:
        row = json.loads(text)
    except ValueError:
        return None
    if not isinstance(row, dict) or name not in EVENTS.get(host, {}):
        return None

    def of(field: str) -> str:
        found = row.get(field)
        return found if isinstance(found, str) else ""

    event = Event(host, name, of("session_id"), of("cwd"), of("prompt"), of("source"), of("transcript_path"))
    return None if name == "prompt" and not event.prompt.strip() else event


def fitting(*texts: str) -> list[str]:
    """Return the texts, without empty ones, that are short enough to be added together."""
    kept: list[str] = []
    for text in filter(None, texts):
        kept += [text] if len("\n".join((*kept, text))) <= LONGEST else []
    return kept


def output(event: Event, *texts: str) -> str:
    """Return what the hook prints to add texts to the conversation: those that are short enough; nothing for none."""
    kept = "\n".join(fitting(*texts))
    row = {"hookEventName": EVENTS[event.host][event.name], "additionalContext": kept}
    return json.dumps({"hookSpecificOutput": row}) if kept else ""
