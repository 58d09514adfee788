"""Requests to remember and standing orders in coding sessions, on the rows that the rules were not tuned on.

`tests/bench/session_requests.py` prints all figures.
"""

from collections.abc import Sequence
from functools import cache

import pytest
from labelled_lines import typed
from labelled_requests import FILES, Kept, kept, messages, share

from curator.distill.candidate import REQUESTED
from curator.distill.scores.chats import Scores


@cache
def held() -> list[Kept]:
    """Return what is kept of the held-out messages; too slow for collection, which each process does."""
    return kept("held")


def test_both_halves_have_all_kinds() -> None:
    for half in ("tune", "held"):
        labels = [message.label for message in messages(half)]
        assert [labels.count(label) for label in ("request", "order", "-")] == [30, 20, 30]


@pytest.mark.parametrize(("label", "least"), [("request", 1.0), ("order", 0.95)])
def test_what_is_asked_for_is_kept(label: str, least: float) -> None:
    assert share(held(), label) >= least


@pytest.mark.parametrize(("label", "least"), [("request", 0.8), ("order", 0.8)])
def test_most_of_what_is_asked_indirectly_is_kept_without_a_classifier(label: str, least: float) -> None:
    assert share(kept("held", file=FILES[1]), label) >= least


def test_few_near_misses_are_taken_for_requests() -> None:
    assert share(held(), "-") <= 3 / 30


FACT = "the sandbox key expires in june"


@pytest.mark.parametrize(
    "text",
    [
        "remeber that {}",
        "hey rember {}",
        "dont forget {}",
        "dont let me forget that {}",
        "for future sessions: {}",
        "remember across sessions: {}",
        "update your notes: {}",
        "save this in your memory file: {}",
        "mark this down: {}",
        "takeaway for next time: {}",
        "in case you forget, {}",
        "/remember {}",
        "{}. note that down",
        "{}. make a note of it",
        "{}. put that in your notes",
        "{}. bear that in mind pls",
        "{}. can u remember this?",
        "{}. dont forget it this time",
        "thats wrong, {}. update your memory",
        "{} (remember that)",
        "one for your notebook: {}",
        "tattoo this on your brain: {}",
        "just so it doesn't get lost between chats, hang on to this: {}",
        "nice, that fixed it! chuck it in AGENTS.md, {}",
        "can you please update GEMINI.md with the learning that {}",
        "for you to know in the next conversations, {}",
        "#remember {}",
        "{}. please hold it fast for later",
        "{}. do i have to say it every day or can u hang onto that",
    ],
)
def test_a_request_is_told_by_its_form_and_only_what_it_is_about_is_kept(text: str) -> None:
    found = typed(text.format(FACT)).candidates
    assert [(one.quote.rstrip("."), one.importance) for one in found] == [(FACT, REQUESTED)]


@pytest.mark.parametrize(
    "text",
    [
        "note that the build is failing",
        "keep in mind that this loop runs twice, so break early",
        "add a note in the changelog about it",
        "dont forget we still need the null check",
        "the export is done. save it",
        "it crashes on start. every time.",
        "do you remember that?",
        "The chart is too wide. Mark it down to 300px.",
        "update the memory usage chart",
        "the notes are empty. update the notes.",
        "remember the users choice in localstorage",
        "in case you forget the password there should be a reset link",
        "note down the timings in bench.md",
        "memo: update readme",
        "fyi i rebased your branch",
        "fix the bug, that's how we do it",
        "leave a comment above it for the next time: the port is set by an env variable",
        "the session gets forgotten: we need to fix the refresh token",
        "data gets lost - the writer doesn't flush, please fix",
        "next task: the login page needs a spinner",
        "so it works until next time, we need a real fix",
        "make it work for new chats, the list is not updated when the user opens one",
        "write the loop so that it runs for ever, the server must not exit",
        "add to the instructions that the user must click confirm",
        "save the model to disk for the next run: it takes ages to train",
        "how many times do i need to say hello in the loop",
    ],
)
def test_a_note_on_the_work_at_hand_is_not_kept(text: str) -> None:
    assert typed(text).candidates == ()


def test_what_a_classifier_calls_a_request_is_kept_whole() -> None:
    said = "ill be asking again on monday, grit it is"

    def classify(texts: Sequence[str]) -> list[Scores]:
        return [Scores(-5.0, -5.0, 2.0) for _ in texts]

    assert typed(said).candidates == ()
    (found,) = typed(said, classifier=classify).candidates
    assert (found.quote, found.importance) == (said, REQUESTED)


@pytest.mark.parametrize(
    "text",
    [
        "use single quotes. always.",
        "run the formatter. every single time please",
        "run the formatter, pls stick to that",
        "run the formatter, thats how i want it",
        "how many times do i have to tell you to run the formatter?",
        "starting today run the formatter",
    ],
)
def test_an_order_is_for_good_if_the_person_insists_on_it(text: str) -> None:
    assert any(one.standing or one.always for one in typed(text).candidates), typed(text)


def test_an_order_for_one_thing_at_hand_is_a_task() -> None:
    assert typed("no emojis in this commit message pls").candidates == ()
