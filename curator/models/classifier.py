"""Classifiers of texts, and of pairs of texts: all-mpnet-base-v2 with small fitted changes, through onnxruntime.

A graph holds the changes of one classifier, 6 MB, and reads the published weights where they lie, as the embedder
does (`tests/models/make_classifier_graph.py`). English only. Of a text, or of a pair together, 96 tokens are read; the
longer one of a pair is cut first.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MAX_TOKENS = 96
MAX_CHARACTERS = 2_000  # tokenized of each text
BATCH = 8


class Classifier:
    """A classifier over one open session. Safe to call from several threads at once."""

    def __init__(self, session: "InferenceSession", tokenizer: "Tokenizer") -> None:
        self._session = session
        self._tokenizer = tokenizer
        tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")

    def chances(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Return the chance of each class for texts or pairs of texts, (texts, classes); each row adds up to 1."""
        tokens = self._tokenizer.encode_batch([_readable(text) for text in texts])
        order = sorted(range(len(texts)), key=lambda row: len(tokens[row].ids))
        found: dict[int, NDArray[np.float32]] = {}
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            ids = np.zeros((len(rows), len(tokens[rows[-1]].ids)), np.int64)
            mask = np.zeros_like(ids)
            for index, row in enumerate(rows):
                length = len(tokens[row].ids)
                ids[index, :length], mask[index, :length] = tokens[row].ids, 1
            inputs = {"input_ids": ids, "attention_mask": mask}
            found.update(zip(rows, np.asarray(self._session.run(["chances"], inputs)[0], np.float32), strict=True))
        return np.array([found[row] for row in range(len(texts))], np.float32)


def _readable(text: str | tuple[str, str]) -> str | tuple[str, str]:
    """Return a text, or each of a pair, as the tokenizer takes it: not too long, and without broken surrogates."""
    if isinstance(text, str):
        return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    first, second = (part[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8") for part in text)
    return first, second
