"""`curator compare`: two texts, two memories, or a file of pairs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.runner import Curator
from curator.models import ModelMissing
from effort import thorough


def test_two_texts_with_scores_reasons_and_path(curator: Curator) -> None:
    ran = curator("compare", "I live in Lisbon", "i live in lisbon!")
    assert ran.out.startswith("duplicate  duplicate 100%  conflict 0%")
    assert "because:" in ran.out and "compared:" not in ran.out
    assert "compared by words and rules only" in ran.err
    (row,) = curator("compare", "I like tea", "I do not like tea", "--json").rows
    assert row["class"] == "contradiction" and row["conflict_score"] > 0.5
    assert set(row) == {"class", "duplicate_score", "conflict_score", "reasons", "path"}
    assert any(re.search(r"[+-]\d\.\d\d$", step) for step in row["path"])


def test_an_explanation_says_what_was_compared_what_differs_and_why(curator: Curator) -> None:
    told = curator("compare", "I live in Lisbon", "I moved to Porto last year", "--explain").out
    compared, differences, why = re.split("^differences:|^why:", told, flags=re.MULTILINE)
    assert "\n  I live in Lisbon\n  I moved to Porto last year\n" in compared
    assert "name: lisbon / porto" in differences and "words: lisbon" in differences
    assert "where they live: lisbon / porto" in why and "a change is mentioned: I moved" in why
    assert not re.search(r"[+-]?\d\.\d\d|opposed \(|shown from", told)
    assert "none but case" in curator("compare", "I like tea", "i like tea!", "--explain").out


def test_two_memories_by_id(curator: Curator) -> None:
    curator("add", "I like tea")
    curator("add", "I do not like tea")
    assert curator("compare", "1", "2", "--json").rows[0]["class"] == "contradiction"
    assert curator("compare", "1", "I like tea", "--json").rows[0]["class"] == "duplicate"
    assert curator("compare", "1", "9").code == 1


@thorough
def test_a_file_is_answered_in_order_with_its_ids(curator: Curator, tmp_path: Path) -> None:
    curator("add", "I like tea")
    file = tmp_path / "pairs.jsonl"
    rows: list[dict[str, Any]] = [
        {"id": n if n % 2 else f"pair {n}", "a": f"I have {n} cats", "b": "I have 70 cats"} for n in range(150)
    ]
    rows[3] = {"id": None, "a": 1, "b": "I like tea", "more": [1]}
    file.write_text("\n\n".join(map(json.dumps, rows)))
    ran = curator("compare", "--batch", file, "--json")
    assert ran.code == 0, ran.err
    assert [row["id"] for row in ran.rows] == [row["id"] for row in rows]
    assert list(ran.rows[0]) == ["id", "class", "duplicate_score", "conflict_score", "reasons"]
    assert (ran.rows[3]["class"], ran.rows[70]["class"]) == ("duplicate", "duplicate")
    assert ran.rows[4]["class"] != "duplicate"
    assert curator("compare", "--batch", file).out.count("\n") == 150


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 71"),
        ('{"id": 1, "a": "x"}', "'b' is missing"),
        ('{"id": 1, "a": "x", "b": null}', "texts, or ids"),
        ('{"id": 1, "a": "x", "b": true}', "texts, or ids"),
        ('{"id": 1, "a": "x", "b": 99}', "no memory 99"),
        ('{"id": 1, "a": "x", "b": 99999999999999999999}', "line 71"),
        ("[]", "line 71"),
        ('{"a": "x", "b": "y"}', "'id' is missing"),
    ],
)
def test_a_wrong_line_is_named_and_those_before_it_answered(
    curator: Curator, tmp_path: Path, line: Any, said: Any
) -> None:
    file = tmp_path / "pairs.jsonl"
    good = json.dumps({"id": 1, "a": "I like tea", "b": "I like rain"})
    file.write_text("\n".join([good] * 70 + [line, good]))
    ran = curator("compare", "--batch", file, "--json")
    assert (ran.code, len(ran.rows)) == (2, 70)
    assert said in ran.err and f"{file}, line 71" in ran.err


@pytest.mark.parametrize(
    "words", [[], ["one"], ["a", "b", "c"], ["a", "b", "--batch", "x"], ["--batch", "x", "--explain"]]
)
def test_two_sides_or_a_file_are_wanted(curator: Curator, words: Any) -> None:
    assert curator("compare", *words).code == 2


def test_a_model_that_cannot_be_used_is_named_with_the_reason(
    curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise ModelMissing("it cannot run on this machine: no onnxruntime")

    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "minilm")
    monkeypatch.setattr("curator.cli.compare.load_embedder", missing)
    monkeypatch.setattr("curator.models.weights.installed", lambda of, cache: cache)
    ran = curator("compare", "I like tea", "I like rain")
    assert (ran.code, "words and rules only: it cannot run on this machine: no onnxruntime" in ran.err) == (0, True)
    assert "curator setup" not in ran.err
