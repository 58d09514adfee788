"""Share of secrets of every kind that is redacted, and of benign text that is not."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benign_lines import corpora
from curator.secrets import find_secrets, redact, scan, secrets_in
from curator.secrets.scan import one_of, table
from effort import share, some, thorough
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
    made = list(samples(kind, share(20, 5)))
    raw = [one.text for one in made if one.is_raw_in(redact(one.text).text)]
    assert len(raw) <= len(made) / 10, raw


@thorough
def test_at_most_three_of_a_hundred_secrets_stay_raw() -> None:
    made = [one for kind in KINDS for one in samples(kind, 3, seed=2)]
    raw = [one for one in made if one.is_raw_in(redact(one.text).text)]
    assert len(raw) <= 0.03 * len(made), [one.text for one in raw[:20]]


@thorough
@pytest.mark.parametrize("name", some(["this program", "prose", "lookalikes", "standard library"], 3))
def test_at_most_one_line_of_a_thousand_without_secrets_is_touched(name: str) -> None:
    texts = corpora()[name]
    lines = sum(text.count("\n") + 1 for text in texts)
    found = [secret for text in texts for secret in secrets_in(text)]
    assert lines >= 2000
    assert len(found) <= lines / 1000, found[:20]


@thorough
def test_what_is_said_about_secrets_is_none() -> None:
    touched = [text for text in corpora()["about secrets"] if secrets_in(text)]
    assert len(touched) <= 2, touched


@thorough
def test_a_text_with_any_beginning_of_a_token_passes_the_first_look() -> None:
    """Check that the quick first test rules out no text on which a pattern could match."""
    rules = table()
    texts = [f"{before}{literal}{after}" for literal in rules.tokens for before, after in (("", ""), ("sS-", "x1"))]
    texts += [one.text for kind in KINDS for one in samples(kind, 3)]
    assert all(rules.any_token.search(text) for text in texts if any(map(text.__contains__, rules.tokens)))
    assert sum(rules.any_token.search(text) is None for text in texts) > len(texts) / 10


SAMPLES = [one.text for kind in KINDS for one in samples(kind, 2, seed=3)]
SIGNS = "kK\u212a\u017f\u0130\xdf\u200b\uff10\uff41\u2011\xa0\ud800 \n_-./:=9"


@given(st.sampled_from(SAMPLES), st.sampled_from(SAMPLES), st.integers(0, 80), st.text(SIGNS, max_size=3))
def test_a_text_that_no_trigger_is_in_holds_no_secret(text: str, other: str, at: int, put: str) -> None:
    text = f"{text[:at]}{put}{text[at:]} {other[at:]}"
    text = text.swapcase() if at % 2 else text
    found = find_secrets(text)
    everything = replace(table(), has_run=bool, has_word=bool, has_seed=bool)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "table", lambda: everything)
        assert find_secrets(text) == found


@thorough
def test_the_triggers_rule_most_texts_out() -> None:
    prose, rules = corpora()["prose"], table()
    lines = [line for text in prose for line in text.splitlines()]
    assert sum(map(rules.has_run, lines)) + sum(map(rules.has_seed, lines)) <= 0.1 * len(lines)
    assert sum(map(rules.has_word, lines)) <= 0.2 * len(lines)


def test_every_character_that_is_folded_to_one_of_a_literal_triggers_it() -> None:
    rules = table()
    others: dict[str, list[str]] = {sign: [] for literal in rules.by_word for sign in literal}
    for sign in map(chr, range(0x110000)):
        if (form := sign.lower()) in others and form != sign:
            others[form].append(sign)
    assert others["k"] == ["K", "\u212a"]
    for literal in rules.by_word:
        for place, form in enumerate(literal):
            assert all(rules.has_word(f"{literal[:place]}{sign}{literal[place + 1 :]}") for sign in others[form])


@given(st.lists(st.text("ab.-", min_size=1, max_size=4), max_size=8), st.text("ab.-", max_size=12))
def test_a_tree_of_literals_finds_what_each_of_them_finds(literals: list[str], text: str) -> None:
    found = re.search(one_of(literals) or "(?!)", text) is not None
    assert found == any(literal in text for literal in literals)
