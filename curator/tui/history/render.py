"""Rendering of a command's detail as styled text. Text from logs is never parsed as markup (I10)."""

from collections.abc import Iterator, Sequence
from itertools import chain

from textual.content import Content

from curator.display import counted, short_date, short_time
from curator.history_text import shown_summary, shown_verb
from curator.tui.glyphs import Glyphs
from curator.tui.history.queries import CommandDetail
from curator.tui.labels import ACTORS, REVIEWS, flow, heading, hung, muted, source
from curator.tui.memories.detail_render import compared
from curator.tui.text_format import one_line
from store import clock
from store.model import Command, Life, Memory, Review
from store.record.command_effects import EffectKind, MemoryEffect

TEXT = 300  # characters of a memory's text
MOST = 8  # changes listed per memory

_NAMES = {
    "user_score": "your score",
    "later_until": "snoozed until",
    "superseded_by": "superseded by",
    "expires_at": "valid until",
    "created_at": "said",
    "external_id": "external id",
    "life": "state",
    "text": "text",
    "flag": "quarantine",
}
_TIMES = ("later_until", "expires_at", "created_at", "added_at")
_ENTERED = {EffectKind.ADDED: ("+", "$good"), EffectKind.REMOVED: ("-", "$bad"), EffectKind.CHANGED: ("~", "$muted")}
_SEEN = {EffectKind.ADDED: "imported", EffectKind.REMOVED: "hidden", EffectKind.CHANGED: "distilled"}


def content(detail: CommandDetail, glyphs: Glyphs, dependents: Sequence[int], width: int) -> Content:
    """Return the detail of a command in `width` cells; `dependents` are the later commands to undo first."""
    parts = (head(detail, glyphs, dependents, width), conversations(detail, width), memories(detail, width))
    return Content("\n").join(chain.from_iterable(parts))


def head(detail: CommandDetail, glyphs: Glyphs, dependents: Sequence[int], width: int) -> Iterator[Content]:
    """Yield verb, actor, time, related undo commands, and the reason why it cannot be undone."""
    command, of = detail.command, detail.of
    yield Content.styled(one_line(shown_verb(command.verb)), "bold $text")
    parts = [f"command {command.id}", f"by {ACTORS[command.actor]}", f"{short_time(command.at)} UTC"]
    parts += [f"on {one_line(command.elsewhere)}"] if command.elsewhere else []
    yield from flow(map(muted, [*parts, *([counted(command.count)] if command.count else [])]), width)
    if command.summary:
        yield from hung(Content(), Content(one_line(shown_summary(command))), width)
    if of is not None:
        count = f" of {counted(of.count)}" if of.count else ""
        count += f" ({one_line(shown_summary(of))})" if of.summary else ""
        what = f"{'redid' if command.verb == 'redo' else 'undid'} command {of.id}: {one_line(shown_verb(of.verb))}"
        yield from hung(Content(), Content(f"{what}{count}, {_when(of)}"), width)
    if detail.undone is not None:
        words = f"undone by command {detail.undone.id}, {_when(detail.undone)}"
        yield from hung(Content.styled(f"{glyphs.undone} ", "bold $warn"), Content.styled(words, "$warn"), width)
    if not command.undoable:
        yield from hung(Content(), muted("Cannot be undone: its text was purged."), width)
    if dependents:
        shown = ", ".join(str(command) for command in dependents[:12]) + (" …" if len(dependents) > 12 else "")
        words = f"Later commands depend on it: {shown}. Undo these first, newest first."
        yield from hung(Content.styled(f"{glyphs.alert} ", "$warn"), Content.styled(words, "$warn"), width)


def conversations(detail: CommandDetail, width: int) -> Iterator[Content]:
    """Yield the effects on conversations."""
    if batches := detail.changes.batches:
        yield Content()
        yield heading("CONVERSATIONS", f"{len(batches)}" if detail.changes.whole else f"the first {len(batches)}")
    for batch in batches:
        sign, look = _ENTERED[batch.kind]
        date = "" if batch.created_at is None else short_date(batch.created_at)
        messages = counted(batch.messages, "message") if batch.messages else ""
        about = " · ".join(filter(None, (one_line(source(batch.source) or ""), date, messages, _SEEN[batch.kind])))
        titled = Content.assemble(one_line(batch.title or "untitled"), (f"  {about}", "$muted"))
        yield from hung(Content.styled(f"{sign} ", look), titled, width)


def memories(detail: CommandDetail, width: int) -> Iterator[Content]:
    """Yield the effects on memories, with the reasons that sweeps gave."""
    if shown := detail.changes.memories:
        count = detail.command.count
        yield Content()
        yield heading("MEMORIES", f"the first {len(shown)} of {count:,}" if count > len(shown) else f"{len(shown)}")
    for memory in shown:
        done = [item for item in detail.changes.touched if item.memory == memory]
        yield from hung(muted(f"{memory}  "), _now(detail, memory, done), width)
        alerts = [item for item in done if item.column == "alert"]
        confirmed = {(item.other, item.before) for item in alerts if item.before} & {
            (item.other, item.after) for item in alerts
        }
        rejection = any(item.column == "review" and "rejected" in (item.before, item.after) for item in done)
        lines = [
            (line, item.why)
            for item in done
            if not (rejection and item.column == "life" and "forgotten" in (item.before, item.after))
            and (item.other, item.before) not in confirmed
            and (line := _change_line(detail, item, (item.other, item.after) in confirmed)) is not None
        ]
        for line, why in lines[:MOST]:
            yield from hung(Content("    "), line, width)
            if why:
                yield from hung(muted("      because  "), Content(one_line(why)), width)
        if len(lines) > MOST:
            yield muted(f"    and {len(lines) - MOST:,} more changes")


def _when(command: Command) -> str:
    return f"by {ACTORS[command.actor]} on {short_time(command.at)}"


def _now(detail: CommandDetail, memory_id: int, done: Sequence[MemoryEffect]) -> Content:
    """Return the text of a memory, or its last text if it was removed."""
    memory = detail.memories.get(memory_id)
    if memory is None:
        words = next((item.before or item.after for item in done if item.column == "memory"), None)
        text = _quoted(str(words)) if words else "it"
        return Content.assemble((text, "$text"), ("  no longer stored", "$muted"))
    if memory.life is Life.PURGED:
        return muted("purged: its text was erased")
    rejected = memory.review is Review.REJECTED and memory.life is Life.FORGOTTEN
    state = "" if memory.life is Life.LIVE else f"  now {'rejected' if rejected else memory.life}"
    return Content.assemble((_brief(memory), "$text"), (state, "$muted"))


def _change_line(detail: CommandDetail, item: MemoryEffect, confirmed: bool) -> Content | None:
    """Return a change of a memory, None if another line shows it. A `confirmed` conflict existed before the command."""
    if item.kind is EffectKind.CHANGED:
        name = muted(f"{_NAMES.get(item.column, item.column.replace('_', ' '))}  ")
        if item in detail.diffs:
            return name + compared(detail.diffs[item])
        if item.column == "text":
            gone = not (item.before or item.after)
            return name + muted("changed; both were purged" if gone else "changed; too long to compare here")
        before, after = _value(detail, item, False), _value(detail, item, True)
        if item.column == "settled":
            return Content.assemble((f"conflict with {_other(detail, item.other).plain}  ", "$muted"), after)
        return Content.assemble(name, (f"{before} → ", "$muted"), (after, "bold $text"))
    sign, look = _ENTERED[item.kind]
    value = str(item.after if item.kind is EffectKind.ADDED else item.before)
    memory = detail.memories.get(item.memory)
    if item.column == "memory":
        same = memory is None or memory.text == value or memory.life is Life.PURGED
        words = Content() if same else Content.assemble(("  then: ", "$muted"), _quoted(value))
        return Content.styled(f"{sign} {item.kind}", look) + words
    if item.column == "version":
        if item.other is None:  # a text change has its own line
            return None
        words = Content.assemble((f"{sign} merged from memory {item.other}: ", look), _quoted(value))
    elif item.column == "alert":
        noun = "conflict removed" if item.kind is EffectKind.REMOVED else "conflict"
        if confirmed:
            return Content.assemble((f"conflict confirmed: {value} with ", "$muted"), _other(detail, item.other))
        words = Content.assemble((f"{sign} {noun}: {value} with ", look), _other(detail, item.other))
    elif not value and item.column == "quote":
        words = Content.assemble((f"{sign} quote ", look), ("purged", "$muted"))
    else:
        shown = f"#{one_line(value)}" if item.column == "tag" else _quoted(value)
        words = Content.assemble((f"{sign} {item.column} ", look), shown)
    return words


def _value(detail: CommandDetail, item: MemoryEffect, after: bool) -> str:
    """Return a value in words."""
    value = item.after if after else item.before
    if item.column == "settled":
        return "reopened" if value is None else f"resolved: {one_line(str(value))}"
    if item.column == "pinned":
        return "yes" if value else "no"
    if value is None or value == "":
        return "none"
    if item.column == "review":
        return REVIEWS.get(Review(str(value)), str(value))
    if item.column in _TIMES and isinstance(value, int):
        return "no end" if value == clock.LATEST else short_date(value)
    if item.column == "superseded_by" and isinstance(value, int):
        memory = detail.memories.get(value)
        return f"memory {value}" + ("" if memory is None else f" {_brief(memory)}")
    return one_line(str(value))


def _other(detail: CommandDetail, memory_id: int | None) -> Content:
    memory = None if memory_id is None else detail.memories.get(memory_id)
    return Content(f"memory {memory_id}" if memory is None else f"{memory_id} {_brief(memory)}")


def _brief(memory: Memory) -> str:
    return _quoted(memory.text) if memory.text else "(no text)"


def _quoted(text: str) -> str:
    return f"“{one_line(text, TEXT)}{'…' if len(text) > TEXT else ''}”"
