"""Recap of a session in a few lines of its own words, given after a compaction or to the next session of the project.

Rules find the lines in the end of the imported session, where secrets are redacted and purged words are gone. Lines
that look like an order to a model, or repeat something forgotten, are left out. Only the fact that it was given is
stored.
"""

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from curator.block_text import sanitised
from curator.curation.disclosure import Disclosure
from curator.distill.clauses import sentences
from curator.distill.mask import RECALLED, lower
from curator.distill.rules import distil
from store import Store, StoreError, clock
from store.model import Channel, Conversation, Kind, Message, Role
from store.record.text_redaction import MASK

LONGEST = 1_500
"""Characters of a recap at most."""
FRESH = 7
"""Days after which the next session gets no recap of a session."""
_READ = 400  # messages read, the last ones
_DISTILLED = 60  # messages of the person that are looked through for decisions, the last ones
_LINE = 200  # characters of a line
_MOST = 5  # lines of a section
_DECIDED = (Kind.DECISION, Kind.COMMITMENT, Kind.CONSTRAINT)
_PLANS = ("TodoWrite", "update_plan", "write_todos")  # tools by which agents keep their lists
_OPEN = re.compile(
    r"\bopen question|\bstill (?:open|unclear|undecided)\b|\bnot (?:yet )?(?:sure|decided)\b|\bTBD\b"
    r"|\b(?:still )?(?:need|have) to (?:decide|figure out|find out)\b",
    re.IGNORECASE,
)
_MARK = "lifeboat"  # its name in stores, from when recaps were called so


@dataclass(frozen=True, slots=True)
class SessionRecap:
    """A recap, with its session and the last message that it covers."""

    text: str
    mark: str
    session: int
    upto: int

    def mark_given(self, store: Store) -> None:
        """Record that it was given, so that it is not given again."""
        with contextlib.suppress(StoreError):  # a full disk costs that it is said twice
            store.sweeps.mark(self.mark, self.session, self.upto)


def own_session_recap(store: Store, session: str) -> SessionRecap | None:
    """Return the recap of a compacted session, once for each state of it; None if it was given."""
    number = store.raw.agent_session(session)
    return None if number is None else _once(store, number, _MARK, "this session stood before it was compacted")


def previous_session_recap(store: Store, project: str, session: str) -> SessionRecap | None:
    """Return the recap of the last session of a project for the next one; None if it was given, or is old."""
    number = store.raw.last_agent_session(project, store.raw.agent_session(session))
    return None if number is None else _once(store, number, f"{_MARK} after", "the last session of this project stood")


def _once(store: Store, number: int, mark: str, what: str) -> SessionRecap | None:
    messages = store.raw.messages(number, _READ)
    last_at = max((one.created_at for one in messages if one.created_at is not None), default=0)
    if not messages or last_at < clock.now() - FRESH * clock.DAY or store.sweeps.upto(mark, number) >= messages[-1].id:
        return None
    spoken = [one for one in messages if one.channel is Channel.SPOKEN and one.active and not one.hidden]
    decided = decisions(store.raw.conversation(number), spoken)
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
    return SessionRecap("\n".join((*lines, "</memories>")), mark, number, messages[-1].id)


def task(messages: Sequence[Message], spoken: Sequence[Message]) -> Iterator[str]:
    """Yield what the person asked for last, and what the agent's own list has open."""
    asked = [text for one in spoken if one.role is Role.USER and len((text := _plain(one)).split()) > 3]
    if asked:
        yield f"asked last: {asked[-1]}"
    plan = next((found for one in reversed(messages) if (found := open_steps(one)) is not None), [])
    yield from sorted(plan, reverse=True)  # what is in progress before what is not begun


def open_steps(message: Message) -> list[str] | None:
    """Return the open steps of an agent's list, if a message has one."""
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
    """Yield what the agent asked and had no answer to, then what the person called open."""
    if spoken and spoken[-1].role is Role.ASSISTANT:
        yield from _found(spoken[-1], lambda text: text.endswith("?"))
    for one in reversed(spoken):
        if one.role is Role.USER:
            yield from _found(one, lambda text: _OPEN.search(text) is not None)


def decisions(session: Conversation, spoken: Sequence[Message]) -> Iterator[str]:
    """Yield what the person decided, latest first."""
    for one in [one for one in reversed(spoken) if one.role is Role.USER][:_DISTILLED]:
        for candidate in reversed(distil(session, [one]).candidates):
            if candidate.kind in _DECIDED and candidate.flag is None:
                yield candidate.text


def _found(message: Message, test: Callable[[str], bool]) -> list[str]:
    text = _plain(message)
    return [part for start, end, _ in sentences(lower(text)) if test(part := text[start:end].strip())]


def _plain(message: Message) -> str:
    """Return a message without the blocks that Curator added to it."""
    return RECALLED.sub("", message.text).strip()
