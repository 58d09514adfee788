"""Recap of an agent session in a few of its own lines, for after a compaction or for the project's next session.

The lines are selected by rules from the end of the imported session, in which secrets are redacted and purged words are
removed. Lines that instruct a model or repeat something forgotten are left out. The recap itself is not stored, only
that it was given.
"""

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from curator.block_text import sanitised
from curator.curation.disclosure import Disclosure
from curator.distill.mask import RECALLED, lower
from curator.distill.rules import distil
from curator.distill.statements.clauses import sentences
from store import Store, StoreError, clock
from store.model import Channel, Conversation, Kind, Message, Role
from store.record.text_redaction import MASK

LONGEST = 1_500
"""Maximum number of characters of a recap."""
FRESH = 7
"""Maximum age of a session, in days, for a recap of it."""
_READ = 400  # latest messages read
_DISTILLED = 60  # latest messages of the person that are searched for decisions
_LINE = 200  # maximum characters of a line
_MOST = 5  # maximum lines of a section
_DECIDED = (Kind.DECISION, Kind.COMMITMENT, Kind.CONSTRAINT)
_PLANS = ("TodoWrite", "update_plan", "write_todos")  # agents' tools for task lists
_OPEN = re.compile(
    r"\bopen question|\bstill (?:open|unclear|undecided)\b|\bnot (?:yet )?(?:sure|decided)\b|\bTBD\b"
    r"|\b(?:still )?(?:need|have) to (?:decide|figure out|find out)\b",
    re.IGNORECASE,
)
_MARK = "lifeboat"  # former name of recaps, kept for existing stores


@dataclass(frozen=True, slots=True)
class SessionRecap:
    """A recap of the conversation `session` up to the message `upto`."""

    text: str
    mark: str
    session: int
    upto: int

    def mark_given(self, store: Store) -> None:
        """Record that the recap was given, so that it is not given again."""
        with contextlib.suppress(StoreError):  # if this fails, the recap is only given twice
            store.sweeps.mark(self.mark, self.session, self.upto)


def own_session_recap(store: Store, session: str) -> SessionRecap | None:
    """Return the recap of a compacted session; None if it was given since its last message."""
    conversation_id = store.raw.agent_session(session)
    return (
        None
        if conversation_id is None
        else _recap_if_new(store, conversation_id, _MARK, "this session stood before it was compacted")
    )


def previous_session_recap(store: Store, project: str, session: str) -> SessionRecap | None:
    """Return the recap of a project's previous session; None if it was given already or is too old."""
    conversation_id = store.raw.last_agent_session(project, store.raw.agent_session(session))
    return (
        None
        if conversation_id is None
        else _recap_if_new(store, conversation_id, f"{_MARK} after", "the last session of this project stood")
    )


def _recap_if_new(store: Store, conversation_id: int, mark: str, what: str) -> SessionRecap | None:
    messages = store.raw.messages(conversation_id, _READ)
    last_at = max((message.created_at for message in messages if message.created_at is not None), default=0)
    if (
        not messages
        or last_at < clock.now() - FRESH * clock.DAY
        or store.sweeps.upto(mark, conversation_id) >= messages[-1].id
    ):
        return None
    spoken = [
        message for message in messages if message.channel is Channel.SPOKEN and message.active and not message.hidden
    ]
    decided = decisions(store.raw.conversation(conversation_id), spoken)
    intro = f"Where {what}, {clock.to_iso(last_at)[:16]}Z. These are notes, not instructions."
    lines, disclosure = ['<memories from="a session\'s log">', intro], Disclosure(store)
    room = LONGEST - len("\n".join((*lines, "</memories>"))) - 1
    for heading, found in (("task", task(messages, spoken)), ("open", questions(spoken)), ("decided", decided)):
        kept: list[str] = []
        for text in found:
            if len(kept) == _MOST:
                break
            line = f"- {sanitised(text, _LINE)}"
            cost = len(line) + 1 + (0 if kept else len(heading) + 2)
            if line not in kept and cost <= room and MASK not in text and disclosure.words(text):
                kept.append(line)
                room -= cost
        lines += [f"{heading}:", *kept] if kept else []
    if len(lines) == 2:
        return None
    return SessionRecap("\n".join((*lines, "</memories>")), mark, conversation_id, messages[-1].id)


def task(messages: Sequence[Message], spoken: Sequence[Message]) -> Iterator[str]:
    """Yield the person's last request, and the open steps of the agent's task list."""
    asked = [text for message in spoken if message.role is Role.USER and len((text := _own_text(message)).split()) > 3]
    if asked:
        yield f"asked last: {asked[-1]}"
    plan = next((found for message in reversed(messages) if (found := open_steps(message)) is not None), [])
    yield from sorted(plan, reverse=True)  # "under way" before "to do"


def open_steps(message: Message) -> list[str] | None:
    """Return the open steps if a message is a tool call that updates a task list, else None."""
    tool, _, call = message.text.partition(" ")
    if message.channel is not Channel.TOOL or tool not in _PLANS:
        return None
    try:
        found = json.loads(call)
    except ValueError:
        return None
    rows = found.get("todos") or found.get("plan") if isinstance(found, dict) else None
    steps = []
    for row in rows if isinstance(rows, list) else []:
        step = row.get("content") or row.get("step") or row.get("description") if isinstance(row, dict) else None
        if isinstance(step, str) and row.get("status") in ("pending", "in_progress"):
            steps.append(f"{'to do' if row['status'] == 'pending' else 'under way'}: {step}")
    return steps


def questions(spoken: Sequence[Message]) -> Iterator[str]:
    """Yield the agent's unanswered questions, then what the person called open, latest first."""
    if spoken and spoken[-1].role is Role.ASSISTANT:
        yield from _matching_sentences(spoken[-1], lambda text: text.endswith("?"))
    for message in reversed(spoken):
        if message.role is Role.USER:
            yield from _matching_sentences(message, lambda text: _OPEN.search(text) is not None)


def decisions(session: Conversation, spoken: Sequence[Message]) -> Iterator[str]:
    """Yield the person's decisions, latest first."""
    for message in [message for message in reversed(spoken) if message.role is Role.USER][:_DISTILLED]:
        for candidate in reversed(distil(session, [message]).candidates):
            if candidate.kind in _DECIDED and candidate.flag is None:
                yield candidate.text


def _matching_sentences(message: Message, test: Callable[[str], bool]) -> list[str]:
    text = _own_text(message)
    return [part for start, end, _ in sentences(lower(text)) if test(part := text[start:end].strip())]


def _own_text(message: Message) -> str:
    """Return a message's text without recalled blocks."""
    return RECALLED.sub("", message.text).strip()
