"""Protocol of the hooks of coding assistants: parse their standard input, and format standard output.

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
"""The hosts' names of events, by host and own name."""
LONGEST = 10_000
"""Maximum characters that a hook adds to the conversation."""


class HookEvent(NamedTuple):  # dataclasses take 10 ms to import
    """An event that a host sent to its hook; missing fields are empty."""

    host: str
    name: str
    session: str
    folder: str
    prompt: str
    source: str
    transcript: str


def parse(host: str, name: str, text: str) -> HookEvent | None:
    """Return the event that a host sent, or None if it is invalid, unknown or an empty prompt."""
    try:
        row = json.loads(text)
    except ValueError:
        return None
    if not isinstance(row, dict) or name not in EVENTS.get(host, {}):
        return None

    def of(field: str) -> str:
        found = row.get(field)
        return found if isinstance(found, str) else ""

    event = HookEvent(host, name, of("session_id"), of("cwd"), of("prompt"), of("source"), of("transcript_path"))
    return None if name == "prompt" and not event.prompt.strip() else event


def fitting(*texts: str) -> list[str]:
    """Return the non-empty texts that fit in `LONGEST` characters together, preferring earlier ones."""
    kept: list[str] = []
    for text in filter(None, texts):
        kept += [text] if len("\n".join((*kept, text))) <= LONGEST else []
    return kept


def output(event: HookEvent, *texts: str) -> str:
    """Return the output of a hook that adds the `fitting` texts to the conversation; empty without texts."""
    kept = "\n".join(fitting(*texts))
    row = {"hookEventName": EVENTS[event.host][event.name], "additionalContext": kept}
    return json.dumps({"hookSpecificOutput": row}) if kept else ""
