import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator import safety
from curator.apostrophes import respell


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("i dont cycle and shes never cycled", "i don't cycle and she's never cycled"),
        ("Im off, theyre in, Ive had it", "I'm off, they're in, I've had it"),
        ("were moving in june. so were having a sale", "we're moving in june. so we're having a sale"),
        ("whats up, its my knee, lets go and ill ring", "what's up, it's my knee, let's go and i'll ring"),
        ("Cant say, shes out, thats it, it doesnt work", "Can't say, she's out, that's it, it doesn't work"),
        ("id never buy one, ill be 52, its not new", "i'd never buy one, i'll be 52, it's not new"),
        ("I WONT, im Anna and i swim", "I WON'T, i'm Anna and i swim"),
        ("tell him id rather swim, id be quicker", "tell him id rather swim, i'd be quicker"),
    ],
)
def test_missing_apostrophes_are_put(typed: str, right: str) -> None:
    assert respell(typed).text == right


@pytest.mark.parametrize(
    "text",
    [
        "Her id is 40, its shell is brown, he lets me in",
        "they were moving, so were a lot of others. were you going?",
        "my parents were lonely so were moved to Spain",
        "My ill father is ill, as is his wont",
        "the ID and the IM are at example.com/dont/im-in.html",
        "Ich bin im Keller und im Garten",
        "Termine im Kalender",
        "wantonly, imply, divest",
        "la femme dont je parle et les gens",
    ],
)
def test_words_of_their_own_stay(text: str) -> None:
    assert respell(text).text == text


@given(st.lists(st.sampled_from(["i", "dont", "don't", "its", "a", "ill", "be", ",", "\n", "lets", "go", "id", "cat"])))
def test_offsets_lead_back_to_what_was_typed(words: list[str]) -> None:
    typed = " ".join(words)
    respelt = respell(typed)
    without = [char for place, char in enumerate(respelt.text) if place not in respelt.places]
    assert "".join(without) == typed
    assert [respelt.text[place] for place in respelt.places] == ["'"] * len(respelt.places)
    for at in range(len(respelt.text)):
        if at not in respelt.places:
            assert respelt.text[at] == typed[respelt.typed(at)]


def test_safety_reads_them() -> None:
    assert safety.states("i cant eat prawns") and safety.states("im blind")
