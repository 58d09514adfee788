"""Three devices and late segments: the result does not depend on the order of syncing."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random

import pytest

from curator import curation
from effort import some, thorough
from factories import conversation, memory, quote
from store import Filter
from store.model import Actor, Tier
from sync.devices import Three, numbered, said

pytestmark = thorough


def test_a_shown_import_is_read_after_the_import(three: tuple[Three, Callable[[], None]], tmp_path: Path) -> None:
    (a, b, c), _ = three
    for device in (b, c):
        with device.here() as store, store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("x", "I keep bees"))
    b.sync()
    tag = b.space.tag(b.store.sync.begin(b.name).uid)
    *_, last = sorted(file for file in (tmp_path / "target" / tag).rglob("*") if file.is_file())
    last.rename(tmp_path / "late")
    c.sync()  # has the messages of b's import, but not yet the segment that shows them
    a.sync()
    (tmp_path / "late").rename(last)
    with b.here() as store:
        store.undo()


def test_a_tag_that_was_taken_away_does_not_come_back_with_its_memory(
    three: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), _ = three
    with c.here() as store:
        curation.add(store, "I play chess")
    c.sync()
    a.sync()
    with c.here() as store:
        store.undo()
    with a.here() as store:
        curation.tag(store, [1], ["work"])
    a.sync()
    b.sync()
    c.sync(0.0, Random(1))  # none of the others' new segments has arrived yet
    with b.here() as store:
        curation.tag(store, [1], [], ["work"])
        curation.pin(store, [1])


def test_what_a_machine_did_to_a_memory_is_no_part_of_it(three: tuple[Three, Callable[[], None]]) -> None:
    (a, b, c), agree = three
    with a.here() as store:
        said(store, "x", "I like coffee")
    agree()
    with a.here() as store:
        store.undo()
    with c.here() as store:
        curation.set_tier(store, [1], Tier.LOW)
        with store.command("expire", Actor.SWEEP) as writer:
            writer.update("memories", [1], {"life": "expired"})
    with b.here() as store:
        curation.tag(store, [1], ["drinks"])
    agree()
    for device in three[0]:
        (found,) = device.store.get_many(device.store.list_ids(Filter()))
        assert (found.tier, found.tags) == (Tier.LOW, ("drinks",))


def test_what_comes_back_from_a_merge_has_its_quotes_from_files(three: tuple[Three, Callable[[], None]]) -> None:
    (a, b, _), agree = three
    with a.here() as store:
        curation.add(store, "I keep bees")
        with store.command("import") as writer:
            store.admit(writer, memory("I like tea", evidence=(quote("I like tea", "I like tea", reference="a.md:3"),)))
    agree()
    with a.here() as store:
        curation.merge(store, [1, 2], "I keep bees and like tea", 1)
    with b.here() as store:
        store.purge([numbered(store, "I keep bees")])
    agree()
    for device in three[0]:
        assert [quoted.quote for quoted in device.store.evidence(numbered(device.store, "I like tea"))] == [
            "I like tea"
        ]


@pytest.mark.parametrize(
    ("how", "words"),
    some([*product(["purge", "forget"], ["I keep bees and like tea", "I like tea", "I keep bees"])], 3),
)
def test_what_was_merged_into_a_memory_that_goes_elsewhere_stays(
    three: tuple[Three, Callable[[], None]], how: str, words: str
) -> None:
    (a, b, _), agree = three
    with a.here() as store:
        curation.add(store, "I keep bees")
        said(store, "x", "I like tea")
    agree()
    with a.here() as store:
        kept, merged = numbered(store, "I keep bees"), numbered(store, "I like tea")
        curation.merge(store, [kept, merged], words, kept)
    with b.here() as store:
        number = numbered(store, "I keep bees")
        curation.forget(store, [number]) if how == "forget" else store.purge([number])
    agree()
    for device in three[0]:
        (found,) = device.store.get_many(device.store.list_ids(Filter()))
        assert found.text == "I like tea"
        assert [quoted.quote for quoted in device.store.evidence(found.id)] == ["I like tea"]
