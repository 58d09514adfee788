"""Each preset computes its documented formula."""

from dataclasses import replace
from itertools import pairwise
from math import exp, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.config import Recall
from curator.recall import Preset, features
from curator.recall.explain import PARTS, SUMS
from curator.recall.features import HALF_LIFE, ParsedQuery, Sheet, decay, parse_query
from curator.recall.presets import BOOSTS, RECIPES, WEIGHTS, rank_candidates, signals
from curator.tui.recall.queries import GROUPS
from store.clock import DAY
from store.model import Kind, Outline, Review, Tier

NOW = 1_800_000_000_000_000


PLAIN = Outline(
    0, "the same text", Kind.IDENTITY, Tier.MEDIUM, Review.OPEN, False, 5, None, NOW, None, None, 0
)  # fmt: skip
"""An average memory, written now."""


def sheet(*rows: dict[str, Any], query: str = "") -> Sheet:
    """Return a sheet of candidates, each a plain memory with the changes of its row."""
    own = {"score", "context", "cosine", "warmth", "text_rank", "vector_rank"}
    memories = [
        replace(PLAIN, id=place, **{name: value for name, value in row.items() if name not in own})
        for place, row in enumerate(rows, 1)
    ]

    def column(name: str, missing: float = 0.0) -> Any:
        return np.array([row.get(name, missing) for row in rows], np.float64)

    return Sheet(
        memories,
        column("score"),
        column("context"),
        column("text_rank", 1),
        column("context_rank"),
        column("vector_rank", 1),
        column("cosine"),
        column("warmth", 0.5),
        parse_query(query, NOW, ()) if query else ParsedQuery(),
        NOW,
    )


def scores(preset: Preset, given: Sheet) -> list[float]:
    return [float(score) for score in rank_candidates(RECIPES[preset], given)[1]]


@pytest.mark.parametrize("preset", Preset)
def test_every_part_of_a_score_is_explained_and_has_its_place_in_a_bar(preset: Preset) -> None:
    row = {"score": 1.0, "context": 1.0, "cosine": 0.5, "group": "a", "text": "Anna? in May 2024", "tier": Tier.CORE}
    given = sheet(
        {**row, "review": Review.VALIDATED}, {"cosine": 0.1, "warmth": 0.9}, query="When in May 2024 did Anna"
    )
    _, _, letters = rank_candidates(RECIPES[preset], replace(given, lexical=True))
    assert not {"vector", "cosine", "meaning"} & set(letters)
    parts = rank_candidates(RECIPES[preset], given)[2] | letters
    grouped = {part for group in GROUPS.values() for part in group}
    assert set(parts) <= set(PARTS) & grouped and SUMS[preset]


def test_the_settings_know_every_preset() -> None:
    assert set(Recall.model_fields["preset"].annotation.__args__) == {preset.value for preset in Preset}  # type: ignore[union-attr]
    assert Recall().preset == Preset.CURATOR.value
    assert set(RECIPES) == set(Preset)


def test_yocore_adds_reciprocal_ranks() -> None:
    given = sheet({"text_rank": 3, "vector_rank": 1}, {"text_rank": 0, "vector_rank": 2})
    assert scores(Preset.YOCORE, given) == pytest.approx([1 / 63 + 1 / 61, 1 / 62])


def test_hybrid_weighs_cosine_words_and_decay() -> None:
    old = {"kind": Kind.EVENT, "created_at": NOW - 45 * DAY, "cosine": 0.5, "score": 6.0}
    given = sheet(old, {"cosine": 0.25, "score": 12.0})
    assert scores(Preset.HYBRID, given) == pytest.approx([0.6 * 0.5 + 0.2 * 0.5 + 0.2 * 0.5, 0.6 * 0.25 + 0.2 + 0.2])


def test_lynkr_weighs_recency_importance_and_words() -> None:
    given = sheet({"created_at": NOW - 30 * DAY, "importance": 8, "score": 3.0}, {"score": 6.0})
    assert scores(Preset.LYNKR, given) == pytest.approx([0.3 * exp(-1) + 0.4 * 0.8 + 0.3 * 0.5, 0.3 + 0.4 * 0.5 + 0.3])


def test_yak_multiplies_and_its_variants_add() -> None:
    core = {"tier": Tier.CORE, "created_at": NOW - 30 * DAY, "cosine": 0.8, "warmth": 0.75}
    given = sheet(core, {"tier": Tier.LOW, "cosine": -0.5, "warmth": 0.0})
    assert scores(Preset.YAK, given) == pytest.approx([0.8 * 0.5 * 1.75 * 2.0, -0.5 * 1.0 * 0.5])
    assert scores(Preset.YAK_ADDITIVE, given) == pytest.approx([0.8 * 0.5 + 0.2 * 0.75 + 0.1, -0.5 - 0.1])
    logs = [log(0.8) + log(0.5) + log(1.75) + log(2.0), log(0.01) + log(0.5)]
    assert scores(Preset.YAK_LOG, given) == pytest.approx(logs)


@pytest.mark.parametrize("preset", Preset)
def test_only_what_a_preset_searches_is_in_its_order(preset: Preset) -> None:
    lost = {"text_rank": 0, "vector_rank": 0, "cosine": 0.9, "score": 9.0}
    order, _, _ = rank_candidates(RECIPES[preset], sheet(lost, {"cosine": 0.9}))
    assert order == [1]


def test_a_half_life_halves_and_identity_does_not_fade() -> None:
    for kind in Kind:
        ages = [0, -5 * DAY, int(HALF_LIFE.get(kind, 100) * DAY)]
        given = sheet(*({"kind": kind, "created_at": NOW - age} for age in ages))
        assert list(decay(given)) == [1.0, 1.0, 0.5 if kind in HALF_LIFE else 1.0]
    assert {kind for kind in Kind if kind not in HALF_LIFE} == {Kind.IDENTITY, Kind.TRAIT}


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"review": Review.VALIDATED}, {}),
        ({"pinned": True}, {}),
        ({"tier": Tier.CORE}, {}),
        ({}, {"tier": Tier.LOW}),
        ({"warmth": 0.9}, {"warmth": 0.4}),
        ({"kind": Kind.EVENT}, {"kind": Kind.EVENT, "created_at": NOW - 90 * DAY}),
    ],
)
def test_all_else_equal_what_the_person_and_use_say_decides(better: dict[str, Any], worse: dict[str, Any]) -> None:
    near = {"cosine": 0.5, "score": 3.0}
    first, second = scores(Preset.CURATOR, sheet(near | better, near | worse))
    assert 0 < first - second <= sum(BOOSTS.values())


@pytest.mark.parametrize("signal", ["context", "cosine"])
def test_a_better_match_never_ranks_lower_all_else_equal(signal: str) -> None:
    order, _, _ = rank_candidates(RECIPES[Preset.CURATOR], sheet({signal: 0.2}, {signal: 0.9}, {signal: 0.5}))
    assert order == [1, 2, 0]


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("What did we do on 14 March 2026?", "2026-03-14", "2026-02-10"),
        ("What happened in March?", "2025-03-20", "2025-06-20"),
    ],
)
def test_what_was_said_on_the_days_in_the_question_comes_first(query: str, better: str, worse: str) -> None:
    from store.clock import from_iso

    given = sheet({"created_at": from_iso(worse)}, {"created_at": from_iso(better)}, query=query)
    assert features.dated(given)[1] == 1.0
    assert rank_candidates(RECIPES[Preset.CURATOR], given)[0] == [1, 0]


def test_a_question_for_a_time_and_a_name_prefer_what_has_them() -> None:
    rows = ({"text": "Anna paints a lot"}, {"text": "Anna painted it in June"}, {"text": "Tom painted it in June"})
    asked = sheet(*rows, query="When did Anna paint it?")
    assert list(features.tells(asked)) == [0.0, 1.0, 1.0]
    assert list(features.person(asked)) == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("What is Anna's and Tom O'Neil’s plan?", {"Anna", "Tom", "O'Neil"}),
        ("Did Élodie meet Jean-Luc?", {"Élodie", "Jean-Luc"}),
        ("what do I like", set()),
    ],
)
def test_names_in_a_question(query: str, names: set[str]) -> None:
    assert parse_query(query, NOW, ()).names == names


def test_the_turn_after_a_question_answers_it() -> None:
    turns = (
        {"group": "a", "ordinal": 4, "text": "Which oboe did you buy?", "score": 5.0},
        {"group": "a", "ordinal": 5, "text": "The blue one"},
        {"group": "a", "ordinal": 7, "text": "The red one"},
        {"group": "b", "ordinal": 5, "text": "The green one"},
    )
    assert list(features.replies(sheet(*turns))) == [0.0, 5.0, 0.0, 0.0]
    page = {**turns[0], "text": "It is for the band. " * 30 + "Which oboe did you buy?"}
    assert not features.replies(sheet(page, *turns[1:])).any()


def test_a_conversation_speaks_by_its_best_two() -> None:
    rows: list[dict[str, Any]] = [
        {"group": "a", "context": 4.0},
        {"group": "a", "context": 2.0},
        {"group": "a"},
        {"context": 4.0},
    ]
    assert list(features.conversation(sheet(*rows))) == [3.0, 3.0, 3.0, 2.0]


def test_among_conversations_that_fit_alike_the_one_message_that_answers_is_first() -> None:
    other = [{"group": name, "context": 0.1 * number, "cosine": 0.2} for name in "ab" for number in range(20)]
    near = [{"group": "a", "context": 5.0, "cosine": 0.3}, {"group": "a", "context": 4.8, "cosine": 0.3}]
    answer = {"group": "b", "context": 4.9, "cosine": 0.45}
    order, _, _ = rank_candidates(RECIPES[Preset.CURATOR], sheet(*near, answer, *other))
    assert order[0] == 2


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "score": st.floats(0, 30),
                "context": st.floats(0, 30),
                "cosine": st.floats(-1, 1),
                "group": st.sampled_from([None, "a", "b"]),
                "ordinal": st.integers(0, 9),
                "text": st.text(max_size=30),
                "created_at": st.integers(-(10**17), 10**17),
                "kind": st.sampled_from(Kind),
            }
        ),
        max_size=20,
    ),
    st.sampled_from(Preset),
)
def test_any_candidates_get_one_finite_order(rows: list[dict[str, Any]], preset: Preset) -> None:
    given = sheet(*rows, query="When did Anna go to Graz in May 2024?")
    order, found, parts = rank_candidates(RECIPES[preset], given)
    assert sorted(order) == list(range(len(rows)))
    assert np.isfinite(found).all()
    assert all(found[later] <= found[earlier] for earlier, later in pairwise(order))
    assert all(len(column) == len(rows) for column in parts.values())
    assert set(signals(given)) == set(WEIGHTS)


@pytest.mark.parametrize("preset", [Preset.CURATOR, Preset.HYBRID])
def test_an_undated_memory_is_as_old_as_the_others_not_new(preset: Preset) -> None:
    row = {"score": 1.0, "context": 1.0, "cosine": 0.8, "kind": Kind.FACT}
    given = sheet({**row, "created_at": NOW - 400 * DAY}, {**row, "created_at": None}, row)
    old, undated, new = scores(preset, given)
    assert old < undated < new


def test_recency_counts_from_the_last_use() -> None:
    old = {"created_at": NOW - 400 * DAY}
    given = replace(sheet(old, old, {}), used_at=np.array([0.0, NOW - DAY, 0.0]))
    never, used, new = RECIPES[Preset.LYNKR].parts(given)["recency"]
    assert never < 0.001 < used < new


@pytest.mark.parametrize("preset", Preset)
def test_age_counts_for_nothing_where_decay_is_off(preset: Preset) -> None:
    row = {"score": 1.0, "context": 1.0, "cosine": 0.8}
    given = sheet({**row, "created_at": NOW - 400 * DAY}, row)
    old, new = scores(preset, replace(given, decay=False))
    assert old == new
