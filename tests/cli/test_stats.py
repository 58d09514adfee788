"""`curator stats`: figures, bars, and the same in JSON."""

import io
import os
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest

from cli.runner import Curator
from curator import curation
from curator.cli.stats import bar
from effort import thorough
from factories import conversation, put, quote
from store import Filter, Store, clock
from store.analytics import Analytics
from store.analytics.insights import insights
from store.model import Actor, Kind, Refusal, Review, Tier

FORMER = {
    *("total live inbox in_sessions importance oldest conversations messages vectors groups global".split()),
}
GROUPS = {"kind", "tier", "state", "review", "origin", "source", "month"}


@pytest.fixture
def own_store(curator: Curator) -> Any:
    """Return the store of the command line."""
    curator("list")
    with closing(Store.open(Path(os.environ["CURATOR_HOME"]) / "store")) as store:
        yield store


def filled(store: Store) -> None:
    """Store five memories, one of them forgotten, and an import with three in four candidates refused as junk."""
    tea, rye = put(
        store,
        "I like tea",
        "I like rye",
        kind=Kind.PREFERENCE,
        source="日本語",
        created_at=clock.from_iso("2026-01-31"),
    )
    put(store, "It rains", tier=Tier.CORE, confidence=0.95, created_at=clock.from_iso("2026-03-01"))
    (gone,) = put(store, "It snows")
    for _ in range(4):
        store.recalls.record_use([tea])
    curation.validate(store, [rye])
    curation.forget(store, [gone])
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("one", "I like oats", "I see"))
    (message, _) = store.raw.messages(store.raw.get_conversations()[0].id)
    with store.command("distil") as distilling:
        refused = [Refusal(message.id, n, n + 1, "vague" if n else "question", None, None) for n in range(3)]
        store.distillation.put_refusals(distilling, "rules-1", refused)
    put(
        store,
        "I like \x1b[31moats\nand\u202e more",
        source="claude",
        evidence=(quote("oats", message.text, message.id),),
        created_at=clock.from_iso("2026-03-02"),
    )


@thorough
def test_json_has_all_it_had_and_the_insights(curator: Curator, own_store: Any) -> None:
    filled(own_store)
    (row,) = curator("stats", "--json").rows
    assert row.keys() == FORMER | {"insights", "states", "snoozed", "undistilled", "unfinished_purge"}
    assert row["groups"].keys() == GROUPS
    assert (row["total"], row["live"], row["inbox"], row["messages"], row["global"]) == (5, 4, 3, 2, 5)
    curation.later(own_store, own_store.list_ids(Filter(reviews=(Review.OPEN,)))[:1])
    (later,) = curator("stats", "--json").rows
    assert (row["snoozed"], later["inbox"], later["snoozed"]) == (0, 2, 1)
    assert row["groups"]["kind"] == {"fact": 3, "preference": 2}
    assert row["groups"]["source"] == {"claude": 1, "typed": 2, "日本語": 2}
    found = row["insights"]
    assert found["growth"] == [
        {"label": "2026-01", "count": 2, "term": "said:2026-01"},
        {"label": "2026-02", "count": 0, "term": "said:2026-02"},
        {"label": "2026-03", "count": 2, "term": "said:2026-03"},
    ]
    assert [(item["label"], item["count"]) for item in found["sources"]] == [("日本語", 2), ("claude", 1), ("typed", 1)]
    assert [item["count"] for item in found["use"]] == [3, 0, 1, 0]
    assert [item.keys() for item in found["most_recalled"]] == [{"memory", "times", "last_at"}]
    assert found["oldest_open"][0] == {"memory": 1, "created_at": "2026-01-31T00:00:00+00:00"}
    (brought,) = found["imports"]
    assert clock.from_iso(brought.pop("at")) > clock.from_iso("2020-01-01")
    assert [brought.pop("command")] == [command.id for command in own_store.journal.log() if command.verb == "import"]
    assert brought == {
        "summary": "",
        "admitted": 1,
        "refused": 3,
        "rejected": 0,
        "reasons": {"vague": 2, "question": 1},
        "junk": 0.75,
    }


@thorough
def test_the_numbers_are_those_of_the_app(curator: Curator, own_store: Any) -> None:
    filled(own_store)
    (row,) = curator("stats", "--json").rows
    with closing(Analytics(own_store)) as analytics:
        analytics.follow()
        shown = insights(analytics, own_store, clock.now())
        assert row["live"] == sum(bar.count for bar in shown.kinds)
    for name in ("growth", "kinds", "tiers", "reviews", "confidence", "use", "sources", "calendar"):
        assert [tuple(item.values()) for item in row["insights"][name]] == [
            (bar.label, bar.count, bar.term) for bar in getattr(shown, name)
        ], name


@thorough
def test_bars_are_printed_under_the_figures(curator: Curator, own_store: Any) -> None:
    filled(own_store)
    ran = curator("stats")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].split() == ["memories", "5"]
    assert lines[lines.index("kind") + 1 :][:2] == ["  fact        3", "  preference  2"]
    assert lines[lines.index("live, by month") + 1 :][:3] == [
        f"  2026-01  2  {'█' * 30}",
        "  2026-02  0  ",
        f"  2026-03  2  {'█' * 30}",
    ]
    assert lines[lines.index("live, by times recalled") + 1 :][:3] == [
        f"  never  3  {'█' * 30}",
        "  1-2    0  ",
        f"  3-9    1  {'█' * 10}",
    ]
    assert f"  日本語  2  {'█' * 30}" in lines
    assert f"  claude  1  {'█' * 15}" in lines
    junk = lines[lines.index("refused, by import") + 1]
    assert f"75%  {'█' * 22}▌" in junk
    assert junk.endswith("3 of 4 refused, 0 rejected by you: vague 2, question 1")
    assert lines[lines.index("most recalled") + 1] == "  1  4 times  I like tea"
    assert "  5  2026-03-02  I like ␛[31moats and‹202e› more" in lines[lines.index("waiting longest for review") :]


def test_bars_are_plain_where_stdout_is_not_utf8(
    curator: Curator, own_store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(own_store)
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "ascii"))
    assert curator("stats").code == 0
    lines = written.getvalue().decode("ascii").splitlines()
    assert f"  3-9    1  {'#' * 10}" in lines
    assert f"  2026-01  2  {'#' * 30}" in lines


@thorough
def test_many_months_are_printed_as_years(curator: Curator, own_store: Any) -> None:
    put(own_store, "old", created_at=clock.from_iso("2022-12-31"))
    put(own_store, "new", created_at=clock.from_iso("2025-12-01"))
    lines = curator("stats").out.splitlines()
    start = lines.index("live, by year")
    assert [line.split()[:2] for line in lines[start + 1 : start + 5]] == [
        ["2022", "1"],
        ["2023", "0"],
        ["2024", "0"],
        ["2025", "1"],
    ]
    assert "live, by month" not in lines


@thorough
def test_an_empty_store_has_figures_and_no_bars(curator: Curator) -> None:
    ran = curator("stats")
    assert ran.code == 0
    assert ran.out.splitlines()[0].split() == ["memories", "0"]
    assert "live, by" not in ran.out
    (row,) = curator("stats", "--json").rows
    assert row["oldest"] is None
    assert row["insights"]["imports"] == []


@pytest.mark.parametrize(
    ("share", "drawn"),
    [(0.0, ""), (0.0001, "▏"), (0.125, "█"), (0.5, "████"), (0.6, "████▊"), (1.0, "████████")],
)
def test_a_bar_shows_its_share_in_eighths_of_a_cell(share: float, drawn: str) -> None:
    assert bar(share, 8) == drawn


def test_every_order_can_be_asked_for(curator: Curator, own_store: Any) -> None:
    tea, rye = put(own_store, "I like tea", importance=3)[0], put(own_store, "I like rye", importance=9)[0]
    own_store.recalls.record_use([tea])

    def listed(*words: str) -> list[int]:
        return [orjson.loads(line)["id"] for line in curator("list", *words, "--json").out.splitlines()]

    assert listed("--sort", "used") == [tea, rye]
    assert listed("--sort", "matters") == [rye, tea]
    assert listed("--sort", "matters", "--reverse") == [tea, rye]


@thorough
def test_states_over_time_in_figures_and_json(
    curator: Curator, own_store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now - 2 * clock.DAY)
    one, two = put(own_store, "one thing", "another thing")
    monkeypatch.setattr(clock, "now", lambda: now)
    curation.forget(own_store, [one])
    with own_store.command("tidy", Actor.SWEEP) as writer:
        writer.update("memories", [two], {"rank": "low"})
    states = curator("stats", "--json").rows[0]["states"]
    assert [{state: n for state, n in span["counts"].items() if n} for span in states] == [
        {"new": 2},
        {"new": 2},
        {"low": 1, "forgotten": 1},
    ]
    assert {span["unit"] for span in states} == {"day"}
    printed = curator("stats").out
    table = printed[printed.index("state at the end of each day") :].splitlines()[1:5]
    assert table[0].split() == ["new", "low", "forgotten"] and table[3].split()[1:] == ["0", "1", "1"]
    assert len({len(line) for line in table}) == 1
