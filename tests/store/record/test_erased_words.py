"""Masking by a purge: every writing of the words, wherever it stands, and nothing that only looks alike."""

import unicodedata

import pytest

from curator import curation
from factories import conversation, memory, put, quote
from store import Conflict, Store
from store.record.text_redaction import PurgedWords, is_distinctive

SECRET = "Zaubertrank under the Kastanienbäume"


def said(store: Store, *turns: str, title: str | None = None, name: str = "a") -> list[int]:
    """Store a conversation; return the ids of its messages."""
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation(name, *turns))
        found = writer.connection.execute("SELECT max(id) FROM conversations").fetchone()[0]
        if title is not None:
            writer.connection.execute("UPDATE conversations SET title = ? WHERE id = ?", (title, found))
    return [message.id for message in store.raw.messages(found)]


def quoting(store: Store, text: str, words: str, whole: str, message: int) -> int:
    """Store a memory that quotes words of a message."""
    with store.command("distil") as writer:
        number = store.admit(writer, memory(text, evidence=(quote(words, whole, message=message),))).added
    assert number is not None
    return number


@pytest.mark.parametrize(
    "variant",
    [
        SECRET.upper(),
        SECRET.replace(" ", "\n  "),
        unicodedata.normalize("NFD", SECRET),
        f"„{SECRET}“!",
        unicodedata.normalize("NFD", SECRET.lower()).replace(" ", "\u00a0"),
    ],
)
def test_other_writings_of_the_words_are_covered(store: Store, variant: str) -> None:
    (message,) = said(store, f"I told you: {variant} and more")
    (number,) = put(store, f"{SECRET}.")
    curation.purge(store, [number])
    text = store.raw.message(message).text
    assert len(text) == len(f"I told you: {variant} and more")
    assert "zauber" not in text.lower()
    assert "kastanien" not in text.lower()
    assert text.startswith("I told you: ")
    assert text.endswith(" and more")


@pytest.mark.parametrize("words", ["我住在北京", "喝茶", "Пароль от сейфа синий", "오늘 병원에 갔다"])
def test_words_of_other_scripts_are_covered(store: Store, words: str) -> None:
    around = f"前{words}后" if words.isascii() is False and " " not in words else f"vor {words.swapcase()} nach"
    (message,) = said(store, around)
    (number,) = put(store, words)
    curation.purge(store, [number])
    assert words.casefold() not in store.raw.message(message).text.casefold()
    assert len(store.raw.message(message).text) == len(around)


def test_a_short_word_is_covered_only_where_it_was_quoted(store: Store) -> None:
    turn = "I write Rust. Trust me, Rust is fine."
    first, second = said(store, turn, "Rust and trust")
    number = quoting(store, "Writes Rust code at night", "Rust", turn, first)
    (stays,) = put(store, "Thinks Rust is overrated")
    curation.purge(store, [number])
    assert store.raw.message(first).text == "I write ████. Trust me, Rust is fine."
    assert store.raw.message(second).text == "Rust and trust"
    assert store.get(stays).text == "Thinks Rust is overrated"


def test_words_within_longer_words_stay(store: Store) -> None:
    (message,) = said(store, "unlike teapots: I like teapots; I like tea, though")
    (number,) = put(store, "I like tea")
    curation.purge(store, [number])
    assert store.raw.message(message).text == "unlike teapots: I like teapots; ██████████, though"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Rust", False),
        ("I do", False),
        ("doesn't", False),
        ("喝", False),
        ("🎉🎉🎉🎉", False),
        ("喝茶", True),
        ("hunter2", True),
        ("Zaubertrank", True),
        ("no nuts", True),
    ],
)
def test_what_is_looked_for_beyond_its_own_place(text: str, found: bool) -> None:
    assert is_distinctive(text) is found
    assert bool(PurgedWords([text]).spans(f"so: {text}.")) is found


def test_many_texts_are_found_in_one_reading() -> None:
    texts = [f"the vault number {n} is open" for n in range(2_000)]
    words = PurgedWords(texts)
    assert words.cover("Well, the VAULT number 1234  is open.") == f"Well, {'█' * 30}."
    assert words.sql_test("text") == ("1", [])


def test_a_title_cut_from_a_covered_message_is_covered(store: Store) -> None:
    whole = f"By the way, remind me that I keep the {SECRET} every evening at eight"
    (message,) = said(store, whole, title=whole[:60])
    (other,) = said(store, "Something else by the way", title="Something else", name="b")
    number = quoting(store, "Hides something", f"I keep the {SECRET}", whole, message)
    curation.purge(store, [number])
    titles = {found.title for found in store.raw.get_conversations()}
    assert titles == {"█" * 60, "Something else"}
    assert store.raw.message(other).text.startswith("Something")


def test_a_title_cut_within_the_words_is_covered(store: Store) -> None:
    said(store, "hello", title="zaubertrank under the Kas…")
    said(store, "hello", title="Zaubertrank under", name="b")
    (number,) = put(store, SECRET)
    curation.purge(store, [number])
    assert {found.title for found in store.raw.get_conversations()} == {"█" * 26, "Zaubertrank under"}


def test_a_quote_that_overlaps_words_found_by_search_follows_its_message(store: Store) -> None:
    turn = f"Everybody knows the {SECRET} by now"
    (message,) = said(store, turn)
    stays = quoting(store, "Talks too much", "Everybody knows the Zauber", turn, message)
    (number,) = put(store, f"the {SECRET}")
    curation.purge(store, [number])
    (kept,) = store.evidence(stays)
    assert kept.quote == store.raw.message(message).text[kept.start : kept.end] == "Everybody knows ██████████"
    assert store.differences() == []


def test_a_quote_of_an_undone_command_follows_its_message(store: Store) -> None:
    turn = f"Everybody knows the {SECRET} by now"
    (message,) = said(store, turn)
    quoting(store, "Talks too much", "Everybody knows the Zauber", turn, message)
    store.undo()
    (number,) = put(store, f"the {SECRET}")
    curation.purge(store, [number])
    assert store.differences() == []
    with store.sqlite() as connection:
        from store.record.changes import decode

        events = connection.execute("SELECT changes FROM events").fetchall()
        assert not any("Zauber" in repr(decode(row[0])) for row in events)


def test_a_memory_that_stays_is_named_however_it_writes_the_words(store: Store) -> None:
    (gone, stays) = put(store, SECRET, f"All of it, {SECRET.upper()} included")
    with pytest.raises(Conflict, match=str(stays)):
        curation.purge(store, [gone])
