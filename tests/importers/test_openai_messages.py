"""OpenAI-style messages: one object, a list, one per line, or messages alone."""

from pathlib import Path

from curator.importers import Format, detect
from importers.sample_logs import conversations, items, problems, said, write_json, write_lines
from store.model import Channel, Role

TALK = [
    {"role": "system", "content": "You are kind."},
    {"role": "user", "content": "I ride a tandem."},
    {"role": "assistant", "content": "Lovely."},
]


def test_all_forms_give_the_same_conversation(tmp_path: Path) -> None:
    paths = [
        write_json(tmp_path / "object.json", {"messages": TALK}),
        write_json(tmp_path / "list.json", [{"messages": TALK}]),
        write_json(tmp_path / "bare.json", TALK),
        write_lines(tmp_path / "lines.jsonl", [{"messages": TALK}]),
        write_lines(tmp_path / "bare.jsonl", TALK),
    ]
    assert {detect(path) for path in paths} == {Format.OPENAI}
    found = [conversations(path) for path in paths]
    assert all(one == found[0] for one in found)
    (chat,) = found[0]
    assert [(m.role, m.channel, m.text) for m in chat.messages] == [
        (Role.SYSTEM, Channel.INJECTED, "You are kind."),
        (Role.USER, Channel.SPOKEN, "I ride a tandem."),
        (Role.ASSISTANT, Channel.SPOKEN, "Lovely."),
    ]


def test_parts_tools_and_reasoning_are_told_apart(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "data:..."}}]
    calls = [{"id": "1", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}]
    messages = [
        {"role": "developer", "content": "Rules"},
        {"role": "user", "content": parts},
        {"role": "assistant", "content": None, "reasoning_content": "Hm", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "1", "content": "found"},
        {"role": "assistant", "content": [], "refusal": "No."},
    ]
    (chat,) = conversations(write_json(tmp_path / "a.json", {"messages": messages}))
    assert [(m.role, m.channel, m.text) for m in chat.messages] == [
        (Role.SYSTEM, Channel.INJECTED, "Rules"),
        (Role.USER, Channel.SPOKEN, "Look\n[image]"),
        (Role.ASSISTANT, Channel.THINKING, "Hm"),
        (Role.ASSISTANT, Channel.TOOL, 'find {"q": 1}'),
        (Role.TOOL, Channel.TOOL, "found"),
        (Role.ASSISTANT, Channel.SPOKEN, "No."),
    ]


def test_ids_and_times_of_the_log_are_kept(tmp_path: Path) -> None:
    message = {"role": "user", "content": "Hello", "id": "m7", "created_at": "2024-05-01T00:00:00Z"}
    record = {"id": "talk-1", "title": "Greeting", "created_at": 1_700_000_000, "messages": [message]}
    (chat,) = conversations(write_json(tmp_path / "a.json", record))
    assert (chat.external_id, chat.title, chat.created_at) == ("talk-1", "Greeting", 1_700_000_000_000_000)
    assert (chat.messages[0].external_id, chat.messages[0].created_at) == ("m7", 1_714_521_600_000_000)


def test_without_ids_a_grown_log_keeps_its_identities(tmp_path: Path) -> None:
    (before,) = conversations(write_json(tmp_path / "a.json", {"messages": TALK}))
    more = [*TALK, {"role": "user", "content": "I ride a tandem."}]
    (after,) = conversations(write_json(tmp_path / "b.json", {"messages": more}))
    assert after.identity == before.identity
    assert after.messages[:3] == before.messages
    assert len({m.identity for m in after.messages}) == 4


def test_talks_that_begin_alike_stay_apart(tmp_path: Path) -> None:
    found = conversations(write_lines(tmp_path / "a.jsonl", [{"messages": TALK}] * 3))
    assert len({chat.identity for chat in found}) == 3
    assert len({m.identity for chat in found for m in chat.messages}) == 9


def test_identities_come_from_the_original_text(tmp_path: Path) -> None:
    (one,) = conversations(write_json(tmp_path / "a.json", [{"role": "user", "content": "password: hunter2"}]))
    (two,) = conversations(write_json(tmp_path / "b.json", [{"role": "user", "content": "password: hunter3"}]))
    assert said(one.messages) == said(two.messages) == ["password: [REDACTED]"]
    assert one.messages[0].redactions == 1
    assert one.messages[0].identity != two.messages[0].identity


def test_a_broken_line_does_not_stop_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_lines(path, [{"messages": TALK}])
    path.write_text(
        path.read_text() + '{"messages": [{"role"\n' + '{"other": 1}\n' + path.read_text() + '{"messages": ['
    )
    found = items(path)
    assert [problem.place for problem in problems(found)] == ["a.jsonl: line 2", "a.jsonl: line 3", "a.jsonl: line 5"]
    assert len(conversations(path)) == 2
