"""Files made to break a reader: survived, or refused with a place and a reason while the rest is imported."""

import json
import stat
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from pyarrow import compress

from curator.importers import Unreadable, Unrecognised, read
from curator.importers.formats import markdown
from curator.importers.inputs import LogFile, Problem, ReadProgress, Stream
from curator.importers.json_stream import LIMIT, Record, json_records, records
from effort import exhaustive, share, thorough
from importers.sample_logs import (
    code_line,
    conversations,
    gpt_chat,
    items,
    problems,
    said,
    write_json,
    write_lines,
    write_zip,
)
from store.model import NewConversation

GOOD = [json.dumps(gpt_chat(f"good-{n}", f"I own {n} kites.", "Fine.")) for n in range(2)]


def survivors(path: Path) -> list[str]:
    return [str(chat.external_id) for chat in conversations(path)]


def between(tmp_path: Path, bad: bytes) -> Path:
    """Write an export with something bad between two good conversations."""
    path = tmp_path / "conversations.json"
    path.write_bytes(b"[" + GOOD[0].encode() + b"," + bad + b"," + GOOD[1].encode() + b"]")
    return path


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"[" * 10_000 + b"]" * 10_000, "nested too deeply"),
        (b'{"mapping": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001, "nested too deeply"),
        (b'{"mapping": {"a" 1}}', "not valid JSON"),
        (b'{"mapping": {"a": tru}}', "not valid JSON"),
        (b'"just a string"', "not an object"),
        (b"12", "not an object"),
    ],
    ids=["deep list", "deep object", "no colon", "bad word", "string", "number"],
)
def test_a_bad_record_is_named_and_the_rest_goes_in(tmp_path: Path, bad: bytes, reason: str) -> None:
    path = between(tmp_path, bad)
    (problem,) = problems(items(path))
    assert reason in problem.reason
    assert problem.place.startswith("conversations.json: record 2 (byte ")
    assert survivors(path) == ["good-0", "good-1"]


def test_every_entry_of_a_list_that_is_no_object_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(b'[null, 3,\n "a, b", ' + GOOD[0].encode() + b', true, "\\"" , ' + GOOD[1].encode() + b", 7]")
    places = [problem.place.split(": ")[1].split(" (")[0] for problem in problems(items(path))]
    assert places == ["record 1", "record 2", "record 3", "record 5", "record 6", "record 8"]
    assert survivors(path) == ["good-0", "good-1"]


def test_broken_text_is_mended(tmp_path: Path) -> None:
    chat = json.dumps(gpt_chat("odd", "MARK", "ok")).encode()
    for odd in (
        b"\\ud800 alone",
        b"\xff\xfe bytes",
        b"nul \\u0000 here",
        b"raw \x01\t control",
        b"\\ud83d\\ude00 pair",
    ):
        path = between(tmp_path, chat.replace(b"MARK", odd))
        assert problems(items(path)) == []
        texts = [m.text for found in conversations(path) for m in found.messages]
        assert len(texts) == 6
        for text in texts:
            assert "\0" not in text
            assert text.encode().decode() == text
    assert "😀 pair" in texts


def test_values_json_does_not_know_are_let_through(tmp_path: Path) -> None:
    chat = json.dumps(gpt_chat("odd", "Hello you", "ok") | {"create_time": float("nan"), "x": float("inf")})
    path = between(tmp_path, chat.encode())
    assert survivors(path) == ["good-0", "odd", "good-1"]


@pytest.mark.parametrize("cut", [0.2, 0.6, 0.95])
def test_a_truncated_file_gives_what_is_whole(tmp_path: Path, cut: float) -> None:
    chats = json.dumps([gpt_chat(f"c{n}", f'I own {n} kites and "more" \\ things.', "Fine.") for n in range(50)])
    path = tmp_path / "conversations.json"
    path.write_text(chats[: int(len(chats) * cut)])
    found = items(path)
    assert "ends in the middle" in problems(found)[-1].reason
    whole = [item for item in found if isinstance(item, NewConversation)]
    assert abs(len(whole) - 50 * cut) <= 2


def test_a_file_of_one_broken_record_is_no_success(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(GOOD[0][:-10])
    with pytest.raises(Unrecognised):
        items(path)


def test_records_are_whole_wherever_chunks_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tricky = 'quotes " and \\ and \\" and {[ ]} and \\\\ ends \\'
    path = write_json(tmp_path / "conversations.json", [gpt_chat(f"c{n}", tricky * 3, "{") for n in range(5)])
    expected = conversations(path)
    assert len(expected) == 5
    for size in (1, 2, 3, 7, 64, 1000):
        monkeypatch.setattr("curator.importers.json_stream.CHUNK", size)
        assert conversations(path) == expected


def test_records_may_nest_more_or_less_than_the_fast_path_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nested(levels: int) -> object:
        inside = nested(levels - 1) if levels else None
        return {"list": [inside, [], {}, 1], "object": {"[": inside}} if levels else '} ] " {'

    wanted = [{"n": levels, "value": nested(levels)} for levels in range(7)]
    path = write_json(tmp_path / "some.json", wanted)
    for size in (5, 100, 1 << 20):
        monkeypatch.setattr("curator.importers.json_stream.CHUNK", size)
        with path.open("rb") as file:
            found = list(json_records(Stream(file, ReadProgress()), "some.json"))
        assert [record.value for record in found if isinstance(record, Record)] == wanted


@thorough
def test_too_long_a_record_is_refused_and_the_rest_goes_in(tmp_path: Path) -> None:
    path = between(tmp_path, b'{"mapping": "' + b"x" * (LIMIT + 10) + b'"}')
    assert "longer than 64 MB" in problems(items(path))[0].reason
    assert survivors(path) == ["good-0", "good-1"]


@thorough
def test_a_line_of_100_mb_is_refused_and_the_rest_goes_in(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "s.jsonl", [code_line(1, "user", "Before the flood")])
    with path.open("ab") as file:
        file.write(b'{"type":"user","message":"' + b"y" * 100_000_000 + b'"}\n')
        file.write(json.dumps(code_line(2, "user", "After it")).encode() + b"\n")
    tracemalloc.start()
    found = items(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [problem.place for problem in problems(found)] == ["s.jsonl: line 2"]
    assert [said(item.messages) for item in found if isinstance(item, NewConversation)] == [
        ["Before the flood", "After it"]
    ]
    assert peak < 2.5 * LIMIT


@exhaustive
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        path = write_json(
            tmp_path / "conversations.json", [gpt_chat(f"c{n}", "words " * 1_000, "ok") for n in range(count)]
        )
        list(read(path))
        tracemalloc.start()
        for _ in read(path):
            pass
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    assert peak(share(1_200, 300)) < peak(share(300, 75)) * 1.5


def test_names_that_lead_out_of_a_zip_are_refused(tmp_path: Path) -> None:
    chat = f"[{GOOD[0]}]"
    names = ["../conversations.json", "/etc/conversations.json", "a/../../conversations.json", "C:/conversations.json"]
    path = write_zip(tmp_path / "e.zip", {**dict.fromkeys(names, chat), "in/conversations.json": chat})
    found = items(path)
    assert len(problems(found)) == 4
    assert all("leads out" in problem.reason for problem in problems(found))
    assert survivors(path) == ["good-0"]


def test_links_in_zips_and_folders_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "e.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("conversations-000.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("conversations-001.json", f"[{GOOD[0]}]")
        archive.writestr("more.zip", b"PK")
    assert sorted(problem.reason for problem in problems(items(path))) == [
        "a symbolic link; refused",
        "a zip inside a zip; unpack it first",
    ]
    folder = tmp_path / "folder"
    write_json(folder / "conversations.json", [gpt_chat("c", "I fly kites.", "ok")])
    (folder / "loop").symlink_to(folder)
    (folder / "link.json").symlink_to(folder / "conversations.json")
    found = items(folder)
    assert [problem.reason for problem in problems(found)] == ["a symbolic link, not followed"] * 2
    assert survivors(folder) == ["c"]


@thorough
def test_a_zip_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("conversations.json", "w") as file:
        for _ in range(80):
            file.write(b" " * (1 << 20))
    with pytest.raises(Unreadable, match="zip bomb"):
        read(path)
    (tmp_path / "folder").mkdir()
    path.rename(tmp_path / "folder" / "bomb.zip")
    write_json(tmp_path / "folder" / "conversations.json", [gpt_chat("c", "I fly kites.", "ok")])
    assert "zip bomb" in problems(items(tmp_path / "folder"))[0].reason


def test_a_compressed_file_is_read_no_further_than_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "LIMIT", 2 << 20)
    path = tmp_path / "chat.md.zst"
    path.write_bytes(compress(b"User: I fly kites.\n\nAssistant: ok\n" + b"more\n" * (1 << 20), "zstd", asbytes=True))
    with pytest.raises(Unrecognised, match="longer than 2 MB"):
        items(path)


@thorough
def test_a_damaged_zip_is_refused_or_gives_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "e.zip"
    path.write_bytes(b"PK\x03\x04 not really")
    with pytest.raises((Unreadable, Unrecognised)):
        read(path)
    chats = json.dumps([gpt_chat(f"c{n}", f"I own {n * 7919} kites.", "ok") for n in range(3000)])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("conversations.json", chats)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(bytes(data))
    found = items(path)
    assert any("cannot be read any further" in problem.reason for problem in problems(found))
    assert len([item for item in found if isinstance(item, NewConversation)]) > 1000


def test_a_line_that_nests_a_thousand_holders_stops_no_import(tmp_path: Path) -> None:
    nested = {"role": "user", "content": "I own a kite."}
    line = '{"history": ' * 990 + json.dumps({"messages": [7]}) + "}" * 990
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.jsonl").write_text(line + "\n" + json.dumps({"messages": [nested]}) + "\n")
    assert len(conversations(folder)) == 1


@pytest.mark.parametrize(
    ("entries", "value", "place"),
    [
        ("messages", {"messages": ["a"]}, "messages 1"),
        ("mapping", {"mapping": {"one": {}, "two": None}}, "mapping 2"),
        ("chat.history.messages", {"chat": {"history": {"messages": {"id": 7}}}}, "messages 1"),
        ("agents.messages", {"agents": [{"messages": [["a"]]}]}, "messages 1"),
        ("agents.messages", {"agents": [7, {}]}, "agents 1"),
    ],
)
def test_a_message_that_is_no_object_is_named_where_its_format_has_messages(
    tmp_path: Path, entries: str, value: dict[str, object], place: str
) -> None:
    part = LogFile.of_file(write_json(tmp_path / "a.json", value), "a.json")
    problem, record = records(part, ReadProgress(), (entries,))
    assert isinstance(problem, Problem) and problem.place.endswith(f": {place}")
    assert isinstance(record, Record)
    assert [type(one) for one in records(part, ReadProgress())] == [Record], (
        "in another format it is no list of messages"
    )
