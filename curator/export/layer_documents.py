"""Documents of the layers above memories: entry summaries, topic memories of these, a global memory of those.

Each is made from the layer below alone, without a model and without the time of now: equal input gives equal bytes.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import orjson

from curator.text import jaccard, tokens

Document = dict[str, Any]

ENTRY, TOPIC, GLOBAL, INDEX = "entry_summary.v1", "topic_memory.v1", "global_memory.v1", "layers_index.v1"
_REQUIRED: Mapping[str, Mapping[str, type]] = {
    ENTRY: {"entry": dict, "topic": str, "summary": str, "facts": list},
    TOPIC: {"topic": str, "state": dict, "entries": list, "facts": list},
    GLOBAL: {"active_topics": list, "do_not_forget": list, "as_of": object},
    INDEX: {"files": dict},
}
_STATE: Mapping[str, type] = {
    "summary": str,
    "made_by": str,
    "bounds": dict,
    "open_questions": list,
    "next_actions": list,
}
_FACT: Mapping[str, type] = {
    "memory": str,
    "text": str,
    "type": str,
    "tier": str,
    "confidence": float,
    "importance": int,
}
_SENTENCES = 3  # of a summary
_ALIKE = 0.5  # common tokens of two texts of which a summary takes one
_ACTIONS = 10  # next actions of a topic
_TOPICS, _TOPIC_ACTIONS = 50, 3  # active topics, and next actions of each
_TYPES = ("identity", "commitment", "constraint", "preference", "trait", "event")
_MOST = {"core": 12, "secondary": 6}  # facts of each type that are not to be forgotten
_KEPT = ("type", "text", "scope", "topic", "entry_id", "memory", "expires_at")
_TIERS = {"core": "core", "medium": "secondary"}
OTHER = "other"
_REMEDY = "`curator export layers DIR` rewrites the layers from your store"


class OlderLayer(ValueError):
    """A document of a former version of its schema, which is made anew from the store."""


def entry_summary(topic: str, entry: Document, facts: Sequence[Document]) -> Document:
    """Return the summary of what one conversation says about a topic."""
    placed = [{**fact, "entry_id": entry["id"], "entry_ts": entry["at"]} for fact in facts]
    return {
        "schema": ENTRY,
        "topic": topic,
        "entry": entry,
        "summary": summary_of(placed),
        "facts": sorted(placed, key=lambda fact: (fact["said_at"] or "", fact["memory"])),
    }


def topic_memory(
    topic: str, entries: Iterable[Document], questions: Sequence[Document], past: Set[str] = frozenset()
) -> Document:
    """Return the memory of a topic: the facts of its entry summaries, and their state.

    `questions` are the open conflicts between two facts, `past` the memories that no action is left of. The summary
    quotes the most important facts.
    """
    known = sorted(entries, key=lambda entry: (entry["entry"]["at"] or "", entry["entry"]["id"]))
    facts = [fact for entry in known for fact in entry["facts"]]
    dates = sorted(fact["said_at"] for fact in facts if fact["said_at"])
    actions = sorted(
        (fact for fact in facts if fact["type"] in ("task", "commitment") and fact["memory"] not in past),
        key=lambda fact: (fact["expires_at"] or "9999", _newest_first(fact), fact["memory"]),
    )
    return {
        "schema": TOPIC,
        "topic": topic,
        "state": {
            "made_by": "rules",
            "summary": summary_of(facts),
            "bounds": {
                "from": dates[0] if dates else None,
                "to": dates[-1] if dates else None,
                "entries": len(known),
                "facts": len(facts),
                "projects": sorted({fact["project"] for fact in facts if fact["project"]}),
            },
            "open_questions": list(questions),
            "next_actions": [
                {"text": fact["text"], "due": fact["expires_at"], "memory": fact["memory"]}
                for fact in actions[:_ACTIONS]
            ],
        },
        "entries": [entry["entry"]["id"] for entry in known],
        "facts": facts,
    }


def global_memory(topics: Iterable[Document], folders: Mapping[str, str]) -> Document:
    """Return the memory over all topics, from topic memories alone; `folders` are their folders by topic."""
    known = [checked(topic, TOPIC, topic.get("topic", "a topic")) for topic in topics]
    active = sorted(
        (topic for topic in known if topic["topic"] != OTHER),
        key=lambda topic: (topic["state"]["bounds"]["to"] or "", len(topic["facts"]), topic["topic"]),
        reverse=True,
    )
    facts = [{**fact, "topic": topic["topic"]} for topic in known for fact in topic["facts"]]
    dates = [topic["state"]["bounds"]["to"] for topic in known if topic["state"]["bounds"]["to"]]
    lasting = [fact for fact in facts if not str(fact["scope"]).startswith("session:")]
    always = [fact for fact in lasting if fact.get("always")]
    kept = sorted(always, key=lambda fact: (fact["scope"] != "global", fact["scope"], rank(fact)))
    for tier, most in _MOST.items():
        for kind in _TYPES:
            of_kind = [fact for fact in lasting if (_TIERS.get(fact["tier"]), fact["type"]) == (tier, kind)]
            kept += distinct(sorted((fact for fact in of_kind if not fact.get("always")), key=rank), most)
    return {
        "schema": GLOBAL,
        "as_of": max(dates, default=None),
        "active_topics": [
            {
                "topic": topic["topic"],
                "path": folders[topic["topic"]],
                "facts": len(topic["facts"]),
                "state": {
                    **topic["state"],
                    "open_questions": len(topic["state"]["open_questions"]),
                    "next_actions": topic["state"]["next_actions"][:_TOPIC_ACTIONS],
                },
            }
            for topic in active[:_TOPICS]
        ],
        "do_not_forget": [
            {
                "tier": _TIERS.get(fact["tier"], fact["tier"]),
                "always": bool(fact.get("always")),
                **{name: fact[name] for name in _KEPT},
            }
            for fact in kept
        ],
    }


def summary_of(facts: Iterable[Document]) -> str:
    """Return the most important facts, in their own words; of those that say nearly the same, the first."""
    chosen = (str(fact["text"]) for fact in distinct(sorted(facts, key=rank), _SENTENCES))
    return " ".join(text if text.endswith((".", "!", "?", "…")) else f"{text}." for text in chosen)


def distinct(facts: Iterable[Document], most: int) -> list[Document]:
    """Return the first facts of which no two say nearly the same, at most `most`."""
    chosen: list[Document] = []
    for fact in facts:
        if len(chosen) == most:
            break
        if all(jaccard(tokens(fact["text"]), tokens(other["text"])) < _ALIKE for other in chosen):
            chosen.append(fact)
    return chosen


def rank(fact: Document) -> tuple[Any, ...]:
    """Return a sort key, the most important first: decided by the person, tier, score, importance, then the newest."""
    score = fact["confidence"] if fact["user_fact_score"] is None else fact["user_fact_score"] / 10
    tier = ("core", "medium", "low").index(fact["tier"])
    return (not fact["decided"], tier, -score, -fact["importance"], _newest_first(fact), fact["memory"])


def _newest_first(fact: Document) -> tuple[int, ...]:
    return tuple(-ord(char) for char in fact["said_at"] or "")


def to_bytes(document: Document) -> bytes:
    """Return a document as JSON with sorted keys."""
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"


def parsed(data: bytes, schema: str, name: str) -> Document:
    """Return the document in a file of this name. Raises ValueError as `checked` does, and if it is not JSON."""
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"{name} is not JSON ({error}); delete it: {_REMEDY}") from error
    return checked(document, schema, name)


def checked(document: object, schema: str, name: str) -> Document:
    """Return a document if it has this schema and its fields. Raises ValueError with the file, schema and remedy."""
    if not isinstance(document, dict):
        raise ValueError(f"{name} is not a JSON object; delete it: {_REMEDY}")
    check_schema(document.get("schema"), schema, name)
    _check_fields(document, _REQUIRED[schema], name)
    if schema == TOPIC:
        _check_fields(document["state"], _STATE, f"{name}, state")
    for number, fact in enumerate(document.get("facts", ()) if schema in (ENTRY, TOPIC) else ()):
        _check_fields(fact, _FACT, f"{name}, fact {number + 1}")
    return document


def check_schema(found: object, schema: str, name: str) -> None:
    """Check that a file has this schema. Raises OlderLayer for a former version, ValueError for any other."""
    if found != schema:
        sort, _, version = (found if isinstance(found, str) else repr(found))[:60].rpartition(".v")
        shown = found[:60] if isinstance(found, str) else "none" if found is None else repr(found)[:60]
        if sort == schema.partition(".v")[0] and version.isdecimal():
            if int(version) < int(schema.rpartition(".v")[2]):
                raise OlderLayer(f"{name} has the schema {shown}, and this Curator reads {schema}: {_REMEDY}")
            raise ValueError(
                f"{name} has the schema {shown}, and this Curator reads {schema}: update Curator, or delete the file:"
                f" {_REMEDY}"
            )
        raise ValueError(f"{name} has the schema {shown}, not {schema}; delete the file: {_REMEDY}")


def _check_fields(document: object, fields: Mapping[str, type], name: str) -> None:
    """Check that an object has these fields. Raises ValueError."""
    for field, kind in fields.items():
        value = document.get(field) if isinstance(document, dict) else None
        if not isinstance(value, kind) and not (kind is float and isinstance(value, int)):
            raise ValueError(f"{name}: {field} is missing or of another type; delete the file: {_REMEDY}")
