"""Bodies of the HTTP API: what requests bring and replies have. All ids are global ones."""

from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from store.model import Kind, Tier

Text = Annotated[str, Field(min_length=1, max_length=500)]
Query = Annotated[str, Field(min_length=1, max_length=1_000)]
Prompt = Annotated[str, Field(max_length=20_000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Owner = Annotated[
    str | None, Field(pattern=r"^[^\x00-\x1f\x7f/\\]{1,64}$", description="The owner; by default the store's")
]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class _Owned(_Body):
    user_id: Owner = None


class NewMemory(_Owned):
    """A memory to add."""

    text: Text = Field(validation_alias=AliasChoices("text", "content"))
    kind: Kind = Kind.FACT
    tier: Tier = Tier.MEDIUM
    project: Name | None = None
    tags: list[Name] = Field(default_factory=list, max_length=20)
    importance: int = Field(default=5, ge=1, le=10)


class Change(_Owned):
    """Fields of a memory to change; absent ones stay."""

    text: Text | None = None
    kind: Kind | None = None
    tier: Tier | None = None
    importance: int | None = Field(default=None, ge=1, le=10)
    pinned: bool | None = None
    add_tags: list[Name] = Field(default_factory=list, max_length=20)
    remove_tags: list[Name] = Field(default_factory=list, max_length=20)


class Confirm(_Owned):
    """A confirmation; without `confirm`, the reply is a preview and nothing is changed."""

    confirm: bool = False


class Search(_Owned):
    """A search; `threshold` is the least cosine, by default that of the ranking preset."""

    query: Query
    limit: int | None = Field(default=None, ge=1, le=100)
    threshold: float | None = Field(default=None, ge=-1, le=1)
    filter: Annotated[str, Field(max_length=1_000)] = ""
    project: Name | None = None


class Recall(_Owned):
    """A prompt to recall memories for, or a project for all of its memories."""

    prompt: Prompt = Field(default="", validation_alias=AliasChoices("prompt", "query"))
    project: Name | None = None
    budget: int | None = Field(default=None, ge=50, le=20_000, description="Tokens of the block at most")


class Propose(_Owned):
    """A memory for the person to review, or one to forget."""

    because: Annotated[str, Field(min_length=1, max_length=500, description="The person's words, verbatim")]
    text: Text | None = None
    kind: Kind | None = None
    project: Name | None = None
    supersedes: Name | None = Field(default=None, description="Id of a memory that this replaces")
    forget: Name | None = Field(default=None, description="Id of a memory to forget, instead of a text")
    session: Name | None = None


class Feedback(_Owned):
    """Recalled memories that were useful or not, or the answer that a model gave with them, which is scored later."""

    recall_id: Name
    useful: list[Name] = Field(default_factory=list, max_length=100)
    useless: list[Name] = Field(default_factory=list, max_length=100)
    answer: Annotated[str | None, Field(max_length=200_000)] = None


class Memory(BaseModel):
    """A memory. A key of an agent gets the first six fields and the quotes only."""

    id: str
    text: str
    kind: str
    said: str | None = Field(description="The day it was said")
    review: str
    project: str | None
    quotes: list[str] | None = Field(default=None, description="The words it comes from; for one memory")
    score: float | None = Field(default=None, description="Of a search")
    life: str | None = None
    rank: str | None = None
    tier: str | None = None
    origin: str | None = None
    pinned: bool | None = None
    importance: int | None = None
    confidence: float | None = None
    scope: str | None = None
    source: str | None = None
    tags: list[str] | None = None
    flag: str | None = Field(default=None, description="Why it is in quarantine")
    expires_at: str | None = None
    superseded_by: str | None = None


class Page(BaseModel):
    """Some of the memories that match; `total` counts all."""

    memories: list[Memory]
    total: int
    limit: int
    offset: int


class Found(BaseModel):
    """Memories that a search found, best first."""

    memories: list[Memory]
    notes: list[str]


class Block(BaseModel):
    """Memories as text for a model's prompt."""

    text: str
    recall_id: str
    tokens: int
    items: list[Memory]
    notes: list[str]


class Changed(BaseModel):
    """A memory after a change, and the command that `curator undo` takes back."""

    memory: Memory
    changed: bool
    command: str | None = None


class Preview(BaseModel):
    """A memory, and whether it was forgotten or would be."""

    memory: Memory
    forgotten: bool
    note: str


class Proposed(BaseModel):
    """The result of a proposal."""

    status: Literal["waiting", "known", "refused", "quarantined"]
    id: str | None
    reason: str


class Warmth(BaseModel):
    """The usefulness of memories after feedback, 0 to 1."""

    warmth: dict[str, float]
    saved: bool = Field(description="Whether an answer was stored for scoring")


class Stats(BaseModel):
    """Figures of the store."""

    memories: int
    validated: int
    inbox: int
    quarantined: int
    conflicts: int


class Health(BaseModel):
    """The server works."""

    status: Literal["ok"]
    version: str


class Problem(BaseModel):
    """The fault, with the remedy."""

    error: str
