"""I6 for the lifecycle: it changes rank and life of undecided memories only, and nothing else."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from curator import curation
from curator.config import settings
from curator.lifecycle import apply_checks, mark_useful, plan, run
from effort import share, thorough
from factories import put
from store import Store, clock
from store.model import Kind, Life, Memory, Rank

DAY = clock.DAY
_KINDS = st.sampled_from([Kind.FACT, Kind.TASK, Kind.EVENT, Kind.IDENTITY, Kind.CONTEXT])
_MADE = st.tuples(
    _KINDS, st.floats(0, 1), st.integers(0, 12), st.sampled_from(["", "validate", "pin", "later", "edit"])
)


def protected_fields(memory: Memory) -> tuple[object, ...]:
    """Return all fields that no sweep may change."""
    return (
        *(memory.text, memory.kind, memory.tier, memory.review, memory.pinned, memory.confidence, memory.user_score),
        *(memory.importance, memory.scope, memory.tags, memory.created_at, memory.expires_at, memory.superseded_by),
    )


@thorough
@example_settings(max_examples=share(25), suppress_health_check=list(HealthCheck))
@given(
    made=st.lists(_MADE, min_size=1, max_size=8),
    caps=st.tuples(st.sampled_from([0, 1, 30]), st.sampled_from([0, 1, 3])),
    jumps=st.lists(st.integers(1, 200), min_size=1, max_size=3),
    dated=st.booleans(),
)
def test_what_the_person_decided_is_neither_removed_nor_demoted_nor_reworded(
    tmp_path_factory: pytest.TempPathFactory,
    made: list[tuple[Kind, float, int, str]],
    caps: tuple[int, int],
    jumps: list[int],
    dated: bool,
) -> None:
    """I6: run the lifecycle with every limit set, on memories that were marked, checked or dated before."""
    folder = tmp_path_factory.mktemp("decided")
    store, decided, ids = Store.open(folder), set[int](), list[int]()
    for number, (kind, confidence, times, verb) in enumerate(made):
        (one,) = put(store, f"statement number {number}", kind=kind, confidence=confidence)
        ids.append(one)
        for _ in range(times):
            store.recalls.record_use([one])
        if dated:
            curation.set_until(store, [one], clock.now() + DAY)
        if verb == "edit":
            curation.edit(store, one, f"statement number {number}, put better")
        elif verb:
            getattr(curation, verb)(store, [one])
        if verb in ("validate", "pin"):
            decided.add(one)
    mark_useful(store, useless=ids)
    apply_checks(store, [], ids)
    before = {memory.id: memory for memory in store.get_many(ids)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CURATOR_LIFECYCLE__AGE", str(caps[0]))
        patch.setenv("CURATOR_LIFECYCLE__COUNT", str(caps[1]))
        settings.cache_clear()
        for jump in jumps:
            run(store, plan(store, clock.now() + jump * DAY))
    settings.cache_clear()
    for memory in store.get_many(ids):
        assert protected_fields(memory) == protected_fields(before[memory.id]), (
            "rank and life are all that a run writes"
        )
        if memory.id in decided:
            assert memory.life is Life.LIVE and memory.rank is not Rank.LOW
    assert not store.differences()
    store.close()
