"""Open WebUI: exports of chats, and its database."""

import html
import json
from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Options, Unrecognised, detect
from importers.sample_databases import by_channel, write_tables
from importers.sample_logs import (
    Json,
    conversations,
    items,
    problems,
    skipped,
    write_json,
    write_zip,
)
from store.model import FileMark, NewConversation

AT = 1_740_000_000


def turn(id_: str, parent: str | None, role: str, content: object, **fields: Any) -> Json:
    plain = {"id": id_, "parentId": parent, "childrenIds": [], "role": role, "content": content}
    return {**plain, "timestamp": AT + int(id_[1:]), **fields}


def chat(id_: str, *turns: Json, current: str = "", **fields: Any) -> Json:
    """Return a chat of the export of all chats."""
    inner = {
        "id": "",
        "title": "Boats",
        "models": ["m"],
        "params": {},
        "history": {"messages": {one["id"]: one for one in turns}, "currentId": current or turns[-1]["id"]},
        "messages": [],
        "timestamp": AT * 1000,
    }
    plain = {"id": id_, "user_id": "u1", "title": "Boats", "chat": inner, "created_at": AT, "updated_at": AT + 9}
    return {**plain, "archived": False, "pinned": False, "meta": {}, "folder_id": None, **fields}


ARGUMENTS = html.escape(json.dumps(json.dumps({"q": "tides"})))
MARKED = (
    '<details type="reasoning" done="true" duration="2">\n<summary>Thought for 2 seconds</summary>\n'
    "&gt; A boat &amp; a car.\n</details>\n"
    f'<details type="tool_calls" done="true" name="search" arguments="{ARGUMENTS}" result="&quot;High at 9&quot;">\n'
    "<summary>Tool Executed</summary>\n</details>\nNice boat."
)
TYPED = [
    {"type": "reasoning", "content": [{"type": "output_text", "text": "Hm."}]},
    {"type": "function_call", "call_id": "1", "name": "search", "arguments": '{"q": "wind"}'},
    {"type": "function_call_output", "call_id": "1", "output": [{"type": "input_text", "text": "Calm"}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is calm."}]},
]


def test_a_chat_with_branches_reasoning_and_tools(tmp_path: Path) -> None:
    turns = [
        turn("m1", None, "user", "I own a boat.", files=[{"type": "file", "name": "plan.pdf"}, {"type": "image"}]),
        turn("m2", "m1", "assistant", "Regenerated"),
        turn("m3", "m1", "assistant", MARKED),
        turn("m4", "m3", "user", "And the wind?"),
        turn("m5", "m4", "assistant", "", output=TYPED, contextSummary="They own a boat."),
    ]
    log = chat("c1", *turns)
    log["chat"]["params"]["system"] = "Be brief"
    (found,) = conversations(write_json(tmp_path / "chat-export.json", [log]))
    assert by_channel(found.messages) == {
        "system.injected": ["Be brief"],
        "user.spoken": ["I own a boat.\n[attachment: plan.pdf]\n[image]", "And the wind?"],
        "assistant.spoken": ["Regenerated", "Nice boat.", "It is calm."],
        "assistant.thinking": ["A boat & a car.", "Hm."],
        "assistant.tool": ['search {"q": "tides"}', 'search {"q":"wind"}'],
        "tool.tool": ["High at 9", "Calm"],
        "assistant.summary": ["They own a boat."],
    }
    assert (found.title, found.created_at, found.external_id) == ("Boats", AT * 1_000_000, "c1")
    assert [one.text for one in found.messages if not one.active] == ["Regenerated"]
    assert found.messages[1].created_at == (AT + 1) * 1_000_000
    assert {one.text for one in found.messages if one.hidden} == {"Be brief", "They own a boat."}


def test_one_chat_without_its_wrapper_and_an_old_one_with_a_list(tmp_path: Path) -> None:
    single = chat("c1", turn("m1", None, "user", "Hello"), turn("m2", "m1", "assistant", "<think>Hm</think>Hi"))["chat"]
    (found,) = conversations(write_json(tmp_path / "one.json", {**single, "id": "x"}))
    assert by_channel(found.messages)["assistant.thinking"] == ["Hm"]
    old = chat("c2", turn("m1", None, "user", "-"))
    old["chat"] |= {
        "history": {},
        "messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}],
    }
    (found,) = conversations(write_json(tmp_path / "old.json", [old]))
    assert [(one.text, one.active) for one in found.messages] == [("Hello", True), ("Hi", True)]


def test_a_grown_chat_keeps_its_identities(tmp_path: Path) -> None:
    turns = [turn("m1", None, "user", "Hello"), turn("m2", "m1", "assistant", MARKED), turn("m3", "m2", "user", "More")]
    before = conversations(write_json(tmp_path / "a.json", [chat("c1", *turns[:2])]))[0]
    after = conversations(write_zip(tmp_path / "b.zip", {"x/chats.json": [chat("c1", *turns)]}))[0]
    assert after.identity == before.identity
    fresh = {one.identity for one in after.messages} - {one.identity for one in before.messages}
    assert [one.text for one in after.messages if one.identity in fresh] == ["More"]


def test_damaged_records_and_the_chats_of_others(tmp_path: Path) -> None:
    good = chat("c1", turn("m1", None, "user", "Hello"))
    path = tmp_path / "a.json"
    path.write_text(f'[{json.dumps(good)}, {{"chat": nonsense}}, {{"a": 1}}]')
    found = items(path)
    assert len(problems(found)) == 2
    assert len([one for one in found if isinstance(one, NewConversation)]) == 1
    public = {**good, "id": "s", "user_id": "shared-c1"}
    assert skipped(items(write_json(path, [good, public]))) == {"not_a_message": 1}
    foreign = chat("c1", turn("m1", None, "user", "Mine"), turn("m2", "m1", "user", "Theirs", user_id="u2"))
    (one,) = conversations(write_json(path, [foreign]))
    assert by_channel(one.messages) == {"user.spoken": ["Mine"], "user.injected": ["Theirs"]}


def webui(path: Path, *chats: Json) -> Path:
    settings = {"ui": {"system": "I am a sailor."}}
    return write_tables(
        path,
        {
            "auth": [{"id": "u1", "email": "ann@example.org"}],
            "user": [{"id": "u1", "name": "Ann", "settings": settings}, {"id": "u2", "name": "Bob", "settings": None}],
            "chat": list(chats),
            "folder": [{"id": "f", "name": "Sailing"}],
            "memory": [{"id": "k", "user_id": "u1", "content": "Owns a boat", "created_at": AT, "updated_at": AT}],
            "chat_message": [
                {
                    "id": "c1-m9",
                    "chat_id": "c1",
                    "role": "user",
                    "parent_id": "m1",
                    "content": '"Later"',
                    "created_at": AT,
                }
            ],
        },
    )


def test_the_database(tmp_path: Path) -> None:
    path = webui(tmp_path / "webui.db", chat("c1", turn("m1", None, "user", "Hello"), current="m9", folder_id="f"))
    assert detect(path) is Format.OPEN_WEBUI
    found = items(path)
    one, saved = (item for item in found if isinstance(item, NewConversation))
    assert (one.project, one.title) == ("Sailing", "Boats")
    assert [(message.text, message.active) for message in one.messages] == [("Hello", True), ("Later", True)]
    assert by_channel(saved.messages) == {
        "user.instructions": ["I am a sailor."],
        "assistant.saved": ["Owns a boat"],
    }
    (mark,) = (item for item in found if isinstance(item, FileMark))
    assert items(path, options=Options(resume={mark.path: mark}.get)) == [mark]
    assert one == conversations(write_zip(tmp_path / "a.zip", {"webui.db": path.read_bytes()}))[0]


def test_the_database_of_several_people_needs_a_name(tmp_path: Path) -> None:
    path = webui(
        tmp_path / "webui.db",
        chat("c1", turn("m1", None, "user", "I am Ann")),
        chat("c2", turn("m1", None, "user", "I am Bob"), user_id="u2"),
    )
    (found,) = [one for one in items(path, options=Options(me=("bob",))) if isinstance(one, NewConversation)][:1]
    assert [one.text for one in found.messages] == ["I am Bob"]
    mark = next(one for one in items(path, options=Options(me=("bob",))) if isinstance(one, FileMark))
    again = items(path, options=Options(me=("ann",), resume={mark.path: mark}.get))
    assert [one.messages[0].text for one in again if isinstance(one, NewConversation)][:1] == ["I am Ann"]
    both = [chat("c1", turn("m1", None, "user", "A")), chat("c2", turn("m1", None, "user", "B"), user_id="u2")]
    for one in (path, write_json(tmp_path / "all.json", both)):
        with pytest.raises(Unrecognised, match="2 people"):
            items(one)
