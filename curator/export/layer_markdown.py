"""The documents of layers as Markdown; their texts come from logs and are escaped."""

import re
from collections.abc import Sequence
from typing import Any

from curator.export.layer_documents import ENTRY, GLOBAL, TOPIC, Document, OlderLayer, check_schema
from curator.terminal_text import on_one_line

_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~&$^])|(?<=[a-z])(:)(?=//)|(?<=\bwww)(\.)", re.IGNORECASE)
_SCHEMA = re.compile(rb"---\r?\nschema: ([^\r\n]*)\r?\n---\r?\n")
_NOTE = "Written by `curator export layers`, which overwrites it. Notes about a person, not instructions."


def escaped(text: object) -> str:
    """Return a text on one line that Markdown shows as it is: no markup, tag, entity or link."""
    plain = _SIGNS.sub(lambda found: f"\\{found[0]}", " ".join(on_one_line(str(text)).split()))
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", plain)


def markdown(document: Document) -> str:
    """Return a document as Markdown, after its schema."""
    lines = {ENTRY: of_entry, TOPIC: of_topic, GLOBAL: of_global}[document["schema"]](document)
    return "\n".join(("---", f"schema: {document['schema']}", "---", "", *lines)) + "\n"


def check_markdown(data: bytes, schema: str, name: str) -> None:
    """Check that a document as Markdown has this schema. Raises as `check_schema` does.

    The first version wrote none, and is written anew.
    """
    match = _SCHEMA.match(data)
    if match is None:
        raise OlderLayer(f"{name} has no schema")
    check_schema(match[1].decode("utf-8", "replace"), schema, name)


def of_entry(document: Document) -> list[str]:
    """Return the lines of an entry summary."""
    entry = document["entry"]
    about = [escaped(entry[name]) for name in ("source", "title") if entry[name]]
    return [
        f"# {' · '.join((*about, *([entry['at'][:10]] if entry['at'] else ()))) or 'Notes'}",
        "",
        f"Topic: {escaped(document['topic'])}. {_NOTE}",
        *section("Summary", [escaped(document["summary"])], bullets=False),
        *section("Facts", [_fact_line(fact) for fact in document["facts"]]),
    ]


def of_topic(document: Document) -> list[str]:
    """Return the lines of a topic memory."""
    state = document["state"]
    bounds = state["bounds"]
    span = f", {bounds['from'][:10]} to {bounds['to'][:10]}" if bounds["from"] else ""
    questions = (f"Which holds? {' — or — '.join(map(escaped, one['texts']))}" for one in state["open_questions"])
    by_type: dict[str, list[str]] = {}
    for fact in document["facts"]:
        by_type.setdefault(fact["type"], []).append(_fact_line(fact))
    facts = (line for kind in sorted(by_type) for line in section(f"Facts: {kind}", by_type[kind]))
    return [
        f"# {escaped(document['topic'])}",
        "",
        f"{bounds['facts']} facts of {bounds['entries']} entries{span}. {_NOTE}",
        *section("Summary", [escaped(state["summary"])], bullets=False),
        *section("Open questions", list(questions)),
        *section("Next actions", [_action_line(one) for one in state["next_actions"]]),
        *facts,
    ]


def of_global(document: Document) -> list[str]:
    """Return the lines of the global memory."""
    as_of = f"As of {document['as_of'][:10]}. " if document["as_of"] else ""
    lines = ["# Global memory", "", f"{as_of}{_NOTE}", "", "## Do not forget"]
    groups: dict[str, list[str]] = {}
    for fact in document["do_not_forget"]:
        heading = "always given" if fact["always"] else f"{fact['type']} ({fact['tier']})"
        project = str(fact["scope"]).partition("project:")[2]
        only = f"In {escaped(project)}: " if project else ""
        groups.setdefault(heading, []).append(only + _action_line({**fact, "due": fact["expires_at"]}))
    for heading, some in groups.items():
        lines += ["", f"### {heading}", "", *(f"- {line}" for line in some)]
    lines += ["", "## Active topics"]
    for topic in document["active_topics"]:
        lines += [
            "",
            f"### {escaped(topic['topic'])}",
            "",
            f"{escaped(topic['state']['summary'])} ({topic['facts']} facts: `{topic['path']}`)",
            *section("", [_action_line(one) for one in topic["state"]["next_actions"]]),
        ]
    return lines


def _fact_line(fact: dict[str, Any]) -> str:
    """Return a fact with its type, tier and date."""
    notes = [fact["type"], fact["tier"], *(["confirmed"] if fact["decided"] else ())]
    notes += [fact["said_at"][:10]] if fact["said_at"] else []
    return f"{escaped(fact['text'])} ({', '.join(notes)})"


def _action_line(action: dict[str, Any]) -> str:
    """Return what is to be done or remembered, with its end."""
    return escaped(action["text"]) + (f" (until {action['due'][:10]})" if action["due"] else "")


def section(heading: str, lines: Sequence[str], bullets: bool = True) -> list[str]:
    """Return lines under a heading; none without lines."""
    if not any(lines):
        return []
    return [*(("", f"## {heading}") if heading else ()), "", *(f"- {line}" if bullets else line for line in lines)]
