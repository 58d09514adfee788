"""Fixtures of the model tests: embedders, with weights fetched once into the user's own cache."""

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.models import Embedder, FetchFailed, load_embedder, weights
from curator.paths import cache_folder
from fake_ollama.server import serving


@pytest.fixture(scope="session")
def weights_cache() -> Path:
    """Return the cache folder with the weights in it; skip with a warning if they cannot be fetched."""
    try:
        weights.fetch(weights.MINILM, cache_folder())
    except FetchFailed as error:
        warnings.warn(f"NOT TESTED: the embedder minilm, for {error}", stacklevel=1)
        pytest.skip(str(error))
    return cache_folder()


@pytest.fixture(scope="session")
def minilm(weights_cache: Path) -> Embedder:
    return load_embedder("minilm", weights_cache)


@pytest.fixture(scope="session")
def hashing(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    return load_embedder("hashing", tmp_path_factory.mktemp("no-weights"))


@pytest.fixture(scope="session")
def ollama() -> Iterator[Embedder]:
    from curator.models import ollama_embedder
    from curator.models.ollama import Server

    with serving() as standin:
        yield ollama_embedder.load(Server(standin.host), "nomic-embed-text")


@pytest.fixture(scope="session", params=["minilm", "hashing", "ollama"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """Return each embedder in turn."""
    found: Embedder = request.getfixturevalue(request.param)
    return found
