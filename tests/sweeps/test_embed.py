"""The embed sweep: a changed model, texts without vectors, a server that goes away; and searching meanwhile."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from scripted_sweeps import Models, Scripted, standing, stored, sweeper, talk, until

from curator import curation
from curator.config import settings
from curator.models import BadReply, load_embedder, ollama_embedder
from curator.recall import find
from curator.services.search_session import open_search
from curator.sweeps import State, Sweeper
from effort import some, thorough
from factories import put
from fake_ollama.faults import Fault, What
from fake_ollama.rule_model import answer
from fake_ollama.scenario import CHAT, EMBEDDER, Scenario
from fake_ollama.server import Server, serving
from store import Filter, Store
from store.index import Index

OTHER = replace(EMBEDDER, name="bge-m3", family="bert", dimension=1024)
PLAIN = Scenario(models=(CHAT, EMBEDDER, OTHER), mind=answer)
KEPT = 70  # memories, for three batches of the sweep


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(PLAIN) as standin:
        monkeypatch.setenv("CURATOR_OLLAMA__HOST", standin.host)
        configure(monkeypatch, "nomic-embed-text")
        yield standin


def configure(patch: pytest.MonkeyPatch, model: str, provider: str = "ollama") -> None:
    patch.setenv("CURATOR_EMBED__PROVIDER", provider)
    patch.setenv("CURATOR_EMBED__MODEL", model)
    settings.cache_clear()


def filled(store: Store, count: int = KEPT) -> list[int]:
    return put(store, *(f"I own {n + 2} boats of the make number {n}." for n in range(count)))


def sweep(store: Store) -> Sweeper:
    return Sweeper(store, tick=0.01)


def models_of(store: Store) -> list[str]:
    return [space.model for space in store.vectors.spaces()]


@thorough
async def test_another_model_is_searched_once_every_memory_has_its_vector(
    store: Store, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, *_ = filled(store)
    await sweep(store).work(once=True)
    assert models_of(store) == ["nomic-embed-text:latest"]
    configure(monkeypatch, "bge-m3")
    monkeypatch.setenv("CURATOR_SWEEP_EMBED__BATCH", "32")
    settings.cache_clear()
    sweeps = sweep(store)
    working = asyncio.create_task(sweeps.work())
    await until(lambda: standing(sweeps, "embed").state is State.WAITING and standing(sweeps, "embed").done == 32)
    working.cancel()
    await asyncio.wait({working})
    assert models_of(store) == ["nomic-embed-text:latest", "bge-m3:latest"]

    opened = await asyncio.to_thread(open_search, store)
    assert opened.embedder is not None
    assert opened.embedder.fingerprint == opened.index.fingerprint
    assert opened.embedder.fingerprint.model == "nomic-embed-text:latest"
    (note,) = opened.notes
    assert "bge-m3:latest" in note and "nomic-embed-text:latest is searched" in note
    before = len(server.calls("/api/embed"))
    found = await asyncio.to_thread(find, store, opened.index, opened.embedder, "boats", Filter())
    assert found.hits
    (asked,) = server.calls("/api/embed")[before:]
    assert (asked.body["model"], asked.body["input"]) == ("nomic-embed-text:latest", ["search_query: boats"])

    await sweep(store).work(once=True)
    assert models_of(store) == ["bge-m3:latest"]
    opened = await asyncio.to_thread(open_search, store)
    assert opened.embedder is not None and opened.notes == ()
    assert opened.embedder.fingerprint == opened.index.fingerprint == store.vectors.spaces()[0]
    found = await asyncio.to_thread(find, store, opened.index, opened.embedder, store.get(number).text, Filter())
    assert found.hits[0].memory.id == number and "meaning" in found.hits[0].parts
    with pytest.raises(ValueError, match="the index is for"):
        old = replace(opened.embedder.fingerprint, model="nomic-embed-text:latest")
        find(store, Index(store, old), opened.embedder, "boats", Filter())


@thorough
async def test_a_model_that_is_not_there_leaves_the_one_there_was(
    store: Store, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(store, 3)
    await sweep(store).work(once=True)
    configure(monkeypatch, "gone")
    opened = await asyncio.to_thread(open_search, store)
    assert opened.embedder is not None and opened.embedder.fingerprint.model == "nomic-embed-text:latest"
    assert "nomic-embed-text:latest is searched meanwhile" in opened.notes[0] and "gone" in opened.notes[0]
    sweeps = sweep(store)
    await sweeps.work(once=True)
    assert models_of(store) == ["nomic-embed-text:latest"]
    filled(store, 4)
    await sweeps.work(once=True)
    assert standing(sweeps, "embed").state is State.OFFLINE
    assert "curator models pull gone" in standing(sweeps, "embed").problem


@thorough
async def test_a_model_that_was_changed_under_its_name_makes_all_vectors_anew(
    store: Store, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(store, 40)
    await sweep(store).work(once=True)
    (old,) = store.vectors.spaces()
    monkeypatch.setattr("curator.models.ollama_embedder._CHECKED", 0.0)
    server.change(replace(PLAIN, models=(CHAT, replace(EMBEDDER, version="2"))))
    filled(store, 41)
    for _ in range(2):  # the first run notices the change
        await sweep(store).work(once=True)
    (new,) = store.vectors.spaces()
    assert (new.model, store.vectors.count_missing(new)) == (old.model, 0)
    assert new.digest != old.digest


async def test_without_its_server_words_alone_are_searched_and_that_is_said(
    store: Store, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(store, 3)
    await sweep(store).work(once=True)
    server.stop()
    monkeypatch.setattr(ollama_embedder, "_loaded", {})  # as in a new process
    opened = await asyncio.to_thread(open_search, store)
    assert opened.embedder is None and opened.index.fingerprint == store.vectors.spaces()[0]
    (note,) = opened.notes
    assert "words only" in note and server.host.removeprefix("http://") in note
    found = await asyncio.to_thread(find, store, opened.index, None, "boats of the make number 2", Filter())
    assert "number 2" in found.hits[0].memory.text


@thorough
@pytest.mark.parametrize("what", some([What.NAN, What.WRONG_COUNT], 1))
async def test_a_text_without_a_vector_is_named_and_the_others_have_theirs(
    store: Store, server: Server, what: What
) -> None:
    numbers = filled(store)
    bad = numbers[40]
    server.change(replace(PLAIN, faults=(Fault(what, path="/api/embed", when="number 40."),)))
    sweeps = sweep(store)
    await sweeps.work(once=True)
    stands = standing(sweeps, "embed")
    assert (stands.failed, stands.pending, stands.state) == (1, 0, State.WAITING)
    (failed,) = await sweeps.failures("embed")
    assert str(bad) in failed.title and "number 40" in failed.reason
    (space,) = store.vectors.spaces()
    assert store.vectors.missing(space, 9) == [(bad, store.get(bad).text)]
    calls = len(server.calls("/api/embed"))
    opened = await asyncio.to_thread(open_search, store)
    assert opened.embedder is not None
    await sweeps.work(once=True)
    assert len(server.calls("/api/embed")) == calls  # not retried by itself
    await sweeps.retry("embed")
    await sweeps.work(once=True)
    (failed,) = await sweeps.failures("embed")
    assert failed.tries == 2
    server.change(PLAIN)
    await sweeps.retry("embed")
    await sweeps.work(once=True)
    assert (standing(sweeps, "embed").failed, store.vectors.missing(space, 9)) == (0, [])


@thorough
async def test_what_failed_with_another_text_or_is_gone_is_forgotten(store: Store, server: Server) -> None:
    numbers = filled(store, 6)
    server.change(replace(PLAIN, faults=(Fault(What.NAN, path="/api/embed", when="make number 2"),)))
    await sweep(store).work(once=True)
    assert store.sweeps.count_failures("embed") == 1
    curation.edit(store, numbers[2], "I own a fine kite.")
    sweeps = sweep(store)
    await sweeps.work(once=True)
    assert (standing(sweeps, "embed").failed, store.vectors.missing(store.vectors.spaces()[0], 9)) == (0, [])


@thorough
async def test_a_server_that_fails_at_everything_fails_no_text(store: Store, server: Server) -> None:
    filled(store)
    server.change(replace(PLAIN, faults=(Fault(What.CRASH, path="/api/embed"),)))
    sweeps = sweep(store)
    await sweeps.work(once=True)
    stands = standing(sweeps, "embed")
    assert (stands.failed, stands.state, stands.pending) == (0, State.OFFLINE, KEPT)
    assert "unexpectedly stopped" in stands.problem
    server.change(PLAIN)
    await sweeps.work(once=True)
    assert store.vectors.count_missing(store.vectors.spaces()[0]) == 0


@thorough
async def test_all_vectors_come_before_the_first_question(
    store: Store, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "qwen3:4b")
    for name in ("COMPARE", "JUDGE"):
        monkeypatch.setenv(f"CURATOR_SWEEP_{name}__ENABLED", "false")
    settings.cache_clear()
    filled(store)
    stored(store, *(talk(f"talk {n}", f"I keep {n + 3} bees of the kind {n} at home.") for n in range(6)))
    await sweep(store).work(once=True)
    order = [call.path for call in server.requests if call.path in ("/api/embed", "/api/chat")]
    assert order.index("/api/chat") >= 3
    assert order.count("/api/chat") == 6
    changes = sum(one != other for one, other in pairwise(order))
    assert changes <= 2, order  # vectors, questions, vectors of what was found: each model is loaded once


async def test_what_was_purged_while_its_vector_was_made_leaves_no_words_with_the_failure(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(monkeypatch, "", provider="hashing")
    (number,) = put(store, "I own a boat called Zephyr of Braga")
    embedder = load_embedder("hashing", Path())

    def failing(_self: object, texts: list[str], *_: object) -> None:
        if store.get(number).text:
            curation.purge(store, [number])
        raise BadReply(f"no vector (with the text that begins: {texts[0]!r})", texts[0])

    monkeypatch.setattr(type(embedder), "embed", failing)
    given = Models(Scripted(str), embedder)
    await sweeper(store, given).work(once=True)
    assert store.sweeps.failures("embed") == []
