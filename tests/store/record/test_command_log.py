"""Reading the journal: listing commands, finding them by their effects, and who changed what."""

from pathlib import Path

import pytest

from curator import curation
from factories import put
from store import LogFilter, ReliedOn, Store
from store.model import Actor, Tier


@pytest.fixture
def past(store: Store) -> dict[str, int]:
    """Run commands on two memories, one of them undone; return the commands by name."""
    tea, trains = (put(store, text)[0] for text in ("Tea in the morning", "Books trains, 100% of them"))
    with store.command("rank", Actor.SWEEP, "high for 1 memory") as writer:
        writer.update("memories", [tea], {"rank": "high"})
    curation.set_tier(store, [tea, trains], Tier.CORE)
    curation.forget(store, [trains])
    forgotten = store.journal.log(1)[0].id
    store.undo(forgotten)
    ids = store.journal.command_ids()
    return dict(zip(("undo", "forget", "tier", "rank", "trains", "tea"), ids, strict=True))


def found(store: Store, past: dict[str, int], **terms: object) -> list[str]:
    """Return the names of the commands that match a filter."""
    names = {number: name for name, number in past.items()}
    return [names[number] for number in store.journal.command_ids(LogFilter(**terms))]  # type: ignore[arg-type]


def test_everything_newest_first_and_a_first_page(store: Store, past: dict[str, int]) -> None:
    assert found(store, past) == list(past)
    assert store.journal.command_ids(limit=2) == [past["undo"], past["forget"]]


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        ({"verbs": ("tier", "rank")}, ["tier", "rank"]),
        ({"actors": (Actor.SWEEP,)}, ["rank"]),
        ({"memories": (2,)}, ["undo", "forget", "tier", "trains"]),
        ({"memories": (2,), "verbs": ("forget",)}, ["forget"]),
        ({"undone": True}, ["forget"]),
        ({"undone": False}, ["undo", "tier", "rank", "trains", "tea"]),
        ({"words": ("ran",)}, ["rank"]),  # the beginning of the command's name
        ({"words": ("HIGH for",)}, ["rank"]),
        ({"words": ("morning",)}, ["tier", "rank", "tea"]),
        ({"words": ("0%",)}, ["undo", "forget", "tier", "trains"]),
        ({"words": ("morning", "add")}, ["tea"]),
        ({"words": ("_",)}, []),
        ({"words": ("3",)}, ["rank"]),  # the command's id
        ({"verbs": ("merge",)}, []),
        ({"words": ("\ud800\x00",)}, []),
    ],
)
def test_filters(store: Store, past: dict[str, int], terms: dict[str, object], names: list[str]) -> None:
    assert found(store, past, **terms) == names


def test_commands_come_in_the_order_asked(store: Store, past: dict[str, int]) -> None:
    rows = store.journal.commands([past["tea"], 999, past["undo"], past["forget"]])
    assert [row.verb for row in rows] == ["add", "undo", "forget"]
    assert rows[1].target == past["forget"] and rows[2].undone == past["undo"]
    assert [row.id for row in store.journal.log(3, filter=LogFilter(undone=False))] == [
        past["undo"],
        past["tier"],
        past["rank"],
    ]


def test_the_verbs_there_are(store: Store, past: dict[str, int]) -> None:
    assert store.journal.verbs() == ["add", "forget", "rank", "tier", "undo"]


def test_another_owner_sees_nothing_of_it(store: Store, past: dict[str, int], tmp_path: Path) -> None:
    other = Store.open(tmp_path / "store", "other")
    assert other.journal.command_ids() == [] and other.journal.commands(list(past.values())) == []
    assert other.journal.verbs() == [] and other.journal.command_ids(LogFilter(memories=(1,))) == []
    put(other, "Tea in the evening")
    assert len(other.journal.command_ids(LogFilter(words=("tea",)))) == 1
    other.close()


def test_a_refused_undo_knows_what_stands_in_the_way(store: Store) -> None:
    (memory,) = put(store, "Tea")
    later = []
    for tier in (Tier.CORE, Tier.LOW, Tier.MEDIUM):
        curation.set_tier(store, [memory], tier)
        later.append(store.journal.log(1)[0].id)
    with pytest.raises(ReliedOn, match=r"depend on it \(3, 4\); undo them first") as caught:
        store.undo(later[0])
    assert caught.value.commands == (later[1], later[2])


def test_redo_of_one_command_only_if_it_was_undone_last(store: Store, past: dict[str, int]) -> None:
    with pytest.raises(Exception, match=f"command {past['tier']} cannot be redone: command {past['forget']}"):
        store.redo(past["tier"])
    assert store.redo(past["forget"]).id == past["forget"]
    assert store.journal.commands([past["forget"]])[0].undone is None
