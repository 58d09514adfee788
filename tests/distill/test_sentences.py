"""Sentences people say, one at a time: the table in `sentences.txt` decides."""

from pathlib import Path

import pytest

from curator.distill.candidate import Distilled
from curator.distill.rules import distil
from store.model import Channel, Conversation, Message, Role

ROWS = [
    tuple(line.split("\t"))
    for line in Path(__file__).with_name("sentences.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def read(text: str) -> Distilled:
    message = Message(
        id=1,
        conversation=1,
        ordinal=0,
        role=Role.USER,
        channel=Channel.SPOKEN,
        text=text,
        external_id=None,
        created_at=None,
        active=True,
        hidden=False,
    )
    return distil(
        Conversation(id=1, source="chatgpt", external_id=None, title=None, created_at=None, project=None, agent=False),
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
