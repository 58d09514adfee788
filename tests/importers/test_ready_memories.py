"""Ready memories in JSONL: stored as they are, except for secrets."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, detect
from curator.services.import_logs import import_paths
from curator.services.import_summary import ready_memory_lines
from curator.text import content_key
from importers.sample_logs import items, memories, problems, write_json, write_lines
from store import Filter, Store, clock
from store.model import (
    Kind,
    Life,
    NewEvidence,
    NewMemory,
    NewVersion,
    Origin,
    Rank,
    Review,
    Surprise,
    Tier,
)

FULL: dict[str, Any] = {
    "id": 17,
    "external_id": "m-1",
    "text": "Ann plays the cello.",
    "kind": "skill",
    "origin": "rules",
    "tier": "core",
    "review": "validated",
    "rank": "high",
    "life": "superseded",
    "pinned": True,
    "confidence": 0.9,
    "user_score": 8,
    "importance": 7,
    "scope": "project:music",
    "project": "music",
    "source": "chatgpt",
    "session": "s1",
    "ordinal": 4,
    "subject": "Ann",
    "relation": "plays",
    "object": "cello",
    "span": "current",
    "flag": "injection",
    "surprise": {"novelty": 0.5, "contradiction": 0, "specificity": 1, "emphasis": 0.25, "switch": 0},
    "distiller": "rules-1",
    "created_at": "2024-05-01T00:00:00+00:00",
    "expires_at": "2031-05-01T00:00:00Z",
    "evidence": [
        {
            "quote": "I play the cello",
            "start": 3,
            "end": 19,
            "reference": "msg-1",
            "title": "Music",
            "said_at": 1714521600,
        }
    ],
    "versions": [{"text": "Ann plays.", "at": "2024-04-01T00:00:00+00:00", "merged_from": 3}],
    "tags": ["music", "hobby"],
}


def test_every_column_is_kept(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "memories.jsonl", [FULL])
    assert detect(path) is Format.MEMORIES
    assert memories(path) == [
        NewMemory(
            text="Ann plays the cello.",
            key=content_key("Ann plays the cello."),
            kind=Kind.SKILL,
            origin=Origin.RULES,
            tier=Tier.CORE,
            review=Review.VALIDATED,
            rank=Rank.HIGH,
            life=Life.SUPERSEDED,
            pinned=True,
            confidence=0.9,
            user_score=8,
            importance=7,
            scope="project:music",
            project="music",
            source="chatgpt",
            session="s1",
            ordinal=4,
            subject="Ann",
            relation="plays",
            object="cello",
            span="current",
            flag="injection",
            surprise=Surprise(0.5, 0.0, 1.0, 0.25, 0.0),
            distiller="rules-1",
            external_id="m-1",
            created_at=1_714_521_600_000_000,
            expires_at=clock.from_iso("2031-05-01"),
            evidence=(
                NewEvidence(
                    quote="I play the cello",
                    start=3,
                    end=19,
                    reference="msg-1",
                    title="Music",
                    said_at=1_714_521_600_000_000,
                ),
            ),
            versions=(NewVersion("Ann plays.", 1_711_929_600_000_000, 3, content_key("Ann plays.")),),
            tags=("music", "hobby"),
        )
    ]


def test_id_and_text_are_enough(tmp_path: Path) -> None:
    (memory,) = memories(write_lines(tmp_path / "m.jsonl", [{"id": "conv/1", "text": "Bob swims."}]))
    assert (memory.external_id, memory.text, memory.kind, memory.origin) == (
        "conv/1",
        "Bob swims.",
        Kind.FACT,
        Origin.IMPORT,
    )
    assert (memory.review, memory.life, memory.created_at) == (Review.OPEN, Life.LIVE, None)


def test_lists_are_read_like_lines(tmp_path: Path) -> None:
    rows = [{"id": str(n), "text": f"I own {n} hats."} for n in range(3)]
    lines = memories(write_lines(tmp_path / "m.jsonl", rows))
    assert memories(write_json(tmp_path / "list.json", rows)) == lines
    assert memories(write_json(tmp_path / "wrapped.json", {"memories": rows})) == lines


def test_a_session_without_ordinals_is_numbered_in_order(tmp_path: Path) -> None:
    rows = [{"id": str(n), "text": f"Fact {n}", "session": "ab"[n % 2]} for n in range(4)]
    assert [m.ordinal for m in memories(write_lines(tmp_path / "m.jsonl", rows))] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("contextual", Kind.CONTEXT),
        ("Preferences", Kind.PREFERENCE),
        ("goal", Kind.COMMITMENT),
        ("never heard", Kind.FACT),
    ],
)
def test_other_names_of_kinds_map_in(tmp_path: Path, name: str, kind: Kind) -> None:
    (memory,) = memories(write_lines(tmp_path / "m.jsonl", [{"id": "1", "text": "x y", "kind": name}]))
    assert memory.kind is kind


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("review", "maybe"),
        ("confidence", 7),
        ("importance", 0),
        ("span", "banana"),
        ("expires_in", "soon"),
        ("created_at", "soon"),
        ("text", ""),
        ("project", ["a"]),
    ],
)
def test_what_a_column_cannot_hold_is_a_problem(tmp_path: Path, column: str, value: object) -> None:
    good = {"id": "1", "text": "Fine."}
    found = items(write_lines(tmp_path / "m.jsonl", [good, good | {"id": "2", column: value}, good | {"id": "3"}]))
    assert [problem.place for problem in problems(found)] == ["m.jsonl: line 2"]
    assert column in problems(found)[0].reason
    assert len(found) == 3


def test_secrets_are_redacted_everywhere(tmp_path: Path) -> None:
    secret = "password: hunter2"
    row = FULL | {
        "text": f"Bob's {secret}",
        "tags": [secret],
        "subject": secret,
        "evidence": [{"quote": secret, "title": secret}],
        "versions": [{"text": secret, "at": 1714521600}],
    }
    (memory,) = memories(write_lines(tmp_path / "m.jsonl", [row]))
    assert "hunter2" not in repr(memory)
    assert memory.text == "Bob's password: [REDACTED]"
    assert memory.key == content_key(memory.text)
    assert replace(memory.evidence[0], start=0, end=0).quote == "password: [REDACTED]"


@pytest.mark.parametrize(
    ("given", "field", "kept"),
    [
        ({"importance": 0.85}, "importance", 9),
        ({"importance": 1.0}, "importance", 10),
        ({"importance": 1}, "importance", 1),
        ({"time_span": "Long_Term"}, "span", "long_term"),
        ({"user_fact_score": 8}, "user_score", 8),
        ({"expires_in": "30d", "created_at": "2026-01-01"}, "expires_at", clock.from_iso("2026-01-31")),
        ({"expires_in": "never"}, "expires_at", None),
        ({"expires_in": "7d", "kind": "identity"}, "expires_at", None),
    ],
)
def test_fields_of_other_systems_are_taken_over(
    tmp_path: Path, given: dict[str, object], field: str, kept: object
) -> None:
    (memory,) = memories(write_lines(tmp_path / "m.jsonl", [{"id": "1", "text": "I keep bees.", **given}]))
    assert getattr(memory, field) == kept


def test_a_title_is_kept_with_the_quote(tmp_path: Path) -> None:
    (memory,) = memories(write_lines(tmp_path / "m.jsonl", [{"id": "1", "text": "I keep bees.", "title": "Hobbies"}]))
    (evidence,) = memory.evidence
    assert (evidence.title, evidence.quote) == ("Hobbies", "I keep bees.")


def test_an_unknown_kind_is_kept_as_a_fact_and_told(tmp_path: Path, store: Store) -> None:
    file = write_lines(tmp_path / "m.jsonl", [{"id": "1", "text": "I keep bees.", "kind": "banana"}])
    summary = import_paths(store, [file], None)
    assert dict(summary.unknown_kinds) == {"banana": 1}
    assert any("banana" in line for line in ready_memory_lines(summary))
    (memory,) = store.get_many(store.list_ids(Filter()))
    assert memory.kind is Kind.FACT
