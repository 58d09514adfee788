"""Recall by words alone."""

import pytest

from curator.paths import store_folder
from curator.serve import word_recall
from curator.serve.word_recall import block_by_words
from factories import put
from store import Store
from store.model import Given


def lines(prompt: str) -> list[str]:
    """The memories of the block, without their dates."""
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


def test_words_match_by_their_beginning_however_many_hold_them_inside() -> None:
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
