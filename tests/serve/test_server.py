"""The resident process: its answers, who may ask, its start and end."""

import asyncio
import contextlib
import gc
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from filelock import FileLock

from cli.runner import Curator
from curator import purge_everywhere
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.serve import client, hook_client, server
from curator.serve.command_runner import run_command
from curator.serve.store_service import Json, StoreService
from curator.services.forget_requests import match_requests
from effort import exhaustive, thorough
from factories import put
from serve.conftest import ask, wait_for_greeting
from store import Filter, NotFound, Store
from store.index import Index
from store.model import Memory

Server = subprocess.Popen[bytes]


@exhaustive
def test_a_command_through_the_server_prints_what_it_prints_without(shared: dict[str, str]) -> None:
    for words in (
        ["search", "kiln"],
        ["search", "nothing like this at all", "--filter", "kind:task"],
        ["context", "--project", "nowhere"],
        ["check"],
        ["recall", "--no-such-option"],
    ):
        with_server = subprocess.run(
            [sys.executable, "-m", "curator", *words], env=shared, capture_output=True, text=True
        )
        other = {**shared, "CURATOR_OTHER": "settings"}
        without = subprocess.run([sys.executable, "-m", "curator", *words], env=other, capture_output=True, text=True)
        assert (with_server.returncode, with_server.stdout, with_server.stderr) == (
            without.returncode,
            without.stdout,
            without.stderr,
        ), words
    assert int(str(ask(do="status")["requests"])) >= 5


@pytest.mark.parametrize("error", [ValueError("a prompt"), RuntimeError("a prompt"), KeyError("a prompt")])
def test_an_error_is_answered_with_its_kind_and_place(memories: Store, error: Exception) -> None:
    def fail(request: server.Request) -> server.Reply:
        raise error

    class Writer:
        def write(self, line: bytes) -> None:
            sent.append(json.loads(line))

        async def drain(self) -> None:
            pass

    sent: list[server.Reply] = []
    with contextlib.closing(StoreService()) as service:
        served = server.Server(service, lambda words: 0)
        served._handlers["hook"] = fail
        asyncio.run(served._answer({"do": "hook"}, None, Writer()))  # type: ignore[arg-type]
    (reply,) = sent
    assert reply["kind"] == type(error).__name__
    assert str(reply["place"]).startswith("test_server.py:")
    assert ("a prompt" in str(reply["error"])) is isinstance(error, ValueError)


def test_a_prompt_is_answered_by_words_while_the_server_loads(
    memories: Store, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    loaded = threading.Event()
    monkeypatch.setattr(StoreService, "warm", lambda self: {"loaded": loaded.wait(20)})
    monkeypatch.setattr(client, "start", lambda: None)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(lambda words: 0, idle=0)))
    thread.start()
    try:
        wait_for_greeting(ready=False)
        (tmp_path / "in").write_text(json.dumps({"session_id": "s", "prompt": "may I eat hazelnuts?"}))
        monkeypatch.setattr("sys.stdin", (tmp_path / "in").open())
        monkeypatch.setattr(hook_client, "HOOK", 5.0)
        assert hook_client.hook("claude", "prompt") == 0
    finally:
        loaded.set()
        thread.join()
    assert "found by words alone" in (out := capfd.readouterr().out) and "hazelnuts" in out


def test_what_no_answer_waits_for_is_done_before_the_process_ends(
    memories: Store, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[int] = []
    busy = threading.Event()
    server.create_runtime_folder()
    with contextlib.closing(StoreService()) as service:
        served = server.Server(service, lambda words: 0)

        def leave(address: str) -> None:
            served._work.submit(busy.wait, 5)
            service.later(lambda: done.append(1 // 0))
            service.later(lambda: done.append(2))
            threading.Timer(0.05, busy.set).start()

        asyncio.run(served.run(0, leave, http=False))
    assert done == [2]
    assert "later failed" in caplog.text


def test_a_server_that_begins_while_another_process_looks_for_one_does_not_leave(
    memories: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened() -> StoreService:
        raise NotFound("it went on")

    monkeypatch.setattr(server, "StoreService", opened)
    held = FileLock(client.lock_file(client.store_path()), thread_local=False).acquire()  # as `client.is_running` does
    threading.Timer(0.1, held.lock.release).start()
    with pytest.raises(NotFound):
        asyncio.run(server.serve(lambda words: 0))


def test_a_server_is_started_again_where_the_first_one_left(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    def connect() -> str:
        if len(started) < 2:
            raise client.Unreachable
        return "connected"

    monkeypatch.setattr(client, "STARTED", 1.0)
    monkeypatch.setattr(client, "AGAIN", 0.1)
    monkeypatch.setattr(client, "connect_current", connect)
    monkeypatch.setattr(client, "start", lambda: started.append(1))
    assert str(client.reach()) == "connected" and len(started) == 2


@thorough
def test_what_is_started_is_no_package_of_the_folder_in_which_an_assistant_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setenv("CURATOR_HOME", str(tmp_path / "none"))
    monkeypatch.setattr(subprocess, "Popen", lambda command, **others: commands.append(command))
    client.start("curator", "--version")
    monkeypatch.undo()
    hostile = tmp_path / "curator"
    hostile.mkdir()
    (hostile / "__init__.py").touch()
    (hostile / "__main__.py").write_text("print('hostile')")
    (command,) = commands
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("curator "), done.stdout


@exhaustive
def test_a_reader_that_closes_the_pipe_ends_a_command_without_a_word(
    server: Server, memories: Store, environment: dict[str, str]
) -> None:
    put(memories, *(f"The kiln has brick {number}: {'a long one ' * 20}" for number in range(100)))
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "curator", "search", "kiln", "--limit", "100"],
            env=environment,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        os.close(writing)
    assert int(str(ask(do="status")["requests"])) >= 1
    assert (done.returncode, done.stderr) == (1, "")


@thorough
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk without space")
def test_output_that_cannot_be_written_is_an_error_with_its_cause(shared: dict[str, str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "curator", "search", "kiln"],
            env=shared,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2 and done.stderr.startswith("curator: No space left on device"), done


@thorough
def test_standard_input_reaches_a_command(shared: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "curator", "recall", "-"],
        env=shared,
        input="may I eat hazelnuts?",
        capture_output=True,
        text=True,
    )
    assert "allergic to hazelnuts" in done.stdout


@thorough
def test_a_server_that_hangs_is_given_up_in_a_bound_and_named(
    shared: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "LOOK", 0.1)
    connection = client.connect(10)
    os.kill(connection.pid, signal.SIGSTOP)
    try:
        connection.send({"do": "status"})
        with pytest.raises(client.Unreachable, match=f"{connection.pid} does not answer"):
            connection.receive(600)
        for option in ("--status", "--stop"):
            done = subprocess.run(
                [sys.executable, "-m", "curator", "serve", option], env=shared, capture_output=True, text=True
            )
            assert done.returncode == 1 and f"`kill -9 {connection.pid}` ends it" in done.stderr, done
    finally:
        os.kill(connection.pid, signal.SIGCONT)
    assert connection.receive()["pid"] == connection.pid
    connection.close()


@thorough
def test_a_client_with_other_settings_works_alone(shared: dict[str, str]) -> None:
    subprocess.run(
        [sys.executable, "-m", "curator", "recall", "kiln"],
        env={**shared, "CURATOR_RECALL__BUDGET": "60"},
        capture_output=True,
    )
    connection = client.connect()
    connection.send({"do": "run", "arguments": ["recall", "kiln"], "settings": {"CURATOR_X": "1"}, "environment": {}})
    assert connection.receive()["code"] is None


@thorough
def test_what_others_write_is_found_at_once_and_changed_settings_apply(server: Server, curator: Curator) -> None:
    assert "glaze" not in str(ask(do="recall", prompt="which glaze")["text"])
    assert curator("add", "My favourite glaze is celadon.").code == 0
    assert "celadon" in str(ask(do="recall", prompt="which glaze")["text"])
    assert curator("forget", "5", "--yes").code == 0
    assert "celadon" not in str(ask(do="recall", prompt="which glaze")["text"])
    text = str(ask(do="recall", prompt="kiln")["text"])
    assert "kiln" in text
    assert curator("config", "recall.require_validation=true").code == 0
    assert ask(do="recall", prompt="kiln")["text"] == ""


def test_the_socket_is_for_this_user_only(shared: dict[str, str]) -> None:
    place = Path(client.socket_path(client.store_path()))
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


@thorough
def test_a_second_server_says_that_one_runs(shared: dict[str, str]) -> None:
    second = subprocess.run(
        [sys.executable, "-m", "curator", "serve"], env=shared, capture_output=True, text=True, timeout=60
    )
    assert second.returncode == 1
    assert "another process serves" in second.stderr


@exhaustive
def test_processes_with_other_runtime_folders_share_one_server(
    server: Server, memories: Store, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = ask(do="status")["pid"]
    for runtime_folder in (None, str(tmp_path / "another")):
        if runtime_folder is None:  # as under cron
            monkeypatch.delenv("XDG_RUNTIME_DIR")
        else:
            monkeypatch.setenv("XDG_RUNTIME_DIR", runtime_folder)
        assert client.is_running() and ask(do="status")["pid"] == pid
        second = subprocess.run(
            [sys.executable, "-m", "curator", "serve"], env=dict(os.environ), capture_output=True, text=True, timeout=60
        )
        assert second.returncode == 1 and "another process serves" in second.stderr
        assert purge_everywhere.drop_server_caches(memories, 5.0) == ()
    assert ask(do="stop") == {"stopping": True}
    assert server.wait(20) == 0 and not client.is_running()


@thorough
def test_stop_ends_it_and_takes_its_socket_away(server: Server, curator: Curator) -> None:
    assert curator("serve", "--status").out.startswith("running")
    assert curator("serve", "--stop").out == "stopped\n"
    assert server.wait(20) == 0
    store = client.store_path()
    assert not Path(client.socket_path(store)).exists() and not Path(client.address_file(store)).exists()
    assert curator("serve", "--status").code == 1


@thorough
def test_a_server_that_is_stopped_closes_open_connections_and_leaves(server: Server) -> None:
    assistant, silent = client.connect(10), client.connect(10)
    assistant.send({"do": "mcp"})
    assistant.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert assistant.receive()["id"] == 1
    assert ask(do="stop") == {"stopping": True}
    assert server.wait(20) == 0
    assert list(assistant.lines(5)) == list(silent.lines(5)) == []


def test_a_server_answers_what_it_works_at_before_it_leaves(memories: Store) -> None:
    begun, released = threading.Event(), threading.Event()

    def work(request: server.Request) -> server.Reply:
        begun.set()
        return {"released": released.wait(20)}

    server.create_runtime_folder()
    with contextlib.closing(StoreService()) as service:
        served = server.Server(service, lambda words: 0)
        served._handlers["search"] = work
        running = threading.Thread(target=lambda: asyncio.run(served.run(60, lambda address: None, http=False)))
        running.start()
        wait_for_greeting()
        asked = client.connect(10)
        asked.send({"do": "search"})
        assert begun.wait(20)
        assert ask(do="stop") == {"stopping": True}
        released.set()
        assert asked.receive() == {"released": True}
        running.join(20)
        assert not running.is_alive()


def test_a_command_sees_the_variables_of_its_client_and_others_hear_of_the_right_store_meanwhile(
    memories: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLORTERM", "of the server")
    monkeypatch.delenv("NO_COLOR", raising=False)
    seen: list[str | None] = []
    stores: list[str] = []

    def command(words: list[str]) -> int:
        seen.extend(os.environ.get(name) for name in ("NO_COLOR", "TERM", "COLORTERM", "COLUMNS", "CURATOR_HOME"))
        return 0

    before, store = dict(os.environ), client.store_path()
    request: Json = {
        "arguments": ["recall", "kiln"],
        "settings": client.variables(),
        "environment": {"NO_COLOR": "1", "TERM": "xterm", "CURATOR_HOME": "/elsewhere"},
        "columns": 60,
    }
    with contextlib.closing(StoreService()) as service, monkeypatch.context() as patch:
        patch.setattr(os, "unsetenv", lambda name: stores.append(client.store_path()))
        patch.setattr(os, "putenv", lambda name, value: stores.append(client.store_path()))
        assert run_command(service, command, request)["code"] == 0
    assert seen == ["1", "xterm", None, "60", before["CURATOR_HOME"]]
    assert dict(os.environ) == before
    assert set(stores) == {store}


@thorough
def test_a_killed_server_leaves_nothing_that_hangs(server: Server, environment: dict[str, str]) -> None:
    server.kill()
    server.wait()
    store = client.store_path()
    assert Path(client.socket_path(store)).exists() and Path(client.address_file(store)).exists()
    with pytest.raises(client.Unreachable):
        client.connect()
    client.start()
    wait_for_greeting()
    assert ask(do="stop") == {"stopping": True}


@exhaustive
def test_it_leaves_when_nobody_asks(memories: Store, environment: dict[str, str]) -> None:
    code = "import asyncio; from curator.serve.server import serve; asyncio.run(serve(lambda words: 0, idle=3.0))"
    process = subprocess.Popen([sys.executable, "-c", code], env=environment)
    wait_for_greeting()
    idle = client.connect(10)
    idle.send({"do": "mcp"})
    assert process.wait(30) == 0


def test_broken_requests_end_their_connection_only(shared: dict[str, str]) -> None:
    for request in (
        b"",
        b"\n",
        b"[]\n",
        b"{\n",
        b'{"do": "purge"}\n',
        b'{"do": 7}\n',
        b"\xff\xfe\n",
        b'{"do": "hook"}\n',
    ):
        raw = socket.socket(socket.AF_UNIX)
        raw.settimeout(20)
        raw.connect(client.socket_path(client.store_path()))
        raw.makefile("rb").readline()
        raw.sendall(request)
        raw.shutdown(socket.SHUT_WR)
        raw.recv(1000)
        raw.close()
    assert ask(do="recall", prompt="kiln")["text"]


@thorough
def test_ten_clients_at_once(shared: dict[str, str]) -> None:
    failed: list[Exception] = []

    def work() -> None:
        try:
            for _ in range(5):
                assert "hazelnuts" in str(ask(do="recall", prompt="allergic to hazelnuts")["text"])
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed


@thorough
def test_an_older_server_is_asked_to_stop(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "__version__", "99.0")
    with pytest.raises(client.Unreachable, match="asked to stop"):
        client.connect_current()
    assert server.wait(20) == 0


def test_a_folder_of_someone_else_is_refused(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    from curator.serve.server import create_runtime_folder

    folder = Path(client.runtime_folder())
    folder.mkdir()
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with pytest.raises(PermissionError, match="someone else"):
        create_runtime_folder()


@thorough
def test_without_unix_sockets_a_port_and_a_token_serve(
    memories: Store, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import asyncio; from curator.serve import client; client.UNIX = False;"
        " from curator.serve.server import serve; asyncio.run(serve(lambda words: 0))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], env=environment)
    monkeypatch.setattr(client, "UNIX", False)
    wait_for_greeting()
    place = Path(client.address_file(client.store_path()))
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert "hazelnuts" in str(ask(do="recall", prompt="hazelnuts")["text"])
    port, _ = place.read_text().split()
    raw = socket.create_connection(("127.0.0.1", int(port)), 5)
    raw.sendall(b"wrong\n")
    assert raw.recv(100) == b""
    assert ask(do="stop") == {"stopping": True}
    assert process.wait(20) == 0


def test_a_hook_imports_little_of_the_standard_library_and_nothing_else(environment: dict[str, str]) -> None:
    code = (
        "import sys; before = set(sys.modules); import curator.main, curator.serve.hook_client\n"
        "import curator.serve.client as client\n"
        "try: client.connect()\n"
        "except client.Unreachable: pass\n"
        "loaded = set(sys.modules) - before; costly = {'pathlib', 'typing', 'threading', 'argparse', 'subprocess'};"
        "print(sorted(loaded & (costly - before)), sorted({name.partition('.')[0] for name in loaded}"
        " - set(sys.stdlib_module_names) - {'curator'}))"
    )
    plain = {name: value for name, value in environment.items() if name != "CURATOR_HOME"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=plain)
    assert done.stdout == "[] []\n", done.stderr


def test_the_relay_imports_the_standard_library_only() -> None:
    code = (
        "import sys; before = set(sys.modules); import curator.serve.relay;"
        "print(sorted({name.partition('.')[0] for name in set(sys.modules) - before}"
        " - set(sys.stdlib_module_names) - {'curator'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n"


@thorough
def test_the_index_is_updated_once_nobody_asks(memories: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "QUIET", 0.05)

    async def asked() -> None:
        with contextlib.closing(StoreService()) as service:
            one = server.Server(service, lambda words: 0)
            service.warm()
            put(memories, "The wheel is in the studio.")
            assert not Index(memories, embedded_by).is_current()
            answer = await one._counted(lambda: service.recall({"prompt": "where is the wheel"}))
            assert "studio" in str(answer["text"])  # found by merging, before the index holds it
            assert one._upkeep is not None
            await one._upkeep

    embedded_by = load_embedder("hashing", cache_folder()).fingerprint
    asyncio.run(asked())
    assert Index(memories, embedded_by).is_current()
    assert memories.recalls.uses(memories.list_ids(Filter()))  # the use was recorded after the answer


@thorough
def test_what_was_purged_is_dropped_with_what_was_matched_to_requests(memories: Store) -> None:
    (number,) = put(memories, "My salary is 62,000 euros.")
    with contextlib.closing(StoreService()) as service:
        assert [one.id for one in match_requests(service.store, ["my salary"])[0].sure] == [number]
        assert held("62,000 euros")
        memories.purge([number])
        assert service.drop({}) == {"dropped": True}
        assert not held("62,000 euros")


def held(words: str) -> bool:
    """Return True if this process has a memory with these words."""
    return any(isinstance(one, Memory) and words in one.text for one in gc.get_objects())


def test_a_server_that_is_starting_is_not_called_absent(
    curator: Curator, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = Path(client.lock_file(client.store_path()))
    lock.parent.mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(client, "STARTED", 0.3)
    with FileLock(lock):
        done = curator("serve", "--status")
        assert done.code == 1 and done.out.startswith("starting")
        assert curator("serve", "--status", "--json").rows == [{"running": False, "starting": True}]
        assert curator("serve", "--stop").out.startswith("starting")
    assert curator("serve", "--status").out == "not running\n"


@thorough
def test_stopping_waits_for_a_server_that_is_starting(
    curator: Curator, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried, connect = [], client.connect

    def later(wait: float = client.CONNECT) -> client.Connection:
        tried.append(wait)
        if len(tried) < 3:
            raise client.Unreachable("not yet")
        return connect(wait)

    running = subprocess.Popen([sys.executable, "-m", "curator", "serve"], env=environment)
    wait_for_greeting()
    monkeypatch.setattr(client, "connect", later)
    assert curator("serve", "--stop").out == "stopped\n"
    assert running.wait(60) == 0
