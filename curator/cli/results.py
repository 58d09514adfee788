"""Output of command results: changes, previews, a new memory with its conflicts, a draft of a merge."""

from collections.abc import Sequence

from curator import curation
from curator.cli.output import memory_line, print_json, warn
from curator.curation import MergeDraft, Pair
from curator.curation.reasons import headline
from curator.display import counted, truncate, with_every_prompt
from curator.export.serializers import memory_row
from curator.injection import describe_flag
from curator.terminal_text import on_one_line
from store import Store
from store.model import Given, Memory, Relation

_MAX_MEMORIES = 50  # memories printed
_MAX_CONFLICTS = 3  # conflicts printed per memory


def print_done(message: str, already: str, count: int, ids: Sequence[int], as_json: bool) -> None:
    """Print the number of changed memories (`{}` in `message`) and the undo hint, or `already` if none changed."""
    if as_json:
        print_json({"changed": count, "memories": ids})
    elif count:
        print(f"{on_one_line(message.replace('{}', counted(count, 'memory')))} · `curator undo` undoes it")
    else:
        print(on_one_line(already))


def print_first(store: Store, ids: Sequence[int]) -> None:
    """Print the first selected memories before a question."""
    for memory in store.get_many(ids[:_MAX_MEMORIES]):
        print(memory_line(memory))
    if len(ids) > _MAX_MEMORIES:
        print(f"and {len(ids) - _MAX_MEMORIES:,} more")


def print_made(store: Store, memory: Memory, as_json: bool) -> None:
    """Print a new memory, then compare it with all others and print its conflicts and duplicates."""
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
        every = on_one_line(with_every_prompt(memory.scope))
        warn(f"it is given to models {every}; `curator give {memory.id} --to relevant` changes that")


def warn_of_conflicts(memory_id: int, pairs: Sequence[Pair]) -> None:
    """Print a line for each of a memory's strongest open conflicts, and the number of others."""
    for pair in pairs[:_MAX_CONFLICTS]:
        other = pair.a if pair.b.id == memory_id else pair.b
        how = "may repeat" if pair.alert.relation is Relation.DUPLICATE else "conflicts with"
        has_values, values = headline(pair.alert, pair.a, pair.b)
        why = f" ({values})" if has_values else ""
        subject = f"memory {other.id}, “{truncate(other.text, 80)}”{why}"
        warn(on_one_line(f"{how} {subject}; `curator conflicts show {pair.alert.id}`"))
    if len(pairs) > _MAX_CONFLICTS:
        warn(f"and {counted(len(pairs) - _MAX_CONFLICTS, 'more conflict')}; `curator conflicts` lists them")


def print_draft(draft: MergeDraft, words: str, merged: Sequence[Memory]) -> None:
    """Print a draft with its current text, and the details that the merge loses."""
    by = f", in the words of {draft.author(words)}" if draft.author(words) else ""
    print(f"\nmemory {draft.survivor} ({draft.kind}, {draft.tier}) will say{by}:\n  {on_one_line(words)}")
    print_quarantined(merged)
    if draft.quarantined:
        print("merged, it stays in quarantine until you validate it")
    for sentence in draft.left_out if words == draft.text else ():
        print(f"{'left out' if draft.by else 'no room for'}: {on_one_line(sentence)}")


def print_quarantined(memories: Sequence[Memory]) -> None:
    """Print the first quarantined memories among these, with the reason."""
    held = [memory for memory in memories if memory.quarantined]
    for memory in held[:_MAX_MEMORIES]:
        why = on_one_line(describe_flag(memory.flag or "", memory.text))
        print(f"in quarantine: memory {memory.id} ({why}): {on_one_line(memory.text)}")
    if len(held) > _MAX_MEMORIES:
        print(f"and {len(held) - _MAX_MEMORIES:,} more in quarantine")
