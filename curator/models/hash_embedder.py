"""A lexical embedder: similarity of spelling in any script, without meaning.

Feature hashing (Weinberger et al., arXiv:0902.2206): every word, and the 3- and 4-grams of its letters with marked
ends, is added to or subtracted from one of 384 numbers chosen by a hash. Scripts without spaces are counted by
character and pair of characters. Deterministic across machines and processes; needs no weights; ~8,000 sentences
take 1 s.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from curator.models.interfaces import Embedder
from store.model import Fingerprint

DIMENSION = 384
MAX_CHARACTERS = 20_000  # read per text
LONG = 8  # letters at which a word gets full weight; short words are the frequent ones in most languages
SPACELESS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # kana and Han
RUNS = re.compile(rf"[{SPACELESS}]+|[^\W_{SPACELESS}]+")
# `digest` is the version of the method: raise it with any change to the vector of a text.
FINGERPRINT = Fingerprint(provider="hashing", model="lexical", digest="1", dimension=DIMENSION)


class Hashing(Embedder):
    """A lexical `Embedder`. The vector of a text without letters or digits is near no other."""

    fingerprint = FINGERPRINT

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """See `Embedder.embed`."""
        vectors = np.empty((len(texts), DIMENSION), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = _vector(text)
            if progress is not None and (row + 1) % 1000 == 0:
                progress(row + 1)
        if progress is not None:
            progress(len(texts))
        return vectors


def _vector(text: str) -> NDArray[np.float64]:
    spelled = unicodedata.normalize("NFKD", text[:MAX_CHARACTERS].casefold())
    letters = "".join(letter for letter in spelled if not unicodedata.combining(letter))
    sums = np.zeros(DIMENSION)
    if counts := Counter(RUNS.findall(letters)):
        places, weights = zip(*(_features(run) for run in counts), strict=True)
        scaled = [weight * (1 + log(times)) for weight, times in zip(weights, counts.values(), strict=True)]
        sums += np.bincount(np.concatenate(places), np.concatenate(scaled), DIMENSION)
    sums[0] += 1e-6  # so that empty texts and sums that cancel out have a direction as well
    return sums / np.linalg.norm(sums)


@lru_cache(maxsize=50_000)
def _features(run: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the indices that a run of letters changes, and the amounts added there."""
    if re.match(f"[{SPACELESS}]", run):
        words, grams, importance = [*run, *_grams(run, 2)], [], 1.0
    else:
        ends = f"<{run}>"
        words, grams, importance = [run], [*_grams(ends, 3), *_grams(ends, 4)], min(1.0, len(run) / LONG)
    hashes = [_hash(f"word {word}") for word in words] + [_hash(f"gram {gram}") for gram in grams]
    weights = np.repeat([importance, importance / sqrt(len(grams) or 1)], [len(words), len(grams)])
    signs = [1 if number & 1 else -1 for number in hashes]
    return np.array([(number >> 1) % DIMENSION for number in hashes]), weights * signs


def _grams(run: str, length: int) -> list[str]:
    return [run[i : i + length] for i in range(len(run) - length + 1)]


def _hash(feature: str) -> int:
    digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
