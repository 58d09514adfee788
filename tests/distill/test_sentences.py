"""Single sentences as people say them; `sentences.txt` holds the expected results."""

from dataclasses import replace
from pathlib import Path

import pytest

from curator.distill.candidate import Distilled
from curator.distill.rules import distil
from factories import CHAT, TURN

ROWS = [
    tuple(line.split("\t"))
    for line in Path(__file__).with_name("sentences.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def read(text: str) -> Distilled:
    message = replace(TURN, text=text, created_at=None)
    return distil(
        CHAT,
        [message],
    )


def test_the_table_is_large_enough_to_mean_something() -> None:
    assert len(ROWS) > 300
    assert sum(wanted == "-" for wanted, _ in ROWS) > 120


@pytest.mark.parametrize(("wanted", "text"), ROWS, ids=[text for _, text in ROWS])
def test_sentence(wanted: str, text: str) -> None:
    found = read(text)
    kinds = [candidate.kind.value for candidate in found.candidates]
    if wanted == "-":
        assert kinds == []
        assert sum(found.counts.values()) > 0, "refused without a reason"
    else:
        assert kinds, f"refused: {dict(found.counts)}"
        assert kinds[0] in wanted.split("/")


@pytest.mark.parametrize("said", ["my boss lol", "my boss", "Mariah Carey lol", "Taylor Swift, sorry", "Mondays haha"])
def test_an_allergy_to_somebody_is_no_memory(said: str) -> None:
    found = distil(CHAT, [replace(TURN, text=f"I'm allergic to {said}")])
    assert (found.candidates, [one.reason for one in found.refusals]) == ((), ["transient"])


@pytest.mark.parametrize("said", ["Penicillin", "Elastoplast lol yes really", "peanuts lol", "my wife's cat haha"])
def test_a_laugh_does_not_make_a_true_allergy_a_joke(said: str) -> None:
    (one,) = distil(CHAT, [replace(TURN, text=f"I'm allergic to {said}")]).candidates
    assert one.rule == "health"
