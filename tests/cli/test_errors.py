"""Bad input: a sentence with a stable exit code, never a traceback."""

import io
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest

from cli.runner import Curator
from effort import some, thorough
from store import Store

pytestmark = thorough

READERS = ("head -1", "true")
HUGE = "9" * 23
DIGITS = "9" * 5_000
BROKEN = "bad \udcff byte"  # how Python hands on an argument that is not UTF-8


@pytest.mark.parametrize("huge", [HUGE, DIGITS])
@pytest.mark.parametrize(
    "words",
    [
        ["show"],
        ["undo"],
        ["validate"],
        ["reject"],
        ["forget", "--yes"],
        ["purge", "--yes"],
        ["restore", "--yes"],
        ["edit"],
        ["pin"],
        ["tier", "--to", "core"],
        ["kind", "--to", "fact"],
        ["score", "--to", "5"],
        ["tag", "--add", "x"],
        ["log", "--memory"],
        ["log", "--limit"],
        ["list", "--limit"],
        ["search", "tea", "--limit"],
        ["grep", "tea", "--limit"],
        ["grep", "tea", "--context"],
        ["recall", "tea", "--budget"],
    ],
    ids=" ".join,
)
def test_a_number_that_no_store_can_hold(curator: Curator, words: Any, huge: Any) -> None:
    curator("add", "I like tea")
    ran = curator(*words, huge)
    assert ran.code == 2
    assert "Error: " in ran.err
    assert curator("list", "--json").rows[0]["review"] == "validated", "nothing was changed"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["show", "--", "-1"], 1, "no memory -1"),
        (["show", "9223372036854775807"], 1, "no memory"),
        (["show", ""], 2, "not the id of a memory"),
        (["forget", "9999"], 1, "no memory 9999"),
        (["restore", "²", "--yes"], 1, "no file"),
        (["score", "1", "--to", "²"], 2, "0 to 10"),
        (["list", f"score:>{DIGITS}"], 2, "from 0 to 1"),
        (["list", f"age:<{HUGE}y"], 2, "age is written"),
        (["search", "tea", "-f", "age:<99999999y"], 2, "year 1"),
        (["search", "tea", "-f", f"age:<{DIGITS}y"], 2, "age is written"),
        (["search", "tea", "-f", f"score:>{HUGE}"], 2, "from 0 to 1"),
        (["list", "x" * 60_000], 2, "at most 1,000 characters"),
        (["list", f"tag:{BROKEN}"], 2, "not UTF-8 text"),
        (["add", "tea", "--project", BROKEN], 2, "not UTF-8 text"),
        (["sql", BROKEN], 2, "not UTF-8 text"),
        (["import", ""], 2, "give a file, folder or zip"),
        (["import", "~nobody-of-that-name/x"], 1, "no such file"),
        (["import", os.devnull], 2, "device"),
        (["import", "x" * 300], 2, "too long"),
        (["search", "--batch", "."], 2, "Is a directory"),
        (["search", "--batch", "/no/such"], 2, "/no/such: No such file"),
    ],
)
def test_odd_words(curator: Curator, words: Any, code: Any, said: Any) -> None:
    ran = curator(*words)
    assert said in ran.err
    assert ran.code == code
    assert "Traceback" not in ran.err
    assert "\x1b" not in ran.err


@pytest.mark.parametrize("content", [b"", bytes(range(256)) * 9, b"[" * 9_999, b'{"a":', b"[1]\n", b"PK\3\4x"])
@pytest.mark.parametrize("words", [["import"], ["import", "--dry-run"], ["search", "--batch"], ["restore", "--yes"]])
def test_odd_files(curator: Curator, tmp_path: Path, words: Any, content: Any) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_bytes(content)
    ran = curator(*words, file)
    assert ran.code in ((3,) if "restore" in words else (0, 2) if "--batch" in words else (1,))
    assert ran.code == 0 or str(file) in ran.err


def test_a_record_whose_type_is_no_text_is_only_unknown(curator: Curator, tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    file.write_text('{"type": ["object", "null"], "payload": {}}')
    ran = curator("import", file)
    assert ran.code == 1
    assert "no known log format" in ran.err


def test_an_empty_log_is_said_to_be_empty(curator: Curator, tmp_path: Path) -> None:
    file = tmp_path / "logs" / "chat.jsonl"
    file.parent.mkdir()
    file.touch()
    ran = curator("import", file)
    assert ran.code == 1 and f"{file} is empty: nothing to import" in ran.err
    assert "holds nothing but empty files" in curator("import", file.parent).err
    (bare := tmp_path / "conversations.json").write_text("[\n]\n")
    assert f"{bare} is empty, it holds only []: nothing to import" in curator("import", bare).err


def test_a_file_of_memories_is_not_said_to_add_no_conversations(curator: Curator, tmp_path: Path) -> None:
    (file := tmp_path / "all.jsonl").write_text('{"schema": "curator_memory.v2", "id": "a:1", "text": "I like tea"}\n')
    ran = curator("import", "--format", "memories", file)
    assert "found 1 memory" in ran.out and "conversation" not in ran.out


def test_for_a_missing_file_no_model_is_downloaded(
    curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr("curator.cli.import_logs.embedder", lambda *_: asked.append(1))
    ran = curator("import", tmp_path / "missing.json")
    assert ran.code == 1 and "no such file or folder" in ran.err and not asked


def test_a_file_that_is_no_log_does_not_keep_the_others_out(curator: Curator, tmp_path: Path) -> None:
    odd, good = tmp_path / "odd.txt", tmp_path / "chat.md"
    odd.write_bytes(bytes(range(256)))
    good.write_text("User: I live in Porto.\n\nAssistant: Lovely.\n")
    ran = curator("import", odd, good)
    assert ran.code == 1, "one that was named gave nothing"
    assert "added 1 conversation" in ran.out and f"could not read {odd}: no known log format" in ran.err
    assert curator("import", good).code == 0


def test_a_file_of_nothing_but_problems_says_the_first(curator: Curator, tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text('{"id": "1", "text": "I like tea", "created_at": "9999-12-31T23:59:59-14:00"}\n')
    ran = curator("import", "--format", "memories", file)
    assert ran.code == 1
    assert "m.jsonl: line 1: created_at is not a time that can be" in ran.err


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(curator: Curator, tmp_path: Path) -> None:
    file = tmp_path / "closed.jsonl"
    file.write_text("{}")
    file.chmod(0)
    ran = curator("search", "--batch", file)
    assert (ran.code, "Permission denied" in ran.err, str(file) in ran.err) == (2, True, True)


def test_input_that_is_not_utf8(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"tea \xff"), "utf-8"))
    ran = curator("add", "-")
    assert ran.code == 2
    assert "not UTF-8 text (byte 4)" in ran.err


def test_an_editor_that_cannot_be_parsed(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    curator("add", "I like tea")
    monkeypatch.setenv("VISUAL", 'vi "')
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    ran = curator("edit", 1)
    assert ran.code == 2
    assert "set EDITOR" in ran.err


def test_without_a_terminal_no_editor_is_opened(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("I like tea", "I like green tea"):
        curator("add", text)
    monkeypatch.setattr("curator.cli.review.edited", lambda text: pytest.fail("an editor would wait for ever"))
    for words in (("edit", 1), ("merge", 1, 2, "--edit")):
        ran = curator(*words)
        assert (ran.code, "give the text, or use a terminal" in ran.err) == (2, True), words
    assert curator("edit", 1, "I like coffee").code == 0


def test_a_format_that_is_none_is_said_with_those_there_are(curator: Curator) -> None:
    ran = curator("export", "--format", "notes")
    assert ran.code == 2 and "is not one of jsonl, markdown" in ran.err


def test_folders_are_never_encrypted_in_silence(curator: Curator, tmp_path: Path) -> None:
    curator("add", "I like tea")
    for words in (["notes", str(tmp_path / "out")], ["layers", str(tmp_path / "out")], ["out.jsonl"]):
        ran = curator("export", *words, "--encrypt")
        assert ran.code == 2 and "are for --all" in ran.err
    assert not (tmp_path / "out").exists()


def test_every_json_line_is_one_object(curator: Curator) -> None:
    curator("add", "I like tea\nwith milk", "--tag", "food")
    for words in (
        ["list"],
        ["show", 1],
        ["stats"],
        ["search", "tea"],
        ["recall", "tea"],
        ["log"],
        ["config"],
        [
            "sql",
            "SELECT 99999999999999999999999 AS large, 'nan'::DOUBLE AS none, DATE '2024-05-01' AS day, [1] AS list",
        ],
    ):
        ran = curator(*words, "--json")
        assert ran.code == 0
        assert [type(orjson.loads(line)) for line in ran.out.splitlines()] == [dict], words
    assert ran.rows[0]["large"] == HUGE


def test_show_works_without_the_message_a_memory_cites(curator: Curator, tmp_path: Path) -> None:
    said = [
        {"role": "user", "content": "I live in Porto and I work as a nurse."},
        {"role": "assistant", "content": "Oh!"},
    ]
    (tmp_path / "chat.json").write_bytes(orjson.dumps([{"messages": said}]))
    assert curator("import", tmp_path / "chat.json").code == 0
    number = curator("list", "--json").rows[0]["id"]
    assert "user:" in curator("show", number).out
    with closing(Store.open(Path(os.environ["CURATOR_HOME"]) / "store")) as store, store.sqlite() as connection:
        connection.execute("DELETE FROM segments")  # segments tell what of a message to hide
    ran = curator("show", number)
    assert ran.code == 0
    assert "  > " in ran.out and "user:" not in ran.out


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize("words", some(["list", "list --json", 'sql "SELECT * FROM memories"', "stats"], 1))
def test_a_reader_that_leaves_is_no_error(
    curator: Curator, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, words: Any
) -> None:
    home = tmp_path_factory.getbasetemp() / "many"
    monkeypatch.setenv("CURATOR_HOME", str(home))
    if not home.exists():  # one store for all cases, which only read
        home.mkdir()
        rows = [orjson.dumps({"id": n, "text": f"I own book number {n}"}) + b"\n" for n in range(3_000)]
        (home / "many.jsonl").write_bytes(b"".join(rows))
        assert curator("import", "--format", "memories", home / "many.jsonl", "--no-distil").code == 0
    for reader in READERS:
        command = f"{sys.executable} -m curator {words} | {reader}"
        done = subprocess.run(["sh", "-c", command], capture_output=True, cwd=Path(__file__).parents[2], env=os.environ)
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said(curator: Curator) -> None:
    curator("add", "I like tea")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "curator", "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
            env=os.environ,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"curator: No space left on device")
    assert done.stderr.count(b"\n") == 1


def test_nothing_that_acts_on_a_terminal_is_printed_raw(curator: Curator) -> None:
    curator("add", "tea \x9b31m\u202edna\u2066 😀\ufe0f \U000e0041")
    row = curator("list", "--json").out
    assert orjson.loads(row)["text"].endswith("\U000e0041") and not set(row) & set("\x9b\u202e\u2066\U000e0041")
    assert "😀\ufe0f" in row and "\\udb40\\udc41" in row
    asked = curator("sql", 'SELECT 1 AS "a\x1b[31m\u202eb"').out
    assert asked.split()[0] == "a␛[31m‹202e›b"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tier", "1", "--to", "huge"], "'huge' is not one of core, medium, low"),
        (["list", "--limit", "0"], "must be at least 1"),
        (["search", "tea", "--limit", "many"], "must be a whole number"),
        (["recall", "tea", "--limit", "999"], "must be at most 200"),
        (["conflicts", "list", "--limit", "0"], "must be at least 1"),
    ],
)
def test_values_are_refused_in_plain_words(curator: Curator, words: list[str], said: str) -> None:
    ran = curator(*words)
    assert ran.code == 2 and said in ran.err
    assert "Value error" not in ran.err and "Input should" not in ran.err and "pars" not in ran.err
