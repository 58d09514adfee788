"""Mutated logs: only documented errors, only text that can be stored, and never a secret."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator.errors import ImportFailure
from curator.importers import Format, Item, Options, read
from effort import share, thorough
from importers import sample_logs as samples
from importers.agent_logs import AGENT_LOGS
from importers.test_more_agents import dti, openrouter
from store.model import NewConversation

SECRET = "ghp_0123456789abcdefABCDEF0123456789abcd"
TEXT = f"My key is {SECRET} and password: tr0ub4dor-3"
LOGS: list[Any] = [
    {
        "info": {"id": "ses_1", "directory": TEXT},
        "messages": [{"info": {"id": "m"}, "parts": [{"type": "text", "text": TEXT}]}],
    },
    [{"working_dir": TEXT, "message_count": 1}, {"role": "user", "content": [{"type": "text", "text": TEXT}]}],
    {"name": TEXT, "messages": [{"currentlySelected": 0, "versions": [{"role": "user", "content": [{"text": TEXT}]}]}]},
    [{"object": "thread.message", "thread_id": "t", "role": "user", "content": [{"text": {"value": TEXT}}]}],
    {"sessionId": "s", "history": [{"message": {"role": "user", "content": TEXT}, "contextItems": [{"name": TEXT}]}]},
    [samples.gpt_chat("g", TEXT, "ok", title=TEXT), samples.gpt_chat("h", "Hello", TEXT)],
    [samples.claude_chat("c", TEXT, "ok", name=TEXT, project={"uuid": "p", "name": TEXT})],
    {"loglines": [samples.code_line(1, "user", TEXT), samples.code_answer(2, "m", {"type": "text", "text": TEXT})]},
    {"messages": [{"role": "user", "content": TEXT}, {"role": "assistant", "content": TEXT}], "title": TEXT},
    [{"id": "1", "text": TEXT, "subject": TEXT, "evidence": [{"quote": TEXT}], "tags": [TEXT]}],
    [
        samples.codex_meta(cwd=TEXT),
        samples.codex_turn(1, "user", TEXT),
        samples.codex_event(2, "agent_message", message=TEXT),
    ],
    [
        {
            "id": "w",
            "chat": {
                "history": {
                    "currentId": "b",
                    "messages": {
                        "a": {"role": "user", "content": TEXT, "files": [{"name": TEXT}]},
                        "b": {
                            "role": "assistant",
                            "parentId": "a",
                            "content": f'<details type="reasoning">{TEXT}</details>',
                        },
                        "c": {
                            "role": "assistant",
                            "parentId": "a",
                            "output": [{"type": "function_call", "arguments": {"q": TEXT}}],
                        },
                    },
                }
            },
        }
    ],
    samples.libre_chat(
        samples.libre_message("u1", None, TEXT, files=[{"filename": TEXT}]),
        samples.libre_message("a1", "u1", TEXT),
        title=TEXT,
    ),
    [
        {
            "role": "user",
            "message": {"content": [{"type": "text", "text": TEXT}, {"type": "tool_result", "content": TEXT}]},
        }
    ],
    {
        "conversations": [
            samples.grok_chat(
                samples.grok_response("u1", None, TEXT), samples.grok_response("a1", "u1", TEXT), title=TEXT
            )
        ]
    },
    [
        samples.deepseek_chat(
            samples.deepseek_node("1", "root", 0, ("REQUEST", TEXT)),
            samples.deepseek_node("2", "1", 1, ("THINK", TEXT)),
        )
    ],
    [{"type": "message", "user": "U1", "text": TEXT, "ts": "1706600000.000100", "user_profile": {"real_name": TEXT}}],
    {"results": [{"id": "1", "memory": TEXT, "user_id": "ann", "categories": [TEXT]}]},
    [{"type": "entity", "name": TEXT, "entityType": TEXT, "observations": [TEXT]}],
    [{"type": "relation", "from": "a", "relationType": "knows", "to": TEXT}],
    {"guild": {"name": TEXT}, "channel": {"id": "1", "name": TEXT}, "messages": [{"id": "1", "content": TEXT}]},
    [{"ID": 1, "Timestamp": "2024-03-11 02:02:09", "Contents": TEXT, "Attachments": TEXT}],
    {"name": TEXT, "type": "saved_messages", "id": 1, "messages": [{"type": "message", "from": TEXT, "text": [TEXT]}]},
    [
        samples.gemini_meta(summary=TEXT),
        samples.gemini_line(1, "user", TEXT),
        {"$set": {"messages": [samples.gemini_line(2, "user", [TEXT])]}},
    ],
    [
        samples.qwen_line(1, "user", {"text": TEXT}, cwd=TEXT),
        samples.qwen_line(2, "assistant", {"text": TEXT, "thought": True}),
    ],
    samples.studio_chat(
        samples.studio_chunk("user", TEXT, 1),
        samples.studio_chunk("model", TEXT, isThought=True),
        systemInstruction={"text": TEXT},
    ),
    [
        samples.le_chat_message("u1", TEXT),
        samples.le_chat_message("a1", TEXT, 1, contentChunks=[{"type": "text", "text": TEXT}]),
    ],
    [
        samples.gemini_activity(
            f"Prompted {TEXT}", f"<p>{TEXT}</p>", "2025-08-01T10:00:00Z", subtitles=[{"name": "-  a.png"}]
        )
    ],
    {"conversation_turns": [{"user_turn": {"prompt": TEXT}}, {"system_turn": {"text": [{"data": TEXT}]}}]},
    [samples.copilot_event(1, "session.start", sessionId="s"), samples.copilot_event(2, "user.message", content=TEXT)],
    samples.vscode_chat(samples.vscode_request("r", TEXT, {"value": TEXT}), customTitle=TEXT),
    [
        {"kind": 0, "v": samples.vscode_chat(samples.vscode_request("r", TEXT))},
        {"kind": 1, "k": ["customTitle"], "v": TEXT},
    ],
    {"id": "T-1", "title": TEXT, "messages": [{"role": "user", "content": [{"type": "text", "text": TEXT}]}]},
    [{"role": "user", "content": f"<task>{TEXT}</task>"}, {"role": "assistant", "content": TEXT}],
    [{"type": "user", "content": TEXT}, {"type": "assistant", "content": TEXT, "tool_calls": [{"arguments": TEXT}]}],
    [{"_id": "h", "title": TEXT, "messages": [{"from": "user", "content": TEXT, "files": [{"name": TEXT}]}]}],
    {"entries": [{"query_str": TEXT, "blocks": [{"markdown_block": {"answer": TEXT}}], "uuid": "q"}]},
    [{"id": "1", "conversations": [{"from": "human", "value": TEXT}, {"from": "gpt", "value": TEXT}], "system": TEXT}],
    [{"chat_metadata": {}, "character_name": "Assistant"}, {"mes": TEXT, "is_user": True, "send_date": 1}],
    {"agents": [{"name": TEXT, "agent_type": "a", "messages": [{"role": "user", "content": TEXT}]}], "blocks": []},
    [{"conversations_memory": TEXT, "project_memories": {"p": TEXT}, "account_uuid": "a"}],
    {"session_id": "h", "platform": "cli", "title": TEXT, "messages": [{"role": "user", "content": TEXT}]},
    openrouter(("USER", "", TEXT), ("c", TEXT, TEXT)),
    dti(("ann@example.org", TEXT), ("AI", TEXT)),
    [{"id": "task_1", "title": TEXT, "turns": [{"role": "user", "input_items": [{"content": [{"text": TEXT}]}]}]}],
    *(log.lines(TEXT, TEXT) for log in AGENT_LOGS),
]
JUNK: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([None, True, -1, 1e308, TEXT, "", "\ud800", "user", {}, []]) | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return every place inside a JSON value, as a path of keys and indices."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, inner in inside for place in places(inner, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Draw a log with some values replaced by junk, as JSON or JSONL, perhaps with bytes cut out."""
    log = json.loads(json.dumps(draw(st.sampled_from(LOGS))))
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.sampled_from(places(log)[1:]))
        holder = log
        for key in place[:-1]:
            holder = holder[key]
        holder[place[-1]] = draw(JUNK)
    lines = isinstance(log, list) and draw(st.booleans())
    data = "\n".join(map(json.dumps, log)).encode() if lines else json.dumps(log).encode()
    if draw(st.integers(0, 3)) == 0:
        start = draw(st.integers(0, len(data)))
        data = data[:start] + draw(st.binary(max_size=4)) + data[start + draw(st.integers(0, 40)) :]
    return data


def anonymous(item: Item) -> Item:
    """Return an item without identities, of which the store keeps a keyed hash only, and without its folder."""
    if isinstance(item, NewConversation):
        return replace(
            item, identity="", folder=None, messages=tuple(one._replace(identity="") for one in item.messages)
        )
    return item


@thorough
@settings(max_examples=share(250), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=mutated(), form=st.sampled_from([None, None, *Format]), lines=st.booleans())
def test_no_file_breaks_the_importers(tmp_path: Path, data: bytes, form: Format | None, lines: bool) -> None:
    path = tmp_path / ("log.jsonl" if lines else "log.json")
    path.write_bytes(data)
    found: list[Item] = []
    try:
        found += read(path, form, options=Options(ask_me=lambda people, place: list(people)))
    except ImportFailure as error:
        assert str(error)
    shown = repr([anonymous(item) for item in found])
    assert SECRET not in shown
    if data.count(TEXT.encode()) == data.count(b"tr0ub4dor"):  # a cut may have removed the name of the value
        assert "tr0ub4dor" not in shown
    shown.encode()
