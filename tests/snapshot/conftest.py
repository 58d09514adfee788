"""Fixtures: snapshot targets in a folder and in a bucket of a local S3 server."""

import logging
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.targets import Target, target_of


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    """Return the address of an S3 server with a bucket."""
    moto = pytest.importorskip("moto.server", reason="the test server is not installed (.[test-s3])")
    pytest.importorskip("obstore", reason="obstore is not installed")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    urllib.request.urlopen(urllib.request.Request(f"{address}/words", method="PUT")).close()
    yield address
    server.stop()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the cache folder of the machine that reads."""
    monkeypatch.setenv("CURATOR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return an empty target, in the form of the setting."""
    if request.param == "folder":
        return f"folder:{tmp_path / 'target'}"
    variables = {"AWS_ENDPOINT_URL": request.getfixturevalue("endpoint"), "AWS_REGION": "us-east-1"}
    variables |= {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return f"s3://words/{tmp_path.name}"


@pytest.fixture
def target(place: str) -> Target:
    """Open the same target for inspection."""
    return target_of(place)
