"""`curator conflicts`: the queue, one conflict, its reason, resolving by id or by rule."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from cli.runner import Curator
from curator import curation
from curator.paths import store_folder
from effort import exhaustive, thorough
from factories import put
from fake_ollama.scenario import Scenario, Script
from fake_ollama.server import serving
from store import Store, clock
from store.model import Judgment, Relation

DAY = clock.DAY


@pytest.fixture
def mine(store: Any) -> Any:
    """Return the store of the command line, with two conflicts: 1 about a home, 2 about tea."""
    opened = Store.open(store_folder())
    lisbon, tea = put(opened, "I live in Lisbon", "I like \x1b[31mtea", created_at=100 * DAY, source="chatgpt")
    porto, none = put(opened, "I live in Porto", "I like no tea", created_at=900 * DAY, source="claude")
    with opened.command("compare") as writer:
        opened.alerts.put(writer, lisbon, porto, Relation.UPDATE, 0.8, ["lives in: Lisbon / Porto"], judge="rules/2")
        opened.alerts.put(writer, tea, none, Relation.CONTRADICTION, 0.9, [], judge="rules/2", cosine=0.91)
    yield opened
    opened.close()


def texts(store: Store) -> set[str]:
    from store import Filter

    return {found.text for found in store.get_many(store.list_ids(Filter()))}


def test_the_queue_strongest_first_and_filtered(curator: Curator, mine: Any) -> None:
    plain = curator("conflicts").out
    assert plain.index("contradiction") < plain.index("update")
    assert "\x1b" not in plain and "1970-04-11" in plain and "I live in Porto" in plain
    assert "Two homes: Lisbon, then Porto" in plain, "the reason"
    rows = curator("conflicts", "--json").rows
    assert [(row["id"], row["class"], row["score"], row["cosine"]) for row in rows] == [
        (2, "contradiction", 0.9, 0.91),
        (1, "update", 0.8, None),
    ]
    assert (rows[1]["a"]["text"], rows[1]["b"]["text"]) == ("I live in Lisbon", "I live in Porto")
    assert rows[1]["reasons"] == ["lives in: Lisbon / Porto"]
    for words, ids in (
        (["class:update"], [1]),
        (["list", "class:update", "class:contradiction"], [2, 1]),
        (["score:>=0.85"], [2]),
        (["source:claude", "porto"], [1]),
        (["memory:2"], [2]),
        (["--limit", "1"], [2]),
    ):
        assert [row["id"] for row in curator("conflicts", *words, "--json").rows] == ids
    assert "the first 1;" in curator("conflicts", "--limit", "1").err
    assert curator("conflicts", "--limit", str(2**63 - 1)).err == ""
    nothing = curator("conflicts", "is:later")
    assert (nothing.code, nothing.out, nothing.err) == (1, "", "curator: no matching conflicts\n")
    assert curator("conflicts", "--help").code == 0


def test_one_with_its_reasons_and_what_each_choice_would_do(curator: Curator, mine: Any) -> None:
    with mine.sqlite() as connection:
        mine.judgments.put(connection, Judgment(1, "judge/1 qwen", Relation.UPDATE, ("they moved",), 5))
    shown = curator("conflicts", "show", "1").out
    for words in (
        "why:\n  Two homes: Lisbon, then Porto",
        "judge/1 qwen says update",
        "they moved",
        "--keep B      keeps B “I live in Porto” · A is superseded and leaves recall · undoable",
        "--draft rules merges both: B becomes “I live in Porto”, validated",
    ):
        assert words in shown
    (row,) = curator("conflicts", "show", "1", "--json").rows
    assert row["judgments"] == [
        {"judge": "judge/1 qwen", "class": "update", "reasons": ["they moved"], "at": clock.to_iso(5)}
    ]
    curator("conflicts", "resolve", "1", "--keep", "both")
    settled = curator("conflicts", "show", "1").out
    assert "resolved: not a conflict" in settled and "already resolved" in settled and "--keep A" not in settled


def test_the_explanation_of_a_verdict(curator: Curator, mine: Any) -> None:
    told = curator("conflicts", "explain", "1").out
    assert "differences:" in told and "update" in told and not re.search(r"\d\.\d\d$", told, re.MULTILINE)
    (row,) = curator("conflicts", "explain", "1", "--json").rows
    assert row["id"] == 1 and row["path"] and row["class"] in set(Relation)
    curation.edit(mine, 1, "I live in Faro")
    assert "edited since" in curator("conflicts", "explain", "1").out
    assert "why (before a text was edited):" in curator("conflicts", "show", "1").out
    assert [row["outdated"] for row in curator("conflicts", "--json").rows] == [False, True]


@pytest.mark.parametrize(
    ("words", "said", "left"),
    [
        (["--keep", "A"], "keeps A", {"I live in Lisbon"}),
        (["--keep", "b"], "keeps B", {"I live in Porto"}),
        (["--keep", "both"], "keeps both: no conflict", {"I live in Lisbon", "I live in Porto"}),
        (["--keep", "none"], "rejects both", set()),
        (["--merge", "I moved to Porto"], "merged both", {"I moved to Porto"}),
        (["--later"], "snoozed for 7 days", {"I live in Lisbon", "I live in Porto"}),
        (
            ["--keep", "both", "--text-a", "I lived in Lisbon", "--scope-b", "project:x"],
            "keeps both, and changes 2 memories",
            {"I lived in Lisbon", "I live in Porto"},
        ),
        (
            ["--keep", "both", "--dated"],
            "keeps both, and changes 2 memories",
            {"I live in Lisbon (until 1972-06-19)", "I live in Porto (since 1972-06-19)"},
        ),
        (["--keep", "both", "--merge", "I moved to Porto"], "merged both", {"I moved to Porto"}),
    ],
)
def test_one_is_settled_and_undone(curator: Curator, mine: Any, words: Any, said: Any, left: Any) -> None:
    before = mine.state_hash()
    ran = curator("conflicts", "resolve", "1", *words)
    assert (ran.code, said in ran.out) == (0, True), ran.err
    assert {text for text in texts(mine) if "tea" not in text} == left
    assert [row["id"] for row in curator("conflicts", "--json").rows] == [2]
    assert "undo` undoes it" in ran.out
    assert "conflict 1" in curator("undo").out
    assert mine.state_hash() == before
    assert len(curator("conflicts", "--json").rows) == 2


@pytest.fixture
def moved(mine: Any) -> Any:
    """Add a second conflict about the home, and a third that shares a memory with it."""
    here, there = put(mine, "We moved from Lisbon to Porto", "My home is in Lisbon", created_at=None)
    with mine.sqlite() as connection:
        connection.execute("UPDATE memories SET created_at = ? WHERE id = ?", (950 * DAY, here))
        connection.execute("UPDATE memories SET created_at = ? WHERE id = ?", (150 * DAY, there))
    with mine.command("compare") as writer:
        mine.alerts.put(writer, 1, here, Relation.UPDATE, 0.7, [], judge="rules/2")
        mine.alerts.put(writer, there, here, Relation.UPDATE, 0.6, [], judge="rules/2")
    return mine


def test_conflicts_about_one_change_stand_together(curator: Curator, moved: Any) -> None:
    lines = curator("conflicts").out.splitlines()
    start = lines.index("Two homes: Lisbon, then Porto · 3 pairs")
    assert [line.split()[0] for line in lines[start + 1 :: 3][:3]] == ["1", "3", "4"]
    assert not any(" pairs" in line for line in lines[:start]), "the other stands alone"
    assert [(row["id"], row["group"]) for row in curator("conflicts", "--json").rows] == [
        (2, None),
        (1, 1),
        (3, 1),
        (4, 1),
    ]
    assert "--keep B --group  newer wins: resolves 3 conflicts (3 update), supersedes 2 memories" in (
        curator("conflicts", "show", "3").out
    )


def test_one_side_is_kept_in_all_about_it_after_the_counts(curator: Curator, moved: Any) -> None:
    before = moved.state_hash()
    asked = curator("conflicts", "resolve", "3", "--keep", "B", "--group")
    assert asked.code == 2 and "newer wins: resolves 3 conflicts" in asked.out and moved.state_hash() == before
    done = curator("conflicts", "resolve", "3", "--keep", "B", "--group", "--yes")
    assert "resolved 3 conflicts, superseded 2 memories" in done.out, done.err
    assert [row["id"] for row in curator("conflicts", "--json").rows] == [2]
    curator("undo")
    assert moved.state_hash() == before
    for words in (["--keep", "both", "--group"], ["--later", "--group"], ["--keep", "A", "--merge", "x", "--group"]):
        assert curator("conflicts", "resolve", "3", *words).code == 2


def test_dates_are_not_invented(curator: Curator, mine: Any) -> None:
    a, b = put(mine, "I work at Acme", "I work at Tidewell", created_at=None)
    with mine.command("compare") as writer:
        mine.alerts.put(writer, a, b, Relation.UPDATE, 0.7, [], judge="rules/2")
    before = mine.state_hash()
    ran = curator("conflicts", "resolve", "3", "--keep", "both", "--dated")
    assert (ran.code, "no date found: give --text-a and --text-b" in " ".join(ran.err.split())) == (2, True), ran.err
    assert mine.state_hash() == before


def test_what_says_more_than_what_changed_is_not_dated(curator: Curator, mine: Any) -> None:
    a, b = put(mine, "I live in Rome and work as a nurse", created_at=0) + put(
        mine, "I live in Malmö", created_at=clock.DAY
    )
    with mine.command("compare") as writer:
        mine.alerts.put(writer, a, b, Relation.UPDATE, 0.7, [], judge="rules/2")
    before = mine.state_hash()
    ran = curator("conflicts", "resolve", "3", "--keep", "both", "--dated")
    assert (ran.code, "only part of A changed: give --text-a and --text-b" in " ".join(ran.err.split())) == (2, True), (
        ran.err
    )
    assert mine.state_hash() == before


@pytest.mark.parametrize(("side", "gone"), [("A", 1), ("B", 0)])
def test_the_side_that_is_kept_says_what_is_merged(curator: Curator, mine: Any, side: Any, gone: Any) -> None:
    pair = curation.pair(mine, 1)
    ran = curator("conflicts", "resolve", "1", "--keep", side, "--merge", "I moved to Porto")
    assert ran.code == 0, ran.err
    loser, winner = (pair.a, pair.b) if gone == 0 else (pair.b, pair.a)
    assert mine.get(loser.id).superseded_by == winner.id
    assert mine.get(winner.id).text == "I moved to Porto"


def test_what_is_put_off_can_be_found(curator: Curator, mine: Any) -> None:
    curator("conflicts", "resolve", "1", "--later", "--days", "3")
    assert "snoozed until" in curator("conflicts", "is:later").out
    (row,) = curator("conflicts", "is:later", "--json").rows
    assert (row["id"], row["later_until"] is None) == (1, False)
    assert "no longer snoozed" in curator("conflicts", "resolve", "1", "--later", "--days", "0").out
    assert len(curator("conflicts", "--json").rows) == 2
    again = curator("conflicts", "resolve", "1", "--later", "--days", "0")
    assert (again.code, again.out) == (0, "not snoozed\n")


def test_many_are_settled_by_rule_with_the_counts_first(curator: Curator, mine: Any) -> None:
    before = mine.state_hash()
    asked = curator("conflicts", "resolve", "--bulk", "newest")
    assert (asked.code, "--yes" in asked.err) == (2, True)
    assert "newest wins: resolves 2 conflicts (1 contradiction, 1 update), supersedes 2 memories" in asked.out
    assert mine.state_hash() == before
    ran = curator("conflicts", "resolve", "--bulk", "newest", "--yes")
    assert "resolved 2 conflicts, superseded 2 memories" in ran.out
    assert texts(mine) == {"I live in Porto", "I like no tea"}
    curator("undo")
    assert mine.state_hash() == before
    assert (
        curator("conflicts", "resolve", "--bulk", "source", "--source", "chatgpt", "-f", "class:update", "--yes").code
        == 0
    )
    assert "I live in Lisbon" in texts(mine) and "I live in Porto" not in texts(mine)
    nothing = curator("conflicts", "resolve", "--bulk", "validated", "--yes")
    assert (nothing.code, "resolves none · leaves 1: 1 neither validated" in nothing.out) == (1, True)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["show", "9"], 1, "no conflict 9; `curator conflicts`"),
        (["explain", "9"], 1, "no conflict 9; `curator conflicts`"),
        (["resolve", "9", "--later"], 1, "no conflict 9; `curator conflicts`"),
        (["resolve", "1"], 2, "give an ID"),
        (["resolve", "--keep", "A"], 2, "give an ID"),
        (["resolve", "1", "--keep", "A", "--later"], 2, "give an ID"),
        (["resolve", "1", "--bulk", "newest"], 2, "give an ID"),
        (["resolve", "1", "--keep", "C"], 2, "'C' is not one of A, B, both, none"),
        (["resolve", "1", "--keep", "A", "--text-a", "x"], 2, "--keep both"),
        (["resolve", "1", "--keep", "A", "--dated"], 2, "--keep both"),
        (["resolve", "1", "--dated"], 2, "--dated needs --keep both"),
        (["resolve", "1", "--keep", "both", "--dated", "--text-a", "x"], 2, "words both itself"),
        (["resolve", "1", "--keep", "none", "--merge", "x"], 2, "give an ID"),
        (["resolve", "1", "--keep", "both", "--merge", "x", "--scope-a", "project:x"], 2, "without --merge"),
        (["resolve", "1", "--keep", "A", "--source", "x"], 2, "--bulk"),
        (["resolve", "1", "--keep", "A", "--days", "3"], 2, "--snooze"),
        (["resolve", "1", "--later", "--days", "99999"], 2, "3,650"),
        (["resolve", "1", "--merge", ""], 1, "needs text"),
        (["resolve", "1", "--keep", "both", "--scope-a", "x"], 2, "project:NAME"),
        (["resolve", "--bulk", "source", "--yes"], 2, "source that wins"),
        (["resolve", "--bulk", "newest", "-f", "kind:fact", "--yes"], 2, "is not a filter"),
        (["resolve", "9" * 30, "--later"], 2, "too large"),
        (["class:fight"], 2, "class is one of"),
        (["score:high"], 2, "score is written"),
        (["memory:x"], 2, "memory takes an id"),
    ],
)
def test_what_cannot_be_done_is_said_and_does_nothing(
    curator: Curator, mine: Any, words: Any, code: Any, said: Any
) -> None:
    before = mine.state_hash()
    ran = curator("conflicts", *words)
    assert (ran.code, said in ran.err) == (code, True), ran.err
    assert "Traceback" not in ran.err
    assert mine.state_hash() == before


def test_a_settled_one_is_said_to_be(curator: Curator, mine: Any) -> None:
    curator("conflicts", "resolve", "1", "--keep", "B")
    ran = curator("conflicts", "resolve", "1", "--keep", "A")
    assert (ran.code, "already resolved (superseded)" in ran.err) == (1, True)
    json.dumps(curator("conflicts", "show", "1", "--json").rows)


@exhaustive
def test_of_processes_that_settle_one_at_once_one_does(curator: Curator, mine: Any) -> None:
    before = len(mine.journal.log())
    ways = (["--keep", "A"], ["--keep", "B"], ["--merge", "I moved"], ["--keep", "none"])
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "curator", "conflicts", "resolve", "1", *way],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for way in ways
    ]
    ended = [(process.communicate()[1], process.returncode) for process in running]
    assert sorted(code for _, code in ended) == [0, 1, 1, 1], ended
    for said, code in ended:
        assert code == 0 or "conflict 1 is already resolved" in said or "so conflict 1 is over" in said
    assert len(mine.journal.log()) == before + 1
    assert mine.differences() == []


def test_settled_ones_are_listed_with_when_and_by_whom(curator: Curator, mine: Any) -> None:
    assert curator("conflicts", "is:settled").code == 1
    curator("conflicts", "resolve", 1, "--keep", "B")
    curator("conflicts", "resolve", 2, "--keep", "both")
    assert (
        f"resolved: superseded on {clock.to_iso(clock.now())[:10]} by person" in curator("conflicts", "is:settled").out
    )
    first, second = curator("conflicts", "is:settled", "--json").rows
    assert [(row["id"], row["settled"], row["settled_by"]) for row in (first, second)] == [
        (2, "not a conflict", "person"),
        (1, "superseded", "person"),
    ]
    assert clock.now() - clock.from_iso(first["settled_at"]) < clock.DAY
    curator("undo")
    assert [row["id"] for row in curator("conflicts", "is:settled", "source:chatgpt", "--json").rows] == [1]
    assert mine.differences() == []


@thorough
def test_a_conflict_is_merged_by_a_draft_of_rules_or_model(
    curator: Curator, mine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert curator("conflicts", "resolve", 1, "--draft", "rules").code == 2, "asks first"
    assert curator("conflicts", "resolve", 1, "--draft", "rules", "--merge", "x").code == 2
    ran = curator("conflicts", "resolve", 1, "--draft", "rules", "--keep", "A", "--yes")
    assert ran.code == 0 and "memory 1 (fact, medium) will say:\n  I live in Lisbon\n" in ran.out
    assert curator("undo").code == 0
    text = "I used to live in Lisbon and now live in Porto."
    with serving(Scenario(scripts=(Script("one text", {"items": [{"text": text}]}),))) as server:
        monkeypatch.setenv("CURATOR_OLLAMA__HOST", server.host)
        monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "qwen3:4b")
        ran = curator("conflicts", "resolve", 1, "--draft", "model", "--yes")
    assert ran.code == 0 and "memory 3 (fact, medium) will say, in the words of merge/1 qwen3:4b@" in ran.out
    assert text in texts(mine)
    assert "(conflict 1), in the words of merge/1 qwen3:4b@" in curator("undo").out
