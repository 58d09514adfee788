import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from curator.llm.data_fence import neutral
from curator.llm.quote_locator import locate

TEXT = "Well — I’ve lived in  São Paulo\nfor **ten** years; my e-mail's “public”, 5 < 6, caf\u0065\u0301 ﬁne."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("for **ten** years", "for **ten** years"),
        ("I've lived in São Paulo for ten years", "I’ve lived in  São Paulo\nfor **ten** years"),
        ("i've lived in são paulo", "I’ve lived in  São Paulo"),
        ("“I’ve lived in São Paulo…”", "I’ve lived in  São Paulo"),
        ('my e-mail\'s "public"', "my e-mail's “public"),
        ("my e‑mail's", "my e-mail's"),
        ("public, 5 <6", "public”, 5 < 6"),
        ("café fine", "caf\u0065\u0301 ﬁne"),
        ("Sa\u0303o Pau\u200blo", "São Paulo"),
    ],
)
def test_quote_is_found_in_other_spelling(quote: str, found: str) -> None:
    place = locate(quote, TEXT)
    assert place is not None
    assert TEXT[slice(*place)] == found


@pytest.mark.parametrize(
    "quote",
    ["", "   ", "I", "yes", "...", "I've lived in Rio", "ived in", "lived for ten years", "ten years; not", "…—…—"],
)
def test_what_was_not_said_is_not_found(quote: str) -> None:
    assert locate(quote, TEXT) is None


def test_words_are_not_cut() -> None:
    assert locate("arty", "My party was arty") == (13, 17)
    assert locate("寿司が好", "私は寿司が好きです") == (2, 6)


@given(st.text(), st.text())
def test_what_is_found_is_a_part_of_the_text(quote: str, text: str) -> None:
    place = locate(quote, text)
    if place is not None:
        start, end = place
        assert 0 <= start < end <= len(text)
        assert text[start:end].strip()


words = st.lists(st.text("abcdeéßñçЖ北0123456789'’-", min_size=2, max_size=8), min_size=3, max_size=12)


@given(words, st.data())
def test_what_was_said_is_found_as_it_was_shown(said: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([" ", "  ", "\n", " <b> "])).join(said)
    first = data.draw(st.integers(0, len(said) - 3))
    start = sum(len(word) for word in said[:first]) + first * ((len(text) - sum(map(len, said))) // (len(said) - 1))
    quote = text[start : start + 12]
    assume(sum(map(str.isalnum, quote.strip("'’- "))) >= 5 and quote == quote.strip())
    assume(not (text[start + 12 : start + 13].isalnum() and quote[-1].isalnum()))
    for spelling in (quote, neutral(quote), " ".join(quote.split()), unicodedata.normalize("NFD", quote)):
        place = locate(spelling, text)
        assert place is not None, spelling
