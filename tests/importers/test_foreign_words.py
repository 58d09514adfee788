"""Damaged logs of each format: never an unknown error, never nothing, never others' words as the person's."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from curator.errors import ImportFailure
from curator.importers import Item, Options, read
from effort import share
from importers import sample_logs as samples
from importers.agent_logs import AGENT_LOGS
from importers.test_more_agents import dti, openrouter
from importers.test_mutated_logs import places
from store.model import Channel, NewConversation, Role

OWN, FOREIGN = "I prefer pnpm", "I own a boat, and I like tea"


def block(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


LOGS: list[Callable[[str, str], Any]] = [
    lambda own, foreign: [samples.gpt_chat("g", own, foreign)],
    lambda own, foreign: [samples.claude_chat("c", own, foreign)],
    lambda own, foreign: [
        samples.code_line(1, "user", own),
        samples.code_answer(2, "m", *block(foreign), {"type": "tool_use", "name": "x", "input": {"a": foreign}}),
        samples.code_line(3, "user", [{"type": "tool_result", "content": foreign}]),
    ],
    lambda own, foreign: [
        samples.codex_meta(),
        samples.codex_turn(1, "user", own),
        samples.codex_turn(2, "assistant", foreign),
        samples.codex_event(3, "agent_message", message=foreign),
    ],
    lambda own, foreign: samples.libre_chat(
        samples.libre_message("u1", None, own), samples.libre_message("a1", "u1", foreign)
    ),
    lambda own, foreign: {
        "conversations": [
            samples.grok_chat(samples.grok_response("u1", None, own), samples.grok_response("a1", "u1", foreign))
        ]
    },
    lambda own, foreign: [
        samples.deepseek_chat(
            samples.deepseek_node("1", "root", 0, ("REQUEST", own)),
            samples.deepseek_node("2", "1", 1, ("THINK", foreign), ("RESPONSE", foreign)),
        )
    ],
    lambda own, foreign: [
        samples.gemini_meta(),
        samples.gemini_line(1, "user", own),
        samples.gemini_line(2, "gemini", foreign),
    ],
    lambda own, foreign: [
        samples.qwen_line(1, "user", {"text": own}),
        samples.qwen_line(2, "assistant", {"text": foreign}),
    ],
    lambda own, foreign: samples.studio_chat(
        samples.studio_chunk("user", own, 1),
        samples.studio_chunk("model", foreign, 2),
        systemInstruction={"text": foreign},
    ),
    lambda own, foreign: [samples.le_chat_message("u1", own), samples.le_chat_message("a1", foreign, 1)],
    lambda own, foreign: [samples.gemini_activity(f"Prompted {own}", f"<p>{foreign}</p>", "2025-08-01T10:00:00Z")],
    lambda own, foreign: [
        samples.copilot_event(1, "user.message", content=own),
        samples.copilot_event(2, "assistant.message", content=foreign),
    ],
    lambda own, foreign: samples.vscode_chat(samples.vscode_request("r", own, {"value": foreign})),
    lambda own, foreign: [
        {"role": "user", "content": block(f"<task>{own}</task>")},
        {"role": "assistant", "content": block(foreign)},
    ],
    lambda own, foreign: [
        {"type": "user", "content": own},
        {"type": "assistant", "content": foreign, "tool_calls": []},
        {"type": "tool_result", "content": foreign},
    ],
    lambda own, foreign: [
        {"_id": "h", "messages": [{"from": "user", "content": own}, {"from": "assistant", "content": foreign}]}
    ],
    lambda own, foreign: [{"conversations": [{"from": "human", "value": own}, {"from": "gpt", "value": foreign}]}],
    lambda own, foreign: {"messages": [{"role": "user", "content": own}, {"role": "assistant", "content": foreign}]},
    lambda own, foreign: {
        "session_id": "h",
        "platform": "cli",
        "messages": [{"role": "user", "content": own}, {"role": "assistant", "content": foreign, "reasoning": foreign}],
    },
    lambda own, foreign: openrouter(("USER", "", own), ("c", foreign, foreign)),
    lambda own, foreign: dti(("ann@example.org", own), ("AI", foreign)),
    lambda own, foreign: {
        "guild": {"name": "g"},
        "channel": {"id": "1"},
        "messages": [
            {"id": "1", "type": "Default", "content": own, "author": {"id": "5", "name": "Ann"}},
            {"id": "2", "type": "Default", "content": foreign, "author": {"id": "6", "name": "Bob"}},
        ],
    },
    lambda own, foreign: {
        "name": "Club",
        "type": "private_group",
        "id": 1,
        "messages": [
            {"id": 1, "type": "message", "from": "Ann", "from_id": "user5", "text": own},
            {"id": 2, "type": "message", "from": "Bob", "from_id": "user6", "text": foreign},
        ],
    },
    lambda own, foreign: [
        {"type": "message", "user": "U1", "text": own, "ts": "1706600000.1", "user_profile": {"real_name": "Ann"}},
        {"type": "message", "user": "U2", "text": foreign, "ts": "1706600001.1", "user_profile": {"real_name": "Bob"}},
    ],
    *(log.lines for log in AGENT_LOGS),
]
JUNK = ["null", "false", "0", "-1", '""', "[]", "{}", '"x"', "[{}]", '{"a": [1]}', '"\\ud800"', "1706600000"]


def spoilt(log: Any, chance: random.Random) -> Any:
    """Return the log with some values replaced, repeated or removed, none of which makes others' words the person's."""
    for _ in range(chance.randint(0, 3)):
        found = places(log)[1:]
        if not found:
            break
        *way, last = chance.choice(found)
        holder = log
        for key in way:
            holder = holder[key]
        kind = chance.random()
        if kind < 0.3:
            del holder[last]
        elif kind < 0.4 and isinstance(holder, list):
            holder.insert(last, json.loads(json.dumps(holder[last])))
        else:
            holder[last] = json.loads(chance.choice(JUNK))
    return log


def test_damage_loses_nothing_in_silence_and_makes_no_words_the_persons(tmp_path: Path) -> None:
    chance = random.Random(7)
    for number in range(share(1_500, 2 * len(LOGS))):
        log = spoilt(json.loads(json.dumps(LOGS[number % len(LOGS)](OWN, FOREIGN))), chance)
        lines = isinstance(log, list) and chance.random() < 0.7
        data = ("\n".join(map(json.dumps, log)) if lines else json.dumps(log)).encode()
        cut = chance.random() < 0.2  # may join a question and its answer
        if cut:
            start = chance.randint(0, len(data))
            data = data[:start] + chance.randbytes(chance.randint(0, 3)) + data[start + chance.randint(0, 30) :]
        path = tmp_path / f"{number}.{'jsonl' if lines else 'json'}"
        path.write_bytes(data)
        found: list[Item] = []
        try:
            found += read(path, options=Options(me=("Ann",)))
            assert found, data
        except ImportFailure as error:
            assert str(error)
        said = [one for chat in found if isinstance(chat, NewConversation) for one in chat.messages]
        own = [one.text for one in said if one.role is Role.USER and one.channel is Channel.SPOKEN and one.active]
        assert cut or FOREIGN not in "\n".join(own), data
        path.unlink()
