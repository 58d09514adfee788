"""A command over many memories: journaled in small events, and still undone as one."""

import random

from curator import curation
from effort import exhaustive, thorough
from factories import put
from store import Store
from store.model import Actor
from store.record.changes import Update, decode, encode, parts
from store.record.journal import ROWS_PER_EVENT

MANY = 2 * ROWS_PER_EVENT + 100


def rows_of_events(store: Store) -> list[int]:
    """Return the number of rows of each event."""
    with store.sqlite() as connection:
        events = [decode(row[0]) for row in connection.execute("SELECT changes FROM events ORDER BY seq")]
    return [
        sum(len(getattr(change, "keys", ()) or getattr(change, "rows", ())) for change in event) for event in events
    ]


@exhaustive
def test_what_sweeps_and_persons_do_to_many_comes_in_several_events(store: Store) -> None:
    ids = put(store, *(f"thing number {n}" for n in range(MANY)))
    before = store.state_hash()
    chance = random.Random(1)
    why = {memory: f"worth 0.{chance.randrange(90)}" for memory in ids}
    with store.command("tidy", Actor.SWEEP) as writer:
        assert writer.update("memories", ids, {"rank": "low"}, why) == ids
    for memory in (ids[0], ids[ROWS_PER_EVENT], ids[-1]):
        (found,) = store.journal.reasoned_changes(memory)
        assert (found.before, found.after, found.why) == ("new", "low", why[memory])
        assert found.command.count == MANY
    curation.forget(store, ids)
    assert max(rows_of_events(store)) < 2 * ROWS_PER_EVENT
    tidied, gone = store.journal.log(2)[1], store.state_hash()
    assert store.undo().count == MANY
    store.redo()
    assert store.state_hash() == gone
    store.undo()
    store.undo(tidied.id)
    assert store.state_hash() == before and store.differences() == []
    assert max(rows_of_events(store)) < 2 * ROWS_PER_EVENT
    store.purge([ids[5], ids[-1]])
    assert store.differences() == []


@thorough
def test_an_event_of_before_that_is_large_is_taken_back_in_several(store: Store) -> None:
    ids = put(store, *(f"thing number {n}" for n in range(MANY)))
    before = store.state_hash()
    with store.command("tidy", Actor.SWEEP) as writer:
        writer.update("memories", ids, {"rank": "low"}, dict.fromkeys(ids, "worth little"))
        number = writer.id
    with store.sqlite() as connection:  # written as one event, as earlier versions did
        seqs = [row[0] for row in connection.execute("SELECT seq FROM events WHERE command = ?", (number,))]
        last, whole = max(seqs), Update("memories", tuple((n,) for n in ids), ("rank",), ("new",), ("low",))
        connection.execute("DELETE FROM events WHERE command = ? AND seq < ?", (number, last))
        connection.execute("UPDATE events SET changes = ? WHERE seq = ?", (encode([whole]), last))
        connection.execute("UPDATE touched SET seq = ? WHERE seq > ?", (last, min(seqs) - 1))
        connection.execute("UPDATE memories SET seq = ?", (last,))
    store.undo(number)
    assert store.state_hash() == before and store.differences() == []
    assert rows_of_events(store)[-3:] == [ROWS_PER_EVENT, ROWS_PER_EVENT, 100]


def test_the_parts_of_a_change_are_the_change(store: Store) -> None:
    put(store, *(f"thing number {n}" for n in range(10)))
    with store.command("tidy", Actor.SWEEP) as writer:
        writer.update("memories", range(1, 11), {"rank": "low"}, {n: "odd" if n % 2 else "even" for n in range(1, 11)})
    with store.sqlite() as connection:
        (data,) = connection.execute("SELECT changes FROM events ORDER BY seq DESC LIMIT 1").fetchone()
    (change,) = decode(data)
    cut = [part for part in parts(change, 4) if isinstance(part, Update)]
    assert [part.keys for part in cut] == [((1,), (2,), (3,), (4,)), ((5,), (6,), (7,), (8,)), ((9,), (10,))]
    assert cut[2].why == (("odd", (9,)), ("even", (10,)))
    assert list(parts(change, 10)) == [change]
