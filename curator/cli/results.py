"""Results of commands in words or as JSON: what was changed or would be, a new memory with its conflicts, a draft."""

from collections.abc import Sequence

from curator import curation
from curator.cli.output import memory_line, print_json, warn
from curator.curation import Draft, Pair
from curator.curation.reasons import headline
from curator.display import counted, truncate
from curator.export.sanitize import on_one_line
from curator.export.serializers import memory_row
from curator.injection import describe_flag
from store import Store
from store.model import Given, Memory, Relation

_SHOWN = 50  # memories printed, a readable number
_CONFLICTS = 3  # conflicts printed of a memory


def print_done(message: str, already: str, count: int, ids: Sequence[int] = (), as_json: bool = False) -> None:
    """Print the number of memories changed (`{}` in `message`) and how to undo it, or `already` if none was."""
    if as_json:
        print_json({"changed": count, "memories": ids})
    elif count:
        print(f"{on_one_line(message.replace('{}', counted(count, 'memory')))} · `curator undo` undoes it")
    else:
        print(on_one_line(already))


def print_first(store: Store, ids: Sequence[int]) -> None:
    """Print the selected memories before a question, up to a readable number."""
    for memory in store.get_many(ids[:_SHOWN]):
        print(memory_line(memory))
    if len(ids) > _SHOWN:
        print(f"and {len(ids) - _SHOWN:,} more")


def print_made(store: Store, memory: Memory, as_json: bool) -> None:
    """Print a new memory, then compare it with all others and print what it contradicts or repeats."""
    from curator.sweeps.compare import compare_now

    if not as_json:
        print(memory_line(memory), flush=True)  # comparing takes a second, as it loads a model
    pairs = [curation.pair(store, alert.id) for alert in compare_now(store, memory.id)]
    if as_json:
        conflicts = [
            {
                "id": pair.alert.id,
                "relation": pair.alert.relation,
                "memory": other.id,
                "text": other.text,
                "reason": headline(pair.alert, pair.a, pair.b)[1],
            }
            for pair in pairs
            for other in (pair.a if pair.b.id == memory.id else pair.b,)
        ]
        print_json(memory_row(memory) | {"conflicts": conflicts})
    else:
        warn_of_conflicts(memory.id, pairs)
    if memory.given is Given.ALWAYS:
        warn(f"it is given to models with every prompt; `curator give {memory.id} --to relevant` changes that")


def warn_of_conflicts(memory: int, pairs: Sequence[Pair]) -> None:
    """Print a line for each of the strongest open conflicts of a memory, and how many more there are."""
    for pair in pairs[:_CONFLICTS]:
        other = pair.a if pair.b.id == memory else pair.b
        how = "may repeat" if pair.alert.relation is Relation.DUPLICATE else "conflicts with"
        has_values, values = headline(pair.alert, pair.a, pair.b)
        why = f" ({values})" if has_values else ""
        known = f"memory {other.id}, “{truncate(other.text, 80)}”{why}"
        warn(on_one_line(f"{how} {known}; `curator conflicts show {pair.alert.id}`"))
    if len(pairs) > _CONFLICTS:
        warn(f"and {counted(len(pairs) - _CONFLICTS, 'more conflict')}; `curator conflicts` lists them")


def print_draft(draft: Draft, words: str, merged: Sequence[Memory]) -> None:
    """Print a draft with the text as it is now, and what the merged memories lose."""
    by = f", in the words of {draft.author(words)}" if draft.author(words) else ""
    print(f"\nmemory {draft.survivor} ({draft.kind}, {draft.tier}) will say{by}:\n  {on_one_line(words)}")
    print_quarantined(merged)
    if draft.quarantined:
        print("merged, it stays in quarantine until you validate it")
    for sentence in draft.left_out if words == draft.text else ():
        print(f"{'left out' if draft.by else 'no room for'}: {on_one_line(sentence)}")


def print_quarantined(memories: Sequence[Memory]) -> None:
    """Print the quarantined memories among these, with the reason, up to a readable number."""
    held = [memory for memory in memories if memory.quarantined]
    for memory in held[:_SHOWN]:
        why = on_one_line(describe_flag(memory.flag or "", memory.text))
        print(f"in quarantine: memory {memory.id} ({why}): {on_one_line(memory.text)}")
    if len(held) > _SHOWN:
        print(f"and {len(held) - _SHOWN:,} more in quarantine")
