"""Output of the result of an import or of distilling, in words or as JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from curator.cli.output import dim, memory_line, print_json, print_table, warn_all
from curator.display import counted, iso_date, truncate
from curator.terminal_text import on_one_line
from store import Store

if TYPE_CHECKING:
    from curator.services.forget_requests import DoubtfulMatch
    from curator.services.import_summary import Summary

_MAX_LISTED = 10  # forgotten matches and files printed
_MAX_PASSAGES, _PASSAGE_WIDTH = 2, 160  # passages printed per match; characters per passage
_ROLES = ("user", "other", "assistant", "tool", "system", "hidden")


def print_summary(
    summary: "Summary", as_json: bool, dry_run: bool = False, imported: bool = True, program: str = "curator"
) -> None:
    """Print the result of an import, or of distilling alone, in words or as a JSON object.

    `program` is the program name in suggested commands.
    """
    from curator.distill.reasons import IMPORT_REASONS, OTHER_FILE, REASONS
    from curator.importers import Format
    from curator.services.import_summary import covered_line, ready_memory_lines

    if as_json:
        print_json(summary_row(summary, dry_run))
        return
    would = "would add" if dry_run else "added"
    spoken = ", ".join(f"{summary.messages[role]:,} {role}" for role in _ROLES if summary.messages[role])
    counts = (summary.conversations, spoken, summary.memories, summary.evidence, summary.edited, summary.decided)
    nothing_new = imported and summary.known and not any(counts)
    only_notes = imported and summary.formats == {Format.NOTES} and not summary.memories
    if only_notes:
        edited = f"{len(summary.edited):,} edited · {summary.invalid:,} unreadable"
        print(f"{counted(summary.known, 'note')} of memories that are here · {edited}")
    elif nothing_new:
        unread = " in what could be read" if summary.invalid else ""
        print(f"nothing new{' to store' if summary.undistilled else ''}{unread}")
    elif imported and (summary.conversations or not summary.memories):  # a file of memories has no conversations
        print(f"{would} {counted(summary.conversations, 'conversation')} ({spoken or 'no messages'})")
    if not (dry_run or nothing_new or only_notes):
        repeats = f"; {counted(summary.evidence, 'repeat')} added as evidence" if summary.evidence else ""
        print(f"found {counted(summary.memories, 'memory')}{repeats}")
    elif dry_run and summary.memories:
        print(f"would find {counted(summary.memories, 'memory')}")
    if summary.undistilled:
        print(f"would distil {counted(summary.undistilled, 'stored conversation')}")
    if imported and not only_notes:
        print(f"{summary.known:,} already known · {summary.grown:,} grown · {summary.invalid:,} unreadable")
    if summary.redacted:
        print(f"redacted {counted(summary.redacted, 'secret')} before anything was stored")
    if summary.covered:
        print(covered_line(summary))
    by_reason = [(f"  {n:>6,}", reason, REASONS.get(reason, "")) for reason, n in summary.reasons.most_common()]
    for heading, rows in (
        ("skipped in the logs, by reason:", [row for row in by_reason if row[1] in IMPORT_REASONS]),
        ("refused as memories, by reason:", [row for row in by_reason if row[1] not in IMPORT_REASONS]),
    ):
        if rows:
            print(heading)
            print_table(rows)
    if summary.other_files:
        names = ", ".join(map(on_one_line, summary.other_files[:_MAX_LISTED]))
        more = summary.reasons[OTHER_FILE] - _MAX_LISTED
        print(f"skipped, no conversations inside: {names}{f' and {more:,} more' if more > 0 else ''}")
    for line in ready_memory_lines(summary):
        print(line)
    for count, what in (
        (summary.quarantined, "with instructions to a model, kept from models until you validate them"),
        (summary.held, "like what you forgot or rejected"),
        (summary.held_back, "you asked to forget, kept from models until you decide"),
    ):
        if count:
            print(f"in quarantine: {counted(count, 'memory')} {what} · `{program} list is:quarantined`")
    warn_all(f"could not read {problem}" for problem in summary.unreadable)
    warn_all(summary.warnings)


def summary_row(summary: "Summary", dry_run: bool) -> dict[str, object]:
    """Return the result of an import as JSON."""
    return {
        "files": summary.files,
        "format": ",".join(sorted(summary.formats)),
        "batch": None if dry_run else summary.batch,
        "conversations": summary.conversations,
        "messages": {role: summary.messages[role] for role in _ROLES},
        "memories": summary.memories,
        "evidence": summary.evidence,
        "known": summary.known,
        "edited": sorted(summary.edited),
        "grown": summary.grown,
        "invalid": summary.invalid,
        "undistilled": summary.undistilled,
        "redacted": summary.redacted,
        "covered": summary.covered,
        "unknown_kinds": dict(summary.unknown_kinds),
        "reasons": dict(sorted((summary.reasons + summary.unproven).items())),
        "returned": {str(memory_id): times for memory_id, times in summary.forgotten.items()},
        "quarantined": summary.quarantined,
        "held": summary.held,
        "held_back": summary.held_back,
        "problems": summary.unreadable + summary.warnings,
        "other_files": summary.other_files,
        "forget_requests": summary.forget_requests,
    }


def print_returned(store: Store, summary: "Summary") -> None:
    """Print the forgotten memories that an import matched, with the new words and their sources."""
    if not summary.forgotten:
        return
    print(f"refused, since you forgot it: {counted(len(summary.forgotten), 'memory')}")
    memories = {memory.id: memory for memory in store.get_many(list(summary.forgotten))}
    for memory_id, times in summary.forgotten.most_common(_MAX_LISTED):
        if memory_id in memories:
            print(f"  {memory_line(memories[memory_id])}" + (dim(f"  {times:,} times") if times > 1 else ""))
        matches = [match for match in summary.matches if match.memory_id == memory_id]
        for match in matches[:_MAX_PASSAGES]:
            parts = (truncate(match.words, _PASSAGE_WIDTH), match.source, match.title, iso_date(match.said_at, ""))
            print(dim(f"         said: {' · '.join(on_one_line(part) for part in parts if part)}"))
    if len(summary.forgotten) > _MAX_LISTED:
        print(f"  and {len(summary.forgotten) - _MAX_LISTED:,} more")
    print("`curator restore ID` restores one unless it was purged; more: `curator refused --reason forgotten`")


def print_doubtful(matches: "Sequence[DoubtfulMatch]") -> None:
    """Print the memories that a request to forget may refer to, with the reason for doubt."""
    for match in matches:
        print(f"  {memory_line(match.memory)}  {dim(on_one_line(match.why))}")


def print_forget_requests(store: Store, requests: Sequence[str], program: str = "curator") -> None:
    """Print requests to forget found in chats, with the memories that may be meant; forget nothing.

    `program` is the program name in suggested commands.
    """
    from curator.services.asked_memories import match_asked
    from curator.services.forget_requests import match_forgotten

    each = zip(requests, match_asked(store, requests), match_forgotten(store, requests), strict=True)
    for request, matches, forgotten in each:
        advice = f"{counted(len(matches.doubtful), 'memory')} in doubt" if matches.doubtful else "no memory matches"
        if matches.sure:
            advice = f"to forget: `{program} forget {' '.join(str(memory.id) for memory in matches.sure)}`"
        elif forgotten:
            last = max((match.at for match in forgotten if match.at is not None), default=None)
            advice = "already forgotten" + (f" on {iso_date(last)}" if last is not None else "")
        print(f"you asked to forget “{on_one_line(request)}” · {advice}")
        for memory in matches.sure or [match.memory for match in forgotten]:
            print(f"  {memory_line(memory)}")
        if matches.doubtful:
            print(dim("  in doubt:"))
            print_doubtful(matches.doubtful)
