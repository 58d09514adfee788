"""Recognition of purged texts in new messages, by the keyed hashes and short checksums that a purge keeps.

A passage (a sentence, a clause, or a few consecutive clauses) is recognised if it has the content key of a purged text.
Since hashing all passages of a log would take longer than its import, a checksum excludes nearly all of them first. The
checksum is equal for texts with equal content keys: it ignores letters in which contractions differ (can't, can not),
punctuation, and other scripts.
"""

import re
import sqlite3
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from zlib import crc32

import orjson

from store.record import meta
from store.record.asides import without_asides
from store.record.meta import hashed
from store.record.repository import json_list
from store.record.text_redaction import Span, covered, covered_title, is_distinctive

_CHECKSUMS = "purged_checksums"  # in meta: JSON of checksums by hashed content key
_RUN = 3  # maximum number of consecutive clauses in a passage
_LEAST = 4  # minimum letters for a meaningful checksum
_UNSPECIFIC = 0
_ENDS, _BREAKS = b".!?:\n", b",;()"
_SIGNIFICANT = b"bcdefgjkmpqrstuvxyz0123456789"  # not those of am, are, have, not, will, wo, ca, sha
_LOWER = bytes(10 if code in _ENDS else 44 if code in _BREAKS else bytes([code]).lower()[0] for code in range(256))
_DROPPED = bytes(code for code in range(256) if _LOWER[code] not in _SIGNIFICANT + b"\n,")
_LINES = bytes(10 if code == 10 else bytes([code]).lower()[0] for code in range(256))
_SIGNS = str.maketrans({"—": ",", "–": ",", "。": "."})  # others become ASCII by NFKC, or separate nothing
_DROPPED_BUT_LINES = bytes(code for code in range(256) if _LINES[code] not in _SIGNIFICANT + b"\n")
_CONJUNCTION = re.compile(r"(?<= )(?:and|but)(?= )")
_CLAUSE = re.compile(r"[^.!?\n,;:()—–…。，；：！？（）]+")
_LINE = re.compile(r"[^\n]+")
_SENTENCE_END = re.compile(r"[.!?:\n…。！？：]")
_OPENING = re.compile(r"[\s>#•|]*")
_CONJUNCTION_BYTES = re.compile(rb"(?<= )(?:and|but)(?= )")


@dataclass(frozen=True)
class PurgedTexts:
    """The purged texts of an owner whose checksums are known; `key_of` returns the content key of a text.

    Texts that were only stored and purged on another device have no checksum here, and are not recognised: hashing all
    passages would increase the processor time of an import 18 times.
    """

    key_of: Callable[[str], str]
    keys: tuple[bytes, ...]
    hashes: frozenset[str]
    checksums: frozenset[int]

    def spans(self, text: str) -> list[Span]:
        """Return the spans of a text that are purged texts."""
        bare = without_asides(text)
        return [*dict.fromkeys(self._spans(text) + (self._spans(bare) if bare != text else []))]

    def _spans(self, text: str) -> list[Span]:
        found = [span for span in (self._said(text, *one) for one in self._candidates(text)) if span]
        starts = sorted(start for start, _ in found)
        for line in _LINE.finditer(text):  # lines with several sentences, or with dots within words
            start, end = line.span()
            at = bisect_left(starts, start)
            if (at == len(starts) or starts[at] >= end) and self._fits(_significant(line[0])):
                found += filter(None, [self._said(text, start, end)])
        return found

    def _said(self, text: str, start: int, end: int) -> Span | None:
        """Return the span without fillers at its ends if it is a purged text, else None."""
        opening = _OPENING.match(text, start, end)
        start = opening.end() if opening else start
        said = text[start:end].rstrip()
        end = start + len(said)
        is_purged = is_distinctive(said) and self._is_purged(said + ("?" if text[end : end + 1] == "?" else ""))
        return (start, end) if is_purged else None

    def cover(self, title: str | None, texts: Sequence[str]) -> tuple[str | None, list[str]]:
        """Return a conversation's title and message texts with purged texts covered."""
        if not self._may_be_said_in("\n".join((title or "", *texts))):
            return title, list(texts)
        title = title and covered(title, self.spans(title))
        clean = []
        for text in texts:
            if places := self.spans(text):
                title = title and covered_title(title, text, places)
            clean.append(covered(text, places))
        return title, clean

    def cover_text(self, text: str) -> str:
        """Return a text with purged texts covered."""
        return covered(text, self.spans(text)) if self._may_be_said_in(text) else text

    def _is_purged(self, text: str) -> bool:
        content_key = self.key_of(text)
        return any(hashed(key, content_key) in self.hashes for key in self.keys)

    def _may_be_said_in(self, text: str) -> bool:
        if self._may_occur_in(text):
            return True
        bare = ((line, without_asides(line)) for line in text.split("\n"))
        return self._may_occur_in("\n".join(plain for line, plain in bare if plain != line))

    def _may_occur_in(self, text: str) -> bool:
        """Return False if no passage has the checksum of a purged text; takes 10 ms per megabyte."""
        wanted = self.checksums
        if _UNSPECIFIC in wanted:
            return True
        plain = _plain(text)
        lines = plain.translate(_LINES, _DROPPED_BUT_LINES).split(b"\n")
        if not wanted.isdisjoint(map(crc32, lines)):
            return True
        plain = _CONJUNCTION_BYTES.sub(rb",\g<0>,", plain)
        data = plain.translate(_LOWER, _DROPPED)
        clauses = data.replace(b",", b"\n").split()
        sums = list(map(crc32, clauses))
        for run in range(1, _RUN):
            if not wanted.isdisjoint(sums):
                return True
            sums = list(map(crc32, clauses[run:], sums))
        return not (wanted.isdisjoint(sums) and wanted.isdisjoint(map(crc32, data.replace(b",", b"").split())))

    def _candidates(self, text: str) -> Iterator[Span]:
        """Yield the spans of sentences and runs of clauses whose checksum is that of a purged text."""
        clauses = [one for one in _clauses(text) if text[slice(*one)].strip()]
        parts = [_significant(text[start:end]) for start, end in clauses]
        sentence = 0
        for first, (start, _) in enumerate(clauses):
            if first and _SENTENCE_END.search(text, clauses[first - 1][1], start):
                sentence = first
            for last, letters in enumerate(accumulate(parts[first : first + _RUN], initial=b""), first - 1):
                if last >= first and self._fits(letters):
                    yield start, clauses[last][1]
            if first - sentence >= _RUN:
                last = first
                is_end = last + 1 == len(clauses) or _SENTENCE_END.search(text, clauses[last][1], clauses[last + 1][0])
                if is_end and self._fits(b"".join(parts[sentence : last + 1])):
                    yield clauses[sentence][0], clauses[last][1]

    def _fits(self, letters: bytes) -> bool:
        return _checksum_of(letters) in self.checksums


def checksum(text: str) -> int:
    """Return the checksum of a text."""
    return _checksum_of(_significant(text))


def _checksum_of(letters: bytes) -> int:
    return crc32(letters) if len(letters) >= _LEAST else _UNSPECIFIC


def _significant(text: str) -> bytes:
    return _plain(text).translate(_LOWER, _DROPPED + b".!?\n,;:()")


def _plain(text: str) -> bytes:
    """Return the ASCII characters of a text in the normal form of content keys, with dashes as commas."""
    if text.isascii():
        return text.encode()
    folded = unicodedata.normalize("NFKC", text.translate(_SIGNS)).casefold()
    return unicodedata.normalize("NFKC", folded).encode("ascii", "ignore")


def _clauses(text: str) -> Iterator[Span]:
    for found in _CLAUSE.finditer(text):
        at = found.start()
        for word in _CONJUNCTION.finditer(text, *found.span()):
            yield at, word.start()
            yield word.span()
            at = word.end()
        yield at, found.end()


def masked_checksums(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the masked checksums of purged texts by hashed content key. Raises ValueError, TypeError for others."""
    known = dict(orjson.loads(meta.find(connection, _CHECKSUMS) or b"{}"))
    return {str(key): int(value) for key, value in known.items()}


def note_checksums(connection: sqlite3.Connection, texts: Iterable[tuple[str, str]]) -> None:
    """Store the checksums of texts that a purge erases, given as (hashed content key, text)."""
    known = masked_checksums(connection)
    secret = meta.first_key(connection)
    known.update({key: checksum(text) ^ _mask(secret, key) for key, text in texts})
    meta.put(connection, _CHECKSUMS, orjson.dumps(known))


def note_memories(connection: sqlite3.Connection, memories: Collection[int]) -> None:
    """Store the checksums of the present and former texts of memories, before a purge erases them."""
    chosen = "(SELECT value FROM json_each(?1))"
    rows = connection.execute(
        f"SELECT content_key, text FROM memories WHERE id IN {chosen}"
        f" UNION SELECT content_key, text FROM versions WHERE memory IN {chosen} AND content_key IS NOT NULL",
        (json_list(memories),),
    )
    note_checksums(connection, [(key, text) for key, text in rows if text])


def read_purged(connection: sqlite3.Connection, owner: str, key_of: Callable[[str], str]) -> PurgedTexts | None:
    """Return the purged texts of an owner that can be recognized, or None if there are none."""
    rows = connection.execute(
        "SELECT DISTINCT t.content_key FROM tombstones t JOIN memories p ON p.id = t.memory AND p.life = 'purged'"
        " WHERE t.owner = ?",
        (owner,),
    )
    known = masked_checksums(connection)
    hashes = frozenset(row[0] for row in rows if row[0] in known)
    if not hashes:
        return None
    secret = meta.first_key(connection)
    sums = frozenset(known[key] ^ _mask(secret, key) for key in hashes)
    return PurgedTexts(key_of, tuple(meta.keys(connection)), hashes, sums)


def _mask(secret: bytes, key: str) -> int:
    """Return the mask of a checksum."""
    return int(hashed(secret, f"checksum {key}")[:8], 16)
