"""Scores of sentences by their words."""

from pathlib import Path

from curator.distill.scores.chats import weights
from curator.distill.scores.features import features
from effort import thorough

LINES = (Path(__file__).parents[1] / "chat_lines.txt").read_text(encoding="utf-8").splitlines()


@thorough
def test_scores_do_not_depend_on_the_order_of_a_set() -> None:
    """The order of sets of texts differs from process to process; a score beside a threshold must not."""
    table = weights()
    for line in LINES:
        found = sorted(features(line))
        assert table.scores(found, table.bias) == table.scores(found[::-1], table.bias), line
