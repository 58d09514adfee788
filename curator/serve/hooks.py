"""Hooks of coding assistants: what they send on standard input, and what they expect on standard output.

Claude Code, Codex and Gemini CLI send one JSON object with `session_id`, `cwd`, `hook_event_name` and, for a prompt,
`prompt`. They add `hookSpecificOutput.additionalContext` of the answer to the conversation. Claude Code cuts it at
10,000 characters.
"""

import json
from pathlib import Path
from typing import NamedTuple

from curator.paths import work_tree

EVENTS = {
    "claude": {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "end": "SessionEnd"},
    "codex": {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "end": "SessionEnd"},
    "gemini": {"session-start": "SessionStart", "prompt": "BeforeAgent", "end": "SessionEnd"},
}
"""Name of each event by host."""
LONGEST = 10_000
"""Characters that are added at most."""


class Event(NamedTuple):  # dataclasses take 10 ms to import
    """An event of a host. `project` is the label of its folder."""

    host: str
    name: str
    session: str
    folder: str
    prompt: str
    source: str

    @property
    def project(self) -> str:
        """The project's label: the name of the work tree, else of the folder."""
        if not self.folder:
            return ""
        folder = Path(self.folder)
        return (work_tree(folder) or folder).name


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

    event = Event(host, name, of("session_id"), of("cwd"), of("prompt"), of("source"))
    return None if name == "prompt" and not event.prompt.strip() else event


def output(event: Event, text: str) -> str:
    """Return what the hook prints to add a text to the conversation; nothing for no text."""
    if not text or len(text) > LONGEST:
        return ""
    row = {"hookEventName": EVENTS[event.host][event.name], "additionalContext": text}
    return json.dumps({"hookSpecificOutput": row})


def answer_by_words(host: str, name: str, text: str) -> str:
    """Return what a prompt's hook prints if there is no server; empty for other events, and without a store."""
    event = parse(host, name, text)
    if event is None or name != "prompt":
        return ""
    from curator.serve.word_recall import block_by_words

    return output(event, block_by_words(event.prompt, event.project))
