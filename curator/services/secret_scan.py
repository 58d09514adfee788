"""Rescan the record with today's detectors: for stored secrets, and for text that instructs a model.

Secrets are redacted for good wherever they occur in logs and memories, since they would stay in the journal otherwise.
Instructions are put in quarantine, which can be undone.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from curator.curation import finish_purge
from curator.injection import FLAG, flag_memory
from curator.secrets import covered, redact, secrets_in
from curator.text import content_key
from store import Cleaned, Filter, Redactors, Store
from store.model import Review
from store.record.text_redaction import MASK

_LONG = 8  # minimum characters of a secret that is searched for everywhere, if it has more than letters
_BLOCK = 5_000
_PLAIN = re.compile(r"[^\W\d_]*")


@dataclass(frozen=True, slots=True)
class SecretText:
    """A text that contains secrets: `sort` is its type, message or memory; `shown` is the text without them."""

    sort: str
    id: int
    count: int
    shown: str


@dataclass(frozen=True, slots=True)
class Scan:
    """Findings of the detectors. `values` are the secrets to search for everywhere; never print them.

    `injections` are memories that instruct a model and that the person did not validate; `validated` those that the
    person validated or typed, which are left alone; `quarantined` those already in quarantine.
    """

    found: tuple[SecretText, ...]
    injections: tuple[int, ...]
    values: frozenset[str]
    validated: tuple[int, ...] = ()
    quarantined: tuple[int, ...] = ()


def scan(store: Store) -> Scan:
    """Read everything, without writing."""
    found, values = _secrets(store.texts())
    unseen = _injections(store, Filter(reviews=(Review.OPEN,), flagged=False))
    validated = _injections(store, Filter(reviews=(Review.VALIDATED,)))
    held = store.get_many(store.list_ids(Filter(quarantine=True)))
    flagged = tuple(memory.id for memory in held if memory.flag == FLAG)
    return Scan(tuple(found), tuple(unseen), frozenset(values), tuple(validated), flagged)


def _secrets(texts: Iterable[tuple[str, int, str]]) -> tuple[list[SecretText], set[str]]:
    """Return the texts that contain secrets, and the secrets to search for everywhere."""
    found: list[SecretText] = []
    values: set[str] = set()
    for sort, number, text in texts:
        secrets = secrets_in(text)
        if secrets:
            found.append(SecretText(sort, number, len(secrets), redact(text).text))
            values.update(value for value in secrets if len(value) >= _LONG and not _PLAIN.fullmatch(value))
    clean = _ways(frozenset(values)).clean  # a secret may also occur in words that do not reveal it to the detector
    return [replace(one, shown=clean(one.shown)) for one in found], values


def quarantine_orders(store: Store, scan: Scan) -> int:
    """Quarantine memories that instruct a model: no model sees them until the person validates them. One undo."""
    with store.command("quarantine") as writer:
        open_still = writer.where("flag IS NULL AND review = 'open'", scan.injections)
        return len(writer.update("memories", open_still, {"flag": "injection"}))


def redact_found(
    store: Store, scan: Scan, finish: Callable[[Store], tuple[str, ...]] = finish_purge
) -> tuple[Cleaned, tuple[str, ...]]:
    """Redact the secrets in rows and journal, and with `finish` in copies and index. Cannot be undone.

    Returns the result, and messages for what could not be redacted yet.
    """
    done = store.redact(_ways(scan.values))
    left = finish(store)
    still, _ = _secrets(store.texts())
    if still:
        left += (f"{len(still):,} texts still hold a secret, the first is of {still[0].sort} {still[0].id}",)
    return done, left


def _injections(store: Store, memory_filter: Filter) -> list[int]:
    ids = store.list_ids(memory_filter)
    return [
        memory.id
        for start in range(0, len(ids), _BLOCK)
        for memory in store.get_many(ids[start : start + _BLOCK])
        if flag_memory(memory.text, memory.project, memory.tags) is not None
    ]


def detect(texts: Iterable[tuple[str, int, str]]) -> tuple[Redactors | None, int]:
    """Return redactors for the secrets in texts, or None, and the number of texts with secrets."""
    found, values = _secrets(texts)
    return _ways(frozenset(values)) if found else None, len({(one.sort, one.id) for one in found})


def _ways(values: frozenset[str]) -> Redactors:
    """Return redactors for secrets that the detector finds, and for these values wherever else they occur."""
    known = re.compile("|".join(map(re.escape, sorted(values, key=len, reverse=True))) or r"(?!)", re.IGNORECASE)

    def clean(text: str) -> str:
        return redact(known.sub("[REDACTED]", text)).text

    def cover(text: str) -> str:
        return covered(known.sub(lambda match: MASK * len(match[0]), text), MASK)

    return Redactors(clean, cover, content_key)
