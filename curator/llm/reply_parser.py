"""Parse model replies into items of a schema, ignoring surrounding text. Raises BadReply for anything else.

Enums ignore case; any other mismatch fails the whole answer.
"""

import re
from collections.abc import Collection, Iterator
from typing import Annotated, Literal, TypeVar, cast

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from curator.models import BadReply
from store.model import Kind, Relation


def _lower(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


Words = Annotated[str, Field(max_length=4_000)]
Confidence = Annotated[Literal["low", "medium", "high"], BeforeValidator(_lower)]
Number = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Item(_Shape):
    """A memory that a model proposes."""

    turn: Number
    quote: Words
    text: Words
    kind: Annotated[Kind, BeforeValidator(_lower)]
    confidence: Confidence
    importance: Annotated[int, Field(ge=1, le=10)] | None = None
    expires: Annotated[Literal["7d", "30d", "90d", "never"], BeforeValidator(_lower)] | None = None


class Rating(_Shape):
    """A memory's use in the reply: `words` are the reply's words that show it."""

    number: Number
    words: Words
    score: Annotated[int, Field(ge=1, le=5)]


class Opinion(_Shape):
    """The relation of two statements, preceded by their difference in words."""

    difference: Words
    relation: Annotated[Relation, BeforeValidator(_lower)]
    confidence: Confidence


class Wording(_Shape):
    """A text that says what several statements say."""

    text: Words


class Name(_Shape):
    """A name of what several statements are about."""

    name: Words


M = TypeVar("M", bound=BaseModel)

LONGEST = 50_000
"""Characters; no expected answer comes near this."""
STARTS = 20
"""Brackets tried as the start of the answer."""

_THOUGHT = re.compile(r"<(/?)(think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_START = re.compile(r"[{\[]")
_BORDER = re.compile(r'["{}\[\]]')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def items(text: str, fields: Collection[str]) -> list[dict[str, object]]:
    """Return the items of an answer `{"items": [...]}`, of a bare list, or a single item.

    Thoughts, code fences and surrounding prose are skipped. Raises BadReply, with a reason to send back to the model.
    """
    if len(text) > LONGEST:
        raise BadReply("it was far too long", text)
    words = _THOUGHT_END.split(_without_thoughts(text))[-1]
    if not words.strip():
        raise BadReply("it was empty", text)
    echoed = False
    for value, outermost in _values(words):
        found = _listed(value, frozenset(fields), outermost)
        if isinstance(found, list) and all(isinstance(one, dict) for one in found):
            rows = cast("list[dict[str, object]]", found)
            if not any(map(_is_schema, rows)):
                return rows
            echoed = True
        echoed = echoed or _is_schema(value)
    raise BadReply("it repeated the schema" if echoed else 'it was no JSON object with a list "items"', text)


def parsed(model: type[M], text: str) -> list[M]:
    """Return the `items` of an answer as `model`. Raises BadReply that names the first invalid field."""
    found: list[M] = []
    for number, row in enumerate(items(text, model.model_fields), 1):
        try:
            found.append(model.model_validate(row))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            field = str(first["loc"][0]) if first["loc"] and first["loc"][0] in model.model_fields else "a field"
            wrong = "is missing" if first["type"] == "missing" else "has a value that is not allowed"
            raise BadReply(f"in item {number}, {field} {wrong}") from None
    return found


def parsed_one(model: type[M], text: str) -> M:
    """Return the only item of an answer as `model`. Raises BadReply, also if there is not exactly one."""
    found = parsed(model, text)
    if len(found) != 1:
        raise BadReply("it must have exactly one item")
    return found[0]


def _listed(value: object, fields: frozenset[str], outermost: bool) -> object:
    """Return the list of items in a value. A value inside an unclosed bracket may only be part of the items."""
    if isinstance(value, dict) and "items" in value:
        return value["items"]
    if not outermost:
        return None
    if isinstance(value, dict) and fields <= value.keys():
        return [value]
    if isinstance(value, dict) and len(value) == 1:
        return next(iter(value.values()))
    return value


def _is_schema(value: object) -> bool:
    """Return True if a value is a JSON schema, or part of one, rather than data."""
    if not isinstance(value, dict):
        return False
    described = value.get("type") in ("object", "array") and {"properties", "items"} & value.keys()
    return "$schema" in value or bool(described)


def _without_thoughts(text: str) -> str:
    """Remove text between a thinking mark and the next end mark, in linear time."""
    marks = [(found[2].lower(), bool(found[1]), found.start(), found.end()) for found in _THOUGHT.finditer(text)]
    last = {name: start for name, ends, start, _ in marks if ends}
    parts: list[str] = []
    at, open_name = 0, ""
    for name, ends, start, end in marks:
        if not open_name and not ends and last.get(name, -1) > start:
            open_name = name
            parts += (text[at:start], " ")
        elif ends and name == open_name:
            at, open_name = end, ""
    return "".join((*parts, text[at:]))


def _values(text: str) -> Iterator[tuple[object, bool]]:
    """Yield the complete, valid objects and lists of a text from the left, each with True if no bracket is open around
    it.
    """
    at = tried = 0
    outermost = True
    while (start := _START.search(text, at)) and tried < STARTS:
        tried += 1
        at = start.end()
        end = _balanced(text, start.start())
        if end is None:
            outermost = False
            continue
        try:
            yield orjson.loads(text[start.start() : end]), outermost
        except ValueError:  # also raised for lone surrogates and excessive nesting
            continue
        at = end


def _balanced(text: str, start: int) -> int | None:
    """Return the end of the object or list that begins at `start`, or None."""
    depth, at = 0, start
    while border := _BORDER.search(text, at):
        at = border.end()
        if border[0] == '"':
            string = _STRING.match(text, border.start())
            if not string:
                return None
            at = string.end()
            continue
        depth += 1 if border[0] in "{[" else -1
        if not depth:
            return at
    return None
