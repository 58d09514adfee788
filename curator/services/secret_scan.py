"""The record read again with the detectors of today: secrets that got in, and text that gives orders to a model.

Where a secret stood, in whatever log or memory, it is redacted for good: it would stay in the journal otherwise. Orders
are put in quarantine, which can be undone.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from curator.curation import finish_purge
from curator.injection import FLAG, flag_memory
from curator.secrets import covered, redact, secrets_in
from curator.text import content_key
from store import Cleaned, Filter, Redactors, Store
from store.model import Review
from store.record.text_redaction import MASK

_LONG = 8  # characters of a secret that is looked for wherever it stands, if it has more than letters
_BLOCK = 5_000
_PLAIN = re.compile(r"[^\W\d_]*")


@dataclass(frozen=True, slots=True)
class Found:
    """A text that holds secrets: `sort` names where it stands, as message or memory; `shown` is it without them."""

    sort: str
    id: int
    count: int
    shown: str


@dataclass(frozen=True, slots=True)
class Scan:
    """Findings of the detectors. `values` are the secrets that are searched for everywhere; never printed.

    `injections` are memories that give orders and that the person did not validate; `validated` those that the person
    validated or typed, which are left alone. `quarantined` are in quarantine already.
    """

    found: tuple[Found, ...]
    injections: tuple[int, ...]
    values: frozenset[str]
    validated: tuple[int, ...] = ()
    quarantined: tuple[int, ...] = ()


def scan(store: Store) -> Scan:
    """Read everything; writes nothing."""
    found, values = _secrets(store.texts())
    unseen = _injections(store, Filter(reviews=(Review.OPEN,), flagged=False))
    validated = _injections(store, Filter(reviews=(Review.VALIDATED,)))
    held = store.get_many(store.list_ids(Filter(quarantine=True)))
    flagged = tuple(memory.id for memory in held if memory.flag == FLAG)
    return Scan(tuple(found), tuple(unseen), frozenset(values), tuple(validated), flagged)


def _secrets(texts: Iterable[tuple[str, int, str]]) -> tuple[list[Found], set[str]]:
    """Return the texts that hold secrets, and the secrets to look for wherever they stand."""
    found: list[Found] = []
    values: set[str] = set()
    for sort, number, text in texts:
        secrets = secrets_in(text)
        if secrets:
            found.append(Found(sort, number, len(secrets), redact(text).text))
            values.update(value for value in secrets if len(value) >= _LONG and not _PLAIN.fullmatch(value))
    clean = _ways(frozenset(values)).clean  # one of them may stand beside another in words that do not give it away
    return [replace(one, shown=clean(one.shown)) for one in found], values


def quarantine_orders(store: Store, scan: Scan) -> int:
    """Flag memories that give orders to a model: no model is given them until the person validates one. One undo."""
    with store.command("quarantine") as writer:
        open_still = writer.where("flag IS NULL AND review = 'open'", scan.injections)
        return len(writer.update("memories", open_still, {"flag": "injection"}))


def redact_found(store: Store, scan: Scan) -> tuple[Cleaned, tuple[str, ...]]:
    """Take the secrets out of rows, journal, copies and index. There is no undo.

    Returns what was done, and in words what could not be done yet.
    """
    done = store.redact(_ways(scan.values))
    left = finish_purge(store)
    still, _ = _secrets(store.texts())
    if still:
        left += (f"{len(still):,} texts still hold a secret, the first is of {still[0].sort} {still[0].id}",)
    return done, left


def _injections(store: Store, which: Filter) -> list[int]:
    ids = store.list_ids(which)
    return [
        memory.id
        for start in range(0, len(ids), _BLOCK)
        for memory in store.get_many(ids[start : start + _BLOCK])
        if flag_memory(memory.text, memory.project, memory.tags) is not None
    ]


def detect(texts: Iterable[tuple[str, int, str]]) -> tuple[Redactors | None, int]:
    """Return how the secrets in texts are taken out, None if there are none, and how many texts hold some."""
    found, values = _secrets(texts)
    return _ways(frozenset(values)) if found else None, len({(one.sort, one.id) for one in found})


def _ways(values: frozenset[str]) -> Redactors:
    """Return redactors for secrets that the detector finds, and for these values wherever else they stand."""
    known = re.compile("|".join(map(re.escape, sorted(values, key=len, reverse=True))) or r"(?!)", re.IGNORECASE)

    def clean(text: str) -> str:
        return redact(known.sub("[REDACTED]", text)).text

    def cover(text: str) -> str:
        return covered(known.sub(lambda match: MASK * len(match[0]), text), MASK)

    return Redactors(clean, cover, content_key)
