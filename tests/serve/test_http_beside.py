"""`curator serve --http` while another resident process runs."""

import contextlib
import subprocess

import httpx
import pytest

from cli.runner import Curator
from curator.cli.serve import _opened_by_running
from curator.errors import ConfigError
from curator.serve.http import listener
from curator.serve.store_service import StoreService
from effort import exhaustive, thorough
from serve.conftest import ask
from store import Store

Server = subprocess.Popen[bytes]


@exhaustive
def test_the_running_process_serves_http_or_makes_room(
    server: Server, memories: Store, curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert curator("config", "serve.port=0").code == 0
    assert curator("config", "serve.hosts=memory.example").code == 0
    first = curator("serve", "--http")
    assert (first.code, "the running process serves HTTP at http://127.0.0.1:" in first.out) == (0, True)
    url = str(ask(do="status")["http"])
    assert url in first.out
    with httpx.Client(timeout=20, trust_env=False) as session:
        assert session.get(url + "/api/health", headers={"Host": "memory.example"}).status_code == 200
    again = curator("serve", "--http")
    assert (again.code, "already serves HTTP" in again.out) == (0, True)
    assert server.poll() is None
    monkeypatch.setenv("CURATOR_SERVE__PORT", "1")
    assert not _opened_by_running()
    assert server.wait(20) == 0


@thorough
async def test_a_server_that_fails_before_it_listens_is_told_as_such(
    memories: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(self: object, sockets: object) -> None:
        raise RuntimeError("no event loop of that kind")

    async def in_thread(work: object) -> dict[str, object]:
        raise AssertionError("nobody asks")

    monkeypatch.setenv("CURATOR_SERVE__PORT", "0")
    monkeypatch.setattr(listener._Server, "serve", fail)
    with contextlib.closing(StoreService()) as service, pytest.raises(ConfigError, match="did not start"):
        async with listener.listening(service, in_thread):
            pass
