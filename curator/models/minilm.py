"""all-MiniLM-L6-v2 through onnxruntime: 384 dimensions, English, the first 128 content tokens of a text.

A text of more than 128 tokens is read without its function words and punctuation. In half the time, that finds more
than the first 256 tokens did: over 794 messages of 2,000 characters, R@10 of the vectors alone rose from .798 to .805,
and fell to .766 with the first 128. Shorter texts are read as they are.

The graph is ours (`tests/models/make_graph.py`); the weights are the published ones, memory-mapped from the cache.
Most products are of 8-bit integers, made of these weights when the graph is opened; with batches that fit into the
cache of a processor, that is 2.2 times as fast as float32 was. The cosine between the two is .999, and recall by
vectors alone is the same within chance (`tests/bench/embedder.py`; figures of other ways in `docs/models.md`).

onnxruntime has no wheel for Macs with Intel processors and for musl (Alpine): there this module raises `ModelMissing`,
and `hashing` is used instead.

Threads: one per processor up to four; idle ones sleep instead of spinning. Two were measured at 1.6 to 1.8 times the
speed of one; a spinning pool would take a processor from the app between two texts.

Prompts to a model are embedded by `prompts.onnx`, fitted changes to the same weights (1.5 MB): near a prompt are then
the memories that an answer needs, rather than those that resemble it (`tests/bench/fit_prompts.py`). The vectors of
memories are the same.

Special tokens in a text (`[CLS]`, `[MASK]`) are read as plain characters, so that text from a log cannot steer the
model. The reference implementation differs only in this.
"""

import os
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from curator.models import weights
from curator.models.interfaces import Embedder, ModelMissing
from store.gc_policy import exempt_from_gc
from store.model import Fingerprint

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

DIMENSION = 384
MAX_TOKENS = 128
BATCH_TOKENS = 512  # padding included; what a batch computes stays in the processor's cache
MAX_CHARACTERS = 20_000  # tokenized of each text
FUNCTION_WORDS = """
    a about all also am an and any are as at be been being but by can could did do does for from had has have he her
    here his how i if in into is it its just me may might more most my of on only or our out over own same she should so
    some such than that the their them then there these they this those to too up us very was we were what when where
    which who will with would you your . , ; : ! ? ( ) [ ] { } " ' ` * - _ # / \\ | < > ~ = + &
""".split()
COMPUTATION = "int8"  # part of the fingerprint; to be changed with any change of the graph that changes vectors
FINGERPRINT = Fingerprint(
    provider="minilm",
    model="all-MiniLM-L6-v2",
    digest=f"{weights.MINILM.sha256[weights.MODEL][:16]}-{COMPUTATION}",
    dimension=DIMENSION,
    max_tokens=MAX_TOKENS,
)


class MiniLM(Embedder):
    """An `Embedder` over one open session, and one for prompts that the first prompt opens."""

    fingerprint = FINGERPRINT

    def __init__(
        self,
        session: "InferenceSession",
        tokenizer: "Tokenizer",
        open_prompts: "Callable[[], InferenceSession] | None" = None,
    ) -> None:
        self._session = session
        self._prompts: Callable[[], InferenceSession] = cache(open_prompts) if open_prompts else lambda: session
        self._tokenizer = tokenizer
        vocabulary = tokenizer.get_vocab()
        self._function_words = [vocabulary[word] for word in FUNCTION_WORDS]

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """See `Embedder.embed`. The longest texts are embedded first; `progress` counts texts of average length, so
        that it is a share of the time.
        """
        return self._embedded(self._session, texts, progress)

    def embed_prompt(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.embed_prompt`."""
        return self._embedded(self._prompts(), texts, None)

    def _embedded(
        self, session: "InferenceSession", texts: Sequence[str], progress: Callable[[int], None] | None
    ) -> NDArray[np.float32]:
        tokens = [self._encode(text) for text in texts]
        vectors = np.empty((len(tokens), DIMENSION), np.float32)
        order = sorted(range(len(tokens)), key=lambda row: -len(tokens[row]))
        done, read, every = 0, 0, sum(map(len, tokens))
        while done < len(order):
            size = max(1, BATCH_TOKENS // len(tokens[order[done]]))  # all are padded to the first, the longest
            rows = order[done : done + size]
            ids = np.zeros((len(rows), len(tokens[rows[0]])), np.int64)
            mask = np.zeros_like(ids)
            for place, row in enumerate(rows):
                ids[place, : len(tokens[row])] = tokens[row]
                mask[place, : len(tokens[row])] = 1
            (vectors[rows],) = session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})
            done += len(rows)
            read += sum(len(tokens[row]) for row in rows)
            if progress is not None:
                progress(len(order) * read // every)
        return vectors

    def is_word(self, word: str) -> bool:
        """Return True if a word or its base form is in the English vocabulary."""
        forms = [word, *(word.removesuffix(ending) for ending in ("s", "es", "d", "ed", "ing", "ly", "er", "ers"))]
        forms += [f"{word}s", f"{word}d", f"{word}ed", f"{word}ing", f"{word.removesuffix('e')}ing"]
        return any(len(form) > 3 and self._tokenizer.token_to_id(form) is not None for form in forms)

    def _encode(self, text: str) -> NDArray[np.uint16]:
        readable = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        tokens = np.array(self._tokenizer.encode(readable).ids, np.uint16)
        if len(tokens) <= MAX_TOKENS:
            return tokens
        kept = tokens[1:-1][~np.isin(tokens[1:-1], self._function_words)][: MAX_TOKENS - 2]
        return np.concatenate((tokens[:1], kept, tokens[-1:]))


def load(folder: Path) -> MiniLM:
    """Open the weights in the cache folder; about 0.2 s, and as long for the first prompt. Raises `ModelMissing`."""
    session, tokenizer = load_graph("minilm.onnx", weights.MINILM, folder)
    return MiniLM(session, tokenizer, lambda: load_graph("prompts.onnx", weights.MINILM, folder)[0])


def load_graph(name: str, of: weights.Weights, cache: Path) -> "tuple[InferenceSession, Tokenizer]":
    """Open a graph of this folder over the weights in the cache. Raises `ModelMissing`."""
    if wrong := weights.verification_error(of, cache):
        raise ModelMissing(wrong)
    folder = weights.weights_folder(of, cache)
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read at its import: since 1.29 it reports the machine to Microsoft
    try:
        with exempt_from_gc():
            import onnxruntime  # noqa: F401
            import tokenizers  # noqa: F401
    except ImportError as error:
        raise ModelMissing(
            f"{of.name} cannot run on this machine: {error}. It needs onnxruntime and tokenizers, which are "
            "not made for every system; choose the embedder 'hashing' here"
        ) from error
    graph = files("curator.models").joinpath(name).read_bytes()
    return open_graph(graph, folder, threads=min(4, os.cpu_count() or 1))


def open_graph(graph: bytes, folder: Path, threads: int) -> "tuple[InferenceSession, Tokenizer]":
    """Return a session of a graph over the weights in a folder, and a tokenizer that neither cuts nor pads."""
    from onnxruntime import InferenceSession, SessionOptions, set_default_logger_severity
    from tokenizers import Tokenizer

    set_default_logger_severity(3)  # its warnings about the hardware would be printed over the app
    options = SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(folder))
    session = InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / weights.TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return session, tokenizer
