"""The people and task prompts that recall is measured on are well-formed (see people/README.md)."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curator.demo import logs
from store.model.enums import Kind

HERE = Path(__file__).parent
PEOPLE = ("marek", "nora", "ruth")
SORTS = "question task command code typing-error other-language unanswerable small-talk".split()


def rows(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def strings(value: object) -> Iterator[str]:
    """Yield every string inside decoded JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from strings(item)


@pytest.mark.parametrize("name", PEOPLE)
def test_the_memories_of_a_person_are_well_formed(name: str) -> None:
    memories = {row["id"]: row for row in rows(HERE / "people" / f"{name}.jsonl")}
    assert len(memories) == len(rows(HERE / "people" / f"{name}.jsonl"))
    for row in memories.values():
        assert set(row) <= {
            "id", "text", "kind", "created_at", "project", "quotes", "standing", "holds", "outdated_by"
        }  # fmt: skip
        assert row.get("outdated_by", row["id"]) in memories
        assert not row.get("standing") or row["holds"]
        assert bool(row.get("quotes")) != bool(row.get("text"))
        assert "text" not in row or row["kind"] in set(Kind)


def test_the_quotes_of_the_demo_person_are_in_the_demo_logs() -> None:
    said = ""
    for path in logs().rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        parts = text.splitlines() if path.suffix == ".jsonl" else [text]
        said += "\n".join(
            string for part in parts for string in (strings(json.loads(part)) if "json" in path.suffix else [part])
        )
    said = said.casefold()
    for row in rows(HERE / "people" / "nora.jsonl"):
        assert [quote for quote in row["quotes"] if quote.casefold() not in said] == [], row["id"]


def test_the_prompts_name_known_memories_and_cover_every_sort() -> None:
    prompts = rows(HERE / "task_prompts.jsonl")
    known = {row["id"]: row for name in PEOPLE for row in rows(HERE / "people" / f"{name}.jsonl")}
    assert len({row["id"] for row in prompts}) == len(prompts) >= 165
    for row in prompts:
        must = {memory for one in row["must"] for memory in one["any"]}
        assert must | set(row["may"]) <= set(known) and not must & set(row["may"]), row["id"]
        assert all(memory.startswith(row["person"]) for memory in (*must, *row["may"])), row["id"]
        assert not any("outdated_by" in known[memory] for memory in must), row["id"]
        assert all(one["any"] and one["why"] in ("standing", "safety", "project", "fact") for one in row["must"])
        assert row["half"] == {"marek": "tune", "ruth": "held"}.get(row["person"], row["half"])
        assert row["sort"] not in ("unanswerable", "small-talk") or not row["must"], row["id"]
    halves = Counter((row["person"], row["topic"], row["half"]) for row in prompts)
    assert len(halves) == len({(person, topic) for person, topic, _ in halves}), "a topic is in one half"
    assert set(Counter(row["sort"] for row in prompts)) == set(SORTS)
