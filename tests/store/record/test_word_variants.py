"""Other writings of purged words: found and shown beforehand, erased if chosen, and nothing that differs."""

import contextlib
import sqlite3
import unicodedata
from pathlib import Path

import pytest

from curator import curation
from effort import thorough
from factories import conversation, memory, put, quote
from store import Store, WordVariant
from store.model import Life, NewEvidence, Relation
from store.record.changes import decode
from store.record.text_redaction import PurgedWords, squeezed
from store.record.word_variants import is_clean

SAID = "I'm allergic to hazelnuts, and my café is “Zum Nußbaum” - near Kiel"
WIDE = {ord(" "): "\u3000"} | {n: n + 0xFEE0 for n in range(0x21, 0x7F)}
WRITINGS = {
    "typographic apostrophe": SAID.replace("'", "’"),
    "straight quotes": SAID.replace("“", '"').replace("”", '"'),
    "other quotes": SAID.replace("“", "«").replace("”", "»"),
    "en dash": SAID.replace(" - ", " – "),
    "em dash": SAID.replace(" - ", "—"),
    "bold": SAID.replace("allergic to", "**allergic to**"),
    "italics": SAID.replace("hazelnuts", "_hazelnuts_"),
    "emphasis within a word": SAID.replace("hazelnuts", "hazel*nuts*"),
    "code": SAID.replace("hazelnuts", "`hazelnuts`"),
    "zero-width": SAID.replace("hazelnuts", "hazel\u200bnuts"),
    "zero-width joiner": "\u200d".join(SAID),
    "soft hyphen": SAID.replace("allergic", "al\u00adler\u00adgic"),
    "byte order mark": "\ufeff" + SAID.replace(" ", " \ufeff"),
    "quote lines": "> " + SAID.replace(", ", ",\n> "),
    "nested quote lines": ">> " + SAID.replace(" to ", " to\r\n>> "),
    "line breaks": SAID.replace(" ", "\n"),
    "tabs and no-break spaces": SAID.replace(" ", "\u00a0\t"),
    "no comma": SAID.replace(",", ""),
    "one comma more": SAID.replace("near", ", near"),
    "upper case": SAID.upper(),
    "lower case": SAID.lower(),
    "decomposed": unicodedata.normalize("NFD", SAID),
    "without accents": SAID.replace("é", "e"),
    "double s": SAID.replace("ß", "ss"),
    "fullwidth": SAID.translate(WIDE),
    "entities": SAID.replace("'", "&#39;").replace("“", "&ldquo;").replace("”", "&rdquo;").replace("é", "&eacute;"),
    "numeric entities": "".join(f"&#x{ord(letter):x};" for letter in SAID),
    "tags": SAID.replace("hazelnuts", '<b class="x">hazelnuts</b>'),
    "hyphens": SAID.replace(" ", "-"),
    "variation selectors": SAID.replace("a", "a\ufe0f"),
}


def texts(folder: Path) -> list[str]:
    """Return every text in the record, including the journal."""
    found: list[str] = []
    with contextlib.closing(sqlite3.connect(folder / "record.sqlite")) as connection:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in connection.execute(f"SELECT * FROM {table}"):
                found += [value for value in row if isinstance(value, str)]
        found += [repr(decode(row[0])) for row in connection.execute("SELECT changes FROM events")]
    return found


def holding(store: Store) -> list[str]:
    """Return the texts in the record that hold the words in any writing."""
    return [text for text in texts(store.folder) if squeezed(SAID) in squeezed(text)]


def kinds(places: list[WordVariant]) -> list[str]:
    return sorted(place.kind for place in places)


@pytest.mark.parametrize("name", WRITINGS)
def test_every_writing_is_found_in_a_text_and_covered(name: str) -> None:
    around = f"As I said: {WRITINGS[name]}. And more"
    exact, wide = PurgedWords([SAID]), PurgedWords([SAID], variants=True)
    assert exact.differ(around) or exact.spans(around)
    clean = wide.cover(around)
    assert len(clean) == len(around)
    assert clean.startswith("As I said: ") and clean.endswith("And more")
    assert "nuts" not in squeezed(clean) and "kiel" not in squeezed(clean)


@pytest.mark.parametrize(
    "other",
    [
        SAID.replace("hazelnuts", "walnuts"),
        SAID.replace("I'm", "I'm not"),
        SAID + "er Straße, " + SAID[:40],
        "xI'm" + SAID[3:] + "s",
        f"a{SAID}",
        "hazelnuts",
    ],
)
def test_what_says_something_else_is_left_alone(other: str) -> None:
    other = other.replace(f"{SAID}er", f"{SAID[:-1]}er")
    assert not PurgedWords([SAID]).differ(other)


def test_many_words_are_looked_for_at_once() -> None:
    many = [f"My {number}th flat is in street {number * 7}" for number in range(400)]
    words = PurgedWords(many)
    said = "so **my 17th flat** is in street 119, and MY 18TH FLAT—is in street 126!"
    assert [squeezed(said[a:b]) for a, b in sorted(words.differ(said))] == [
        "my17thflatisinstreet119",
        "my18thflatisinstreet126",
    ]
    assert not words.differ("my 17th flat is in street 1199")


def everywhere(store: Store) -> int:
    """Store a memory, and its words in every writing and every kind of place; return its id."""
    listed = list(WRITINGS.values())
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("said", SAID, *listed))
        store.raw.put_conversation(writer, conversation("about", "Yes, hello", project=WRITINGS["hyphens"]))
        titles = [(WRITINGS["bold"], 1), (WRITINGS["upper case"], 2)]
        writer.connection.executemany("UPDATE conversations SET title = ? WHERE id = ?", titles)
    first = store.raw.messages(1)[0]
    with store.command("distil") as writer:
        number = store.admit(writer, memory(SAID, evidence=(quote(SAID, SAID, message=first.id),))).added
        alone = NewEvidence(WRITINGS["italics"], 0, 1, reference="x", source="y", title=WRITINGS["no comma"])
        store.admit(writer, memory("Eats with care", evidence=(alone,), tags=(WRITINGS["hyphens"], "kept")))
    assert number is not None
    tea, _ = put(store, "I like tea") + put(store, f"Told me: {WRITINGS['tags']}")
    curation.edit(store, tea, WRITINGS["quote lines"])
    curation.edit(store, tea, "I like coffee")
    curation.set_scope(store, [tea], f"project:{WRITINGS['em dash']}")
    curation.tag(store, [tea], add=[WRITINGS["hyphens"]])
    curation.tag(store, [tea], remove=[WRITINGS["hyphens"]])
    store.recalls.put("r1", [tea])
    store.recalls.put_answer("r1", WRITINGS["upper case"])
    store.checks.expect(WRITINGS["double s"], tea, True)
    with store.command("distil") as writer:
        store.alerts.put(writer, tea - 1, tea, Relation.UPDATE, 0.5, ["x", SAID.upper()])
    return number


@thorough
def test_every_place_is_shown_and_stays_unless_chosen(store: Store) -> None:
    number = everywhere(store)
    places = store.find_variants([number])
    said = [place for place in places if place.kind == "message"]
    exact = {"upper case", "lower case", "decomposed", "line breaks", "tabs and no-break spaces"}
    assert len(said) >= len(WRITINGS) - len(exact) - 2
    assert {"message", "title", "project", "version", "quote", "tag", "memory"} <= set(kinds(places))
    purged, left = curation.purge(store, [number])
    assert purged.memories == (number,) and left == ()
    assert store.differences() == []
    assert holding(store), "other writings stay where they were not chosen"


@thorough
def test_all_writings_are_erased_everywhere_if_chosen(store: Store) -> None:
    number = everywhere(store)
    also = next(place.id for place in store.find_variants([number]) if place.kind == "memory")
    purged, left = curation.purge(store, [number], variants=True)
    assert set(purged.memories) == {number, also} and left == ()
    assert store.get(also).life is Life.PURGED
    assert holding(store) == []
    assert store.differences() == []
    assert store.find_variants([number]) == []
    kept = next(memory for memory in store.get_many(range(1, 9)) if memory.text == "Eats with care")
    assert kept.tags == ("kept",)


def test_a_title_that_names_what_was_said_goes_with_it(store: Store) -> None:
    words = "I am allergic to hazelnuts"
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", words))
        store.raw.put_conversation(writer, conversation("b", "Something else"))
        writer.connection.execute("UPDATE conversations SET title = 'Hazelnut allergy'")
    (first,) = store.raw.messages(1)
    with store.command("distil") as writer:
        number = store.admit(writer, memory(words, evidence=(quote(words, words, message=first.id),))).added
    assert number is not None
    assert kinds(store.find_variants([number])) == ["title", "title"]
    curation.purge(store, [number], variants=True)
    assert {talk.title for talk in store.raw.get_conversations()} == {"█" * len("Hazelnut allergy")}


def test_the_exact_words_as_a_tag_of_another_memory_go_always(store: Store) -> None:
    (number,) = put(store, "Zaubertrank")
    (other,) = put(store, "I like tea")
    curation.tag(store, [other], add=["zaubertrank", "kept"])
    curation.purge(store, [number])
    assert store.get(other).tags == ("kept",)
    assert store.differences() == []


def test_copies_that_hold_the_words_are_named_and_deleted_and_others_stay(store: Store) -> None:
    folder = store.folder / "backups"
    folder.mkdir()
    (other,) = put(store, "I like tea")

    def copy(name: str) -> None:
        with contextlib.closing(sqlite3.connect(folder / name)) as target, store.sqlite() as connection:
            connection.backup(target)

    copy("before.sqlite")
    (number,) = put(store, SAID)
    copy("exact.sqlite")
    curation.forget(store, [number])
    (folder / "broken.sqlite").write_bytes(b"no database")
    copy("journal.sqlite")
    with contextlib.closing(sqlite3.connect(folder / "journal.sqlite")) as damaged, damaged:
        damaged.execute("UPDATE events SET changes = X'00'")
        damaged.execute("UPDATE memories SET text = ''")
    assert store.copies_holding([number]) == ["broken.sqlite", "exact.sqlite", "journal.sqlite"]
    assert is_clean(folder / "before.sqlite", PurgedWords([SAID]))
    curation.purge(store, [number])
    assert [file.name for file in folder.iterdir()] == ["before.sqlite"]
    assert store.unfinished_purge() is None
    assert store.get(other).text == "I like tea"


def test_a_copy_with_another_writing_goes_only_if_chosen(store: Store) -> None:
    folder = store.folder / "backups"
    folder.mkdir()
    put(store, WRITINGS["bold"] + " indeed")
    with contextlib.closing(sqlite3.connect(folder / "bold.sqlite")) as target, store.sqlite() as connection:
        connection.backup(target)
    (number,) = put(store, SAID)
    assert store.copies_holding([number]) == []
    assert store.copies_holding([number], variants=True) == ["bold.sqlite"]
    curation.purge(store, [number], variants=True)
    assert list(folder.iterdir()) == []
