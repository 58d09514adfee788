"""How the work in the background is told: on the status line in the room there is, and in full beside the list."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from textual.content import Content

from curator.services.run_progress import is_alive
from curator.sweeps import Failed, State, SweepStatus
from curator.sweeps.chat_sweep import NO_MODEL
from curator.tui.formatting import counted, moment, one_line
from curator.tui.labels import shortened
from store import clock
from store.model import SweepProgress

REPLY = 4_000  # characters of what a model answered

PURPOSES: Mapping[str, str] = {
    "embed": "Gives every memory its vector, so that it is found by its meaning.",
    "distil": "Lets the chat model read the conversations. What it proposes comes to the inbox, with a quote.",
    "compare": "Looks, by rule, for memories that say the same or contradict each other.",
    "judge": "Asks the chat model about pairs that may be in conflict. It closes nothing by itself.",
    "warmth": "Lets the chat model see from the reply which recalled memories were of use.",
    "tidy": "Ranks memories by use, and lets what has expired leave recall. Each run can be taken back.",
    "watch": "Imports the coding sessions of this machine, all of them, and what is added to them as it comes.",
}
STATES: Mapping[State, str] = {
    State.OFF: "off",
    State.WAITING: "waits",
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
"""The look of a state in the list; muted where none stands here."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the status line; those of the lowest rank leave first where there is no room."""

    text: str
    look: str
    rank: int


def parts(statuses: Sequence[SweepStatus], looked: Mapping[str, int], key: str) -> list[Part]:
    """What the status line says: what runs and how far it is, or why nothing does, and what failed.

    `looked` is how many failures of a sweep the person has looked at. Nothing is said where all is quiet.
    """
    failed = sum(max(sweep.failed - looked.get(sweep.name, 0), 0) for sweep in statuses)
    failures = [Part(f"{failed:,} failed", "$bad", 9)] if failed else []
    running = [sweep for sweep in statuses if sweep.state is State.RUNNING]
    offline = [sweep for sweep in statuses if sweep.state is State.OFFLINE]
    paused = [sweep for sweep in statuses if sweep.state is State.PAUSED]
    if running:
        sweep = next((sweep for sweep in running if sweep.name != "watch"), running[0])
        told = [Part(f"{sweep.name} {progress(sweep)}".rstrip(), "$text", 10), *failures]
        if sweep.left is not None:
            told.append(Part(f"{span(sweep.left)} left", "$muted", 7))
        if sweep.rate is not None:
            told.append(Part(f"{pace(sweep.rate)}", "$muted", 3))
        if sweep.model:
            told.append(Part(model_of(sweep), "$muted", 4))
    elif offline:
        told = [Part("waiting for the model", "$warn", 10), *failures]
    elif paused:
        told = [Part(f"{' '.join(sweep.name for sweep in paused)} paused", "$warn", 10), *failures]
    else:
        told = failures
    return [*told, Part(f"{key} sweeps", "$accent", 5)] if told else []


def fitted(told: Iterable[Part], room: int) -> Content:
    """The parts that have room, in their order; nothing if not even the weightiest has."""
    kept = list(told)
    while kept:
        line = _joined(kept)
        if line.cell_length <= room:
            return line
        kept.remove(min(kept, key=lambda part: part.rank))
    return Content()


def _joined(kept: Sequence[Part]) -> Content:
    pieces: list[tuple[str, str]] = []
    for part in kept:
        if pieces:
            pieces.append(("   " if part.rank == 5 else " · ", "$muted"))
        pieces.append((part.text, part.look))
    return Content.assemble(*pieces)


def state(sweep: SweepStatus) -> State:
    """Its state; what is due with nothing to do is as good as waiting."""
    idle = sweep.state is State.DUE and not sweep.pending and not sweep.failed
    return State.WAITING if idle else sweep.state


def model_of(sweep: SweepStatus) -> str:
    """Its model as people call it, without the digest."""
    return one_line(sweep.model.partition("@")[0], 40)


def progress(sweep: SweepStatus) -> str:
    """`31/204`, of another process where this one is at nothing; nothing where nothing is known."""
    run = sweep if sweep.state is State.RUNNING or sweep.other is None else sweep.other
    return f"{run.done:,}/{run.total:,}" if run.total else ""


def span(seconds: float) -> str:
    """A time that is left, roughly: `40 s`, `12 min`, `2 h 5 min`, `23 h`."""
    whole = max(round(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    hours, minutes = divmod(round(whole / 60), 60)
    if hours >= 10:
        return f"{hours + (minutes >= 30)} h"
    return " ".join([*([f"{hours} h"] if hours else []), *([f"{minutes} min"] if minutes else [])])


def pace(rate: float) -> str:
    """Items a minute: `4.1/min`, `380/min`."""
    return f"{rate:.1f}/min" if rate < 10 else f"{rate:,.0f}/min"


def until(at: int, now: int) -> str:
    """When something comes: `now`, `in 12 min`."""
    return f"in {span((at - now) / 1_000_000)}" if at > now else "now"


def described(sweep: SweepStatus, now: int, width: int) -> Content:
    """All that is known of a sweep, in `width` cells. What a server or a model said is shown as it came (I10)."""
    lines = [Content.styled(sweep.name, "bold $text"), *_wrapped(PURPOSES.get(sweep.name, ""), "$muted", width)]
    lines += [Content(), *_wrapped(_state(sweep, now), "$text", width)]
    if sweep.total and (sweep.done or sweep.state is State.RUNNING):
        left = "" if sweep.left is None else f", {span(sweep.left)} left"
        rate = "" if sweep.rate is None else f", {pace(sweep.rate)}"
        lines += _wrapped(f"{sweep.done:,} of {sweep.total:,} gone through{rate}{left}", "$text", width)
    if sweep.pending:
        lines += _wrapped(f"{sweep.pending:,} not done yet", "$muted", width)
    lines += [line for run in sweep.others for line in _wrapped(_elsewhere(run), "$text", width)]
    if sweep.elsewhere and not sweep.others:
        lines += _wrapped("Another process is at work on it too.", "$muted", width)
    if sweep.model:
        lines += _wrapped(f"by {one_line(sweep.model, 80)}", "$muted", width)
    if sweep.failed:
        lines += [
            Content(),
            *_wrapped(
                f"{sweep.failed:,} failed and wait for you: they are not tried again by themselves", "$bad", width
            ),
        ]
    if sweep.problem and sweep.state is not State.OFF:
        lines += [Content(), Content.styled("LAST PROBLEM", "bold $muted")]
        lines += _wrapped(one_line(sweep.problem, 600), "$warn", width)
    return Content("\n").join(lines)


def _state(sweep: SweepStatus, now: int) -> str:
    at = sweep.next_at or 0
    when = f" {moment(at)} UTC, {until(at, now)}" if at >= now + clock.SECOND else ""
    match state(sweep):
        case State.OFF:
            return f"Off: {why_off(sweep)}."
        case State.WAITING:
            return f"It waits for its time:{when}." if when else "Nothing to do."
        case State.DUE:
            return "Due: it begins as soon as what is before it has ended."
        case State.RUNNING:
            asks = sweep.problem and not sweep.done  # what was wrong is forgotten as soon as the server is there
            return "It asks its server again." if asks else "At work; you can go on with yours."
        case State.PAUSED:
            return "Paused by you."
    return f"Its server is not there. It is asked again{when or ' by itself'}; nothing is lost, and all else goes on."


def _elsewhere(run: SweepProgress) -> str:
    """Describe the run of another process: how far it is, since when, and when it was last heard of."""
    how_far = f"{run.done:,} of {run.total:,}"
    who = f"process {run.process} on {one_line(run.host, 40)}"
    if not is_alive(run):
        return f"Stopped, or killed, at {how_far}: {who}. What is left is done by whoever works next."
    seen = span((clock.now() - run.seen) / clock.SECOND)
    return f"Another process is at {how_far}: {who}, since {moment(run.since)} UTC, heard of {seen} ago."


def why_off(sweep: SweepStatus) -> str:
    """Why it does nothing, and how that is changed."""
    if sweep.problem == NO_MODEL:
        return "no chat model is set; `models` in the palette chooses one"
    return one_line(sweep.problem) or f"`curator config --set sweep_{sweep.name}.enabled=true` switches it on"


def _wrapped(text: str, look: str, width: int) -> list[Content]:
    return list(Content.styled(text, look).wrap(max(width, 10))) if text else []


def page(failures: Sequence[Failed]) -> str:
    """What failed, one below the other, each with the reason and what the model answered, as it came."""
    return f"\n\n{'─' * 40}\n\n".join(map(_failure, failures)) or "Nothing failed."


def _failure(failed: Failed) -> str:
    times = counted(failed.tries, "time")
    head = [
        one_line(failed.title) or "without a title",
        f"{failed.reason}",
        f"taken up {times}, last {moment(failed.at)} UTC" + (f", by {failed.model}" if failed.model else ""),
    ]
    reply = shortened(failed.reply, REPLY) if failed.reply.strip() else "(nothing)"
    return "\n".join([*head, "", "What came:", reply])
