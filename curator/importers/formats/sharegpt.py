"""ShareGPT data sets: `{"conversations": [{"from": "human", "value": "…"}, …]}`, in a list, one per line, or single.

Ids, if any, are numbers within the set, and there are no dates.
"""

from collections.abc import Iterator, Sequence

from curator.importers.factory import Entry, Identities, Text, conversation, conversation_key, in_sequence
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress
from curator.importers.json_stream import JsonObject, as_dict, as_dicts, as_str, first_text, records
from curator.importers.log_format import Format, LogFormat, Options
from store.model import Channel, Role

_SPEAKERS = {
    "human": (Role.USER, Channel.SPOKEN),
    "user": (Role.USER, Channel.SPOKEN),
    "system": (Role.SYSTEM, Channel.INJECTED),
    "function_call": (Role.ASSISTANT, Channel.TOOL),
    "observation": (Role.TOOL, Channel.TOOL),
    "function_response": (Role.TOOL, Channel.TOOL),
    "function": (Role.TOOL, Channel.TOOL),
    "tool": (Role.TOOL, Channel.TOOL),
}  # all others are the model: gpt, assistant, chatgpt, bard, …


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield every conversation of these files; a file may also be the message list of a single one."""
    for log in files:
        identities = Identities(Format.SHAREGPT)
        bare: list[JsonObject] = []
        for record in records(log, progress, ("conversations",)):
            if isinstance(record, Problem):
                yield record
                continue
            fields = as_dict(record.value)
            if "conversations" in fields:
                yield _conversation(fields, as_dicts(fields["conversations"]), record.place, identities)
            elif "from" in fields and "value" in fields:
                bare.append(fields)
            else:
                yield Problem(record.place, "neither a message nor a conversation")
        if bare:
            yield _conversation({}, bare, log.name, identities)


def _conversation(fields: JsonObject, said: Sequence[JsonObject], place: str, identities: Identities) -> Item:
    texts = [Text(Role.SYSTEM, first_text(fields, "system", "system_prompt"), Channel.INJECTED, hidden=True)]
    for one in said:
        role, channel = _SPEAKERS.get(as_str(one.get("from")).lower(), (Role.ASSISTANT, Channel.SPOKEN))
        texts.append(Text(role, as_str(one.get("value")), channel, hidden=role is Role.SYSTEM))
    name = first_text(fields, "id")
    identity = identities.of(conversation_key(name, [(text.role, text.text) for text in texts]))
    entries = [Entry("", None, None, [text]) for text in texts]
    return conversation(
        identity,
        Format.SHAREGPT,
        in_sequence(identity, entries),
        place,
        external_id=name or None,
        title=first_text(fields, "title"),
    )


def fits(record: JsonObject) -> bool:
    """Return True for a record of this format."""
    said = as_dicts(record.get("conversations"))[:5]
    return any("from" in one and "value" in one for one in (record, *said))


FORMAT = LogFormat(Format.SHAREGPT, "a ShareGPT set", read, fits=fits)
