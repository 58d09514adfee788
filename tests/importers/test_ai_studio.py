"""Google AI Studio chats: files without extension, without ids, with thoughts, files and code."""

from pathlib import Path

from curator.importers import Format, detect
from importers.sample_logs import (
    conversations,
    items,
    problems,
    said,
    studio_chat,
    studio_chunk,
    turns,
    write_json,
    write_lines,
    write_zip,
)

TALK = (studio_chunk("user", "I brew beer.", 1), studio_chunk("model", "Which style?", 2))
MORE = studio_chunk("user", "A porter.", 3)


def test_a_chat_is_named_by_its_file(tmp_path: Path) -> None:
    path = write_json(tmp_path / "Google AI Studio" / "Beer v1.2 for Ann", studio_chat(*TALK))
    assert detect(path) is Format.AI_STUDIO
    (chat,) = conversations(path)
    assert turns(chat.messages) == [("user", "spoken", "I brew beer."), ("assistant", "spoken", "Which style?")]
    assert (chat.source, chat.external_id, chat.title) == ("ai-studio", None, "Beer v1.2 for Ann")
    assert chat.created_at == chat.messages[0].created_at == 1_754_042_401_250_000
    zipped = write_zip(tmp_path / "all.zip", {f"Takeout/Drive/Google AI Studio/{path.name}": studio_chat(*TALK)})
    assert conversations(zipped) == conversations(path.parent) == [chat]


def test_thoughts_files_and_code_have_their_channels(tmp_path: Path) -> None:
    chunks = [
        studio_chunk("user", "", driveImage={"id": "image-1"}),
        studio_chunk("user", "What is this?"),
        studio_chunk("model", "A hop.", isThought=True, parts=[{"text": "A hop.", "thought": True}]),
        studio_chunk("model", "", executableCode={"language": "PYTHON", "code": "1 + 1"}),
        studio_chunk("model", "", codeExecutionResult={"outcome": "OUTCOME_OK", "output": "2"}),
        studio_chunk("model", "", parts=[{"text": "A "}, {"text": "cone."}]),
        studio_chunk("model", "", errorMessage="An internal error"),
    ]
    log = studio_chat(*chunks, systemInstruction={"parts": [{"text": "Be brief."}]})
    (chat,) = conversations(write_json(tmp_path / "a.json", log))
    assert turns(chat.messages) == [
        ("system", "injected", "Be brief."),
        ("user", "spoken", "[attachment: image-1]"),
        ("user", "spoken", "What is this?"),
        ("assistant", "thinking", "A hop."),
        ("assistant", "tool", "1 + 1"),
        ("tool", "tool", "2"),
        ("assistant", "spoken", "A cone."),
        ("system", "injected", "An internal error"),
    ]
    assert chat.title == "a"
    assert chat.created_at is None


def test_a_grown_chat_keeps_its_identities_under_another_name(tmp_path: Path) -> None:
    for dated in (True, False):
        talk = [one if dated else {**one, "createTime": None} for one in (*TALK, MORE)]
        (before,) = conversations(write_json(tmp_path / "a.json", studio_chat(*talk[:2])))
        (after,) = conversations(write_json(tmp_path / "b.json", studio_chat(*talk)))
        assert after.identity == before.identity
        assert after.messages[:2] == before.messages
        assert len({m.identity for m in after.messages}) == 3


def test_a_damaged_record_does_not_stop_the_rest(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [studio_chat(*TALK), {"broken": 1}, studio_chat(MORE)])
    assert [said(chat.messages) for chat in conversations(path)] == [["I brew beer.", "Which style?"], ["A porter."]]
    assert [problem.place for problem in problems(items(path))] == ["a.jsonl: line 2"]
