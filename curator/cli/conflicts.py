"""The commands `conflicts list`, `show`, `explain` and `resolve`."""

from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from curator import curation
from curator.cli.compare import print_verdict, verdict_row
from curator.cli.conflict_output import (
    conflict_row,
    judgment_row,
    print_choices,
    print_conflict,
    print_judgments,
    print_reasons,
)
from curator.cli.options import HELP, LARGEST, AsJson, AsJsonLines, DraftBy, NamedValues, Yes, countable
from curator.cli.output import (
    LEGEND,
    NOTHING,
    confirm,
    memory_heads,
    memory_line,
    open_store,
    print_heads,
    print_json,
    print_json_lines,
    warn,
)
from curator.cli.results import print_draft
from curator.cli.review import drafted
from curator.curation import Choice, Pair, Rule
from curator.curation.change_groups import MOST, group_pairs, plan_group, same_change, title
from curator.curation.merge import stays_quarantined
from curator.curation.pairs import confirm as confirm_open
from curator.curation.reasons import reason
from curator.curation.resolve import still_held
from curator.display import counted, truncate
from curator.filters import parse_conflicts
from curator.terminal_text import on_one_line
from store import NotFound, Store

_WEEK = 7
Id = Annotated[int, typer.Argument(metavar="ID", callback=countable, help="The conflict's id.")]
ScopeA = Annotated[
    str | None, typer.Option(metavar="SCOPE", help="With --keep both: the scope of A, e.g. project:site.")
]
ScopeB = Annotated[str | None, typer.Option(metavar="SCOPE", help="With --keep both: the scope of B.")]
TextA = Annotated[str | None, typer.Option(metavar="TEXT", help="With --keep both: the new text of A.")]
TextB = Annotated[str | None, typer.Option(metavar="TEXT", help="With --keep both: the new text of B.")]


class Kept(StrEnum):
    """The side of a pair to keep."""

    A = "A"
    B = "B"
    BOTH = "both"
    NONE = "none"


def parse_side(word: str) -> Kept:
    """Return the side named by a word, ignoring case. Raises BadParameter."""
    for side in Kept:
        if word.strip().casefold() == side.casefold():
            return side
    raise typer.BadParameter(f"{truncate(word)!r} is not one of {', '.join(Kept)}")


class ListGroup(TyperGroup):
    """Command group that treats words without a subcommand as a filter for `list`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert `list` if the first word is not a command."""
        if not args or (args[0] not in self.commands and args[0] not in ("-h", "--help")):
            args = ["list", *args]
        return super().parse_args(ctx, args)


conflicts = typer.Typer(cls=ListGroup, help="List and resolve duplicates and contradictions.", context_settings=HELP)


@conflicts.command("list", cls=NamedValues)
def list_conflicts(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILTER", help="e.g. class:update score:>=80% source:claude is:resolved tea"),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, callback=countable, help="At most this many.")] = 50,
    as_json: AsJsonLines = False,
) -> None:
    """List open conflicts, strongest first, grouped by change."""
    store = open_store()
    pairs = curation.waiting(store, parse_conflicts(" ".join(words or [])), min(max(limit, MOST), LARGEST - 1) + 1)
    if not pairs:
        raise NotFound(f"no {'matching' if words else 'open'} conflicts")
    groups = group_pairs(pairs)
    heads = {group[0].alert.id: group for group in groups if len(group) > 1}
    listed = [pair for group in groups for pair in group][:limit]
    if as_json:
        group_of = {pair.alert.id: head for head, group in heads.items() for pair in group}
        print_json_lines({**conflict_row(store, pair), "group": group_of.get(pair.alert.id)} for pair in listed)
    else:
        print_heads(f"{'id':>6}  {'relation':<13}  score {'found':<16}  judge    reason\n       {memory_heads()}")
        for pair in listed:
            if group := heads.get(pair.alert.id):
                print(f"{on_one_line(title(group))} · {counted(len(group), 'pair')}")
            print_conflict(store, pair)
        print_heads(LEGEND)
    if len(pairs) > limit:
        warn(f"showing the first {limit:,}; more with --limit")


@conflicts.command(cls=NamedValues)
def show(conflict: Id, as_json: AsJson = False) -> None:
    """Show a conflict: both memories, the reasons and the choices."""
    store = open_store()
    pair = curation.pair(store, conflict)
    judgments = store.judgments.of([conflict]).get(conflict, [])
    if as_json:
        print_json({**conflict_row(store, pair), "judgments": [judgment_row(judgment) for judgment in judgments]})
        return
    print_conflict(store, pair, quotes=True)
    print_reasons("why (before a text was edited)" if pair.outdated else "why", [reason(pair.alert, pair.a, pair.b)])
    print_judgments(judgments)
    print_choices(store, pair)


@conflicts.command(cls=NamedValues)
def explain(conflict: Id, as_json: AsJson = False) -> None:
    """Explain a conflict: how rules and models judge the two texts."""
    from curator.compare import relate
    from curator.conflicts import count_near, pair_classifier

    store = open_store()
    pair = curation.pair(store, conflict)
    said_at = None if pair.a.created_at is None or pair.b.created_at is None else (pair.a.created_at, pair.b.created_at)
    (near,) = count_near(store, [(pair.a.id, pair.b.id)])
    verdict = relate(pair.a.text, pair.b.text, pair.alert.cosine, said_at, near, pair_classifier())
    judgments = store.judgments.of([conflict]).get(conflict, [])
    if as_json:
        print_json(
            {
                "id": conflict,
                **verdict_row(verdict),
                "path": verdict.path,
                "judgments": [judgment_row(judgment) for judgment in judgments],
            }
        )
        return
    print_conflict(store, pair)
    if pair.outdated:
        print("a text was edited since this was found; the following is about the current words")
    print_verdict(verdict)
    print_judgments(judgments)


@conflicts.command(cls=NamedValues)
def resolve(
    conflict: Annotated[
        int | None, typer.Argument(metavar="ID", callback=countable, help="The conflict's id; none with --bulk.")
    ] = None,
    keep: Annotated[
        Kept | None,
        typer.Option(metavar="A|B|both|none", parser=parse_side, help="The side to keep; none rejects both."),
    ] = None,
    merge: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Merge both into one with this text; with --keep A or B, into that one."),
    ] = None,
    draft: Annotated[
        DraftBy | None,
        typer.Option(
            metavar="rules|model", help="Merge both with a draft by rules or your local model, after showing it."
        ),
    ] = None,
    later: Annotated[bool, typer.Option("--snooze", "--later", help="Snooze for a week.")] = False,
    days: Annotated[
        int | None, typer.Option(callback=countable, help="With --snooze: snooze for this many days.")
    ] = None,
    text_a: TextA = None,
    text_b: TextB = None,
    scope_a: ScopeA = None,
    scope_b: ScopeB = None,
    dated: Annotated[
        bool,
        typer.Option(
            "--dated",
            help="With --keep both: A until the change, B since then; by a date in the texts, else B's.",
        ),
    ] = False,
    group: Annotated[
        bool, typer.Option("--group", help="With --keep A or B: keep this side in all conflicts about the same change.")
    ] = False,
    bulk: Annotated[
        Rule | None, typer.Option(help="Resolve many: the newest, the validated or one source wins.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(help="With --bulk: only conflicts with this source; with --bulk source, the source that wins."),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--filter", "-f", metavar="FILTER", help="With --bulk: only these, e.g. class:update."),
    ] = None,
    yes: Yes = False,
) -> None:
    """Resolve a conflict, or many by one rule. Undoable."""
    merges = merge is not None or draft is not None
    kept = None if merges and keep is not Kept.NONE else keep  # with a merge, `keep` names the surviving memory
    chosen = [option for option in (kept, merge, draft, later or None, bulk) if option is not None]
    amended = {"text_a": text_a, "text_b": text_b, "scope_a": scope_a, "scope_b": scope_b}
    for wrong, why in (
        (dated and not chosen, "--dated needs --keep both"),
        (
            len(chosen) != 1 or (conflict is None) is (bulk is None),
            "give an ID with one of --keep, --merge, --draft and --snooze, or --bulk without an ID",
        ),
        (
            kept is not Kept.BOTH and (dated or any(value is not None for value in amended.values())),
            "--text-a, --scope-a, --dated and so on go with --keep both, without --merge",
        ),
        (
            dated and (text_a is not None or text_b is not None),
            "--dated words both itself; leave out --text-a and --text-b",
        ),
        (group and (merges or kept not in (Kept.A, Kept.B)), "--group goes with --keep A or --keep B"),
        ((source is not None or where) and bulk is None, "--source and --filter go with --bulk"),
        (days is not None and not later, "--days goes with --snooze"),
    ):
        if wrong:
            raise typer.BadParameter(why)
    store = open_store()
    if bulk is not None:
        conflict_filter = parse_conflicts(" ".join(where or []))
        conflict_filter = conflict_filter if source is None else replace(conflict_filter, source=source)
        pairs = curation.waiting(store, conflict_filter)
        _resolve_many(store, curation.plan_bulk(pairs, bulk, conflict_filter.source), yes)
    elif conflict is not None and group:
        pair = curation.pair(store, conflict)
        confirm_open(store, pair)
        _resolve_many(store, plan_group(same_change(store, conflict), pair, "a" if kept is Kept.A else "b"), yes)
    elif conflict is not None:
        pair = curation.pair(store, conflict)
        if merges:
            message = merge_sides(store, pair, merge, draft, keep, yes)
        elif keep is Kept.BOTH:
            message = keep_both(store, pair, amended, dated)
        elif keep is not None:
            message = keep_side(store, pair, keep)
        else:
            message = snooze(store, pair, _WEEK if days is None else days)
        print(f"{conflict}: {on_one_line(message.removesuffix(curation.UNDOABLE))} · `curator undo` undoes it")
        if merges or dated or any(amended.values()):
            for memory in store.get_many([pair.a.id, pair.b.id]):
                print(memory_line(memory))


def merge_sides(store: Store, pair: Pair, text: str | None, draft: DraftBy | None, keep: Kept | None, yes: bool) -> str:
    """Merge both memories with a text, or with a draft that the person confirms; return the message."""
    by, survivor = "", {Kept.A: pair.a.id, Kept.B: pair.b.id}.get(keep or Kept.NONE)
    if draft is not None:
        proposed = drafted(store, [pair.a.id, pair.b.id], draft, survivor)
        text, by = proposed.text, proposed.by
        print_draft(proposed, text, [pair.a, pair.b])
        confirm("merge both?", yes)
    curation.merge_pair(store, pair, text or "", survivor, by)
    held = stays_quarantined(pair.a) or stays_quarantined(pair.b)
    return "merged both; in quarantine until you validate it" if held else "merged both"


def keep_both(store: Store, pair: Pair, amended: dict[str, str | None], dated: bool) -> str:
    """Keep both memories, with new texts or scopes, or `dated` by the change between them; return the message."""
    if dated:
        if why := curation.undatable(pair):
            raise typer.BadParameter(f"{why}: give --text-a and --text-b")
        amended["text_a"], amended["text_b"] = curation.dated(pair)
    changed = curation.keep_both(store, pair, **amended)
    done = f"keeps both, and changes {counted(changed, 'memory')}" if changed else "keeps both: no conflict"
    return done + still_held([pair.a, pair.b], True)


def keep_side(store: Store, pair: Pair, keep: Kept) -> str:
    """Keep one side, or none; return the message."""
    if keep is Kept.NONE:
        curation.reject_both(store, pair)
    else:
        curation.keep(store, pair, "a" if keep is Kept.A else "b")
    return curation.outcome(pair, Choice(keep.lower()))


def snooze(store: Store, pair: Pair, days: int) -> str:
    """Snooze a conflict, or end its snooze with 0 days; return the message."""
    curation.snooze(store, pair, days)
    if not days and pair.alert.later_until is None:
        print("not snoozed")
        raise typer.Exit
    return f"snoozed for {counted(days, 'day')}" if days else "no longer snoozed"


def _resolve_many(store: Store, plan: curation.Plan, yes: bool) -> None:
    """Resolve the conflicts of a plan, after asking. Raises typer.Exit if there are none."""
    print(on_one_line(curation.bulk_outcome(plan)))
    if not plan.decided:
        raise typer.Exit(NOTHING)
    confirm(f"resolve {counted(len(plan.decided), 'conflict')}?", yes)
    done = curation.bulk(store, plan)
    changed = f", left {done.changed:,} that changed meanwhile" if done.changed else ""
    print(
        f"resolved {counted(done.conflicts, 'conflict')}, superseded {counted(done.memories, 'memory')}{changed}"
        f"{' · `curator undo` undoes it' if done.conflicts else ''}"
    )
