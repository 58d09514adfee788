"""Most secrets of every kind are redacted, and hardly anything that is none."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benign_lines import corpora
from curator.secrets import redact, secrets_in
from curator.secrets.scan import one_of, table
from secret_kinds import KINDS, Kind, samples


def test_there_are_many_kinds_with_values_of_their_own() -> None:
    names = [kind.name for kind in KINDS]
    assert len(names) == len(set(names)) >= 150
    for kind in KINDS:
        made = list(samples(kind, 3))
        assert all(one.secret and one.is_raw_in(one.text) for one in made), kind.name
        assert len({one.secret for one in made}) >= 2, kind.name
        assert made == list(samples(kind, 3)), kind.name


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kind_is_redacted_in_nearly_every_sentence(kind: Kind) -> None:
    made = list(samples(kind))
    raw = [one.text for one in made if one.is_raw_in(redact(one.text).text)]
    assert len(raw) <= len(made) / 10, raw


def test_at_most_three_of_a_hundred_secrets_stay_raw() -> None:
    made = [one for kind in KINDS for one in samples(kind, 3, seed=2)]
    raw = [one for one in made if one.is_raw_in(redact(one.text).text)]
    assert len(raw) <= 0.03 * len(made), [one.text for one in raw[:20]]


@pytest.mark.parametrize("name", ["this program", "standard library", "prose", "lookalikes"])
def test_at_most_one_line_of_a_thousand_without_secrets_is_touched(name: str) -> None:
    texts = corpora()[name]
    lines = sum(text.count("\n") + 1 for text in texts)
    found = [secret for text in texts for secret in secrets_in(text)]
    assert lines >= 2000
    assert len(found) <= lines / 1000, found[:20]


def test_what_is_said_about_secrets_is_none() -> None:
    touched = [text for text in corpora()["about secrets"] if secrets_in(text)]
    assert len(touched) <= 2, touched


def test_a_text_with_any_beginning_of_a_token_passes_the_first_look() -> None:
    """No pattern is tried on what the first look rules out."""
    rules = table()
    texts = [f"{before}{literal}{after}" for literal in rules.tokens for before, after in (("", ""), ("sS-", "x1"))]
    texts += [one.text for kind in KINDS for one in samples(kind, 3)]
    assert all(rules.any_token.search(text) for text in texts if any(map(text.__contains__, rules.tokens)))
    assert sum(rules.any_token.search(text) is None for text in texts) > len(texts) / 10


@given(st.lists(st.text("ab.-", min_size=1, max_size=4), max_size=8), st.text("ab.-", max_size=12))
def test_a_tree_of_literals_finds_what_each_of_them_finds(literals: list[str], text: str) -> None:
    found = re.search(one_of(literals) or "(?!)", text) is not None
    assert found == any(literal in text for literal in literals)
