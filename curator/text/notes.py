"""A memory as a Markdown note: front matter in YAML with all fields, then the text, then its quotes to read.

The text is the body down to `QUOTES`; what follows is not read again. Markup that would load or run something is
escaped there. A text that would not come back whole stands in the front matter too.
"""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from curator.text.markers import QUOTES

LARGEST = 4 << 20
"""Bytes of a note at most."""
_DEEPEST = 20  # levels of the front matter; libyaml takes a time that grows with their square
FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_SCHEMA = re.compile(r"^schema:[ \t]*['\"]?(curator_memory\.\w+)", re.MULTILINE)
_ACTIVE = re.compile(r"!(?=\[)|<(?=[A-Za-z/!?%])")  # images, which are loaded, and tags
_ESCAPED = re.compile(r"\\(!(?=\[)|<(?=[A-Za-z/!?%]))")


def render_note(row: Mapping[str, Any]) -> str:
    """Return the note of an exported memory (`curator.export.files.export_rows`)."""
    import yaml

    text = str(row["text"])
    fields = {name: value for name, value in row.items() if name != "text" or _text_of(_body_of(text)) != text}
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    front = yaml.dump(fields, Dumper=dumper, sort_keys=False, allow_unicode=True, width=1 << 30)
    said = []
    for quote in row.get("evidence") or ():
        parts = (" ".join(str(quote[name])[:200].split()) for name in ("source", "title", "said_at") if quote.get(name))
        source = " · ".join(parts)
        lines = (*str(quote.get("quote") or "").splitlines(), *([f"— {source}"] if source else ()))
        said.append("\n" + "".join(f"> {_body_of(line)}\n" for line in lines))
    return f"---\n{front}---\n{_body_of(text)}\n" + (f"\n{QUOTES}\n{''.join(said)}" if said else "")


def is_note(head: str) -> bool:
    """Return True if a text begins as a note does."""
    return head.removeprefix("\ufeff").startswith("---") and _SCHEMA.search(head, 0, 4_000) is not None


def parse_note(text: str) -> dict[str, Any]:
    """Return the row of a note, with the text of its body. Raises ValueError if it is not a note or has bad YAML."""
    import yaml

    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    front = FRONT_MATTER.match(plain)
    if front is None:
        raise ValueError("a note without an end of its front matter (---)")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    depth = 0
    try:
        for event in yaml.parse(front[1], Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST or isinstance(event, yaml.AliasEvent) or getattr(event, "tag", None) is not None:
                raise ValueError("front matter with references, types or nesting that no note has")
        row = orjson.loads(orjson.dumps(yaml.load(front[1], Loader=loader)))  # times become texts
    except (yaml.YAMLError, orjson.JSONEncodeError, RecursionError, OverflowError) as error:
        raise ValueError(f"front matter that is not YAML ({str(error).splitlines()[0]})") from error
    if not isinstance(row, dict):
        raise ValueError("front matter that is not a list of fields")
    body, kept = plain[front.end() :].partition(f"\n{QUOTES}")[0].strip(), row.get("text")
    if not isinstance(kept, str) or _body_of(kept).replace("\r\n", "\n").partition(f"\n{QUOTES}")[0].strip() != body:
        row["text"] = _text_of(body)
    return row


def _body_of(text: str) -> str:
    return _ACTIVE.sub(r"\\\g<0>", text)


def _text_of(body: str) -> str:
    """Return the text of a body as it is read again."""
    return _ESCAPED.sub(r"\1", body.replace("\r\n", "\n").partition(f"\n{QUOTES}")[0].strip())
