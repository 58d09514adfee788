"""Errors for other programs name memories by global ids, and never one that was not meant."""

import pytest

from curator import curation
from curator.services.global_ids import with_global_ids
from curator.services.proposals import visible_memory
from factories import put
from store import Conflict, NotFound, Store


def test_an_error_names_memories_by_global_ids_and_commands_by_numbers(store: Store) -> None:
    one, two = (store.get(number).uid for number in put(store, "I like tea.", "I like figs."))
    error = Conflict("memory 1 was superseded; `curator restore 1` brings it back, memories 1 and 2 say the same")
    assert with_global_ids(store, Conflict("memories 1, 2 are not live")) == f"memories {one}, {two} are not live"
    assert with_global_ids(store, error) == (
        f"memory {one} was superseded; `curator restore 1` brings it back, memories {one} and {two} say the same"
    )


def test_no_request_gets_the_id_of_a_memory_that_it_numbers(store: Store) -> None:
    (number,) = put(store, "I like tea.")
    with pytest.raises(ValueError, match="is not the id of a memory") as wrong:
        visible_memory(store, "memory 1")
    with pytest.raises(NotFound) as missing:
        visible_memory(store, "00000001" + store.get(number).uid[8:])
    (other,) = put(store, "I like tea.", scope="project:memory 1")
    with pytest.raises(Conflict) as twins:
        curation.set_scope(store, [number], "project:memory 1")
    assert str(store.get(number).uid) not in with_global_ids(store, wrong.value)
    assert "no memory 00000001-" in with_global_ids(store, missing.value)
    assert with_global_ids(store, twins.value).count(store.get(number).uid) == 1 != other
