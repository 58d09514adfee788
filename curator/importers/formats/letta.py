"""Letta (formerly MemGPT) agent files, `.af`: JSON with the memory blocks and the last messages of agents.

Now `{"agents": [{"name", "agent_type", "block_ids", "messages"}], "blocks": [{"id", "label", "value"}]}`, formerly one
agent with `core_memory` and `messages`. The block `human` has the agent's knowledge of the person. A message of the
person may be wrapped, `{"type": "user_message", "message", "time"}`; other types are events. An agent may answer with
the tool `send_message`. Ids are valid within a file only: agents are identified by name, and agents with the same name
by order.
"""

import contextlib
from collections.abc import Iterator, Sequence

from curator.importers.factory import ROLES, Identities, ParsedMessage, conversation, message
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_list,
    as_str,
    as_time,
    compact,
    first_text,
    join_lines,
    parse,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from store.model import Channel, Role

_LABELS = ("human", "user")


def fits(record: JsonObject) -> bool:
    """Return True for an agent file."""
    if "core_memory" in record and "agent_type" in record:
        return True
    return any("agent_type" in one and "name" in one for one in as_dicts(record.get("agents"))[:1])


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield each agent's knowledge of the person, and its conversation."""
    for log in files:
        for record in records(log, progress, ("messages", "agents.messages")):
            if isinstance(record, Problem):
                yield record
                continue
            fields = as_dict(record.value)
            if not fits(fields):
                yield Problem(record.place, "not an agent file")
                continue
            blocks = {as_str(one.get("id")): one for one in as_dicts(fields.get("blocks"))}
            names = Identities("")
            for agent in [fields] if "core_memory" in fields else as_dicts(fields.get("agents")):
                own = as_dicts(agent.get("core_memory")) or as_dicts(agent.get("memory_blocks"))
                own = own or [blocks[id_] for id_ in map(as_str, as_list(agent.get("block_ids"))) if id_ in blocks]
                yield from _Agent(agent, own, record.place, names).items()


class _Agent:
    """An agent with its memory blocks."""

    def __init__(self, fields: JsonObject, blocks: Sequence[JsonObject], place: str, names: Identities) -> None:
        self.fields, self.blocks, self.place = fields, blocks, place
        self.name = first_text(fields, "name") or "agent"
        self.identity = f"{Format.LETTA}{names.of(self.name)}"

    def items(self) -> Iterator[Item]:
        """Yield the memory of the person, the conversation, and the number of skipped blocks about the agent."""
        memory = Identities(f"{self.identity}:memory")
        known = [one for one in self.blocks if as_str(one.get("label")).lower().startswith(_LABELS)]
        saved = [
            message(memory.of_message(None, Role.ASSISTANT, text), Role.ASSISTANT, text, Channel.SAVED, hidden=True)
            for text in (as_str(one.get("value")) for one in known)
        ]
        at = as_time(self.fields.get("created_at"))
        title = f"Letta memory of {self.name}"
        if saved:
            yield conversation(f"{self.identity}:memory", Format.LETTA, saved, self.place, title=title, created_at=at)
        if others := len(self.blocks) - len(known):
            yield Skipped("not_own", self.place, others)
        own = Identities(self.identity)
        said = [one for fields in as_dicts(self.fields.get("messages")) for one in self.messages(fields, own)]
        if said:
            yield conversation(self.identity, Format.LETTA, said, self.place, title=self.name)

    def messages(self, fields: JsonObject, own: Identities) -> Iterator[ParsedMessage | None]:
        """Yield the text of a message, its tool calls, and answers given by a tool call."""
        role = ROLES.get(as_str(fields.get("role")), Role.SYSTEM)
        at = as_time(fields.get("created_at"))

        def build(role: Role, text: str, channel: Channel) -> ParsedMessage | None:
            key = f"{at} {role} {channel} {text}"  # ids change with each export
            return message(own.of(key), role, text, channel, created_at=at)

        content = fields.get("content", fields.get("text"))
        thoughts = [as_str(one.get("reasoning")) for one in as_dicts(content)]
        text = as_str(content) or join_lines(as_str(one.get("text")) for one in as_dicts(content))
        calls = as_dicts(fields.get("tool_calls"))
        speaks = [one for one in calls if as_dict(one.get("function")).get("name") == "send_message"]
        yield build(Role.ASSISTANT, join_lines(thoughts), Channel.THINKING)
        if role is Role.USER:
            wrapped = as_dict(_unwrapped(text))
            if "type" in wrapped and wrapped.get("type") != "user_message":
                yield build(Role.SYSTEM, text, Channel.INJECTED)
            else:
                yield build(role, as_str(wrapped.get("message")) or text, Channel.SPOKEN)
        elif role is Role.ASSISTANT:
            yield build(role, text, Channel.THINKING if speaks else Channel.SPOKEN)
        else:
            yield build(role, text, Channel.TOOL if role is Role.TOOL else Channel.INJECTED)
        for call in calls:
            function = as_dict(call.get("function"))
            given = function.get("arguments")
            said = as_str(as_dict(_unwrapped(as_str(given))).get("message")) if call in speaks else ""
            shown = given if isinstance(given, str) else compact(given)
            spoken = bool(said)
            yield build(
                Role.ASSISTANT,
                said if spoken else f"{as_str(function.get('name'))} {shown}",
                Channel.SPOKEN if spoken else Channel.TOOL,
            )


def _unwrapped(text: str) -> object:
    found: object = None
    with contextlib.suppress(ValueError):
        found = parse(text.encode("utf-8", "replace"))
    return found


FORMAT = LogFormat(Format.LETTA, "a Letta agent file", read, fits=fits, exported=True)
