"""Subjects of prompts are also found by examples of similar meaning."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from curator.models import Embedder
from curator.models.minilm import FINGERPRINT
from curator.recall import find, prompt_subjects
from curator.recall.prompt_subjects import PromptSubjects
from curator.services.recall import block_options
from curator.services.search_session import embed_missing
from factories import put
from store import Filter, Store
from store.index import Index

EXAMPLES = Path(__file__).parents[1] / "bench" / "subject_prompts.tsv"
PROMPTS = [
    line.partition("\t")[2] for line in EXAMPLES.read_text("utf-8").splitlines() if line and not line.startswith("#")
]


class ExampleEmbedder(Embedder):
    """Embedder that knows only the vectors of the examples; any other text gets the vector of the first example."""

    fingerprint = FINGERPRINT

    def __init__(self) -> None:
        with np.load(Path(prompt_subjects.__file__).with_suffix(".npz")) as file:
            vectors, self.checksum = file["vectors"].astype(np.float32), str(file["checksum"])
        self.rows: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        return self.rows[[PROMPTS.index(text) if text in PROMPTS else 0 for text in texts]]


def test_the_vectors_are_those_of_the_examples() -> None:
    known = ExampleEmbedder()
    assert known.checksum == sha256(EXAMPLES.read_bytes()).hexdigest(), "run tests/bench/embed_subjects.py"
    assert len(known.rows) == len(PROMPTS)


def test_a_prompt_without_a_telling_word_has_the_subject_of_similar_ones() -> None:
    (vector,) = ExampleEmbedder().embed(["recommend a dishwasher"])
    assert "sight" in prompt_subjects.prompt_subjects("recommend a dishwasher", vector).subjects
    assert prompt_subjects.prompt_subjects("recommend a dishwasher", None) == PromptSubjects(())


def test_a_word_of_a_subject_is_none_in_a_prompt_of_another_meaning() -> None:
    prompt = "pacemaker config of the cluster"
    (vector,) = ExampleEmbedder().embed([prompt])
    assert prompt_subjects.prompt_subjects(prompt, None).subjects == ("health",)
    assert prompt_subjects.prompt_subjects(prompt, vector) == PromptSubjects((), unrelated=True)


def test_a_safety_fact_is_recalled_by_meaning_and_not_for_a_mere_word(store: Store) -> None:
    (blind,) = put(store, "I'm nearly blind, I only see light and shapes")
    put(store, "My laptop runs Fedora", "I live in Leeds")
    embedder = ExampleEmbedder()
    embed_missing(store, embedder)
    index = Index(store, embedder.fingerprint)
    index.catch_up()

    def is_given(prompt: str) -> bool:
        return blind in {one.memory.id for one in find(store, index, embedder, prompt, Filter(), block_options()).hits}

    assert is_given("recommend a dishwasher")
    assert not is_given("expression: blind leading the blind")


def test_examples_in_english_do_not_contradict_words_of_other_languages() -> None:
    (vector,) = ExampleEmbedder().embed(["pacemaker config of the cluster"])
    for prompt in (
        "¿Qué medicamento puedo tomar para el dolor de cabeza?",
        "che medicina posso prendere per la febbre",
    ):
        assert "health" in prompt_subjects.prompt_subjects(prompt, None).subjects
        assert "health" in prompt_subjects.prompt_subjects(prompt, vector).subjects
