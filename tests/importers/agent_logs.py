"""Sample sessions of agents that keep one file per session, in each program's format."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from curator.importers import Format
from importers.sample_logs import Json


def at(second: int) -> str:
    return f"2026-03-01T10:00:{second:02}.000Z"


def pi_entry(number: int, role: str, content: object, parent: int | None = None, **fields: Any) -> Json:
    above = number - 1 if parent is None else parent
    message = {"role": role, "content": content, **fields}
    return {"type": "message", "id": f"e{number}", "parentId": f"e{above}", "timestamp": at(number), "message": message}


def pi(prompt: str, answer: str) -> list[Json]:
    return [
        {"type": "session", "version": 3, "id": "pi-1", "timestamp": at(0), "cwd": "/home/ann/garden"},
        {"type": "model_change", "id": "e1", "parentId": None, "timestamp": at(1), "modelId": "m"},
        pi_entry(2, "user", [{"type": "text", "text": prompt}]),
        pi_entry(3, "assistant", [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": answer}]),
        pi_entry(4, "toolResult", [{"type": "text", "text": "gate.py"}], toolName="ls"),
        {"type": "compaction", "id": "e5", "parentId": "e4", "timestamp": at(5), "summary": "They fixed it."},
    ]


def pi_early(prompt: str, answer: str) -> list[Json]:
    """Return an early session, from before entries had ids."""
    said = [
        ("user", prompt),
        ("assistant", [{"type": "toolCall", "name": "ls", "arguments": {}}]),
        ("assistant", answer),
    ]
    return [
        {"type": "session", "id": "pi-0", "timestamp": at(0), "cwd": "/home/ann/garden", "modelId": "m"},
        *(
            {"type": "message", "timestamp": at(second), "message": {"role": role, "content": content}}
            for second, (role, content) in enumerate(said, 1)
        ),
        {"type": "message", "timestamp": at(9), "message": {"role": "bashExecution", "command": "ls", "output": "x"}},
    ]


def droid(prompt: str, answer: str) -> list[Json]:
    return [
        {"type": "session_start", "id": "d1", "title": "Gate", "owner": "ann", "cwd": "/home/ann/garden"},
        droid_line(
            1,
            "user",
            {"type": "text", "text": "<system-reminder>rules</system-reminder>"},
            {"type": "text", "text": prompt},
        ),
        droid_line(2, "assistant", {"type": "tool_use", "id": "c", "name": "LS", "input": {"path": "."}}),
        droid_line(3, "user", {"type": "tool_result", "tool_use_id": "c", "content": "gate.py"}),
        droid_line(4, "assistant", {"type": "text", "text": answer}),
        {"type": "todo_state", "id": "t", "timestamp": at(5), "todos": []},
    ]


def droid_line(number: int, role: str, *blocks: Json, **fields: Any) -> Json:
    message = {"role": role, "content": list(blocks)}
    return {"type": "message", "id": f"m{number}", "timestamp": at(number), "message": message, **fields}


def droid_agent(prompt: str, answer: str) -> list[Json]:
    """Return a sub-agent's session."""
    start = {"type": "session_start", "id": "d2", "title": "Gate", "owner": "ann", "callingSessionId": "d1"}
    return [
        start,
        droid_line(1, "user", {"type": "text", "text": prompt}),
        droid_line(2, "assistant", {"type": "text", "text": answer}, parentId="m1"),
    ]


def kiro_line(kind: str, id_: str, *blocks: tuple[str, Any]) -> Json:
    content = [{"kind": block, "data": data} for block, data in blocks]
    return {"version": "v1", "kind": kind, "data": {"message_id": id_, "content": content}}


def kiro(prompt: str, answer: str) -> list[Json]:
    return [
        kiro_line("Prompt", "m1", ("text", prompt)),
        kiro_line("AssistantMessage", "m2", ("toolUse", {"toolUseId": "c", "name": "ls", "input": {"path": "."}})),
        kiro_line("ToolResults", "m3", ("toolResult", {"content": [{"kind": "json", "data": {"stdout": "gate.py"}}]})),
        kiro_line("AssistantMessage", "m4", ("text", answer)),
    ]


def kiro_plain(prompt: str, answer: str) -> list[Json]:
    """Return a session with plain texts and times but without ids."""
    return [
        {"kind": "Prompt", "timestamp": at(1), "data": {"content": prompt}},
        {"kind": "AssistantMessage", "timestamp": at(2), "data": {"content": answer}},
        {"kind": "Compaction", "data": {"summary": "They fixed it."}},
    ]


def fx_turn(second: int, prompt: str, answer: str, nested: bool = False) -> Json:
    steps = [
        {
            "assistant": "I look.",
            "tool_calls": [{"id": "c", "name": "ls", "arguments_json": "{}"}],
            "tool_results": [{"tool_call_id": "c", "output": "gate.py"}],
        }
    ]
    turn = {"completed": {"user": {"text": prompt}, "execution": {"tool_steps": steps}, "assistant": answer}}
    kind = "history_turn_committed"
    held = {"event": {kind: {"turn": turn}}} if nested else {"payload": {"turn": turn}}
    return {"kind": kind, "timestamp_ms": 1_772_000_000_000 + 1000 * second, **held}


def fx(prompt: str, answer: str) -> list[Json]:
    start = {"id": "fx-1", "created_at_ms": 1_772_000_000_000, "workspace_root": "/home/ann/garden"}
    return [
        {"kind": "session_started", "timestamp_ms": 1_772_000_000_000, "payload": start},
        fx_turn(1, prompt, answer),
    ]


def fx_nested(prompt: str, answer: str) -> list[Json]:
    """Return a session with payloads inside of events, and a summary of earlier messages."""
    turn = {"compacted_summary": {"summary": "They fixed it."}}
    kind = "history_turn_committed"
    return [
        {"kind": "session_started", "timestamp_ms": 1, "event": {"session_started": {"id": "fx-2"}}},
        fx_turn(1, prompt, answer, nested=True),
        {"kind": kind, "timestamp_ms": 1_772_000_009_000, "event": {kind: {"turn": turn}}},
    ]


def kimi_event(second: int, kind: str, **payload: Any) -> Json:
    return {"timestamp": 1_772_000_000.5 + second, "message": {"type": kind, "payload": payload}}


def kimi(prompt: str, answer: str) -> list[Json]:
    return [
        {"type": "metadata", "protocol_version": "1.2"},
        kimi_event(1, "TurnBegin", user_input=[{"type": "text", "text": prompt}]),
        kimi_event(2, "ContentPart", type="think", think="Hm."),
        kimi_event(3, "ToolCall", id="c", function={"name": "ls", "arguments": "{}"}),
        kimi_event(4, "ToolResult", tool_call_id="c", return_value={"output": "gate.py"}),
        kimi_event(5, "SubagentEvent", event={"type": "ContentPart", "payload": {"type": "text", "text": "Sub."}}),
        kimi_event(6, "ContentPart", type="text", text=answer),
    ]


def kimi_newer(prompt: str, answer: str) -> list[Json]:
    def message(second: int, role: str, text: str) -> Json:
        said = {"role": role, "content": [{"type": "text", "text": text}]}
        return {"type": "context.append_message", "time": at(second), "message": said}

    return [
        {"type": "turn.prompt", "time": at(1), "input": [{"type": "text", "text": prompt}]},
        message(1, "user", prompt),
        message(1, "user", "<git>clean</git>"),
        {
            "type": "context.append_loop_event",
            "time": at(2),
            "event": {"type": "tool.call", "toolCallId": "c", "name": "ls", "args": {}},
        },
        message(3, "assistant", answer),
    ]


def maki(prompt: str, answer: str) -> list[Json]:
    return [
        {"t": "header", "v": 2, "id": "maki-1", "cwd": "/home/ann/garden", "created_at": 1_772_000_000_000},
        {"t": "msg", "d": {"role": "user", "content": [{"type": "text", "text": prompt}]}},
        {
            "t": "msg",
            "d": {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "ls", "input": {}}]},
        },
        {"t": "out", "id": "c", "d": "gate.py"},
        {"t": "msg", "d": {"role": "assistant", "content": [{"type": "text", "text": answer}]}},
        {"t": "meta", "title": "Gate", "updated_at": 1_772_000_001_000},
    ]


def maki_shown(prompt: str, answer: str) -> list[Json]:
    """Return a session whose prompt includes a file that the program added, and the program's own notes."""
    whole = [{"type": "text", "text": f"{prompt}\n<file>x = 1</file>"}]
    return [
        {"t": "header", "id": "maki-2", "cwd": "/home/ann/garden"},
        {"t": "msg", "d": {"role": "user", "content": whole, "display_text": prompt}},
        {"t": "msg", "d": {"role": "user", "kind": "observation", "content": [{"type": "text", "text": "It rains."}]}},
        {"t": "msg", "d": {"role": "assistant", "content": [{"type": "text", "text": answer}]}},
    ]


def workbuddy_item(number: int, kind: str, **fields: Any) -> Json:
    return {"id": f"w{number}", "timestamp": 1_772_000_000_000 + number, "type": kind, "sessionId": "wb-1", **fields}


def workbuddy(prompt: str, answer: str) -> list[Json]:
    asked = [
        {"type": "input_text", "text": f"<system-reminder>rules</system-reminder><user_query>{prompt}</user_query>"}
    ]
    return [
        workbuddy_item(1, "message", role="user", content=asked, cwd="/home/ann/garden"),
        workbuddy_item(2, "reasoning", rawContent=[{"type": "reasoning_text", "text": "Hm."}]),
        workbuddy_item(3, "function_call", callId="c", name="ls", arguments="{}"),
        workbuddy_item(4, "function_call_result", callId="c", output={"type": "text", "text": "gate.py"}),
        workbuddy_item(5, "message", role="assistant", content=[{"type": "output_text", "text": answer}]),
    ]


def workbuddy_plain(prompt: str, answer: str) -> list[Json]:
    return [
        {**item, "sessionId": "wb-2"}
        for item in (
            workbuddy_item(1, "message", role="system", content=[{"type": "input_text", "text": "You are kind."}]),
            workbuddy_item(2, "message", role="user", content=[{"type": "input_text", "text": prompt}]),
            workbuddy_item(3, "message", role="assistant", content=answer),
        )
    ]


def antigravity_step(number: int, source: str, kind: str, content: str, **fields: Any) -> Json:
    plain = {"step_index": number, "source": source, "type": kind, "status": "DONE", "created_at": at(number)}
    return {**plain, "content": content, **fields}


def antigravity(prompt: str, answer: str) -> list[Json]:
    asked = f"<USER_REQUEST>\n{prompt}\n</USER_REQUEST>\n<ADDITIONAL_METADATA>noon</ADDITIONAL_METADATA>"
    calls = [{"name": "list_dir", "args": {"path": "."}}]
    return [
        antigravity_step(0, "USER_EXPLICIT", "USER_INPUT", asked),
        antigravity_step(1, "SYSTEM", "CONVERSATION_HISTORY", "before"),
        antigravity_step(2, "MODEL", "PLANNER_RESPONSE", "", thinking="Hm.", tool_calls=calls),
        antigravity_step(3, "MODEL", "LIST_DIRECTORY", "gate.py"),
        antigravity_step(4, "MODEL", "PLANNER_RESPONSE", answer),
    ]


def antigravity_plain(prompt: str, answer: str) -> list[Json]:
    return [
        antigravity_step(0, "USER_EXPLICIT", "USER_INPUT", prompt),
        antigravity_step(1, "MODEL", "PLANNER_RESPONSE", answer),
        antigravity_step(2, "SYSTEM", "USER_INPUT", "Go on."),
    ]


@dataclass(frozen=True)
class AgentLog:
    """A session: its file's name, its lines, what they say beside prompt and answer, and lines that may follow."""

    form: Format
    name: str
    lines: Callable[[str, str], list[Json]]
    beside: Json
    more: Sequence[Json]
    hidden: bool = False  # a sub-agent's session


MORE = "And paint it"
TOOLS = {"assistant.tool": ["ls {}"], "tool.tool": ["gate.py"]}
THOUGHT = {"assistant.thinking": ["Hm."]}
SUMMARY = {"assistant.summary": ["They fixed it."]}
AGENT_LOGS = [
    AgentLog(
        Format.PI, "--home-ann-garden--/2026_pi-1.jsonl", pi, {**THOUGHT, **SUMMARY, "tool.tool": ["gate.py"]},
        [pi_entry(6, "user", MORE)],
    ),
    AgentLog(
        Format.PI, "2026_pi-0.jsonl", pi_early, {"assistant.tool": ["ls {}", "bash ls"], "tool.tool": ["x"]},
        [{"type": "message", "timestamp": at(20), "message": {"role": "user", "content": MORE}}],
    ),
    AgentLog(
        Format.DROID, "-home-ann-garden/d1.jsonl", droid,
        {
            "user.injected": ["<system-reminder>rules</system-reminder>"],
            "assistant.tool": ['LS {"path":"."}'],
            "tool.tool": ["gate.py"],
        },
        [droid_line(9, "user", {"type": "text", "text": MORE})],
    ),
    AgentLog(
        Format.DROID, "-home-ann-garden/d2.jsonl", droid_agent, {},
        [droid_line(9, "user", {"type": "text", "text": MORE}, parentId="m2")], hidden=True,
    ),
    AgentLog(
        Format.KIRO, "k1.jsonl", kiro, {"assistant.tool": ['ls {"path":"."}'], "tool.tool": ['{"stdout":"gate.py"}']},
        [kiro_line("Prompt", "m9", ("text", MORE))],
    ),
    AgentLog(Format.KIRO, "k2.jsonl", kiro_plain, SUMMARY, [{"kind": "Prompt", "data": {"content": MORE}}]),
    AgentLog(Format.FX, "s1/events.jsonl", fx, TOOLS, [fx_turn(9, MORE, "")]),
    AgentLog(Format.FX, "s2/events.jsonl", fx_nested, {**TOOLS, **SUMMARY}, [fx_turn(9, MORE, "", nested=True)]),
    AgentLog(
        Format.KIMI, "sessions/f/kimi-1/wire.jsonl", kimi, {**THOUGHT, **TOOLS, "assistant.sidechain": ["Sub."]},
        [kimi_event(9, "TurnBegin", user_input=MORE)],
    ),
    AgentLog(
        Format.KIMI, "sessions/f/kimi-2/agents/root/wire.jsonl", kimi_newer,
        {"user.injected": ["<git>clean</git>"], "assistant.tool": ["ls {}"]},
        [{"type": "turn.prompt", "time": at(9), "input": MORE}],
    ),
    AgentLog(
        Format.MAKI, "maki-1.jsonl", maki, TOOLS,
        [{"t": "msg", "d": {"role": "user", "content": [{"type": "text", "text": MORE}]}}],
    ),
    AgentLog(
        Format.MAKI, "maki-2.jsonl", maki_shown,
        {"user.injected": ["Fix the gate\n<file>x = 1</file>", "It rains."]},
        [{"t": "msg", "d": {"role": "user", "content": [{"type": "text", "text": MORE}]}}],
    ),
    AgentLog(
        Format.WORKBUDDY, "garden/wb-1.jsonl", workbuddy,
        {**THOUGHT, **TOOLS, "user.injected": ["<system-reminder>rules</system-reminder>"]},
        [workbuddy_item(9, "message", role="user", content=[{"type": "input_text", "text": MORE}])],
    ),
    AgentLog(
        Format.WORKBUDDY, "garden/wb-2.jsonl", workbuddy_plain, {"system.injected": ["You are kind."]},
        [workbuddy_item(9, "message", role="user", content=[{"type": "input_text", "text": MORE}])],
    ),
    AgentLog(
        Format.ANTIGRAVITY, "brain/ag-1/.system_generated/logs/transcript.jsonl", antigravity,
        {
            **THOUGHT,
            "user.injected": ["<ADDITIONAL_METADATA>noon</ADDITIONAL_METADATA>"],
            "system.injected": ["before"],
            "assistant.tool": ['list_dir {"path":"."}'],
            "tool.tool": ["gate.py"],
        },
        [antigravity_step(9, "USER_EXPLICIT", "USER_INPUT", MORE)],
    ),
    AgentLog(
        Format.ANTIGRAVITY, "brain/ag-2/.system_generated/logs/transcript.jsonl", antigravity_plain,
        {"system.injected": ["Go on."]}, [antigravity_step(9, "USER_EXPLICIT", "USER_INPUT", MORE)],
    ),
]  # fmt: skip
