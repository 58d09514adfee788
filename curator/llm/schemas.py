"""Schemas of answers. Enums ignore case; any other mismatch fails the whole answer."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

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
