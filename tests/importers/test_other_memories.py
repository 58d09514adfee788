"""Memories of other products: mem0, and the graph of MCP's reference memory server."""

from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Options, ReadyMemory, Unreadable, Unrecognised, detect, read
from importers.sample_logs import Json, items, memories, problems, skipped, write_json, write_lines, write_zip
from store import clock
from store.model import Kind, NewMemory, Review


def mem0(id_: str, text: str, **fields: Any) -> Json:
    return {"id": id_, "memory": text, "user_id": "ann", "created_at": "2024-07-26T10:29:36.630547-07:00", **fields}


def texts(path: Path, **options: Any) -> list[str]:
    return [one.claimed.text for one in read(path, **options) if isinstance(one, ReadyMemory)]


def test_mem0_memories_keep_their_date_kind_and_tags(tmp_path: Path) -> None:
    rows = [
        mem0("m1", "Prefers tea in the morning", categories=["user_preferences", "food"], metadata={"project": "home"}),
        mem0("m2", "Works on Tuesdays", categories=None, updated_at="2024-08-01T00:00:00Z", hash="h"),
    ]
    path = write_json(tmp_path / "all.json", {"results": rows, "relations": []})
    assert detect(path) is Format.MEM0
    first, second = memories(path)
    assert (first.text, first.kind, first.project, first.source) == (
        "Prefers tea in the morning",
        Kind.PREFERENCE,
        "home",
        "mem0",
    )
    assert (first.tags, first.review, first.external_id) == (("user_preferences", "food"), Review.OPEN, "mem0:m1")
    assert clock.to_iso(first.created_at or 0)[:19] == "2024-07-26T17:29:36"
    assert (second.kind, second.tags) == (Kind.FACT, ())
    for other in (
        write_json(tmp_path / "list.json", rows),
        write_lines(tmp_path / "lines.jsonl", rows),
        write_zip(tmp_path / "z.zip", {"a/mem0.json": {"memories": rows}}),
    ):
        assert memories(other) == [first, second], "the same ids: nothing is added twice"


def test_mem0_memories_of_several_people_need_a_name(tmp_path: Path) -> None:
    rows = [mem0("1", "Owns a boat"), mem0("2", "Owns a car", user_id="bob"), mem0("3", "x y", user_id=None)]
    path = write_json(tmp_path / "all.json", {"results": [*rows, mem0("4", "Be brief", user_id=None, agent_id="a")]})
    with pytest.raises(
        Unreadable, match=r"a chat of several people: say who you are with --me NAME, one of ann \(1\), bob \(1\)"
    ):
        items(path)
    assert texts(path, options=Options(me=("bob",))) == ["Owns a car"]
    alone = write_json(tmp_path / "alone.json", [rows[0], mem0("4", "Be brief", user_id=None, agent_id="a")])
    assert texts(alone) == ["Owns a boat"] and skipped(items(alone)) == {"not_own": 1}


def test_memories_have_no_list_of_messages(tmp_path: Path) -> None:
    other = {"history": ["a"], "mapping": {"id": None}, "messages": ["a"], "entries": [1]}
    for form, value in (
        (Format.MEM0, [{**mem0("1", "Owns a boat"), **other}]),
        (Format.MEMORIES, [{"id": "1", "text": "Owns a boat", **other}]),
        (
            Format.MEMORY_SERVER,
            {"entities": [{"name": "Ann", "observations": ["has a boat"]}], "relations": [], **other},
        ),
    ):
        path = write_json(tmp_path / f"{form}.json", value)
        assert [type(one) for one in items(path, format=form)] == [ReadyMemory]


def test_damaged_mem0_records(tmp_path: Path) -> None:
    path = write_json(tmp_path / "all.json", [mem0("1", "Owns a boat"), {"id": 2, "memory": 3}, 4, mem0("5", " ")])
    assert len(problems(items(path))) == 3 and texts(path) == ["Owns a boat"]


GRAPH: list[Json] = [
    {"type": "entity", "name": "default_user", "entityType": "person", "observations": ["Prefers tea"]},
    {
        "type": "entity",
        "name": "kiln_log",
        "entityType": "project",
        "observations": ["Uses SQL", "kiln log is old"],
    },
    {"type": "relation", "from": "default_user", "to": "kiln_log", "relationType": "works_on"},
]


def test_the_graph_of_the_memory_server(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "memory.jsonl", GRAPH)
    assert detect(path) is Format.MEMORY_SERVER
    found: list[NewMemory] = memories(path)
    assert [(one.text, one.kind) for one in found] == [
        ("Prefers tea", Kind.FACT),
        ("kiln log: Uses SQL", Kind.PROJECT),
        ("kiln log is old", Kind.PROJECT),
        ("works on kiln log", Kind.RELATIONSHIP),
    ]
    assert (found[3].subject, found[3].relation, found[3].object) == (None, "works on", "kiln log")
    graph = {"entities": GRAPH[:2], "relations": GRAPH[2:]}
    assert memories(write_json(tmp_path / "graph.json", graph)) == found
    damaged = write_lines(tmp_path / "damaged.jsonl", [*GRAPH, {"type": "entity", "name": 3}, {"relationType": "a"}])
    assert len(problems(items(damaged))) == 2 and memories(damaged) == found


NOTE = """\
---
title: Coffee Brewing
type: note
tags: [coffee, "home"]
permalink: coffee-brewing
created: 2024-12-21T14:00:00Z
---

# Coffee Brewing
Some prose about it.

## Observations
- [method] Pour over gives more clarity than French press #brewing (tried twice)
- [preference] Coffee brewing is best in the morning #daily #calm
- [x] buy beans
- [00:01:11] a spoken line
- A list item without a category

```
- [method] in a fence
```

## Relations
- relates_to [[Tea]]
- "depends on" [[Good Water|water]] (always)
"""


def test_notes_of_basic_memory(tmp_path: Path) -> None:
    path = tmp_path / "basic-memory" / "coffee.md"
    path.parent.mkdir()
    path.write_text(NOTE)
    assert detect(path) is Format.BASIC_MEMORY
    method, preference, relation = memories(path)
    assert (method.text, method.kind, method.tags) == (
        "Coffee Brewing: Pour over gives more clarity than French press (tried twice)",
        Kind.FACT,
        ("coffee", "home", "method", "brewing"),
    )
    assert (preference.text, preference.kind) == ("Coffee brewing is best in the morning", Kind.PREFERENCE)
    assert (relation.text, relation.object) == ("Coffee Brewing: depends on Good Water", "Good Water")
    assert clock.to_iso(method.created_at or 0)[:19] == "2024-12-21T14:00:00"
    (quote,) = method.evidence
    assert (quote.title, quote.source) == ("Coffee Brewing", f"{path}:13")
    assert skipped(items(path)) == {"no_pattern": 4, "vague": 1}
    again = memories(write_zip(tmp_path / "notes.zip", {"notes/coffee.md": NOTE, "notes/other.md": "# Plain"}))
    assert [one.external_id for one in again] == [one.external_id for one in (method, preference, relation)]
    listed = NOTE.replace('tags: [coffee, "home"]', "tags:\n- coffee\n- home").replace("created: 2024", "created: soon")
    path.write_text(listed)
    first = memories(path)[0]
    assert (first.tags, first.created_at) == (method.tags, None)


def test_a_post_with_a_permalink_is_no_note(tmp_path: Path) -> None:
    path = tmp_path / "post.md"
    path.write_text("---\ntitle: A\npermalink: /a/\n---\n- a plain list\n")
    with pytest.raises(Unrecognised):
        detect(path)
