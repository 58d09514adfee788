"""Rendering of sweeps: progress in the status bar, and the detail below the list."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from textual.content import Content

from curator.display import counted, short_time
from curator.models import NO_MODEL
from curator.serve.hook_failures import DAYS, Repeated
from curator.services.run_progress import is_alive
from curator.sweeps import Failed, State, SweepStatus
from curator.tui.labels import shortened
from curator.tui.text_format import one_line
from store import clock

REPLY = 4_000  # characters of a model's reply

PURPOSES: Mapping[str, str] = {
    "embed": "Computes vectors for search by meaning.",
    "distil": "Lets the chat model read conversations. Its memories go to the inbox, with quotes.",
    "compare": "Finds duplicates and contradictions by rule.",
    "judge": "Asks the chat model about possible conflicts. Only you resolve them.",
    "warmth": "Lets the chat model judge from replies which recalled memories were useful.",
    "tidy": "Ranks memories by use and expires old ones. Each run can be undone.",
    "backup": "Backs up the store to its own folder; `curator backup --list` lists the backups.",
    "sync": "Syncs with your other devices and shared projects; `curator sync init` or `curator share init` starts it.",
    "snapshot": "Writes the tables of `curator sql` to `snapshot.target`, for other machines.",
    "watch": "Imports new messages from the logs of programs on this machine.",
}
STATES: Mapping[State, str] = {
    State.OFF: "off",
    State.WAITING: "waiting",
    State.DUE: "due",
    State.RUNNING: "running",
    State.PAUSED: "paused",
    State.OFFLINE: "no server",  # or no such model
}
LOOKS: Mapping[State, str] = {
    State.RUNNING: "good",
    State.PAUSED: "warn",
    State.OFFLINE: "warn",
    State.DUE: "plain",
}
"""Styles of states in the list; other states are muted."""


@dataclass(frozen=True, slots=True)
class StatusPart:
    """A part of the progress in the status bar; parts of low rank are dropped first if space is short."""

    text: str
    look: str
    rank: int


def parts(statuses: Sequence[SweepStatus], looked: Mapping[str, int], key: str) -> list[StatusPart]:
    """Return the progress of running sweeps, or why none runs, and the failures; empty if there is nothing to show.

    `looked` has the number of failures of each sweep that the person has seen.
    """
    by_state = {state: [sweep for sweep in statuses if sweep.state is state] for state in State}
    failed = sum(max(sweep.failed - looked.get(sweep.name, 0), 0) for sweep in statuses)
    line = [StatusPart(f"{failed:,} failed", "$bad", 9)] if failed else []
    if running := by_state[State.RUNNING]:
        sweep = next((sweep for sweep in running if sweep.name != "watch"), running[0])
        line.insert(0, StatusPart(f"{sweep.name} {progress(sweep)}".rstrip(), "$text", 10))
        line += [StatusPart(f"{span(sweep.left)} left", "$muted", 7)] if sweep.left is not None else []
        line += [StatusPart(pace(sweep.rate), "$muted", 3)] if sweep.rate is not None else []
        line += [StatusPart(model_of(sweep), "$muted", 4)] if sweep.model else []
    elif by_state[State.OFFLINE]:
        line.insert(0, StatusPart("waiting for the model", "$warn", 10))
    if paused := by_state[State.PAUSED]:
        line.append(StatusPart(f"{' '.join(sweep.name for sweep in paused)} paused", "$warn", 8))
    return [*line, StatusPart(f"{key} sweeps", "$accent", 5)] if line else []


def fitted(parts: Iterable[StatusPart], room: int) -> Content:
    """Return the parts that fit, in order; empty if not even the most important one fits."""
    kept = list(parts)
    while kept:
        line = Content.styled(kept[0].text, kept[0].look)
        for part in kept[1:]:
            line = Content.assemble(line, ("   " if part.rank == 5 else " · ", "$muted"), (part.text, part.look))
        if line.cell_length <= room:
            return line
        kept.remove(min(kept, key=lambda part: part.rank))
    return Content()


def state(sweep: SweepStatus) -> State:
    """Return the state of a sweep; a due sweep without work counts as waiting."""
    idle = sweep.state is State.DUE and not sweep.pending and not sweep.failed
    return State.WAITING if idle else sweep.state


def model_of(sweep: SweepStatus) -> str:
    """Return the name of the model, without the digest."""
    return one_line(sweep.model.partition("@")[0], 40)


def progress(sweep: SweepStatus) -> str:
    """Return the progress as `31/204`, or that of another process if this one is idle; empty if unknown."""
    run = sweep if sweep.state is State.RUNNING or sweep.other is None else sweep.other
    return f"{run.done:,}/{run.total:,}" if run.total else ""


def span(seconds: float) -> str:
    """Return a rough duration: `40 s`, `12 min`, `2 h 5 min`, `23 h`."""
    whole = max(round(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    hours, minutes = divmod(round(whole / 60), 60)
    if hours >= 10:
        return f"{hours + (minutes >= 30)} h"
    return " ".join([*([f"{hours} h"] if hours else []), *([f"{minutes} min"] if minutes else [])])


def pace(rate: float) -> str:
    """Return items per minute: `4.1/min`, `380/min`."""
    return f"{rate:.1f}/min" if rate < 10 else f"{rate:,.0f}/min"


def until(at: int, now: int) -> str:
    """Return the time until a moment: `now`, `in 12 min`."""
    return f"in {span((at - now) / 1_000_000)}" if at > now else "now"


def described(sweep: SweepStatus, now: int, width: int, failed_hooks: Sequence[Repeated]) -> Content:
    """Return the detail of a sweep in `width` cells, with failed hooks of assistants below.

    Text of a server or model is shown as plain text (I10).
    """
    texts = [(PURPOSES.get(sweep.name, ""), "$muted"), ("", ""), (state_line(sweep, now), "$text")]
    if sweep.total and (sweep.done or sweep.state is State.RUNNING):
        left = "" if sweep.left is None else f", {span(sweep.left)} left"
        rate = "" if sweep.rate is None else f", {pace(sweep.rate)}"
        texts.append((f"{sweep.done:,} of {sweep.total:,} done{rate}{left}", "$text"))
    texts += [(f"{sweep.pending:,} to do", "$muted")] if sweep.pending else []
    for run in sweep.others:
        at, who = f"{run.done:,} of {run.total:,}", f"process {run.process} on {one_line(run.host, 40)}"
        if is_alive(run):
            seen = span((clock.now() - run.seen) / clock.SECOND)
            since = f"since {short_time(run.since)} UTC, last seen {seen} ago"
            texts.append((f"Another process is working on {at}: {who}, {since}.", "$text"))
        else:
            texts.append((f"Stopped or killed while working on {at}: {who}. The next run continues.", "$text"))
    texts += [("Another process is working on it too.", "$muted")] if sweep.elsewhere and not sweep.others else []
    texts += [(f"model: {one_line(sweep.model, 80)}", "$muted")] if sweep.model else []
    if sweep.failed:
        texts += [("", ""), (f"{sweep.failed:,} failed. They are retried only when you ask.", "$bad")]
    if sweep.problem and sweep.state is not State.OFF:
        texts += [("", ""), ("LAST PROBLEM", "bold $muted"), (one_line(sweep.problem, 600), "$warn")]
    if failed_hooks:
        texts += [("", ""), (f"FAILED HOOKS OF ASSISTANTS, LAST {DAYS} DAYS", "bold $muted")]
    for hook in failed_hooks:
        last = f"last {short_time(round(hook.last * clock.SECOND))} UTC"
        texts.append(
            (one_line(f"{hook.host} {hook.event}: {counted(hook.times, 'time')}, {last}, {hook.why}", 200), "$warn")
        )
    lines = [Content.styled(sweep.name, "bold $text")]
    for text, look in texts:
        lines += Content.styled(text, look).wrap(max(width, 10)) if text else [Content()] * (not look)
    return Content("\n").join(lines)


def state_line(sweep: SweepStatus, now: int) -> str:
    """Return a sentence about the state of a sweep."""
    at = sweep.next_at or 0
    when = f" {short_time(at)} UTC, {until(at, now)}" if at >= now + clock.SECOND else ""
    match state(sweep):
        case State.OFF:
            return f"Off: {why_off(sweep)}."
        case State.WAITING:
            return f"Next run:{when}." if when else "Nothing to do."
        case State.DUE:
            return "Due: starts when the sweeps before it have finished."
        case State.RUNNING:
            asks = sweep.problem and not sweep.done  # the problem is cleared once the server has answered
            return "Trying its server again." if asks else "Running in the background."
        case State.PAUSED:
            return "Paused by you, in every process, until you resume it."
    return f"Its server is unavailable. Next try:{when or ' soon'}. Nothing is lost; other work goes on."


def why_off(sweep: SweepStatus) -> str:
    """Return why a sweep is off, and how to switch it on."""
    if sweep.problem == NO_MODEL:
        return "no chat model is set; choose one with `models` in the palette"
    return one_line(sweep.problem) or f"turn it on with `curator config sweep_{sweep.name}.enabled true`"


def page(failures: Sequence[Failed]) -> str:
    """Return a page of failures, each with its reason and the unchanged reply."""
    texts = []
    for failed in failures:
        by = f", by {failed.model}" if failed.model else ""
        reply = shortened(failed.reply, REPLY) if failed.reply.strip() else "(empty)"
        tried = f"tried {counted(failed.tries, 'time')}, last {short_time(failed.at)} UTC{by}"
        texts.append("\n".join([one_line(failed.title) or "untitled", failed.reason, tried, "", "Reply:", reply]))
    return f"\n\n{'─' * 40}\n\n".join(texts) or "Nothing failed."
