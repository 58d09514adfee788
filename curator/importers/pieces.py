"""Parts of a log's message that become separate messages: text, reasoning, tool calls and their results."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from curator.importers.factory import Empty, Identities, ParsedMessage, conversation, message
from curator.importers.inputs import Skipped
from curator.importers.json_stream import as_dict, as_list, as_str, compact, join_lines, parse
from store.model import Channel, NewConversation, Role

_THOUGHT = re.compile(r"\s*<(think|thinking|thought)>(.*?)(?:</\1>|\Z)", re.DOTALL)
_END = "</think>"


class MessagePart(NamedTuple):
    """A part of a message. `suffix` is unique within the message; that of its text is empty."""

    role: Role
    channel: Channel
    text: str
    suffix: str = ""
    hidden: bool = False


class LogMessage(NamedTuple):
    """A message of a log with its parts. Without an `id`, parts are identified by role and text."""

    pieces: Sequence[MessagePart]
    id: str = ""
    at: int | None = None
    active: bool = True

    @property
    def has_text(self) -> bool:
        """Return True if any part has text."""
        return any(piece.text and not piece.text.isspace() for piece in self.pieces)


def chat(
    source: str,
    id_: str,
    turns: Iterable[LogMessage],
    place: str,
    *,
    title: str = "",
    created_at: int | None = None,
    folder: str = "",
    agent: bool = False,
    sidechain: bool = False,
    scope: str = "",
) -> NewConversation | Skipped:
    """Return a conversation of turns; `sidechain` marks a sub-agent's. The last part of `folder` is its project.

    With a `scope`, messages with the same id are the same in all conversations of that scope.
    """
    identity = f"{source}:{id_}"
    identities = Identities(identity)
    messages: list[ParsedMessage | Empty | None] = []
    for turn in turns:
        if not turn.has_text:
            messages.append(Empty())
        for piece in turn.pieces:
            one = piece._replace(channel=Channel.SIDECHAIN, hidden=True) if sidechain else piece
            if turn.id:
                messages += build([one], f"{scope or identity}:{turn.id}", turn.id, turn.at, turn.active)
            else:
                named = identities.of_message(None, piece.role, f"{piece.channel} {piece.text.strip()}")
                messages.append(
                    message(
                        named,
                        one.role,
                        one.text,
                        one.channel,
                        created_at=turn.at,
                        active=turn.active,
                        hidden=one.hidden,
                    )
                )
    return conversation(
        identity,
        source,
        messages,
        place,
        external_id=id_,
        title=title,
        created_at=created_at,
        project=folder.replace("\\", "/").rstrip("/").rpartition("/")[2] or None,
        agent=agent,
        folder=folder,
    )


def build(
    pieces: Iterable[MessagePart], identity: str, external_id: str | None, at: int | None, active: bool = True
) -> Iterator[ParsedMessage | None]:
    """Yield a message for each part, with its suffix added to `identity` and `external_id`."""
    for piece in pieces:
        yield message(
            f"{identity}{piece.suffix}",
            piece.role,
            piece.text,
            piece.channel,
            external_id=f"{external_id}{piece.suffix}" if external_id else None,
            created_at=at,
            active=active,
            hidden=piece.hidden,
        )


def thought(text: str, number: int = 0) -> MessagePart:
    """Return a part with a model's reasoning."""
    return MessagePart(Role.ASSISTANT, Channel.THINKING, text, f"#thinking.{number}")


def unpacked(value: object) -> object:
    """Return the value in a JSON string; any other value unchanged."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str) or value[:1] not in ('"', "{", "["):
        return value
    try:
        return parse(value.encode("utf-8", "replace"))
    except ValueError:
        return value


def call(name: str, arguments: object, number: int = 0) -> MessagePart:
    """Return a part with a tool call."""
    given = unpacked(arguments)
    text = given if isinstance(given, str) else "" if given is None else compact(given)
    return MessagePart(Role.ASSISTANT, Channel.TOOL, f"{name} {text}".strip(), f"#tool_use.{number}")


def result(output: object, number: int = 0) -> MessagePart:
    """Return a part with the output of a tool."""
    return MessagePart(Role.TOOL, Channel.TOOL, output_text(output), f"#tool_result.{number}")


def output_text(output: object) -> str:
    """Return a tool's output as text: a string, a list of blocks with texts, or any other value as JSON."""
    if isinstance(output, str | bytes):
        return output if isinstance(output, str) else output.decode("utf-8", "replace")
    if as_list(output):
        return join_lines(
            as_str(one) or as_str(as_dict(one).get("text")) or ("[image]" if "image" in compact(one)[:80] else "")
            for one in as_list(output)
        )
    return compact(output) if output not in (None, [], {}) else ""


def split_thought(text: str) -> tuple[str, str]:
    """Return the reasoning that local models write before an answer, and the answer."""
    if match := _THOUGHT.match(text):
        return match[2].strip(), text[match.end() :].strip()
    before, found, after = text.partition(_END)  # a template may have written the opening tag
    return (before.strip(), after.strip()) if found else ("", text)


def attachment(name: str) -> str:
    """Return the mention of an attached file; empty if it has no name."""
    return f"[attachment: {name}]" if name else ""
