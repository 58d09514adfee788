"""Claude.ai data exports: conversations, projects and the memory Claude keeps, as one file each or as many.

Newer exports name each message's parent: then regenerated answers stand beside each other and the list is no thread.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from curator.importers.coerce import compact, digest, first, rows, string, table, when
from curator.importers.factory import conversation, message
from curator.importers.ids import Names, opening
from curator.importers.inputs import Part
from curator.importers.json_stream import records
from curator.importers.message_tree import Node, active, ordered
from curator.importers.types import Format, Item, Meter, Problem, Skipped
from store.model import Channel, NewConversation, NewMessage, Role

Record = Mapping[str, object]
_PLACEHOLDER = re.compile(r"(?:```\s*)?This block is not supported on your current device yet\.?\s*(?:```)?")


def read(parts: Sequence[Part], meter: Meter) -> Iterator[Item]:
    """Every conversation, project and memory of these files; projects first, for their names."""
    projects: dict[str, str] = {}
    for part in sorted(parts, key=_rank):
        for record in records(part, meter):
            yield record if isinstance(record, Problem) else _item(table(record.value), record.place, projects)


def _rank(part: Part) -> tuple[bool, str]:
    inner = part.inner
    return not (inner.stem == "projects" or "projects" in inner.parts[-2:-1]), part.name


def _item(record: Record, place: str, projects: dict[str, str]) -> Item:
    if "chat_messages" in record:
        return _conversation(record, place, projects)
    if "prompt_template" in record or "docs" in record:
        projects[string(record.get("uuid"))] = string(record.get("name"))
        return _project(record, place)
    if {"conversations_memory", "project_memories", "memory_files"} & record.keys():
        return _memory(record, place, projects)
    return Problem(place, "neither a conversation nor a project nor a memory")


def _conversation(record: Record, place: str, projects: Mapping[str, str]) -> NewConversation | Skipped:
    entries: dict[str, Record] = {}
    for number, one in enumerate(rows(record.get("chat_messages"))):
        entry = table(one)
        uuid = string(entry.get("uuid"))
        entries[uuid if uuid and uuid not in entries else f"#{number}"] = entry
    nodes = _nodes(entries)
    shown = active(nodes, string(record.get("current_leaf_message_uuid")))
    title = string(record.get("name"))
    said = ((_role(entry), _said(entry)) for entry in entries.values())
    name = string(record.get("uuid")) or opening(title, list(said))
    identity = f"{Format.CLAUDE}:{name}"
    project = table(record.get("project"))
    project_id = string(project.get("uuid")) or string(record.get("project_uuid"))
    messages = (one for id_ in ordered(nodes) for one in _messages(entries[id_], id_, identity, id_ in shown))
    return conversation(
        identity,
        Format.CLAUDE,
        messages,
        place,
        external_id=name,
        title=title,
        created_at=when(record.get("created_at")),
        project=string(project.get("name")) or projects.get(project_id),
    )


def _nodes(entries: Mapping[str, Record]) -> list[Node]:
    """Each message under its parent; one that names no parent follows the one before it."""
    nodes: list[Node] = []
    before: str | None = None
    for name, entry in entries.items():
        parent = string(entry.get("parent_message_uuid")) or before
        nodes.append(Node(name, parent, when(entry.get("created_at"))))
        before = name
    return nodes


def _role(entry: Record) -> Role:
    return Role.ASSISTANT if string(entry.get("sender")).lower() == "assistant" else Role.USER


def _messages(entry: Record, name: str, conversation_id: str, shown: bool) -> Iterator[NewMessage | None]:
    """What was said, with thinking, tools and pasted texts as messages of their own, in the order of the blocks."""
    role = _role(entry)
    at = when(entry.get("created_at"))

    def made(text: str, role: Role, channel: Channel, suffix: str = "") -> NewMessage | None:
        return message(
            f"{conversation_id}:{name}{suffix}",
            role,
            text,
            channel,
            external_id=f"{name}{suffix}",
            created_at=at,
            active=shown,
        )

    for number, one in enumerate(rows(entry.get("attachments"))):
        yield made(string(table(one).get("extracted_content")), role, Channel.ATTACHMENT, f"#attachment.{number}")
    spoken = False
    for number, one in enumerate(rows(entry.get("content"))):
        block = table(one)
        kind = block.get("type")
        if kind == "text" and not spoken:
            spoken = True
            yield made(_said(entry), role, Channel.SPOKEN)
        elif kind == "thinking":
            yield made(string(block.get("thinking")), Role.ASSISTANT, Channel.THINKING, f"#thinking.{number}")
        elif kind == "tool_use":
            call = f"{string(block.get('name'))} {compact(block.get('input'))}"
            yield made(call, Role.ASSISTANT, Channel.TOOL, f"#tool_use.{number}")
        elif kind == "tool_result":
            yield made(_flat(block.get("content")), Role.TOOL, Channel.TOOL, f"#tool_result.{number}")
    if not spoken:
        yield made(_said(entry), role, Channel.SPOKEN)


def _said(entry: Record) -> str:
    """The text of a message: of its text blocks, or the flattened field where there are none; files by name."""
    blocks = (table(one) for one in rows(entry.get("content")))
    texts = [string(block.get("text")) for block in blocks if block.get("type") == "text"]
    said = "\n\n".join(text for text in texts if text) or string(entry.get("text"))
    said = _PLACEHOLDER.sub("", said).strip()
    pasted = [table(one) for one in rows(entry.get("attachments"))]
    names = [string(table(one).get("file_name")) for one in rows(entry.get("files"))]
    if said or not any(one.get("extracted_content") for one in pasted):
        names = [*(string(one.get("file_name")) for one in pasted), *names]
    return "\n".join(line for line in (said, *(f"[attachment: {name}]" for name in names if name)) if line)


def _flat(content: object) -> str:
    """The text of a tool's result: a string, or a list of blocks with texts or titles and addresses."""
    if isinstance(content, str):
        return content
    blocks = [table(one) for one in rows(content)]
    return "\n".join(text for block in blocks if (text := _text_of(block)))


def _text_of(block: Record) -> str:
    named = " ".join(text for name in ("title", "url") if (text := string(block.get(name))))
    return "\n".join(text for text in (named, string(block.get("text"))) if text)


def _project(record: Record, place: str) -> NewConversation | Skipped:
    """A project: its instructions are the person's words, its documents are not."""
    name = first(record, "name")
    uuid = string(record.get("uuid")) or digest(name)
    identity = f"{Format.CLAUDE}:project:{uuid}"
    at = when(record.get("created_at"))
    template = string(record.get("prompt_template"))
    messages = [
        message(
            f"{identity}:instructions:{digest(template)}",
            Role.USER,
            template,
            Channel.INSTRUCTIONS,
            external_id=uuid,
            created_at=when(record.get("updated_at")) or at,
            hidden=True,
        )
    ]
    names = Names(identity)
    for one in rows(record.get("docs")):
        document = table(one)
        text = string(document.get("content"))
        id_ = string(document.get("uuid")) or None
        made = names.of(id_, Role.USER, text)
        at_ = when(document.get("created_at")) or at
        messages.append(
            message(made, Role.USER, text, Channel.ATTACHMENT, external_id=id_, created_at=at_, hidden=True)
        )
    return conversation(
        identity, Format.CLAUDE, messages, place, external_id=uuid, title=name, created_at=at, project=name
    )


def _memory(record: Record, place: str, projects: Mapping[str, str]) -> NewConversation | Skipped:
    """What Claude remembers of the person, as saved messages: of all conversations, of each project, of each file."""
    account = first(record, "account_uuid", "uuid") or "account"
    identity = f"{Format.CLAUDE}:memory:{account}"
    names = Names(identity)

    def saved(label: str, text: str) -> NewMessage | None:
        return message(names.of(None, Role.ASSISTANT, label + text), Role.ASSISTANT, text, Channel.SAVED, hidden=True)

    messages = [saved("", string(record.get("conversations_memory")))]
    for uuid, text in table(record.get("project_memories")).items():
        messages.append(saved(projects.get(uuid, uuid), string(text)))
    messages += (saved(label, text) for label, text in _files(record.get("memory_files")))
    at = when(record.get("updated_at")) or when(record.get("created_at"))
    return conversation(identity, Format.CLAUDE, messages, place, title="Claude memory", created_at=at)


def _files(value: object) -> Iterable[tuple[str, str]]:
    """(name, text) of memory files, kept as a list of objects or as an object by name."""
    if isinstance(value, dict):
        entries = [(string(name), table(one) or {"content": one}) for name, one in value.items()]
    else:
        entries = [(first(table(one), "path", "name", "file_name"), table(one)) for one in rows(value)]
    return [(name, first(one, "content", "text", "markdown", "extracted_content")) for name, one in entries]
