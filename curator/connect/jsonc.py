"""JSON with comments and trailing commas, edited by splicing.

A scanner keeps the position of every value; an edit changes only the characters that it inserts, replaces or removes.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Json = None | bool | int | float | str | Sequence["Json"] | dict[str, "Json"]
Step = str | int
"""A key of an object or an index of an array."""

_GAP = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.S)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(_STRING.pattern + r"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_LINE_COMMENTS = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/))*")
_LEAD = re.compile(r"(?:\r?\n[ \t]*|[ \t]+)\Z")  # what an insertion puts before its member


class InvalidSettings(Exception):
    """A text that cannot be read or changed, with the number of the line and the reason."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


@dataclass(frozen=True, slots=True)
class Child:
    """A member of an object, or an item of an array; `start` is where its key, or the item, begins."""

    key: str | None
    start: int
    node: "Node"
    comma: int | None  # position of the comma after it


@dataclass(frozen=True, slots=True)
class Node:
    """A value from `start` to `end`."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int
    value: Json
    children: list[Child] = field(default_factory=list)


def parse(text: str) -> Node | None:
    """Return the value of a text; None if there are only blanks and comments. Raises InvalidSettings."""
    begin = _skip(text, 0)
    if begin == len(text):
        return None
    try:
        root = _value(text, begin)
    except RecursionError:
        raise InvalidSettings(1, "too deeply nested") from None
    if (rest := _skip(text, root.end)) < len(text):
        raise _broken(text, rest, "something follows the end")
    return root


def find(text: str, path: Sequence[Step]) -> Node | None:
    """Return the value at a path; None if it is not there. Raises InvalidSettings."""
    node = parse(text)
    for step in path:
        child = None if node is None else _child(node, step)
        if child is None:
            return None
        node = child.node
    return node


def line_of(text: str, offset: int) -> int:
    """Return the number of the line at a position."""
    return text.count("\n", 0, offset) + 1


def insert(text: str, path: Sequence[Step], key: str | None, value: Json) -> str:
    """Insert a member (an item without `key`) at the end of the object or array at a path that exists."""
    node = find(text, path)
    assert node is not None and node.kind == ("array" if key is None else "object")
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    eol, unit = eol_of(text), _unit(text)
    if not node.children:
        outer = _indent(text, node.start)
        member = eol + outer + unit + name + render(value, outer + unit, unit, eol)
        inside = text[node.start + 1 : node.end - 1]
        if not inside.strip() and "\n" not in inside:
            return text[: node.start + 1] + member + eol + outer + text[node.end - 1 :]
        at = _skip(text, node.start + 1, _LINE_COMMENTS)
        close = "" if "\n" in text[at : node.end - 1] else eol + outer
        return text[:at] + member + close + text[at:]
    first, last = node.children[0], node.children[-1]
    anchor = last.node.end if last.comma is None else last.comma + 1
    if "\n" in text[node.start : first.start]:
        indent, at = _indent(text, last.start), _skip(text, anchor, _LINE_COMMENTS)
        member = eol + indent + name + render(value, indent, unit, eol)
    else:
        at, member = anchor, " " + name + json.dumps(value, ensure_ascii=False)
    if last.comma is None:
        return text[:anchor] + "," + text[anchor:at] + member + text[at:]
    return text[:at] + member + "," + text[at:]


def replace(text: str, path: Sequence[Step], value: Json) -> str:
    """Replace the value at a path that exists."""
    node = find(text, path)
    assert node is not None
    written = render(value, _indent(text, node.start), _unit(text), eol_of(text))
    return text[: node.start] + written + text[node.end :]


def remove(text: str, path: Sequence[Step]) -> str:
    """Remove the member or item at a path that exists, with the comma that it needs no more."""
    parent = find(text, path[:-1])
    child = None if parent is None else _child(parent, path[-1])
    assert parent is not None and child is not None
    at = parent.children.index(child)
    end = child.node.end if child.comma is None else child.comma + 1
    lead = _LEAD.search(text, parent.start + 1, child.start)
    for start in (child.start if lead is None else lead.start(), child.start):
        before, after = text[:start], text[end:]
        if start == child.start and lead is None:
            after = after.lstrip(" ")
        if child.comma is None and at:
            comma = parent.children[at - 1].comma
            assert comma is not None
            before = before[:comma] + before[comma + 1 :]
        done = before + after
        try:
            left = find(done, path[:-1])
        except InvalidSettings:
            continue
        if left is not None and len(left.children) == len(parent.children) - 1:
            break  # else what follows on the line came into a comment of the line before
    if left is not None and not left.children and not done[left.start + 1 : left.end - 1].strip():
        return done[: left.start + 1] + done[left.end - 1 :]
    return done


def render(value: Json, indent: str, unit: str, eol: str) -> str:
    """Return a value as JSON; arrays of scalars stand on one line."""
    if isinstance(value, dict) and value:
        rows = [
            json.dumps(key, ensure_ascii=False) + ": " + render(one, indent + unit, unit, eol)
            for key, one in value.items()
        ]
        signs = "{}"
    elif isinstance(value, list | tuple) and any(isinstance(one, dict | list) for one in value):
        rows, signs = [render(one, indent + unit, unit, eol) for one in value], "[]"
    else:
        return json.dumps(value, ensure_ascii=False)
    inside = f",{eol}{indent}{unit}".join(rows)
    return f"{signs[0]}{eol}{indent}{unit}{inside}{eol}{indent}{signs[1]}"


def eol_of(text: str) -> str:
    """Return the line end that a text uses."""
    return "\r\n" if "\r\n" in text else "\n"


def _value(text: str, at: int) -> Node:
    if text[at : at + 1] in ("{", "["):
        return _container(text, at)
    found = _SCALAR.match(text, at)
    if found is None:
        raise _broken(text, at, "a value is missing" if at < len(text) else "it ends too early")
    try:
        return Node("scalar", at, found.end(), json.loads(found[0]))
    except ValueError:
        raise _broken(text, at, "not a JSON value") from None


def _container(text: str, start: int) -> Node:
    is_object = text[start] == "{"
    children: list[Child] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != ("}" if is_object else "]"):
        if children and children[-1].comma is None:
            raise _broken(text, at, "a comma is missing" if at < len(text) else "it ends too early")
        begin, key = at, None
        if is_object:
            name = _STRING.match(text, at)
            if name is None:
                raise _broken(text, at, "a name in quotes is missing" if at < len(text) else "it ends too early")
            key = str(_value(text, at).value)
            at = _skip(text, name.end())
            if text[at : at + 1] != ":":
                raise _broken(text, at, "a colon is missing")
            at = _skip(text, at + 1)
        node = _value(text, at)
        at = _skip(text, node.end)
        comma = at if text[at : at + 1] == "," else None
        children.append(Child(key, begin, node, comma))
        at = at if comma is None else _skip(text, at + 1)
    value: Json = (
        {child.key: child.node.value for child in children if child.key is not None}
        if is_object
        else [child.node.value for child in children]
    )
    return Node("object" if is_object else "array", start, at + 1, value, children)


def _child(node: Node, step: Step) -> Child | None:
    """Return a child; of members with the same name the last one, as JSON parsers do."""
    if isinstance(step, int):
        return node.children[step] if node.kind == "array" and step < len(node.children) else None
    return next((child for child in reversed(node.children) if child.key == step), None)


def _skip(text: str, at: int, what: re.Pattern[str] = _GAP) -> int:
    """Return the end of the blanks and comments at a position."""
    found = what.match(text, at)
    assert found is not None
    return found.end()


def _indent(text: str, offset: int) -> str:
    """Return the blanks at the beginning of the line of a position."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return the indentation of a level, two spaces unless the text shows another."""
    found = re.search(r"^([ \t]+)[\"\[{]", text, re.M)
    return found[1] if found and found[1].strip(" ") in ("", "\t") and len(found[1]) <= 8 else "  "


def _broken(text: str, at: int, what: str) -> InvalidSettings:
    return InvalidSettings(line_of(text, at), what)
