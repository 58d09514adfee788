"""Purge of a merged memory: the words leave the survivor, its history and the journal, and do not come back."""

import pytest

from curator import curation
from factories import memory, put, quote
from store import Conflict, Store
from store.model import Life, NewVersion
from store.record.changes import decode

SECRET = "Zaubertrank under the Kastanienbaum"


def journal_holding(store: Store, words: str) -> list[int]:
    """Return the events that hold the words."""
    with store.sqlite() as connection:
        rows = connection.execute("SELECT seq, changes FROM events").fetchall()
    return [row[0] for row in rows if words in repr(decode(row[1]))]


def bytes_holding(store: Store, words: str) -> list[str]:
    """Return the files of the store that hold the words."""
    return [path.name for path in store.folder.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]


def test_the_words_leave_the_versions_of_the_survivor(store: Store) -> None:
    stays, gone = put(store, "I keep secrets", f"I keep the {SECRET}")
    curation.merge(store, [stays, gone], "I keep secrets at home", stays)
    assert store.purge_targets([gone]) == [gone]
    curation.purge(store, [gone])
    assert [(version.text, version.merged_from) for version in store.versions(stays)] == [("I keep secrets", None)]
    assert journal_holding(store, SECRET) == []
    assert bytes_holding(store, SECRET) == []
    assert store.differences() == []
    assert (store.get(stays).text, store.get(stays).life) == ("I keep secrets at home", Life.LIVE)
    with pytest.raises(Conflict, match="purged"):
        store.undo(2)
    with store.command("import") as writer:
        assert store.admit(writer, memory(f"I keep the {SECRET}")).forgotten == gone


def test_a_survivor_that_holds_the_words_is_named(store: Store) -> None:
    stays, gone = put(store, "I keep secrets", f"the {SECRET}")
    curation.merge(store, [stays, gone], f"I keep the {SECRET}", stays)
    with pytest.raises(Conflict, match=str(stays)):
        curation.purge(store, [gone])
    curation.edit(store, stays, "I keep secrets at home")
    curation.purge(store, [gone])
    assert journal_holding(store, SECRET) == []
    assert bytes_holding(store, SECRET) == []
    assert store.differences() == []
    texts = [version.text for version in store.versions(stays)]
    assert texts == [f"I keep {'█' * 39}", "I keep secrets"]


def test_purging_the_survivor_takes_what_was_merged_into_it(store: Store) -> None:
    stays, gone, old, other = put(store, "I keep secrets", f"I keep the {SECRET}", "I kept secrets", "I like tea")
    curation.supersede(store, [old], stays)
    curation.merge(store, [stays, gone], "I keep secrets at home", stays)
    assert store.purge_targets([stays]) == [stays, gone], "what was only superseded says something else"
    curation.purge(store, [stays])
    assert journal_holding(store, SECRET) == []
    assert bytes_holding(store, SECRET) == []
    assert (store.get(gone).life, store.get(old).life) == (Life.PURGED, Life.SUPERSEDED)
    assert store.get(other).text == "I like tea"
    assert store.differences() == []


@pytest.mark.parametrize("words", ["Rust", "I do", "我"])
def test_words_too_short_to_be_looked_for_leave_the_survivor_too(store: Store, words: str) -> None:
    stays = put(store, "I write code")[0]
    gone = put(store, words, evidence=(quote(words, f"{words}!", reference="m1"),))[0]
    curation.merge(store, [stays, gone], "I write systems code", stays)
    assert [item.quote for item in store.evidence(stays)] == [words]
    curation.purge(store, [gone])
    assert [version.text for version in store.versions(stays)] == ["I write code"]
    assert [(item.quote, item.reference) for item in store.evidence(stays)] == [("", None)]
    assert journal_holding(store, f"'{words}'") == []
    assert store.differences() == []


def test_an_undone_merge_leaves_nothing_in_the_journal(store: Store) -> None:
    stays = put(store, "I write code")[0]
    gone = put(store, "Rust", evidence=(quote("Rust", "Rust!", reference="m1"),))[0]
    curation.edit(store, gone, "Ruby")
    curation.merge(store, [stays, gone], "I write systems code", stays)
    store.undo()
    store.undo()
    curation.purge(store, [gone])
    assert journal_holding(store, "'Rust'") == journal_holding(store, "'Ruby'") == []
    assert store.differences() == []
    assert store.versions(stays) == []
    assert store.evidence(stays) == []


def test_what_another_memory_had_from_elsewhere_stays(store: Store) -> None:
    (gone,) = put(store, "Rust", evidence=(quote("Rust", "Rust!", reference="m1"),))
    (stays,) = put(
        store, "I write code", versions=(NewVersion("Rust", 1), NewVersion("Go", 2, merged_from=gone, key="x"))
    )
    (quoting,) = put(store, "I like iron", evidence=(quote("Rust", "Rust?", reference="m2"),))
    curation.purge(store, [gone])
    assert {version.text for version in store.versions(stays)} == {"Rust", "Go"}
    assert [item.quote for item in store.evidence(quoting)] == ["Rust"]
    assert store.differences() == []


def test_through_several_merges(store: Store) -> None:
    one, two, three = put(store, "I like tea", f"the {SECRET}", "I like trains")
    curation.edit(store, two, f"The {SECRET} and more")
    curation.merge(store, [one, two], "I like tea and more", one)
    curation.merge(store, [one, three], "I like tea, trains and more", three)
    curation.purge(store, [two])
    assert journal_holding(store, SECRET) == []
    assert bytes_holding(store, SECRET) == []
    assert {version.text for version in store.versions(three)} == {
        "I like trains",
        "I like tea and more",
        "I like tea",
    }
    assert store.differences() == []


def test_the_words_leave_the_name_of_the_source(store: Store) -> None:
    (gone,) = put(store, f"the {SECRET}", source=f"notes on the {SECRET}")
    curation.purge(store, [gone])
    assert bytes_holding(store, SECRET) == [] and (store.get(gone).source or "").startswith("notes on")


def test_what_undid_a_change_of_it_cannot_be_redone(store: Store) -> None:
    (gone,), (stays,) = put(store, f"the {SECRET}"), put(store, "I like tea")
    for number in (gone, stays):
        curation.edit(store, number, "Something else")
        store.undo()
    curation.purge(store, [gone])
    with store.sqlite() as connection:
        rows = connection.execute("SELECT verb, target, undoable FROM commands ORDER BY id").fetchall()
    assert [bool(row[2]) for row in rows if row[1] is not None] == [False, True]
