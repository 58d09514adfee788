"""ShareGPT data sets: in a list, one per line, alone; tools and prompts."""

from pathlib import Path

from curator.importers import Format, detect
from importers.sample_logs import (
    Json,
    conversations,
    items,
    problems,
    said,
    turns,
    write_json,
    write_lines,
    write_zip,
)


def chat_of(id_: str, *turns_: tuple[str, str]) -> Json:
    return {"id": id_, "conversations": [{"from": who, "value": text} for who, text in turns_]}


TALK = (("human", "I paint."), ("gpt", "In oil?"))
MORE = ("human", "In watercolour.")


def test_every_form_gives_the_same(tmp_path: Path) -> None:
    path = write_json(tmp_path / "in" / "set.json", [chat_of("7", *TALK, MORE)])
    assert detect(path) is Format.SHAREGPT
    (chat,) = conversations(path)
    assert turns(chat.messages) == [
        ("user", "spoken", "I paint."),
        ("assistant", "spoken", "In oil?"),
        ("user", "spoken", "In watercolour."),
    ]
    assert (chat.source, chat.external_id, chat.created_at) == ("sharegpt", "7", None)
    lines = write_lines(tmp_path / "set.jsonl", [chat_of("7", *TALK, MORE)])
    zipped = write_zip(tmp_path / "set.zip", {"a/set.json": [chat_of("7", *TALK, MORE)]})
    assert conversations(lines) == conversations(zipped) == conversations(path.parent) == [chat]
    alone = write_json(tmp_path / "alone.json", chat_of("7", *TALK, MORE))
    assert detect(alone) is Format.SHAREGPT
    assert [said(one.messages) for one in conversations(alone)] == [said(chat.messages)]


def test_tools_and_prompts_have_their_channels(tmp_path: Path) -> None:
    call, result = ("function_call", '{"name": "mix"}'), ("observation", "green")
    log = {**chat_of("1", ("system", "Be brief."), *TALK, call, result, ("bard", "Green.")), "system": "You paint."}
    (chat,) = conversations(write_json(tmp_path / "a.json", [log]))
    assert turns(chat.messages) == [
        ("system", "injected", "You paint."),
        ("system", "injected", "Be brief."),
        ("user", "spoken", "I paint."),
        ("assistant", "spoken", "In oil?"),
        ("assistant", "tool", '{"name": "mix"}'),
        ("tool", "tool", "green"),
        ("assistant", "spoken", "Green."),
    ]


def test_a_grown_conversation_keeps_its_identities(tmp_path: Path) -> None:
    (before,) = conversations(write_json(tmp_path / "a.json", [chat_of("7", *TALK)]))
    (after,) = conversations(write_json(tmp_path / "b.json", [chat_of("7", *TALK, MORE)]))
    (other,) = conversations(write_json(tmp_path / "c.json", [chat_of("7", ("human", "I sing."), ("gpt", "What?"))]))
    assert (after.identity, after.messages[:2]) == (before.identity, before.messages)
    assert other.identity != before.identity


def test_a_damaged_record_does_not_stop_the_rest(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [chat_of("1", *TALK), {"broken": 1}, chat_of("2", *TALK)])
    assert [said(chat.messages) for chat in conversations(path)] == [["I paint.", "In oil?"]] * 2
    assert [problem.place for problem in problems(items(path))] == ["a.jsonl: line 2"]
