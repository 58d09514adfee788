"""Vectors from a server: each text gets its own vector of the right kind, or an error is raised."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from curator.errors import ModelError
from curator.models import (
    BadReply,
    Embedder,
    ModelMissing,
    NotAllowed,
    Offline,
    ServerFailed,
    load_embedder,
    ollama_embedder,
)
from curator.models.ollama import Server
from effort import thorough
from fake_ollama.faults import Fault, What
from fake_ollama.scenario import CHAT, EMBEDDER, Model, Scenario
from fake_ollama.server import Server as Standin
from fake_ollama.server import serving
from models.raw_server import answering, send
from store import Store
from store.model import Fingerprint

TEXTS = [f"The heron number {number} came back to the pond." for number in range(100)]


@pytest.fixture
def standin() -> Iterator[Standin]:
    with serving() as server:
        yield server


def loaded(standin: Standin, name: str = "nomic-embed-text") -> ollama_embedder.OllamaEmbedder:
    return ollama_embedder.load(Server(standin.host), name)


def inputs(standin: Standin) -> list[list[str]]:
    return [call.body["input"] for call in standin.calls("/api/embed")]


def test_it_is_the_embedder_of_the_settings(standin: Standin, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("CURATOR_OLLAMA__EMBED_HOST", standin.host)
    embedder: Embedder = load_embedder("ollama", tmp_path)
    assert embedder.fingerprint == Fingerprint(
        "ollama", "nomic-embed-text:latest", EMBEDDER.digest[:16], 768, "search_document: ", 2048
    )
    assert Fingerprint.parse(embedder.fingerprint.label) == embedder.fingerprint
    assert load_embedder("ollama", tmp_path) is embedder


def test_batches_keep_the_order_and_the_progress(standin: Standin) -> None:
    seen: list[int] = []
    vectors = loaded(standin).embed(TEXTS, seen.append)
    assert vectors.shape == (100, 768) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert np.array_equal(loaded(standin).embed(TEXTS[::-1])[::-1], vectors)
    assert seen == [32, 64, 96, 100]
    assert loaded(standin).embed([]).shape == (0, 768)


def test_texts_and_queries_are_told_apart(standin: Standin) -> None:
    embedder = loaded(standin)
    embedder.embed(["tea"])
    embedder.embed_query(["tea"])
    assert inputs(standin) == [["search_document: tea"], ["search_query: tea"]]


@pytest.mark.parametrize("name", ["plain-embed", "nomic-embed-text"])
def test_any_string_has_a_vector(name: str) -> None:
    strings = ["", " \n", "nul\x00l", "half \ud83d", "👩‍👩‍👧🏽", "毎朝六時に起きます。", "x" * 500_000]
    with serving(Scenario(models=(replace(EMBEDDER, name=name),))) as standin:
        vectors = loaded(standin, name).embed(strings)
        assert all(text.strip() for batch in inputs(standin) for text in batch)
    assert np.isfinite(vectors).all() and len(vectors) == len(strings)


@pytest.mark.parametrize("what", [What.NAN, What.WRONG_COUNT])
def test_one_bad_text_is_named_and_the_others_are_not_blamed(standin: Standin, what: What) -> None:
    standin.change(Scenario(faults=(Fault(what, path="/api/embed", when="number 77 "),)))
    with pytest.raises((ServerFailed, BadReply), match="begins: 'The heron number 77 ") as caught:
        loaded(standin).embed(TEXTS)
    assert len(standin.calls("/api/embed")) < 16
    assert "search_document" not in str(caught.value)


def test_a_batch_that_fails_once_is_made_in_halves(standin: Standin) -> None:
    expected = loaded(standin).embed(TEXTS)
    standin.change(Scenario(faults=(Fault(What.CRASH, path="/api/embed", calls={2}),)))
    assert np.array_equal(loaded(standin).embed(TEXTS), expected)


async def refusing_long(request: bytes, writer: Any) -> None:
    """Start a server that refuses texts of more than 1,000 characters, whatever is requested."""
    if b"/api/tags" in request:
        return await send(writer, json.dumps({"models": [{"name": "e:latest", "digest": "d"}]}).encode())
    if b"/api/show" in request:
        shown = {"general.architecture": "e", "e.embedding_length": 2}
        return await send(writer, json.dumps({"capabilities": ["embedding"], "model_info": shown}).encode())
    texts = json.loads(request.partition(b"\r\n\r\n")[2])["input"]
    if any(len(text) > 1000 for text in texts):
        return await send(writer, b'{"error": "the input length exceeds the context length"}', "400 Bad Request")
    return await send(writer, json.dumps({"embeddings": [[float(len(text)), 1.0] for text in texts]}).encode())


async def test_a_text_that_a_server_finds_too_long_is_cut() -> None:
    async with answering(refusing_long) as host:
        embedder = await asyncio.to_thread(ollama_embedder.load, Server(host), "e")
        vectors = await asyncio.to_thread(embedder.embed, ["x" * 30, "y" * 5000])
    assert vectors[0][0] == pytest.approx(30 / (30**2 + 1) ** 0.5)
    assert vectors[1][0] > 0.99


@pytest.mark.parametrize(
    "row", ["[1.0]", "[1.0, 2.0, 3.0]", "[0.0, 0.0]", "[NaN, 1.0]", "[1e999, 1.0]", "[null, 1]", '"x"']
)
async def test_what_is_no_vector_is_a_bad_reply(row: str) -> None:
    async def answer(request: bytes, writer: Any) -> None:
        if b"/api/embed" in request:
            await send(writer, f'{{"embeddings": [{row}]}}'.encode())
        else:
            await refusing_long(request, writer)

    async with answering(answer) as host:
        embedder = await asyncio.to_thread(ollama_embedder.load, Server(host), "e")
        with pytest.raises(BadReply):
            await asyncio.to_thread(embedder.embed, ["tea"])


@thorough
def test_threads_do_not_disturb_each_other(standin: Standin) -> None:
    embedder = loaded(standin)
    expected = embedder.embed(TEXTS[:40])
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: embedder.embed(TEXTS[:40]), range(8)))
    assert all(np.array_equal(vectors, expected) for vectors in found)


def test_what_progress_raises_stops_the_work(standin: Standin) -> None:
    def stop(done: int) -> None:
        raise InterruptedError(done)

    with pytest.raises(InterruptedError, match="32"):
        loaded(standin).embed(TEXTS, stop)
    assert len(standin.calls("/api/embed")) == 1


def test_a_call_in_flight_is_dropped_at_once(standin: Standin) -> None:
    embedder = loaded(standin)
    standin.change(Scenario(first_byte=30))
    errors: list[ModelError] = []

    def work() -> None:
        try:
            embedder.embed(["tea"])
        except ModelError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    standin.wait(lambda it: it.calls("/api/embed"))
    begun = time.monotonic()
    embedder.drop()
    thread.join()
    standin.wait(lambda it: it.disconnects)
    assert time.monotonic() - begun < 0.2
    assert [type(error) for error in errors] == [Offline]


def test_a_server_that_stops_is_offline_and_comes_back(standin: Standin) -> None:
    embedder = loaded(standin)
    standin.stop()
    with pytest.raises(Offline):
        embedder.embed(["tea"])
    standin.start()
    assert embedder.embed(["tea"]).shape == (1, 768)


def test_another_model_under_the_name_is_not_mixed_in(standin: Standin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama_embedder, "_CHECKED", 0.0)
    before = loaded(standin)
    standin.change(Scenario(models=(replace(EMBEDDER, version="2"),)))
    with pytest.raises(ModelMissing, match="was changed"):
        before.embed(["tea"])
    assert loaded(standin).fingerprint.digest != before.fingerprint.digest


def test_what_cannot_be_loaded_says_why(standin: Standin) -> None:
    standin.change(Scenario(models=(CHAT, Model("away:cloud", capabilities=frozenset({"embedding"}), remote_host="x"))))
    for name, error in (("qwen3:4b", ModelMissing), ("gone", ModelMissing), ("away:cloud", NotAllowed)):
        with pytest.raises(error):
            loaded(standin, name)
    standin.stop()
    with pytest.raises(Offline):
        loaded(standin, "another")


def test_without_the_server_letters_and_words_are_what_remains(
    store: Store, standin: Standin, monkeypatch: pytest.MonkeyPatch
) -> None:
    from curator.services.search_session import installed_embedder, working_embedder

    monkeypatch.setenv("CURATOR_OLLAMA__HOST", standin.host)
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "ollama")
    standin.stop()
    assert installed_embedder().fingerprint.provider == "hashing"
    embedder, (note,) = working_embedder(store)
    assert embedder.fingerprint.provider == "hashing"
    assert "ollama serve" in note
    standin.start()
    assert installed_embedder().fingerprint.provider == "ollama"
