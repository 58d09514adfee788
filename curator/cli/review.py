"""Commands that change memories: add, validate, reject, snooze, forget, edit, merge, supersede, and `--to` values."""

import re
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from curator import curation
from curator.cli.options import AsJson, DraftBy, Ids, MemoryId, SomeIds, Yes, countable, memory_number, parse_end
from curator.cli.output import NOTHING, confirm, end_with_nothing, open_store, print_json_lines, warn
from curator.cli.results import print_done, print_draft, print_first, print_made, print_quarantined, warn_of_conflicts
from curator.curation import MergeDraft
from curator.display import counted, iso_date, truncate
from curator.editor import edited
from curator.terminal_text import on_one_line
from store import Filter, NotFound, Store, clock
from store.model import Given, Kind, Life, Origin, Rank, Tier


def add(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="The text of the memory; - for stdin.")],
    kind: Annotated[Kind, typer.Option(help="Its kind.")] = Kind.FACT,
    tier: Annotated[Tier, typer.Option(help="How central it is to you.")] = Tier.MEDIUM,
    project: Annotated[str | None, typer.Option(help="The project it belongs to.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag; repeat for more.")] = None,
    importance: Annotated[int, typer.Option(callback=countable, help="How much it matters, 1 to 10.")] = 5,
    until: Annotated[str | None, typer.Option(metavar="DATE|30d", help="Its end date; none by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """Add a memory in your own words."""
    from curator.distill.rules import is_order

    words = sys.stdin.read() if text == ["-"] else " ".join(text)
    end = None if until is None else parse_end(until)
    given = Given.ALWAYS if is_order(words) else None
    store = open_store()
    memory = curation.add(store, words, kind, tier, project, tag or [], importance, end, given)
    print_made(store, memory, as_json)
    _warn_about(words, memory.text)
    from curator.services.forgotten_before import forgotten_before  # comparing takes a second

    if (former := forgotten_before(store, memory.text)) is not None:
        did = "asked to forget" if former.asked else "forgot"
        note = f"you {did} this on {iso_date(former.at)}: “{truncate(former.words, 80)}”"
        warn(on_one_line(f"{note}; `curator forget {memory.id}` forgets it again"))


def _warn_about(words: str, text: str) -> None:
    """Warn if secrets were redacted, or if the text looks like an instruction to a model (it is stored as is)."""
    from curator.injection import flag_injection
    from curator.secrets import redact

    if count := redact(words).count:
        warn(f"{counted(count, 'secret')} redacted and not stored")
    if flag_injection(text) is not None:
        warn("this looks like an instruction to a model, but will be given to models; `curator undo` undoes it")


def validate(ids: Ids, yes: Yes = False, as_json: AsJson = False) -> None:
    """Validate memories: they are right, keep them. Asks about quarantined ones."""
    store = open_store()
    store.check_owned(ids)
    held = [memory for memory in store.get_many(ids) if memory.suspect and memory.life is Life.LIVE]
    if held:
        if not as_json:
            print_quarantined(held)
        confirm(f"validate {counted(len(held), 'memory')} in quarantine, for models to read?", yes, as_json)
    changed = curation.validate(store, ids)
    print_done("validated {}", "already validated", changed, ids, as_json)
    if changed and len(ids) == 1:
        from curator.sweeps.compare import compare_now

        (memory,) = store.get_many(ids)
        # proposals of agents may not have been compared yet
        alerts = compare_now(store, memory.id) if memory.origin is Origin.AGENT else store.alerts.open(memory.id)
        warn_of_conflicts(memory.id, [curation.pair(store, alert.id) for alert in alerts])


def reject(ids: Ids, as_json: AsJson = False) -> None:
    """Reject memories: they are wrong or junk. Undoable."""
    print_done("rejected {}", "already rejected", curation.reject(open_store(), ids), ids, as_json)


def snooze(
    ids: Ids,
    days: Annotated[int, typer.Option(callback=countable, help="Snooze for this many days; 0 ends the snooze.")] = 7,
    as_json: AsJson = False,
) -> None:
    """Snooze memories: out of the inbox for a week, still in recall."""
    message = f"snoozed {{}} for {counted(days, 'day')}" if days else "ended the snooze of {}"
    already = "already snoozed" if days else "not snoozed"
    print_done(message, already, curation.later(open_store(), ids, days), ids, as_json)


def forget(
    ids: SomeIds = None,
    asked: Annotated[
        bool,
        typer.Option("--asked", help="List requests to forget made in chats, and matching memories."),
    ] = False,
    like: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help='Forget memories that match a description, e.g. "espresso machine".'),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Forget all live memories.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Forget memories: out of recall, and not imported again. Undoable."""
    if sum((asked, bool(ids), like is not None, every)) != 1:
        raise typer.BadParameter("give ids, --like TEXT, --all or --asked")
    store = open_store()
    if asked:
        _print_requests(store, as_json)
        return
    if like is not None:
        from curator.cli.import_summary import print_doubtful
        from curator.services.forget_requests import match_requests

        (matches,) = match_requests(store, [like])
        ids = [memory.id for memory in matches.sure]
        if not ids and not as_json and matches.doubtful:
            print_doubtful(matches.doubtful)
            end_with_nothing(store, "no memory says all of this; `curator forget ID` forgets one of these", as_json)
    elif every:
        ids = store.list_ids(Filter())
    if not ids:
        end_with_nothing(store, "no matching memories", as_json)
    store.check_owned(ids)
    if not as_json:
        print_first(store, ids)
    confirm(f"forget {counted(len(ids), 'memory')}?", yes, as_json)
    print_done("forgot {}", "already forgotten", curation.forget(store, ids), ids, as_json)


def _print_requests(store: Store, as_json: bool) -> None:
    """Print the requests to forget found in chats, with matching memories. Raises typer.Exit if there are none."""
    from curator.cli.import_summary import print_forget_requests
    from curator.services.asked_memories import match_asked
    from curator.services.forget_requests import match_forgotten

    requests = store.forget_requests.page(10_000)
    words = [request.words for request in requests]
    if not as_json:
        print_forget_requests(store, words)
    else:
        each = zip(requests, match_asked(store, words), match_forgotten(store, words), strict=True)
        print_json_lines(
            {
                "words": request.words,
                "message": request.message,
                "conversation": request.conversation,
                "said_at": None if request.said_at is None else clock.to_iso(request.said_at),
                "memories": [memory.id for memory in live.sure],
                "doubtful": [{"memory": match.memory.id, "why": match.why} for match in live.doubtful],
                "forgotten": [match.memory.id for match in forgotten],
            }
            for request, live, forgotten in each
        )
    store.forget_requests.mark_seen([request.place for request in requests])
    if not requests:
        if not as_json:
            print("no requests to forget in your chats")
        raise typer.Exit(NOTHING)


def edit(
    memory: MemoryId,
    text: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="The new text; $EDITOR opens by default.")
    ] = None,
    proposed: Annotated[bool, typer.Option("--proposed", help="Use the wording suggested by a model.")] = False,
    keep_mine: Annotated[bool, typer.Option("--keep-mine", help="Discard the wording suggested by a model.")] = False,
    as_json: AsJson = False,
) -> None:
    """Edit the text of a memory; the old text stays as a version."""
    if sum((bool(text), proposed, keep_mine)) > 1:
        raise typer.BadParameter("give a text, --proposed or --keep-mine")
    store = open_store()
    former = store.get(memory)
    if proposed or keep_mine:
        wordings = store.wordings.of(memory)
        if not wordings:
            raise NotFound(f"no wording suggested for memory {memory}")
        if keep_mine:
            kept = min(1, curation.dismiss_wording(store, memory))
            print_done("kept your wording of {}", "already kept your wording", kept, [memory], as_json)
        else:
            taken = curation.accept_wording(store, memory, wordings[0].text)
            print_done("reworded {}", "already has this text", taken, [memory], as_json)
        return
    words = " ".join(text) if text else _edited(former.text)
    if words is None:
        print("not changed")
        raise typer.Exit(NOTHING)
    print_done("edited {}", "already says that", curation.edit(store, memory, words), [memory], as_json)
    _warn_about(words, words)


def _edited(text: str) -> str | None:
    """Return the text as saved from the person's editor; None if unchanged. Raises ValueError without a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ValueError("no terminal for an editor: give the text, or use a terminal")
    return edited(text)


def merge(
    ids: Ids,
    text: Annotated[str | None, typer.Option(help="The merged text; a suggestion by default.")] = None,
    draft: Annotated[
        DraftBy, typer.Option(metavar="rules|model", help="Draft the text by rules or your local model.")
    ] = DraftBy.RULES,
    edit: Annotated[bool, typer.Option("--edit", help="Open the draft in $EDITOR first.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Merge memories into one, with all their quotes. Undoable."""
    if text is not None and draft is DraftBy.MODEL:
        raise typer.BadParameter("give a text, or --draft model")
    store = open_store()
    proposed = drafted(store, ids, draft)
    merged = store.get_many(proposed.memories)
    changed = _edited(proposed.text if text is None else text) if edit else None
    words = changed or (proposed.text if text is None else text)
    if not as_json:
        print_first(store, proposed.memories)
        print_draft(proposed, words, merged)
    if changed is None:
        confirm(f"merge {counted(len(proposed.memories), 'memory')} into memory {proposed.survivor}?", yes, as_json)
    count = curation.merge(store, proposed.memories, words, proposed.survivor, proposed.author(words))
    print_done("merged {}", "already merged", count, proposed.memories, as_json)


def drafted(store: Store, memories: Sequence[int], by: DraftBy, kept: int | None = None) -> MergeDraft:
    """Return the draft of a merge by rules or by the chat model. Raises the errors of both."""
    draft = curation.draft(store, memories, kept)
    if by is DraftBy.RULES:
        return draft
    import asyncio

    from curator.services.merge_draft import propose_merge_text

    return asyncio.run(propose_merge_text(store, draft))


def supersede(
    ids: Ids,
    by: Annotated[
        int,
        typer.Option("--by", metavar="ID", parser=memory_number, callback=countable, help="The superseding memory."),
    ],
    as_json: AsJson = False,
) -> None:
    """Mark memories as superseded by another one. Undoable.

    They leave recall but stay readable.
    """
    print_done("superseded {}", "already superseded", curation.supersede(open_store(), ids, by), ids, as_json)


def set_tier(
    ids: Ids,
    to: Annotated[Tier, typer.Option(help="How central they are to you.")],
    as_json: AsJson = False,
) -> None:
    """Set the tier of memories: core, medium or low."""
    print_done(f"set the tier of {{}} to {to}", f"already {to}", curation.set_tier(open_store(), ids, to), ids, as_json)


def set_kind(
    ids: Ids,
    to: Annotated[Kind, typer.Option(metavar="KIND", help="The kind.")],
    as_json: AsJson = False,
) -> None:
    """Set the kind of memories: fact, preference, task and so on."""
    print_done(f"set the kind of {{}} to {to}", f"already {to}", curation.set_kind(open_store(), ids, to), ids, as_json)


def set_rank(
    ids: Ids,
    to: Annotated[Rank, typer.Option(help="new, high or low.")],
    as_json: AsJson = False,
) -> None:
    """Set the rank of memories; `tidy` may change it later."""
    print_done(f"set the rank of {{}} to {to}", f"already {to}", curation.set_rank(open_store(), ids, to), ids, as_json)


def set_importance(
    ids: Ids,
    to: Annotated[int, typer.Option(callback=countable, help="1 to 10.")],
    as_json: AsJson = False,
) -> None:
    """Set the importance of memories, 1 to 10."""
    changed = curation.set_importance(open_store(), ids, to)
    print_done(f"set the importance of {{}} to {to}", f"importance is already {to}", changed, ids, as_json)


def set_scope(
    ids: Ids,
    to: Annotated[str, typer.Option(metavar="SCOPE", help="global, project:NAME or session:ID.")],
    as_json: AsJson = False,
) -> None:
    """Set the scope of memories: global, a project or a session."""
    changed = curation.set_scope(open_store(), ids, to)
    print_done(f"set the scope of {{}} to {to}", f"scope is already {to}", changed, ids, as_json)


def set_given(
    ids: Ids,
    to: Annotated[Given, typer.Option(help="When models get them.")],
    as_json: AsJson = False,
) -> None:
    """Set when models get memories: always, when relevant, or never."""
    how = "when relevant" if to is Given.RELEVANT else to.value
    changed = curation.set_given(open_store(), ids, to)
    print_done(f"set {{}} to {how}", f"already given {how}", changed, ids, as_json)


def tag(
    ids: Ids,
    add: Annotated[list[str] | None, typer.Option("--add", "-a", metavar="TAG", help="A tag to add.")] = None,
    remove: Annotated[list[str] | None, typer.Option("--remove", "-r", metavar="TAG", help="A tag to remove.")] = None,
    as_json: AsJson = False,
) -> None:
    """Add or remove tags."""
    if not (add or remove):
        raise typer.BadParameter("give a tag with --add or --remove")
    print_done("tagged {}", "tags unchanged", curation.tag(open_store(), ids, add or [], remove or []), ids, as_json)


def pin(ids: Ids, off: Annotated[bool, typer.Option("--off", help="Unpin.")] = False, as_json: AsJson = False) -> None:
    """Pin memories: never demoted, merged or expired automatically."""
    message, already = ("unpinned {}", "not pinned") if off else ("pinned {}", "already pinned")
    print_done(message, already, curation.pin(open_store(), ids, not off), ids, as_json)


def score(
    ids: Ids,
    to: Annotated[str, typer.Option(metavar="0-10|none", help="How sure you are; none removes your score.")],
    as_json: AsJson = False,
) -> None:
    """Score memories yourself, 0 to 10, instead of their confidence."""
    if to != "none" and not re.fullmatch("[0-9]{1,4}", to):
        raise typer.BadParameter(f"a score is 0 to 10 or none, not {to}")
    changed = curation.score(open_store(), ids, None if to == "none" else int(to))
    if to == "none":
        print_done("removed your score of {}", "no score of yours", changed, ids, as_json)
    else:
        print_done(f"scored {{}} {to}", f"already scored {to}", changed, ids, as_json)
