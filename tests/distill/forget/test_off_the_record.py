"""Requests not to keep something: both distillers skip what they refer to."""

from dataclasses import replace

import pytest

from curator.distill.rules import distil
from curator.distill.scores.chats import sentence_classifier
from curator.llm.chunks import chunks
from curator.llm.validate import quoted_passage, refuse_quote
from effort import thorough
from factories import CHAT, TURN

ASKED = [
    "Please don't store that I have HIV.",
    "Off the record, I'm in debt and my wife doesn't know",
    "off the record, I had an abortion",
    "I'm 40 (off the record)",
    "don't note that I'm bipolar",
    "please do not write down that I am on probation",
    "Don't keep a record that I was fired",
    "Don't save my address: 5 Elm Road, York",
    "no need to remember that I'm left-handed",
    "You don't have to remember this, but I'm gay",
    "I'd rather you didn't note that I'm divorced",
    "I don't want this stored: I'm bipolar",
    "I don't want you to save that I'm bipolar",
    "don't put this in your memory: I'm bipolar",
    "Please don't add to memory that I'm bipolar",
    "don't let this be saved, I'm bipolar",
    "Keep this secret: I'm planning to quit in May",
    "Keep this between us: I'm in AA",
    "I'm in AA, this stays between us",
    "Between you and me, I'm divorced",
    "Don't save this, but I'm pregnant",
    "I'm pregnant but please don't save that.",
    "Please don't save that I smoke",
    "Confidential: I have cancer",
    "not to be stored: my salary is 50k",
    "don't remember this: I'm gay",
    "I have HIV. Don't save this.",
    "I'm on probation. This is off the record.",
    "I'm in AA. Keep this between us.",
    "I'm pregnant. Can you not save that, please?",
    "Keep this between us:\nI'm in AA. I have been sober since May.",
    "This is off the record. I'm in AA. I have been sober since May.",
    "Bitte speichere nicht, dass ich HIV habe.",
    "Ich bin schwanger. Bitte nicht speichern.",
    "Das bleibt unter uns: ich bin schwanger",
    "I moved out in May. My mother does not know. Don't remember that.",
    "I asked about a job at the bank, delete that if you kept it",
    "I was diagnosed with HIV.\n\nPlease don't save that.",
    "- I have HIV\n- I owe 5k to my brother\n\nDon't save any of that",
    "don't keep the next bit: i have HIV.",
    "I have HIV. Don't keep that last bit.",
    "Ne note pas que je suis enceinte.",
    "Entre nous : je suis diabétique",
    "No guardes que soy diabético.",
    "Esto queda entre nosotros: soy diabético",
]


@pytest.mark.parametrize("text", ASKED)
def test_what_is_not_to_be_kept_is_refused(text: str) -> None:
    found = distil(CHAT, [replace(TURN, text=text)])
    assert found.candidates == () and found.forget_requests == ()
    assert set(found.counts) == {"withheld"}
    for session in (True, False):
        assert distil(replace(CHAT, agent=session), [replace(TURN, text=text)]).candidates == ()


@thorough
@pytest.mark.usefixtures("classifiers")
def test_no_score_keeps_what_is_not_to_be_kept() -> None:
    messages = [replace(TURN, id=TURN.id + at, text=text) for at, text in enumerate(ASKED)]
    assert distil(CHAT, messages, classifier=sentence_classifier()).candidates == ()


def test_a_chat_model_is_not_shown_what_is_not_to_be_kept() -> None:
    text = "I live in Oslo.\n\nI have HIV. Don't save this."
    (chunk,) = chunks([replace(TURN, text=text)], 3_000)
    assert "HIV" not in chunk.own[0].view and "Oslo" in chunk.own[0].view
    assert refuse_quote(quoted_passage(chunk.own[0], 17, 28)) == "withheld"
    assert refuse_quote(quoted_passage(chunk.own[0], 0, 15)) is None


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Don't forget that I'm vegan", "I'm vegan"),
        ("Never forget that I'm vegan", "I'm vegan"),
        ("What comes next is private to my team: we live in Oslo.", "We live in Oslo."),
        ("I live in Oslo.\n\nI have HIV. I take two tablets. Don't save this.", "I live in Oslo."),
        ("This is off the record. I have HIV.\n\nI live in Oslo.", "I live in Oslo."),
        ("I share a flat between us and my brother in Oslo.", "I share a flat between us and my brother in Oslo."),
        ("Never save files without asking me.", "Never save files without asking me."),
        ("I'm vegan and I don't remember names", "I'm vegan"),
        ("Vergiss nicht, dass ich Veganer bin.", "Vergiss nicht, dass ich Veganer bin."),
    ],
)
def test_what_is_not_withheld_is_kept(text: str, kept: str) -> None:
    assert [one.text for one in distil(CHAT, [replace(TURN, text=text)]).candidates] == [kept]


@pytest.mark.parametrize(
    "asked",
    [
        "Please keep what I now say to you to yourself, and do not store it.",
        "what i tell you next stays between you and me.",
        "dont put the next bit in your memory.",
        "What I'm about to say is strictly confidential.",
        "Don't save what comes next.",
        "I'm going to tell you something, please don't note it.",
        "The rest of this message is off the record.",
        "Everything below is not to be stored.",
        "Nothing I say now should be remembered.",
        "From here on don't store anything.",
        "Hi! Keep the next few lines out of your memory please.",
        "Whatever I tell you next, don't write it down.",
        "turn off your memory for the next part.",
    ],
)
def test_what_is_not_to_be_kept_may_be_announced(asked: str) -> None:
    secret = "I lent my uncle Ray 300 euros. My wife is pregnant.\n\nI have diabetes."
    found = distil(CHAT, [replace(TURN, text=f"I live in Oslo. {asked} {secret}")])
    assert [one.text for one in found.candidates] == ["I live in Oslo."]
    assert any(one.reason == "withheld" for one in found.refusals)
    resumed = replace(TURN, text=f"{asked} I have HIV. That was the private part. I have two sons.")
    assert [one.text for one in distil(CHAT, [resumed]).candidates] == ["I have two sons."]


@pytest.mark.parametrize(
    "said",
    [
        "Keep in mind what I tell you now.",
        "What I tell you now should not surprise you, and should be remembered.",
        "I'll tell you something: I don't save money.",
        "The next part of my novel is private.",
        "Everything I write is confidential.",
        "Don't store passwords with the following list.",
        "My sister said what I tell her stays between us.",
        "I don't know what comes next.",
        "The following is not saved correctly by Word, what can I do?",
    ],
)
def test_what_is_announced_otherwise_is_kept(said: str) -> None:
    found = distil(CHAT, [replace(TURN, text=f"{said} I have two sons.\n\nI don't eat meat.")])
    assert [one.text for one in found.candidates][-2:] == ["I have two sons.", "I don't eat meat."]


def test_this_message_is_all_of_it() -> None:
    text = "I have HIV.\n\nI have two sons. Don't remember this message.\n\nI live in Oslo."
    assert distil(CHAT, [replace(TURN, text=text)]).candidates == ()


@pytest.mark.parametrize("aside", ["kidding", "lol", "oh", "jk"])
def test_a_request_not_to_keep_it_may_follow_an_aside(aside: str) -> None:
    text = f"my locker is number 44, {aside} don't save that"
    found = distil(CHAT, [replace(TURN, text=text)])
    assert found.candidates == () and {one.reason for one in found.refusals} <= {"withheld", "retracted"}
