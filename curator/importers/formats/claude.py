"""Claude.ai data exports: conversations, projects and Claude's memory, in one or several files each.

Newer exports name each message's parent: regenerated answers are then siblings, and the list is not a thread.
"""

import re
from collections.abc import Iterator, Sequence

from curator.importers.factory import (
    Empty,
    Identities,
    Node,
    ParsedMessage,
    active,
    conversation,
    conversation_key,
    message,
    ordered,
)
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped
from curator.importers.json_stream import (
    JsonObject,
    Record,
    as_dict,
    as_dicts,
    as_str,
    as_time,
    compact,
    digest,
    first_text,
    items,
    join_lines,
)
from curator.importers.log_format import Format, LogFormat, Options
from store.model import Channel, NewConversation, Role

_PLACEHOLDER = re.compile(r"(?:```\s*)?This block is not supported on your current device yet\.?\s*(?:```)?")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return projects first, for their names, then every conversation and memory of these files."""

    def rank(log: LogFile) -> tuple[bool, str]:
        inner = log.inner
        return not (inner.stem == "projects" or "projects" in inner.parts[-2:-1]), log.name

    return items(sorted(files, key=rank), progress, _Export().item, ("chat_messages",))


class _Export:
    """The records of an export, with the names of its projects by id."""

    def __init__(self) -> None:
        self.projects: dict[str, str] = {}

    def item(self, read: Record) -> Item:
        record, place = as_dict(read.value), read.place
        if "chat_messages" in record:
            return self.conversation(record, place)
        if "prompt_template" in record or "docs" in record:
            self.projects[as_str(record.get("uuid"))] = as_str(record.get("name"))
            return self.project(record, place)
        if {"conversations_memory", "project_memories", "memory_files"} & record.keys():
            return self.memory(record, place)
        return Problem(place, "neither a conversation nor a project nor a memory")

    def conversation(self, record: JsonObject, place: str) -> NewConversation | Skipped:
        entries: dict[str, _Entry] = {}
        nodes: list[Node] = []  # an entry without a parent follows the previous one
        for number, fields in enumerate(as_dicts(record.get("chat_messages"))):
            uuid = as_str(fields.get("uuid"))
            uuid = uuid if uuid and uuid not in entries else f"#{number}"
            parent = as_str(fields.get("parent_message_uuid")) or next(reversed(entries), None)
            entries[uuid] = _Entry(fields)
            nodes.append(Node(uuid, parent, entries[uuid].created_at))
        shown = active(nodes, as_str(record.get("current_leaf_message_uuid")))
        title = as_str(record.get("name"))
        key = as_str(record.get("uuid")) or conversation_key(title, [(one.role, one.text) for one in entries.values()])
        identity = f"{Format.CLAUDE}:{key}"
        project = as_dict(record.get("project"))
        said = [list(entries[id_].messages(id_, identity, id_ in shown)) for id_ in ordered(nodes)]
        return conversation(
            identity,
            Format.CLAUDE,
            (one for each in said for one in (each if any(each) else [Empty()])),
            place,
            external_id=key,
            title=title,
            created_at=as_time(record.get("created_at")),
            project=as_str(project.get("name"))
            or self.projects.get(as_str(project.get("uuid")) or as_str(record.get("project_uuid"))),
        )

    def project(self, record: JsonObject, place: str) -> NewConversation | Skipped:
        """Return a project's instructions, which are the person's words, and its documents, which are not."""
        name = first_text(record, "name")
        uuid = as_str(record.get("uuid")) or digest(name)
        identity = f"{Format.CLAUDE}:project:{uuid}"
        created_at = as_time(record.get("created_at"))
        template = as_str(record.get("prompt_template"))
        messages = [
            message(
                f"{identity}:instructions:{digest(template)}",
                Role.USER,
                template,
                Channel.INSTRUCTIONS,
                external_id=uuid,
                created_at=as_time(record.get("updated_at")) or created_at,
                hidden=True,
            )
        ]
        identities = Identities(identity)
        for document in as_dicts(record.get("docs")):
            text, id_ = as_str(document.get("content")), as_str(document.get("uuid")) or None
            messages.append(
                message(
                    identities.of_message(id_, Role.USER, text),
                    Role.USER,
                    text,
                    Channel.ATTACHMENT,
                    external_id=id_,
                    created_at=as_time(document.get("created_at")) or created_at,
                    hidden=True,
                )
            )
        return conversation(
            identity, Format.CLAUDE, messages, place, external_id=uuid, title=name, created_at=created_at, project=name
        )

    def memory(self, record: JsonObject, place: str) -> NewConversation | Skipped:
        """Return Claude's memory of the person as saved messages: a general one, one per project, one per file."""
        identity = f"{Format.CLAUDE}:memory:{first_text(record, 'account_uuid', 'uuid') or 'account'}"
        identities = Identities(identity)
        project_memories = as_dict(record.get("project_memories")).items()
        files = record.get("memory_files")  # a list of objects, or an object keyed by name
        if isinstance(files, dict):
            named = [(as_str(name), as_dict(one) or {"content": one}) for name, one in files.items()]
        else:
            named = [(first_text(one, "path", "name", "file_name"), one) for one in as_dicts(files)]
        saved = [
            ("", as_str(record.get("conversations_memory"))),
            *((self.projects.get(uuid, uuid), as_str(text)) for uuid, text in project_memories),
            *((name, first_text(one, "content", "text", "markdown", "extracted_content")) for name, one in named),
        ]
        messages = [
            message(
                identities.of_message(None, Role.ASSISTANT, label + text),
                Role.ASSISTANT,
                text,
                Channel.SAVED,
                hidden=True,
            )
            for label, text in saved
        ]
        at = as_time(record.get("updated_at")) or as_time(record.get("created_at"))
        return conversation(identity, Format.CLAUDE, messages, place, title="Claude memory", created_at=at)


class _Entry:
    """An entry of `chat_messages`: a text with its thinking, tool calls, attachments and files."""

    def __init__(self, fields: JsonObject) -> None:
        self.role = Role.USER if as_str(fields.get("sender")).lower() in ("human", "user") else Role.ASSISTANT
        self.created_at = as_time(fields.get("created_at"))
        self.attachments = as_dicts(fields.get("attachments"))
        self.blocks = as_dicts(fields.get("content"))
        texts = (as_str(block.get("text")) for block in self.blocks if block.get("type") == "text")
        said = join_lines(texts, "\n\n") or as_str(fields.get("text"))  # flattened, if there are no blocks
        said = _PLACEHOLDER.sub("", said).strip()
        files = as_dicts(fields.get("files"))
        if said or not any(one.get("extracted_content") for one in self.attachments):
            files = [*self.attachments, *files]
        names = (as_str(one.get("file_name")) for one in files)
        self.text = join_lines((said, *(f"[attachment: {name}]" for name in names if name)))

    def messages(self, id_: str, conversation_id: str, shown: bool) -> Iterator[ParsedMessage | None]:
        """Yield the text, and thinking, tools and attachments as separate messages, in the order of the blocks."""

        def build(text: str, role: Role, channel: Channel, suffix: str = "") -> ParsedMessage | None:
            return message(
                f"{conversation_id}:{id_}{suffix}",
                role,
                text,
                channel,
                external_id=f"{id_}{suffix}",
                created_at=self.created_at,
                active=shown,
            )

        for number, one in enumerate(self.attachments):
            pasted = as_str(one.get("extracted_content"))
            yield build(pasted, self.role, Channel.ATTACHMENT, f"#attachment.{number}")
        spoken = False
        for number, block in enumerate(self.blocks):
            match block.get("type"):
                case "text" if not spoken:
                    spoken = True
                    yield build(self.text, self.role, Channel.SPOKEN)
                case "thinking":
                    thought = as_str(block.get("thinking"))
                    yield build(thought, Role.ASSISTANT, Channel.THINKING, f"#thinking.{number}")
                case "tool_use":
                    call = f"{as_str(block.get('name'))} {compact(block.get('input'))}"
                    yield build(call, Role.ASSISTANT, Channel.TOOL, f"#tool_use.{number}")
                case "tool_result":
                    output = block.get("content")  # a string, or blocks with texts or titles and addresses
                    named = (
                        (join_lines((as_str(one.get(name)) for name in ("title", "url")), " "), as_str(one.get("text")))
                        for one in as_dicts(output)
                    )
                    result = as_str(output) or join_lines(text for texts in named for text in texts)
                    yield build(result, Role.TOOL, Channel.TOOL, f"#tool_result.{number}")
        if not spoken:
            yield build(self.text, self.role, Channel.SPOKEN)


def fits(record: JsonObject) -> bool:
    """Return True for a record of this format."""
    return (
        "chat_messages" in record
        or bool({"conversations_memory", "project_memories", "memory_files"} & record.keys())
        or ("uuid" in record and ("prompt_template" in record or isinstance(record.get("docs"), list)))
    )


FORMAT = LogFormat(Format.CLAUDE, "a Claude export", read, fits=fits, exported=True)
