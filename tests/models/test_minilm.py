"""The built-in model: agreement with the reference, and how much of a text it reads."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from curator.models import Embedder, ModelMissing, load_embedder
from curator.models import minilm as module
from curator.models.weights import MINILM, MODEL, weights_folder
from effort import thorough
from needed import people

HERE = Path(__file__).parent


def short_texts() -> tuple[list[str], NDArray[np.float32]]:
    """Return the texts short enough to be read whole, with the vectors from `make_reference.py`."""
    texts = json.loads((HERE / "reference_texts.json").read_text(encoding="utf-8"))
    reference = np.load(HERE / "reference_vectors.npy")
    short = [place for place, text in enumerate(texts) if len(text.split()) < 60]
    assert len(short) > len(texts) * 0.8
    return [texts[place] for place in short], reference[short]


@thorough
def test_the_computation_in_float32_is_that_of_the_reference_implementation(weights_cache: Path) -> None:
    from models.make_graph import build

    folder = weights_folder(MINILM, weights_cache)
    exact = module.MiniLM(*module.open_graph(build(folder / MODEL, integers=False), folder, threads=1))
    texts, reference = short_texts()
    assert np.abs(exact.embed(texts) - reference).max() <= 1e-4


def test_integers_stay_near_the_reference(minilm: Embedder) -> None:
    texts, reference = short_texts()
    vectors = minilm.embed(texts)
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() <= 1e-5
    cosines = (vectors * reference).sum(axis=1)
    assert cosines.min() >= 0.99 and cosines.mean() >= 0.997


@thorough
def test_a_vector_does_not_depend_on_the_texts_beside_it(minilm: Embedder) -> None:
    texts, _ = short_texts()
    alone = np.concatenate([minilm.embed([text]) for text in texts])
    assert np.abs(minilm.embed(texts) - alone).max() <= 1e-5


def test_paraphrases_are_nearer_than_what_shares_words(minilm: Embedder) -> None:
    said, paraphrase, other = minilm.embed(
        ["I do not eat meat.", "She is a vegetarian.", "I do not run before breakfast."]
    )
    assert said @ paraphrase > said @ other


@thorough
def test_near_a_prompt_are_memories_that_its_answer_needs(minilm: Embedder) -> None:
    def found(embed: Callable[[Sequence[str]], NDArray[np.float32]]) -> int:
        prompts = [prompt for prompt in person.prompts if prompt.needed]
        places = np.argsort(-(embed([prompt.text for prompt in prompts]) @ vectors.T), axis=1)[:, :5]
        return sum(len({ids[at] for at in row} & one.needed) for row, one in zip(places, prompts, strict=True))

    person = next(people(held_out=True))
    ids = list(person.memories)
    vectors = minilm.embed([text for text, _ in person.memories.values()])
    assert found(minilm.embed_prompt) > found(minilm.embed_query)


def test_the_committed_graph_is_what_its_script_makes(weights_cache: Path) -> None:
    from models.make_graph import build

    committed = files("curator.models").joinpath("minilm.onnx").read_bytes()
    assert build(weights_folder(MINILM, weights_cache) / MODEL) == committed


def test_only_the_first_128_tokens_count(minilm: Embedder) -> None:
    exactly = "tea " * 126  # plus the two that the model adds
    full, longer, shorter = minilm.embed([exactly, exactly + "coffee", exactly[:-4] + "coffee"])
    assert np.abs(full - longer).max() <= 1e-6
    assert np.abs(full - shorter).max() > 1e-4


def test_a_long_text_is_read_without_its_function_words(minilm: Embedder) -> None:
    said = "The tea was cold, and I do not like it. " * 30
    whole, bare, denied = minilm.embed([said, "tea cold not like " * 30, said.replace(" not", "")])
    assert np.abs(whole - bare).max() <= 1e-6
    assert np.abs(whole - denied).max() > 1e-3


@pytest.mark.parametrize("token", ["CLS", "SEP", "MASK", "PAD", "UNK"])
def test_special_tokens_in_a_text_are_read_as_characters(minilm: Embedder, token: str) -> None:
    written, spelled = minilm.embed([f"call me [{token}] please", f"call me [ {token.lower()} ] please"])
    assert np.abs(written - spelled).max() <= 1e-6


def test_the_fingerprint_names_the_weights_and_the_computation(minilm: Embedder) -> None:
    fingerprint = minilm.fingerprint
    hashed, computation = fingerprint.digest.split("-")
    assert MINILM.sha256[MODEL].startswith(hashed) and computation == module.COMPUTATION
    assert (fingerprint.dimension, fingerprint.max_tokens) == (384, 128)


def test_the_same_session_is_given_to_every_caller(minilm: Embedder, weights_cache: Path) -> None:
    assert load_embedder("minilm", weights_cache) is minilm


@pytest.mark.parametrize("absent", ["onnxruntime", "tokenizers"])
def test_a_machine_that_cannot_run_it_is_told_what_can_be_done(
    weights_cache: Path, absent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, absent, None)
    with pytest.raises(ModelMissing, match=rf"{absent}.*'hashing'"):
        module.load(weights_cache)


@thorough
def test_the_runtime_reports_nothing(weights_cache: Path, tmp_path: Path) -> None:
    code = f"from pathlib import Path; from curator.models.minilm import load; load(Path({str(weights_cache)!r}))"
    own = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    own.pop("ORT_DISABLE_TELEMETRY", None)
    subprocess.run([sys.executable, "-c", code], env=own, check=True, timeout=60)
    assert list(tmp_path.rglob("*onnxruntime*")) == []
