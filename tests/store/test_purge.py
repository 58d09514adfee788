"""Purge: no byte of the words is left in the store, and what was purged does not come back."""

import contextlib
from pathlib import Path

import pytest

from curator import curation
from making import conversation, memory, put, quote
from store import Conflict, NotFound, Store
from store.model import Life, NewMemory, NewVersion

SECRET = "Zaubertrank under the Kastanienbaum"
TURN = f"By the way, I keep the {SECRET}, tell nobody."


def with_words(store: Store) -> int:
    """A memory whose words are in a message, a quote, a version, a title and the journal."""
    with store.command("import") as writer:
        store.put_conversation(writer, conversation("a", TURN, f"You said: I keep the {SECRET}!", "fine"))
        writer.connection.execute("UPDATE conversations SET title = ?", (f"I keep the {SECRET}",))
    (found,) = store.conversations()
    first, *_ = store.messages(found.id)
    text = f"Keeps the {SECRET}"
    new: NewMemory = memory(
        text,
        evidence=(quote(f"I keep the {SECRET}", TURN, message=first.id),),
        versions=(NewVersion(f"Hides the {SECRET}", 1),),
        object=SECRET,
    )
    with store.command("distil") as writer:
        number = store.admit(writer, new).added
    assert number is not None
    return number


def files_holding(folder: Path, words: str) -> list[str]:
    """Files below a folder that hold the words, plainly or as UTF-16."""
    needles = (words.encode(), words.encode("utf-16-le"))
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(needle in path.read_bytes() for needle in needles)
    ]


def test_no_byte_of_the_words_is_left(store: Store) -> None:
    import zlib

    from curator.models import load_embedder
    from store.index import Index

    number = with_words(store)
    curation.validate(store, [number])
    curation.edit(store, number, f"Keeps the {SECRET} well")
    (other,) = put(store, "I like tea")
    curation.tag(store, [number, other], add=["bulk"])
    curation.forget(store, [number])
    curation.undo(store)
    embedder = load_embedder("hashing", Path())
    index = Index.open(store, embedder.fingerprint)
    index.catch_up()
    assert files_holding(store.folder, SECRET)
    purged, compacted = curation.purge(store, [number])
    assert purged.memories == (number,)
    assert compacted
    assert files_holding(store.folder, SECRET) == []
    index = Index.open(store, embedder.fingerprint)
    index.catch_up()
    assert files_holding(store.folder, SECRET) == []
    assert index.check() == []
    with store.sqlite() as connection:
        for row in connection.execute("SELECT changes FROM events"):
            data = row[0]
            assert SECRET.encode() not in (data if data[:1] == b"[" else zlib.decompress(data))
    assert store.differences() == []
    assert store.get(number).life is Life.PURGED
    assert store.get(other).text == "I like tea"


def test_offsets_of_what_stays_are_kept(store: Store) -> None:
    number = with_words(store)
    (found,) = store.conversations()
    first = store.messages(found.id)[0]
    with store.command("distil") as writer:
        stays = store.admit(
            writer, memory("Asks for silence", evidence=(quote("tell nobody", TURN, message=first.id),))
        ).added
    assert stays is not None
    curation.purge(store, [number])
    (kept,) = store.evidence(stays)
    assert store.message(first.id).text[kept.start : kept.end] == kept.quote == "tell nobody"
    assert len(store.message(first.id).text) == len(TURN)


def test_a_quote_that_overlaps_is_covered_with_its_message(store: Store) -> None:
    number = with_words(store)
    (found,) = store.conversations()
    first = store.messages(found.id)[0]
    with store.command("distil") as writer:
        stays = store.admit(
            writer, memory("Told it by the way", evidence=(quote("By the way, I keep", TURN, message=first.id),))
        ).added
    assert stays is not None
    curation.purge(store, [number])
    (kept,) = store.evidence(stays)
    assert kept.quote == "By the way, ██████"
    assert store.differences() == []


def test_it_ends_undo_for_what_touched_it(store: Store) -> None:
    (tea,) = put(store, "I like tea")
    (trains,) = put(store, "I like trains")
    curation.validate(store, [tea])
    curation.purge(store, [tea])
    assert curation.undo(store).verb == "add"
    with pytest.raises(NotFound):
        store.get(trains)
    with pytest.raises(NotFound):
        curation.undo(store)
    with pytest.raises(Conflict, match="purged"):
        curation.undo(store, 3)
    with pytest.raises(Conflict):
        curation.restore(store, [tea])


def test_importing_the_log_again_brings_nothing_back(store: Store) -> None:
    number = with_words(store)
    curation.purge(store, [number])
    with store.command("import") as writer:
        counts = store.put_conversation(writer, conversation("a", TURN, f"You said: I keep the {SECRET}!", "fine"))
        outcome = store.admit(writer, memory(f"Keeps the {SECRET}"))
    assert counts.fresh == ()
    assert outcome.forgotten == number
    assert files_holding(store.folder, SECRET) == []


def test_a_memory_that_stays_with_the_same_words_is_named_first(store: Store) -> None:
    (short, longer) = put(store, f"Keeps the {SECRET}", f"Keeps the {SECRET} and a cat")
    with pytest.raises(Conflict, match=str(longer)):
        curation.purge(store, [short])
    assert store.get(short).text.startswith("Keeps")
    purged, _ = curation.purge(store, [short, longer])
    assert purged.memories == (short, longer)


def test_what_says_exactly_the_same_goes_too(store: Store) -> None:
    here, there = put(store, "I like tea") + put(store, "I LIKE tea!", scope="project:x")
    assert store.meant_by_purge([here]) == [here, there]
    purged, _ = curation.purge(store, [here])
    assert purged.memories == (here, there)


def test_purging_while_another_process_has_the_store_open(store: Store) -> None:
    number = with_words(store)
    with contextlib.closing(Store.open(store.folder)) as second:
        assert second.get(number).text.startswith("Keeps")
        curation.purge(store, [number])
        assert second.get(number).text == ""
        assert files_holding(store.folder, SECRET) == []
