"""Every verb of the command line: its effect on the store, output and exit code."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.runner import Curator
from curator.demo import logs
from effort import some, thorough

Run = Callable[..., "object"]
FIELDS = {"id", "external_id", "text", "kind", "tier", "state", "review", "pinned", "created_at"}


@thorough
def test_a_memory_from_cradle_to_grave(curator: Curator) -> None:
    assert curator("list").code == 1
    assert curator("add", "I", "like", "green", "tea", "--kind", "preference", "--tag", "#Food").code == 0
    (row,) = curator("list", "--json").rows
    assert row.keys() >= FIELDS
    assert (row["text"], row["kind"], row["review"], row["state"], row["tags"]) == (
        "I like green tea",
        "preference",
        "validated",
        "new",
        ["food"],
    )
    number = row["id"]
    assert curator("tier", number, "--to", "core").code == 0
    assert curator("kind", number, "--to", "fact").code == 0
    assert curator("score", number, "--to", 9).code == 0
    assert curator("pin", number).code == 0
    assert curator("tag", number, "--add", "drinks", "--remove", "#FOOD").code == 0
    assert curator("edit", number, "I like green tea best").code == 0
    (row,) = curator("show", number, "--json").rows
    assert (row["tier"], row["kind"], row["user_score"], row["pinned"], row["tags"]) == (
        "core",
        "fact",
        9,
        True,
        ["drinks"],
    )
    assert [version["text"] for version in row["versions"]] == ["I like green tea"]
    assert curator("reject", number).code == 0
    assert curator("list").code == 1
    assert curator("list", "is:rejected", "--json").rows[0]["state"] == "forgotten"
    assert curator("restore", number).code == 0
    assert curator("validate", number).code == 0
    assert curator("validate", number).out == "already validated\n"
    assert curator("forget", number, "--yes").code == 0
    assert ", forget of 1 memory" in curator("undo").out
    assert "redone: forget" in curator("redo").out
    assert curator("undo", 1).code == 1, "later commands rest on it"
    verbs = [row["verb"] for row in curator("log", "--json").rows]
    assert verbs[:3] == ["redo", "undo", "forget"]
    asked = curator("purge", number)
    assert asked.code == 2 and "can then no longer be undone as a whole" in asked.out, "no terminal, no yes"
    assert curator("purge", number, "--yes").code == 0
    assert curator("show", number, "--json").rows[0]["text"] == ""


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["show", "99"], 1, "no memory 99"),
        (["forget", "99", "--yes"], 1, "no memory 99"),
        (["undo"], 1, "nothing to undo"),
        (["add", "   "], 1, "needs text"),
        (["add", "x" * 501], 1, "500"),
        (["add", "--tier", "huge", "x"], 2, "huge"),
        (["score", "1", "--to", "11"], 2, "0 to 10"),
        (["score", "1", "--to", "many"], 2, "0 to 10"),
        (["list", "kind:nonsense"], 2, "preference"),
        (["list", "colour:red"], 2, "not a filter"),
        (["nonsense"], 2, "nonsense"),
        (["import", "/no/such/file"], 1, "/no/such/file"),
        (["import", ".", "--format", "nonsense"], 2, "chatgpt"),
        (["sql", "DELETE FROM memories"], 1, "SELECT"),
        (["sql", "SELECT * FROM read_text('/etc/hosts')"], 1, "disabled"),
        (["search"], 2, "give a query"),
        (["restore", "/no/such/file"], 1, "no file"),
    ],
)
def test_what_cannot_be_done_is_said(curator: Curator, words: Any, code: Any, said: Any) -> None:
    ran = curator(*words)
    assert ran.code == code
    assert said in ran.err


def test_a_damaged_store_is_exit_code_three(curator: Curator) -> None:
    folder = Path(os.environ["CURATOR_HOME"]) / "store"
    folder.mkdir(parents=True)
    (folder / "record.sqlite").write_bytes(b"rubbish" * 100)
    ran = curator("list")
    assert ran.code == 3
    assert "curator restore" in ran.err
    assert (folder / "record.sqlite").read_bytes().startswith(b"rubbish")


def test_a_setting_that_means_nothing_is_named(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_RECALL__LIMIT", "many")
    ran = curator("search", "tea")
    assert ran.code == 2
    assert "recall.limit" in ran.err
    file = Path(os.environ["CURATOR_HOME"]) / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[recal]\nlimit = 3\n")
    assert "[recal]" in curator("config").err


def test_a_key_of_ones_own_is_printed_and_explained_by_its_name(curator: Curator) -> None:
    assert curator("config", "keys.quit", "ctrl+x").code == 0
    assert curator("config", "keys.quit").out == "ctrl+x\n"
    assert curator("config", "keys.quit", "--json").rows == [{"keys.quit": "ctrl+x"}]
    assert "an action name" in curator("config", "keys.quit", "--explain").out
    assert curator("config", "keys.help").code == 2


@thorough
def test_the_demo_log_from_import_to_recall(curator: Curator, tmp_path: Path) -> None:
    files = sorted(logs().iterdir())
    (counted,) = curator("import", *files, "--dry-run", "--json").rows
    assert counted["batch"] is None
    assert curator("stats", "--json").rows[0]["messages"] == 0
    (first,) = curator("import", *files, "--json").rows
    assert first["conversations"] == counted["conversations"] > 30
    assert first["messages"] == counted["messages"]
    assert first["memories"] > 60
    assert first["redacted"] == counted["redacted"] >= 3, "a key, a key pair and a password are in the demo"
    assert sum(first["reasons"].values()) > 50
    (again,) = curator("import", *files, "--json").rows
    assert (again["conversations"], again["memories"], again["grown"]) == (0, 0, 0)
    assert again["known"] == first["conversations"]

    hits = curator("search", "which city do I live in", "--json").rows
    assert hits[0].keys() >= FIELDS | {"score", "parts", "sources"}
    assert any("Porto" in hit["text"] for hit in hits)
    assert "FAKE-DEMO-KEY" not in curator("list", "--json").out
    assert curator("grep", "FAKE-DEMO-KEY").code in (0, 1)
    assert curator("sql", "SELECT text FROM messages WHERE text LIKE '%FAKE-DEMO%'").out.strip() == "text"
    assert "+00:00" in curator("sql", "SELECT now()").out
    block = curator("recall", "plan a dinner").out
    assert block.startswith("<memories") and block.rstrip().endswith("</memories>")

    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"qid": "a", "query": "tea or coffee"}\n\n{"qid": "b", "query": ""}\n')
    answers = curator("search", "--batch", queries, "--limit", 3, "--json").rows
    assert [answer["qid"] for answer in answers] == ["a", "b"]
    assert len(answers[0]["hits"]) == 3
    assert answers[1]["hits"] == []

    assert curator("undo").code == 0
    stats = curator("stats", "--json").rows[0]
    assert (stats["live"], stats["conversations"], stats["messages"]) == (0, 0, 0)
    (shown,) = curator("import", *files, "--json").rows
    assert shown["conversations"] == first["conversations"]
    assert shown["memories"] == first["memories"]
    assert curator("doctor").code == 0


@thorough
def test_everything_comes_through_an_export(curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curator("import", logs() / "chatgpt")
    ids = [row["id"] for row in curator("list", "--json").rows]
    curator("validate", *ids[:5])
    curator("tag", ids[0], "--add", "kept")
    curator("edit", ids[1], "put better by the person")
    curator("forget", ids[2], "--yes")
    gone = curator("show", ids[2], "--json").rows[0]["text"]
    without = curator("export", tmp_path / "live.jsonl")
    assert without.code == 0 and "left out 1 forgotten or rejected memory; the filter `state:any`" in without.err
    assert gone not in (tmp_path / "live.jsonl").read_text("utf-8")
    assert curator("export", tmp_path / "all.jsonl", "state:any").code == 0
    (known,) = curator("import", "--format", "memories", tmp_path / "all.jsonl", "--json").rows
    assert known["memories"] == 0, "the same store knows its own"
    some_ids = [*ids[:6], *some(ids[6:], 14)]
    here = {row["id"]: comparable(row) for row in shown(curator, some_ids)}

    key = curator("key", "--json").rows[0]["fingerprint"]
    monkeypatch.setenv("CURATOR_HOME", str(tmp_path / "second"))
    (went,) = curator("import", "--format", "memories", tmp_path / "all.jsonl", "--trust", key, "--json").rows
    assert went["memories"] == len(ids)
    rows = curator("list", "state:any", "--json").rows
    there_ids = [row["id"] for row in rows if int(row["external_id"].rsplit(":")[-1]) in some_ids]
    there = {int(row["external_id"].rsplit(":")[-1]): comparable(row) for row in shown(curator, there_ids)}
    assert there == here
    curator("export", tmp_path / "again.jsonl", "state:any")
    assert strip_ids(tmp_path / "again.jsonl") == strip_ids(tmp_path / "all.jsonl")
    assert curator("import", "--format", "memories", tmp_path / "all.jsonl", "--json").rows[0]["known"] == len(ids)


def shown(curator: Curator, ids: Any) -> Any:
    return [curator("show", number, "--json").rows[0] for number in ids]


def comparable(row: Any) -> Any:
    return {key: value for key, value in row.items() if key not in ("id", "uid", "external_id", "added_at")}


def strip_ids(file: Any) -> Any:
    import json

    rows = [json.loads(line) for line in file.read_text().splitlines()]
    return sorted(json.dumps({**row, "uid": None, "signature": None, "added_at": None}, sort_keys=True) for row in rows)


@thorough
def test_backup_and_restore(curator: Curator, tmp_path: Path) -> None:
    curator("add", "I like tea")
    curator("add", "I like coffee")
    assert curator("backup", tmp_path / "copy").out.endswith(" kB)\n")
    curator("edit", 1, "I like rooibos")
    curator("forget", 2, "--yes")
    assert curator("restore", tmp_path / "copy", "--yes").code == 0
    assert "I like tea" in curator("search", "tea").out
    assert "coffee" not in curator("list").out, "what was forgotten since stays forgotten"
    (tmp_path / "rubbish").write_bytes(b"rubbish" * 100)
    assert curator("restore", tmp_path / "rubbish", "--yes").code == 3
    assert curator("list").code == 0


@thorough
def test_a_backup_in_the_folder_of_the_store_is_listed_and_restored_by_its_name(curator: Curator) -> None:
    assert "no backups yet" in curator("backup", "--list").out
    curator("add", "I like tea")
    (made,) = curator("backup", "--json").rows
    curator("add", "I like kites")
    (listed,) = curator("backup", "--list", "--json").rows
    assert (listed["file"], listed["bytes"]) == (made["file"], made["bytes"])
    assert " kB  " in curator("backup", "--list").out
    assert curator("restore", Path(made["file"]).name, "--yes").code == 0
    assert "tea" in curator("list").out and "kites" not in curator("list").out


def test_text_from_logs_is_printed_literally(curator: Curator) -> None:
    curator("add", "tea \x1b[31mred\x1b[0m [bold]x[/bold] \u202eright")
    out = curator("list").out
    assert "\x1b" not in out and "\u202e" not in out
    assert "[bold]x[/bold]" in out


def test_add_reads_standard_input(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("I like tea\n from a pot\n"))
    assert "I like tea from a pot" in curator("add", "-").out


def test_edit_opens_the_editor(curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curator("add", "I like tea")
    script = tmp_path / "edit.py"
    script.write_text("import sys; open(sys.argv[1], 'w').write('I like rooibos')")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    assert curator("edit", 1).code == 0
    assert curator("show", 1, "--json").rows[0]["text"] == "I like rooibos"
    monkeypatch.setenv("VISUAL", "true")
    assert curator("edit", 1).code == 1
    monkeypatch.setenv("VISUAL", "/no/such/editor")
    assert curator("edit", 1).code == 2


@thorough
def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    environment = {**os.environ, "CURATOR_HOME": str(tmp_path), "CURATOR_EMBED__PROVIDER": "hashing"}
    root = Path(__file__).parents[2]
    command = f"{sys.executable} -m curator --help | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=root, env=environment)
    assert done.returncode == 0
    assert done.stderr == ""


def test_the_version_and_no_terminal(curator: Curator) -> None:
    assert curator("--version").out.startswith("curator 0.")
    ran = curator()
    assert ran.code == 2
    assert "terminal" in ran.err


def test_show_says_where_a_memory_applies(curator: Curator) -> None:
    curator("add", "The site uses plain SQL.", "--project", "site")
    assert "only in project site" in curator("show", 1).out


def test_show_says_of_what_is_always_given_that_uses_are_not_counted(curator: Curator) -> None:
    curator("add", "Always answer in metric")
    curator("add", "I like tea")
    shown = curator("show", 1).out
    assert "always given, which is not counted" in shown and "never recalled" not in shown
    assert "never recalled" in curator("show", 2).out


def test_a_rejected_memory_is_shown_as_rejected_alone(curator: Curator) -> None:
    curator("add", "I like tea")
    curator("reject", 1)
    assert "fact · medium · rejected · origin" in curator("show", 1).out
    curator("restore", 1)
    curator("forget", 1, "--yes")
    assert "fact · medium · forgotten · " in curator("show", 1).out


def test_the_marks_of_a_line_are_explained_in_the_help(curator: Curator) -> None:
    page = " ".join(curator("list", "-h").out.split())
    assert "v validated or x rejected; p pinned; ? in quarantine; a always given to models, or n never" in page


def test_sql_lists_its_tables(curator: Curator) -> None:
    from store.analytics.sql_tables import TABLES

    for words in ("show tables", "SHOW TABLES;", "show all tables"):
        assert curator("sql", words).out.split() == ["name", *TABLES]
    page = " ".join(curator("sql", "-h").out.split())
    assert f"SELECT over {', '.join(TABLES)};" in page


def test_a_typed_order_is_always_given_and_says_how_to_change_that(curator: Curator) -> None:
    added = curator("add", "Always answer in metric")
    assert "`curator give 1 --to relevant`" in added.err and " v--a  Always answer" in added.out
    assert "always" not in curator("add", "I like tea").err
    curator("give", "2", "--to", "never")
    lines = curator("list").out.splitlines()
    assert [line.partition("  v--")[2][:1] for line in lines] == ["n", "a"]
    assert [row["given"] for row in curator("list", "--json").rows] == ["never", "always"]
