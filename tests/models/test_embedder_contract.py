"""Contract that every embedder meets."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from curator.models import Embedder, ModelMissing, load_embedder
from effort import share

MANY = share(30, 15)
TEXTS = [
    "I moved to Utrecht in May.",
    "tea",
    "The recital is on 3 June and I still have no shoes for it. " * 12,
    "My brother plays the bassoon.",
]
UNUSUAL = {
    "empty": "",
    "blank": " \n\t\u00a0",
    "punctuation": "?!… — ''",
    "nul": "a\x00b",
    "half a surrogate pair": "broken \ud83d emoji",
    "emoji": "👩‍👩‍👧🏽",
    "right to left": "أحب الشاي",
    "no spaces": "毎朝六時に起きます。",
    "10,000 characters": "The heron came back. " * 477,
    "10,000 characters, one word": "x" * 10_000,
    "500,000 characters": "The heron came back. " * 24_000,
    "markup": "[bold]not markup[/bold] {{not}} a $template",
}


def test_rows_are_float32_of_length_one_in_the_order_given(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.fingerprint.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    backwards = embedder.embed(TEXTS[::-1])
    assert np.allclose(backwards[::-1], vectors, atol=1e-5)


def test_a_text_has_the_same_vector_alone_and_in_a_batch(embedder: Embedder) -> None:
    times = share(40)
    batch = embedder.embed(TEXTS * times)
    alone = np.vstack([embedder.embed([text]) for text in TEXTS] * times)
    assert np.abs(batch - alone).max() <= 1e-5


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.fingerprint.dimension)


@pytest.mark.parametrize("text", UNUSUAL.values(), ids=UNUSUAL.keys())
def test_any_string_has_a_vector(embedder: Embedder, text: str) -> None:
    (vector,) = embedder.embed([text])
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_progress_rises_to_the_number_of_texts(embedder: Embedder) -> None:
    seen: list[int] = []
    embedder.embed(TEXTS * MANY, seen.append)
    assert seen == sorted(set(seen))
    assert seen[-1] == len(TEXTS) * MANY


def test_what_progress_raises_stops_the_work(embedder: Embedder) -> None:
    def stop(_: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        embedder.embed(TEXTS, stop)


def test_threads_do_not_disturb_each_other(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(embedder.embed, [TEXTS] * share(12, 6)):
            assert np.abs(vectors - expected).max() <= 1e-5


def test_fingerprints_keep_the_vectors_of_different_embedders_apart(minilm: Embedder, hashing: Embedder) -> None:
    assert minilm.fingerprint.label != hashing.fingerprint.label
    assert "lexical" in hashing.fingerprint.label


def test_an_embedder_is_loaded_once_a_process(embedder: Embedder, tmp_path: Path) -> None:
    assert load_embedder("hashing", tmp_path) is load_embedder("hashing", tmp_path)


def test_weights_that_are_not_there_are_named_with_the_place_and_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing) as missing:
        load_embedder("minilm", tmp_path)
    for part in ("all-MiniLM-L6-v2", str(tmp_path), "curator setup"):
        assert part in str(missing.value)


def test_an_unknown_name_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'maxilm'.*minilm, ollama or hashing"):
        load_embedder("maxilm", tmp_path)


def test_importing_the_package_loads_nothing_heavy() -> None:
    script = "import sys, curator.models; print(*sorted({'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
