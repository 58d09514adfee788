"""A second check of a chat model's candidates refuses passing statements and repetitions of a memory."""

from collections.abc import Sequence

from scripted_chat import item, items, message

from curator.distill.scores.chats import Scores
from curator.llm.chunks import chunks
from curator.llm.extract import Extracted, read
from curator.services.model_candidates import filter_candidates
from store.model import Evidence, Message

SAID = message(
    "Never used one of these. I'm Gwen, a cutter at the Playhouse, and my daughter says you help. Ich esse gern Fisch."
)


def scored(said: Sequence[str]) -> list[Scores]:
    return [
        Scores(-3, -4, -5) if "used" in one or "Fisch" in one or "nuts" in one else Scores(2, -4, -5) for one in said
    ]


def found(*quotes: str, of: Message = SAID) -> Extracted:
    (chunk,) = chunks([of], 3_000)
    return read(items(*map(item, quotes)), chunk)


def texts(what: Extracted) -> list[str]:
    return [one.text for one in what.candidates]


def test_what_the_classifier_finds_passing_is_refused_and_told() -> None:
    given = found("Never used one of these", "I'm Gwen, a cutter at the Playhouse")
    kept = filter_candidates(given, {1: SAID}, {}, scored)
    assert texts(kept) == ["I'm Gwen, a cutter at the Playhouse"]
    assert kept.counts == {"transient": 1}
    assert [(one.reason, SAID.text[one.start : one.end]) for one in kept.refusals] == [
        ("transient", "Never used one of these")
    ]
    assert filter_candidates(given, {1: SAID}, {}, None) == given


def test_other_languages_and_safety_are_not_for_the_classifier_to_refuse() -> None:
    said = message("Ich esse gern Fisch und wohne in Porto. Oh and I'm allergic to nuts.")
    given = found("Ich esse gern Fisch und wohne in Porto", "I'm allergic to nuts", of=said)
    assert len(given.candidates) == 2
    assert filter_candidates(given, {1: said}, {}, scored) == given


def test_a_passage_around_a_memory_in_the_same_words_is_no_second_one() -> None:
    whole = "I'm Gwen, a cutter at the Playhouse, and my daughter says you help"
    start = SAID.text.index("I'm Gwen")
    quotes = {
        1: [
            Evidence(
                "I'm Gwen, a cutter at the Playhouse", start, start + 35, message=1, id=1, memory=7, conversation=1
            )
        ]
    }
    assert filter_candidates(found(whole), {1: SAID}, quotes, None).counts == {"low_surprise": 1}
    assert texts(filter_candidates(found("I'm Gwen, a cutter at the Playhouse"), {1: SAID}, quotes, None))
    (chunk,) = chunks([SAID], 3_000)
    reworded = read(items(item(whole, "I'm Gwen, I cut at the Playhouse, and my daughter says you help")), chunk)
    assert filter_candidates(reworded, {1: SAID}, quotes, None) == reworded
