"""Statements about others by name, and fragments without a subject after them."""

from dataclasses import replace

import pytest

from curator.distill.candidate import Candidate
from curator.distill.rules import distil
from curator.distill.scores.chats import sentence_classifier
from effort import thorough
from factories import CHAT, TURN
from store.model import Kind


def kept(text: str) -> list[Candidate]:
    return list(distil(CHAT, [replace(TURN, text=text, created_at=None)]).candidates)


@pytest.mark.parametrize(
    "text",
    [
        "Juno says that she does not eat fish any more. Back to fully vegetarian since last week.",
        "Idris plays football. Moved to Ghent in May.",
        "Idris told me he hates football now.",
        "Ana told me that she moved to Porto.",
        "My husband cooks. Back to eating meat since last week.",
    ],
)
def test_what_is_told_of_somebody_names_them(text: str) -> None:
    (one,) = kept(text)
    assert one.text == text and one.kind is Kind.RELATIONSHIP


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("Back to fully vegetarian since last week.", ["Back to fully vegetarian since last week."]),
        (
            "I told Juno about it. Back to fully vegetarian since last week.",
            ["Back to fully vegetarian since last week."],
        ),
        ("Python is great. Back to vegetarian since last week.", ["Back to vegetarian since last week."]),
        (
            "My sister eats fish. I'm back to vegetarian since last week.",
            ["My sister eats fish.", "I'm back to vegetarian since last week."],
        ),
        ("Tom says hi. I'm back to vegetarian since last week.", ["I'm back to vegetarian since last week."]),
    ],
)
def test_what_is_of_the_person_stays_theirs(text: str, texts: list[str]) -> None:
    assert [one.text for one in kept(text)] == texts
    assert kept(text)[-1].kind is not Kind.RELATIONSHIP


@pytest.mark.parametrize(
    "text",
    [
        "Juno told me that she likes it.",
        "Idris said he wants pizza tonight.",
        "ChatGPT told me it hates nothing.",
        "Everyone says they love Leeds.",
        "Monday said he hates football",
        "Juno said she is tired.",
        "Einstein wrote that he believes in harmony.",
    ],
)
def test_what_passes_or_nobody_says_is_not_kept(text: str) -> None:
    assert kept(text) == []


@thorough
@pytest.mark.usefixtures("classifiers")
@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("My brother told me about keto. Diabetic type 2, can I try it?", "Diabetic type 2"),
        ("My dad is coming for dinner. Diabetic here, so no sugar please.", "Diabetic here, so no sugar"),
    ],
)
def test_a_fragment_of_the_person_is_not_joined_to_a_sentence_about_others(text: str, own: str) -> None:
    found = distil(CHAT, [replace(TURN, text=text)], classifier=sentence_classifier()).candidates
    assert own in [one.text for one in found] and not any(
        one.text.startswith("My") and own in one.text for one in found
    )


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("my son Tomás is 14", "Tomás broke his wrist at handball, plaster for 5 weeks."), True),
        (("my colleague, Ana, left", "We met. Ana broke her arm at handball."), True),
        (("my son Tomás is 14", "Samuel broke his wrist at handball, plaster for 5 weeks."), False),
        (("my son Tomás is 14", "Tomás says he broke it."), False),
        (("my son Tomás is 14", "Tomás is nice."), False),
        (("I like Tomás", "Tomás broke his wrist at handball."), False),
        (("my landlord raised the rent", "Raised garden beds need a lot of soil"), False),
        (("my daughter plays the piano", "Plays by Shakespeare are hard to read"), False),
    ],
)
def test_news_are_of_whom_the_chat_knows_by_name(texts: tuple[str, ...], expected: bool) -> None:
    said = [replace(TURN, id=TURN.id + at, text=text, created_at=None) for at, text in enumerate(texts)]
    found = [one for one in distil(CHAT, said).candidates if one.message > TURN.id]
    assert [one.kind for one in found if one.kind is Kind.RELATIONSHIP] == [Kind.RELATIONSHIP] * expected


@pytest.mark.usefixtures("classifiers")
@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (("graham lost his taxi licence on friday, hes gutted. 51 and never been ill.",), []),
        (("our cat is 11 and shes drinking loads", "knew it. stage 2 ckd. she hates the royal canin"), []),
        (("I went to my doctor. She was nice. Stage 2 ckd.",), []),
        (("stage 2 ckd. i have to cut salt",), ["Stage 2 ckd."]),
        (("Type 2 diabetes, metformin 500. Ideas for lunch?",), ["Type 2 diabetes, metformin 500."]),
        (("51 and never been ill. i walk a lot",), ["51 and never been ill."]),
    ],
)
def test_an_illness_without_a_subject_beside_somebody_else_is_not_the_persons(
    texts: tuple[str, ...], kept: list[str]
) -> None:
    said = [replace(TURN, id=TURN.id + at, text=text, created_at=None) for at, text in enumerate(texts)]
    found = distil(CHAT, said, classifier=sentence_classifier()).candidates
    assert [one.text for one in found if one.text.startswith(("51", "Stage", "Type"))] == kept
