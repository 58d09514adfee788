"""Enums of memories, messages, commands and relations."""

from enum import StrEnum


class Kind(StrEnum):
    """Kind of statement."""

    IDENTITY = "identity"
    TRAIT = "trait"
    PREFERENCE = "preference"
    CONSTRAINT = "constraint"
    RELATIONSHIP = "relationship"
    DECISION = "decision"
    COMMITMENT = "commitment"
    TASK = "task"
    PROJECT = "project"
    ENTITY = "entity"
    SKILL = "skill"
    FACT = "fact"
    EVENT = "event"
    CONTEXT = "context"


class Tier(StrEnum):
    """Importance class of a memory."""

    CORE = "core"
    MEDIUM = "medium"
    LOW = "low"


class Given(StrEnum):
    """When a memory is given to models: in every block, in those on its subject, or in none."""

    ALWAYS = "always"
    RELEVANT = "relevant"
    NEVER = "never"


class Review(StrEnum):
    """Decision of the person, which no machine changes."""

    OPEN = "open"
    VALIDATED = "validated"
    REJECTED = "rejected"


class Rank(StrEnum):
    """Automatic ranking of a memory by use and age."""

    NEW = "new"
    HIGH = "high"
    LOW = "low"


class Life(StrEnum):
    """Life cycle state; only `live` memories are recalled."""

    LIVE = "live"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    FORGOTTEN = "forgotten"
    PURGED = "purged"


class Origin(StrEnum):
    """Creator of a memory.

    RULES and MODEL are distillers, PERSON typed it, IMPORT read it from a file of memories, AGENT proposed it, and
    SHARED came from another member of a shared project.
    """

    RULES = "rules"
    MODEL = "model"
    PERSON = "person"
    IMPORT = "import"
    AGENT = "agent"
    SHARED = "shared"


class Relation(StrEnum):
    """Relation of two memories, as judged by rules, models and people."""

    DUPLICATE = "duplicate"
    UPDATE = "update"
    CONTRADICTION = "contradiction"
    COEXIST = "coexist"
    UNRELATED = "unrelated"
    UNSURE = "unsure"

    @property
    def is_opposed(self) -> bool:
        """True if the two memories cannot both be true now."""
        return self in (Relation.UPDATE, Relation.CONTRADICTION)


class Role(StrEnum):
    """Author of a message, independent of the log's own names."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"
    OTHER = "other"  # another person in a group chat; the text begins with the name


Span = StrEnum("Span", ["SHORT_TERM", "MEDIUM_TERM", "CURRENT", "LONG_TERM", "FUTURE"])
"""Duration of a statement, as labelled by other memory systems. Stored and exported, but not used."""


class Channel(StrEnum):
    """Content class of a message. Only the person's messages in `DISTILLED_CHANNELS` are distilled."""

    SPOKEN = "spoken"  # said in the conversation
    INSTRUCTIONS = "instructions"  # the person's custom instructions
    SAVED = "saved"  # a memory that another system stored about the person
    TOOL = "tool"  # a tool call or its result
    THINKING = "thinking"  # a model's reasoning
    INJECTED = "injected"  # context inserted by a program
    SUMMARY = "summary"  # a compaction summary of earlier messages
    SIDECHAIN = "sidechain"  # a sub-agent's conversation
    ATTACHMENT = "attachment"  # the content of a pasted or attached file


DISTILLED_CHANNELS = (Channel.SPOKEN, Channel.INSTRUCTIONS, Channel.SAVED)


class Actor(StrEnum):
    """Author of a command."""

    PERSON = "person"
    SWEEP = "sweep"
    MODEL = "model"
    SERVER = "server"
