"""Request and response models of the HTTP API. All ids are global ones."""

from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from store.model import Given, Kind, Tier

Text = Annotated[str, Field(min_length=1, max_length=500)]
Query = Annotated[str, Field(min_length=1, max_length=1_000)]
Prompt = Annotated[str, Field(max_length=20_000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Owner = Annotated[
    str | None, Field(pattern=r"^[^\x00-\x1f\x7f/\\]{1,64}$", description="The owner; by default the store's")
]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: object) -> object:
        """Refuse an unknown name, with the names that there are."""
        takes = {}
        for name, field in cls.model_fields.items():
            alias = field.validation_alias
            takes[name] = list(
                dict.fromkeys([name, *map(str, alias.choices if isinstance(alias, AliasChoices) else ())])
            )
        known = {one for names in takes.values() for one in names}
        if isinstance(given, dict) and (unknown := next((str(one) for one in given if one not in known), "")):
            listed = ", ".join(" or ".join(names) for names in takes.values())
            raise PydanticCustomError(
                "unknown", "there is no `{unknown}`: it takes {listed}", {"unknown": unknown[:50], "listed": listed}
            )
        return given


class _Owned(_Body):
    user_id: Owner = None


class NewMemory(_Owned):
    """A memory to add."""

    text: Text = Field(validation_alias=AliasChoices("text", "content"), description="One statement; also as content")
    kind: Kind = Field(default=Kind.FACT, description="The kind of statement")
    tier: Tier = Field(default=Tier.MEDIUM, description="How central it is")
    project: Name | None = Field(default=None, description="Only for this project; null: everywhere")
    tags: list[Name] = Field(default_factory=list, max_length=20, description="Words to find it by")
    importance: int = Field(default=5, ge=1, le=10, description="1 to 10")


class Change(_Owned):
    """Fields of a memory to change; absent ones stay."""

    text: Text | None = Field(default=None, description="The new text; the old one stays as a version")
    kind: Kind | None = Field(default=None, description="The kind of statement")
    tier: Tier | None = Field(default=None, description="How central it is")
    importance: int | None = Field(default=None, ge=1, le=10, description="1 to 10")
    pinned: bool | None = Field(default=None, description="True: never expired, demoted or merged by a machine")
    given: Given | None = Field(default=None, description="When models get it: always, relevant or never")
    add_tags: list[Name] = Field(default_factory=list, max_length=20, description="Tags to add")
    remove_tags: list[Name] = Field(default_factory=list, max_length=20, description="Tags to remove")


class Confirm(_Owned):
    """A confirmation; without `confirm`, the reply is a preview and nothing is changed."""

    confirm: bool = Field(default=False, description="True: do it")


class Search(_Owned):
    """A search; `threshold` is the least cosine, by default that of the ranking preset."""

    query: Query = Field(description="What to look for")
    limit: int | None = Field(default=None, ge=1, le=100, description="Memories at most")
    threshold: float | None = Field(default=None, ge=-1, le=1, description="Least cosine of a memory to the query")
    filter: Annotated[str, Field(max_length=1_000, description="Terms as kind:preference said:2026 is:open")] = ""
    project: Name | None = Field(default=None, description="What holds in this project or everywhere")


class Recall(_Owned):
    """A prompt to recall memories for, or a project for all of its memories."""

    prompt: Prompt = Field(
        default="", validation_alias=AliasChoices("prompt", "query"), description="The person's words; also as query"
    )
    project: Name | None = Field(default=None, description="The project's name")
    budget: int | None = Field(default=None, ge=50, le=20_000, description="At most this many tokens")


class Propose(_Owned):
    """A memory for the person to review, or one to forget."""

    because: Annotated[str, Field(min_length=1, max_length=500, description="The person's words, verbatim")]
    text: Text | None = Field(default=None, description="One statement that the person made or confirmed")
    kind: Kind | None = Field(default=None, description="The kind of statement; by default fact")
    project: Name | None = Field(default=None, description="Only for this project")
    supersedes: Name | None = Field(default=None, description="Id of a memory that this replaces")
    forget: Name | None = Field(default=None, description="Id of a memory to forget, instead of a text")
    session: Name | None = Field(default=None, description="The client's name of its session")


class Feedback(_Owned):
    """Recalled memories that were useful or not, or the answer that a model gave with them, which is scored later."""

    recall_id: Name = Field(description="Of the block that had the memories")
    useful: list[Name] = Field(default_factory=list, max_length=100, description="Ids of memories that helped")
    useless: list[Name] = Field(default_factory=list, max_length=100, description="Ids of memories that did not")
    answer: Annotated[str | None, Field(max_length=200_000, description="What the model answered")] = None


class Memory(BaseModel):
    """A memory. A key of an agent gets the first seven fields and the quotes only."""

    id: str = Field(description="Its global id")
    text: str = Field(description="One statement")
    kind: str = Field(description="The kind of statement")
    said: str | None = Field(description="The day it was said")
    review: str = Field(description="What the person decided: open, validated or rejected")
    project: str | None = Field(description="The project it belongs to")
    said_by: str | None = Field(default=None, description="The member of a shared project who said it")
    quotes: list[str] | None = Field(default=None, description="The words it comes from; for one memory")
    score: float | None = Field(default=None, description="Of a search")
    life: str | None = Field(default=None, description="live, forgotten, superseded, expired or purged")
    rank: str | None = Field(default=None, description="How it does in use")
    tier: str | None = Field(default=None, description="How central it is: core, medium or low")
    origin: str | None = Field(default=None, description="Who made it")
    pinned: bool | None = Field(default=None, description="True: never expired, demoted or merged by a machine")
    given: str | None = Field(default=None, description="When models get it: always, relevant or never")
    importance: int | None = Field(default=None, description="1 to 10")
    confidence: float | None = Field(default=None, description="The machine's, 0 to 1")
    scope: str | None = Field(default=None, description="Where it holds: global, project:NAME or session:NAME")
    source: str | None = Field(default=None, description="The chat program it comes from")
    tags: list[str] | None = Field(default=None, description="Words to find it by")
    flag: str | None = Field(default=None, description="Why it is in quarantine")
    expires_at: str | None = Field(default=None, description="When it ends")
    superseded_by: str | None = Field(default=None, description="Global id of the memory that replaces it")


Notes = Annotated[list[str], Field(description="Limits of this answer, such as a missing model")]


class Page(BaseModel):
    """Some of the memories that match; `total` counts all."""

    memories: list[Memory] = Field(description="In the order asked for")
    total: int = Field(description="All that match")
    limit: int = Field(description="As asked for")
    offset: int = Field(description="As asked for")


class Found(BaseModel):
    """Memories that a search found, best first."""

    memories: list[Memory] = Field(description="Best first")
    notes: Notes


class Block(BaseModel):
    """Memories as text for a model's prompt."""

    text: str = Field(description="The block; empty if nothing applies")
    recall_id: str = Field(description="Its name, for feedback")
    tokens: int = Field(description="Its length")
    items: list[Memory] = Field(description="The memories in it")
    notes: Notes


class Changed(BaseModel):
    """A memory after a change, and the command that `curator undo` takes back."""

    memory: Memory = Field(description="As it is now")
    changed: bool = Field(description="False if it was so already")
    command: str | None = Field(default=None, description="Global id of the step")


class Preview(BaseModel):
    """A memory, and whether it was forgotten or would be."""

    memory: Memory = Field(description="The memory to forget")
    forgotten: bool = Field(description="True if it was forgotten")
    note: str = Field(description="What to do next")


class Proposed(BaseModel):
    """The result of a proposal."""

    status: Literal["waiting", "known", "refused", "quarantined"] = Field(
        description="waiting or quarantined: the person reviews it; known: there already; refused: not stored"
    )
    id: str | None = Field(description="Global id of the memory")
    reason: str = Field(description="The reason, if it does not wait")


class Warmth(BaseModel):
    """The usefulness of memories after feedback, 0 to 1."""

    warmth: dict[str, float] = Field(description="By global id")
    saved: bool = Field(description="Whether an answer was stored for scoring")


class Stats(BaseModel):
    """Statistics of the store."""

    memories: int = Field(description="Live memories")
    validated: int = Field(description="Confirmed by the person")
    inbox: int = Field(description="Waiting for the person's review")
    quarantined: int = Field(description="Given to no model before the person validates them")
    conflicts: int = Field(description="Pairs that contradict each other, for the person to resolve")


class Health(BaseModel):
    """The server works."""

    status: Literal["ok"] = Field(description="It answers")
    version: str = Field(description="Of Curator")


class Problem(BaseModel):
    """An error."""

    error: str = Field(description="What is wrong, with the remedy")
