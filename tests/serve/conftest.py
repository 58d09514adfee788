"""Fixtures: a resident process over a store with a few memories."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from cli.conftest import curator as curator
from curator.paths import store_folder
from curator.serve import client
from factories import put
from serve.http_server import Http, fresh, serving
from store import Store
from store.model import Kind

TEXTS = {
    "Keep answers short.": Kind.PREFERENCE,
    "I am allergic to hazelnuts.": Kind.IDENTITY,
    "The kiln is set to 1240 degrees for stoneware.": Kind.FACT,
    "We deploy the site from the main branch every Tuesday.": Kind.DECISION,
}


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the environment of a home of its own, with the lexical embedder."""
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return dict(os.environ)


@pytest.fixture
def memories(environment: dict[str, str]) -> Store:
    """Return the person's store."""
    store = Store.open(store_folder())
    for text, kind in TEXTS.items():
        put(store, text, kind=kind)
    return store


@pytest.fixture(scope="package")
def http_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, str], str]]:
    """Run a server with HTTP for a home of its own; yield the home's environment and the server's address."""
    home, run = tmp_path_factory.mktemp("http"), tmp_path_factory.mktemp("run")
    variables = {
        "CURATOR_HOME": str(home),
        "XDG_RUNTIME_DIR": str(run),
        "CURATOR_EMBED__PROVIDER": "hashing",
        "CURATOR_SERVE__ORIGINS": "http://localhost:3000",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        store = Store.open(store_folder())
        for text, kind in TEXTS.items():
            put(store, text, kind=kind)
        served = contextlib.ExitStack()
        url = served.enter_context(serving(variables))
        store.close()
    with served:  # started outside of the patch, which must not be seen by tests of other folders that run in between
        yield variables, url


@pytest.fixture
def http(http_home: tuple[dict[str, str], str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Http]:
    """Return a client of the shared server, with keys of its own."""
    for name, value in http_home[0].items():
        monkeypatch.setenv(name, value)
    with httpx.Client(timeout=20, trust_env=False) as session:
        yield fresh(http_home[1], session)


@pytest.fixture
def record(http: Http) -> Iterator[Store]:
    """Return the store of the shared server."""
    store = Store.open(store_folder())
    yield store
    store.close()


@pytest.fixture
def server(memories: Store, environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Start a resident process and wait for its greeting."""
    process = subprocess.Popen([sys.executable, "-m", "curator", "serve"], env=environment, stderr=subprocess.DEVNULL)
    wait_for_greeting()
    yield process
    process.terminate()
    process.wait(10)


@pytest.fixture(scope="module")
def _running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Start the server that the tests of a module share; yield its environment."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / "run").mkdir(mode=0o700)
    own = {
        "CURATOR_HOME": str(folder / "home"),
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "CURATOR_EMBED__PROVIDER": "hashing",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in own.items():
            patch.setenv(name, value)
        with contextlib.closing(Store.open(store_folder())) as store:
            for text, kind in TEXTS.items():
                put(store, text, kind=kind)
        process = subprocess.Popen([sys.executable, "-m", "curator", "serve"], stderr=subprocess.DEVNULL)
        wait_for_greeting()
    yield own
    process.terminate()
    process.wait(10)


@pytest.fixture
def shared(_running: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Use the module's shared server, whose state tests must not change; return the environment."""
    for name, value in _running.items():
        monkeypatch.setenv(name, value)
    return dict(os.environ)


def wait_for_greeting(seconds: float = 60.0, ready: bool = True) -> None:
    """Wait until a server greets, and is ready if asked for; raise Unreachable after `seconds`."""
    until = time.monotonic() + seconds
    while True:
        try:
            connection = client.connect(10)
        except client.Unreachable:
            if time.monotonic() > until:
                raise
        else:
            connection.close()
            if connection.ready or not ready:
                return
        time.sleep(0.05)


def ask(**request: object) -> dict[str, object]:
    """Send one request and return the reply."""
    connection = client.connect(10)
    connection.send(request)
    reply = connection.receive()
    connection.close()
    return reply
