from dataclasses import replace

from curator.distill.rules import distil
from factories import CHAT, TURN


def kept_texts(text: str) -> list[str]:
    return [one.text for one in distil(CHAT, [replace(TURN, text=text)]).candidates]


def test_an_allergy_keeps_the_sentence_that_says_to_what() -> None:
    (one,) = kept_texts("Is there latex in balloons? I'm allergic, badly, I was in hospital at nine.")
    assert "latex" in one and "hospital" in one
    (one,) = kept_texts("Is there latex in balloons? I'm allergic to nuts.")
    assert "latex" not in one
    first, second = kept_texts("I'm allergic to nuts. Plan a picnic. I'm allergic, as I said, very.")
    assert "picnic" not in first + second


def test_what_is_taken_back_is_kept_with_what_holds_instead() -> None:
    (one,) = kept_texts("I always said I hated the mountains. I was wrong, I love them now.")
    assert "wrong" in one and "hated the mountains" in one
    assert kept_texts("I live in Turin. I was wrong, it is Tuesday.") == ["I live in Turin."]


def test_jokes_about_an_allergy_or_a_marriage_are_none() -> None:
    assert kept_texts("im allergic to ironing and married to my couch") == []
    assert kept_texts("I'm allergic to sesame and married to a baker") != []
