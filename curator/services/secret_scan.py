"""Rescan the record with the current detectors for stored secrets and for text that instructs a model.

Redaction of secrets is permanent and covers messages, memories and the journal. Memories that instruct a model are put
in quarantine, which can be undone.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from curator.injection import FLAG, flag_memory
from curator.secrets import MARK, covered, redact, secrets_in
from curator.secrets.known import replacer
from curator.text import content_key
from store import Cleaned, Filter, Redactors, Store
from store.model import Review
from store.record.text_redaction import MASK

_MIN_LENGTH = 8  # characters of a secret that is searched for in all texts; it must not be letters only
_BLOCK = 5_000
_PLAIN = re.compile(r"[^\W\d_]*")


@dataclass(frozen=True, slots=True)
class SecretText:
    """A stored text that contains secrets.

    `sort` is "message" or "memory", `count` the number of secrets, `shown` the redacted text.
    """

    sort: str
    id: int
    count: int
    shown: str


@dataclass(frozen=True, slots=True)
class SecretScan:
    """Result of a scan.

    `values` are the secrets themselves, to search for in all texts; never print them. The other fields are ids of
    memories that instruct a model: `injections` are open and not flagged, `validated` were validated by the person and
    stay as they are, `quarantined` are in quarantine already.
    """

    found: tuple[SecretText, ...]
    injections: tuple[int, ...]
    values: frozenset[str]
    validated: tuple[int, ...] = ()
    quarantined: tuple[int, ...] = ()


def scan(store: Store) -> SecretScan:
    """Scan all messages and memories without writing."""
    secrets, values = _secrets(store.texts())
    unseen = _injections(store, Filter(reviews=(Review.OPEN,), flagged=False))
    validated = _injections(store, Filter(reviews=(Review.VALIDATED,)))
    held = store.get_many(store.list_ids(Filter(quarantine=True)))
    flagged = tuple(memory.id for memory in held if memory.flag == FLAG)
    return SecretScan(tuple(secrets), tuple(unseen), frozenset(values), tuple(validated), flagged)


def _secrets(texts: Iterable[tuple[str, int, str]]) -> tuple[list[SecretText], set[str]]:
    """Return the texts that contain secrets, and the secrets that are long enough to search for in all texts."""
    secret_texts: list[SecretText] = []
    values: set[str] = set()
    for sort, row_id, text in texts:
        secrets = secrets_in(text)
        if secrets:
            secret_texts.append(SecretText(sort, row_id, len(secrets), redact(text).text))
            values.update(value for value in secrets if len(value) >= _MIN_LENGTH and not _PLAIN.fullmatch(value))
    clean = _redactors(frozenset(values)).clean  # a known secret may also occur where the detector does not see it
    return [replace(secret_text, shown=clean(secret_text.shown)) for secret_text in secret_texts], values


def quarantine_orders(store: Store, scan: SecretScan) -> int:
    """Quarantine the memories in `scan.injections` in one command; return their number."""
    with store.command("quarantine") as writer:
        open_still = writer.where("flag IS NULL AND review = 'open'", scan.injections)
        return len(writer.update("memories", open_still, {"flag": FLAG}))


def redact_found(
    store: Store, scan: SecretScan, finish: Callable[[Store], tuple[str, ...]]
) -> tuple[Cleaned, tuple[str, ...]]:
    """Redact the secrets in rows and journal; `finish` then removes them from copies and the index. Cannot be undone.

    Return the counts, and a message for each place that could not be redacted yet.
    """
    done = store.redact(_redactors(scan.values))
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


def redactors_for(texts: Iterable[tuple[str, int, str]]) -> tuple[Redactors | None, int]:
    """Return redactors for the secrets in texts (None if there are none), and the number of texts with secrets."""
    secret_texts, values = _secrets(texts)
    return _redactors(frozenset(values)) if secret_texts else None, len({(text.sort, text.id) for text in secret_texts})


def _redactors(values: frozenset[str]) -> Redactors:
    """Return redactors that replace these values wherever they occur, and any secret that the detector finds."""
    replace_known = replacer(values)

    def clean(text: str) -> str:
        return redact(replace_known(text, lambda _: MARK)).text

    def cover(text: str) -> str:
        return covered(replace_known(text, lambda secret: MASK * len(secret)), MASK)

    return Redactors(clean, cover, content_key)
