"""Recall by words alone, without embeddings."""

import re
from collections.abc import Iterable

import pytest

from curator import curation
from curator.compare.relation import SIGNS
from curator.paths import store_folder
from curator.recall import Hit, block
from curator.recall.open_conflicts import outdated_memories
from curator.serve import word_recall
from curator.serve.word_block import Memory, without_outdated
from curator.serve.word_recall import recall_by_words
from effort import thorough
from factories import block_by_words, put, quote
from store import Store, clock
from store.model import Given, Kind, Relation

CLASHES = (Relation.CONTRADICTION, Relation.UPDATE)
MAY = clock.from_iso("2024-05-18T09:30:00+00:00")


def lines(prompt: str) -> list[str]:
    """Return the memories of the block, without their dates."""
    return [line[2:].rpartition(" (")[0] for line in block_by_words(prompt, "").splitlines() if line.startswith("- ")]


def test_more_and_rarer_words_come_first_then_what_was_added_last() -> None:
    put(Store.open(store_folder()), "The kiln is hot.", "The kiln has new bricks.", "The kiln is in the shed.", "Tea.")
    put(
        Store.open(store_folder()),
        "Glaze for the kiln.",
        "The shed leaks.",
        *(f"The shop has {n} cups." for n in range(30)),
    )
    assert lines("Which bricks does the kiln need?")[0] == "The kiln has new bricks."
    assert lines("kilns in sheds")[0] == "The kiln is in the shed."
    assert lines("kiln") == [
        "Glaze for the kiln.",
        "The kiln is in the shed.",
        "The kiln has new bricks.",
        "The kiln is hot.",
    ]
    assert lines("what of the zebra") == []


@pytest.mark.parametrize("others", [["My sister lives in Porto."], ["My sister lives in Porto.", "We live well."], []])
def test_in_a_small_store_a_word_that_most_memories_have_still_finds_them(others: list[str]) -> None:
    put(Store.open(store_folder()), "I live in Lisbon.", *others, "Tea.")
    assert set(lines("where do I live?")) == {"I live in Lisbon.", *others}
    assert lines("where do I swim?") == []


def test_in_a_larger_store_a_common_word_alone_finds_nothing() -> None:
    put(Store.open(store_folder()), *(f"The shop has {n} cups." for n in range(20)), *(f"Note {n}." for n in range(30)))
    assert lines("what of the shop?") == []


def test_words_match_whole_words_and_their_inflections() -> None:
    put(
        Store.open(store_folder()),
        *("I sold the car", "Two cars are mine", "I moved to Cardiff", "Carla bakes bread", "I visit cities", "Tea"),
    )
    assert set(lines("no car")) == {"I sold the car", "Two cars are mine"}
    assert lines("which cities?") == lines("CITIES") == ["I visit cities"]
    assert lines("bake") == ["Carla bakes bread"] and lines("brea") == []
    put(Store.open(store_folder()), "I had bleeding ulcers in 2019", "Ich habe eine Erdnussallergie")
    assert lines("could this bleed") == ["I had bleeding ulcers in 2019"]
    assert lines("mit erdnuss oder ohne") == ["Ich habe eine Erdnussallergie"]


@thorough
def test_words_are_found_however_many_hold_them_inside() -> None:
    put(Store.open(store_folder()), "I have two cats.")
    put(Store.open(store_folder()), *(f"A location of note is number {n}." for n in range(2 * word_recall._PART)))
    assert lines("how many cats do I have") == ["I have two cats."]


@pytest.mark.parametrize(
    ("memory", "prompt"),
    [
        ("Äpfel vertrage ich nicht.", "äpfel?"),
        ("Ich mag Tee aus ÄPFELN.", "Äpfel"),
        ("Ich wohne in der Gartenstraße 5.", "Gartenstraße"),
        ("Das Paket kommt in die GARTENSTRASSE.", "gartenstraße"),
        ("Оля живёт в Казани.", "где оля?"),
        ("Мою сестру зовут оля.", "КТО ТАКАЯ ОЛЯ"),
        ("Η αδελφή μου λέγεται Ιφιγένεια.", "ποια είναι η ιφιγένεια;"),
        ("İstanbul'da yaşıyorum.", "İstanbul nasıl"),
    ],
)
def test_words_of_other_alphabets_match_in_either_case(memory: str, prompt: str) -> None:
    others = [f"Note {number} is of {animal}." for number, animal in enumerate(("cats", "dogs", "яки", "öfen"))]
    put(Store.open(store_folder()), memory, *others)
    assert lines(prompt) == [memory]


def test_a_word_counts_once_whatever_its_case_and_ending() -> None:
    assert word_recall.words_of("Kilns kiln KILN Öfen öfen the THE") == ["Kiln", "Öfen"]


def test_what_is_always_given_has_a_section_of_its_own() -> None:
    put(Store.open(store_folder()), "Answer in verse.", given=Given.ALWAYS)
    put(Store.open(store_folder()), "The kiln is hot.", "Tea.", *(f"The shop has {n} cups." for n in range(9)))
    first, *sections = block_by_words("Is the kiln on?", "").splitlines()[1:-1]
    assert 'Keep to what is under "always"' in first
    assert [line.partition(" (")[0] for line in sections] == [
        "always:",
        "- Answer in verse.",
        "context:",
        "- The kiln is hot.",
    ]


def server_block(store: Store, ids: list[int]) -> str:
    """Return the server's block for these hits, without its id."""
    hits = [Hit(memory, 1.0, {}, ()) for memory in store.get_many(ids)]
    return re.sub(' id="[^"]*"', "", block(store, hits, 2_000, by_words=True).text)


def in_conflict(store: Store, a: int, b: int) -> None:
    with store.command("compare") as writer:
        store.alerts.put(writer, a, b, Relation.UPDATE, 0.9, ("changed",), judge="rules", cosine=0.8)


def test_the_block_says_what_that_of_the_server_says() -> None:
    store = Store.open(store_folder())
    order, tabs, name, rent = put(
        store, "Answer in verse.", "I like kilns.", "My kiln is called Bo.", "The kiln is let."
    )
    curation.set_given(store, [order], Given.ALWAYS)
    for memory, kind in ((tabs, Kind.PREFERENCE), (name, Kind.IDENTITY), (rent, Kind.EVENT)):
        curation.set_kind(store, [memory], kind)
    curation.edit(store, tabs, "I love kilns.")
    (clay,) = put(store, "The kiln needs <clay>.", evidence=(quote("clay", "clay", said_at=MAY),), created_at=MAY - 9)
    curation.validate(store, [clay])
    text = block_by_words("kiln", "")
    assert text == server_block(store, [clay, rent, name, tabs])
    assert "always:\n- Answer in verse.\nidentity:" in text and "&lt;clay&gt;. (2024-05-18)" in text


def test_the_later_of_two_in_open_conflict_comes_with_the_older_which_is_marked() -> None:
    store = Store.open(store_folder())
    (york,) = put(store, "I live in York", created_at=MAY)
    (bath,) = put(store, "We moved to Bath", created_at=MAY + 30 * clock.DAY)
    in_conflict(store, york, bath)
    text = block_by_words("Where do I live?", "")
    assert text == server_block(store, [york])
    assert "- We moved to Bath (2024-06-17)\n- I live in York (2024-05-18, maybe outdated)" in text
    assert "York" not in block_by_words("Did we ever go to Bath?", "")
    marked, memories = recall_by_words("Where do I live?", "", [bath])  # already given to the session
    assert memories == (york,) and "- I live in York (2024-05-18, maybe outdated)" in marked
    curation.set_given(store, [bath], Given.NEVER)
    assert lines("Where do I live?") == ["I live in York"]


def test_the_conflicts_that_outdate_are_those_of_the_server() -> None:
    store = Store.open(store_folder())
    signs, denied, nuts = (f"{SIGNS}: not",), ("one denies the other",), "I am allergic to nuts"
    found = [(relation, "I like tea", denied) for relation in Relation]
    found += [(Relation.UPDATE, nuts, signs), (Relation.UPDATE, nuts, denied)]
    found += [(Relation.UPDATE, "I like rye", denied)] * 3
    pairs = [put(store, f"{text} {n}", f"Another {n}", created_at=MAY + n) for n, (_, text, _) in enumerate(found)]

    def compare(numbers: Iterable[int]) -> None:
        with store.command("compare") as writer:
            for n in numbers:
                (older, newer), (relation, _, reasons) = pairs[n], found[n]
                store.alerts.put(writer, older, newer, relation, 0.9, reasons, judge="rules")

    compare(range(len(pairs)))
    (resolved, _), (reworded, _), (forgotten, _) = pairs[-3:]
    for memory in (resolved, reworded):
        curation.keep_both(store, curation.pair(store, store.alerts.open(memory)[0].id))
    text = store.get(reworded).text
    curation.edit(store, reworded, "I like oats")
    compare([len(pairs) - 2])
    assert store.alerts.open(reworded), "it was resolved for the former text"
    curation.edit(store, reworded, text)
    curation.forget(store, [forgotten])
    memories = {memory.id: memory for memory in store.get_many([side for pair in pairs for side in pair])}
    plain = [Memory(one.id, one.text, one.text, one.created_at, one.kind, None, False) for one in memories.values()]
    with store.sqlite() as connection:
        left = {memory.id for memory in without_outdated(connection, plain)}
    clashes = [n for n, (relation, _, reasons) in enumerate(found[:-3]) if relation in CLASHES and reasons != signs]
    assert outdated_memories(store, memories) == memories.keys() - left == {pairs[n][0] for n in clashes}


def test_what_may_replace_a_safety_fact_comes_with_it() -> None:
    store = Store.open(store_folder())
    (former,) = put(store, "I take warfarin, 5 mg a day", created_at=MAY)
    (later,) = put(store, "Eliquis since June", created_at=MAY + 30 * clock.DAY)
    in_conflict(store, former, later)
    text = block_by_words("how much warfarin do I take", "")
    assert "Eliquis" in text and "outdated" not in text


def test_of_two_in_conflict_without_a_date_neither_is_called_outdated() -> None:
    store = Store.open(store_folder())
    (undated,) = put(store, "I live in York", created_at=None)
    (dated,) = put(store, "I sleep in Leeds", created_at=MAY)
    in_conflict(store, undated, dated)
    for memory, prompt in ((undated, "York"), (dated, "Leeds")):
        text = block_by_words(prompt, "")
        assert text == server_block(store, [memory]) and text.count("another memory says otherwise") == 2
