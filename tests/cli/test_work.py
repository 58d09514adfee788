"""`curator work`: all sweeps in the foreground, their report, and a server that goes away half-way."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from curator.config import settings
from curator.demo import logs
from curator.models import load_embedder
from curator.paths import store_folder
from curator.services.import_logs import import_paths
from curator.sweeps.scheduler import NAMES
from effort import exhaustive, thorough
from factories import conversation
from fake_ollama.faults import Fault, What
from fake_ollama.rule_model import answer
from fake_ollama.scenario import Scenario
from fake_ollama.server import Server, serving
from store import Filter, Store
from store.model import Life, Origin

Curator = Callable[..., Any]
PLAIN = Scenario(mind=answer)
SAID = ("I live in Porto with two cats.", "I never eat hazelnuts.", "I work as a nurse at the harbour clinic.")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(PLAIN) as standin:
        monkeypatch.setenv("CURATOR_OLLAMA__HOST", standin.host)
        monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "qwen3:4b")
        yield standin


@pytest.fixture
def talks() -> Iterator[Store]:
    """Return the person's store, with conversations that no sweep has read."""
    store = Store.open(store_folder())
    with store.command("import") as writer:
        for number, said in enumerate(SAID):
            store.raw.put_conversation(writer, conversation(f"talk {number}", said, "I see."))
    yield store
    store.close()


def rows(ran: Any) -> dict[str, dict[str, Any]]:
    (told,) = ran.rows
    return {row["name"]: row for row in told["sweeps"]}


@thorough
def test_all_there_is_to_do_is_done_once_and_told(curator: Curator, server: Server, talks: Store) -> None:
    ran = curator("work", "--once")
    assert (ran.code, ran.err) == (0, "")
    lines = {line.split()[0]: line for line in ran.out.splitlines()}
    assert tuple(lines) == NAMES
    assert "3 conversations done" in lines["distil"] and "0 failed" in lines["distil"] and "0 left" in lines["distil"]
    assert "off" in lines["watch"] and "sweep_watch.enabled" in lines["watch"]
    made = talks.get_many(talks.list_ids(Filter(origins=(Origin.MODEL,))))
    assert sorted(memory.text for memory in made) == sorted(SAID)
    told = rows(curator("work", "--once", "--json"))
    assert told["distil"] == {
        "name": "distil",
        "state": "waiting",
        "model": "qwen3:4b",
        "done": 0,
        "failed": 0,
        "left": 0,
        "problem": "",
        "reasons": {},
    }
    assert len(server.calls()) == 3


@thorough
def test_what_failed_is_told_with_its_reason_and_tried_again_when_asked(
    curator: Curator, server: Server, talks: Store
) -> None:
    server.change(Scenario(mind=answer, faults=(Fault(What.NOTHING, when="hazelnuts"),)))
    ran = curator("work", "--once")
    assert ran.code == 0 and "1 failed" in ran.out and "distil: 1 ×" in ran.out and "--retry" in ran.out
    (reason,) = rows(curator("work", "--once", "--json"))["distil"]["reasons"]
    assert reason
    server.change(PLAIN)
    assert rows(curator("work", "--once", "--json"))["distil"]["failed"] == 1
    told = rows(curator("work", "--once", "--retry", "--json"))["distil"]
    assert (told["failed"], told["left"], told["reasons"]) == (0, 0, {})
    assert len(talks.list_ids(Filter(origins=(Origin.MODEL,)))) == len(SAID)


@thorough
def test_without_the_server_the_rest_is_done_and_what_helps_is_said(
    curator: Curator, server: Server, talks: Store
) -> None:
    server.stop()
    ran = curator("work", "--once")
    assert ran.code == 4
    assert "3 left" in ran.out and "ollama serve" in ran.out
    told = rows(curator("work", "--once", "--json"))
    assert (told["distil"]["state"], told["distil"]["left"], told["judge"]["state"]) == ("offline", 3, "waiting")
    server.start()
    assert curator("work", "--once").code == 0


def test_a_refused_model_is_named_with_the_setting_that_allows_it(
    curator: Curator, server: Server, talks: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "gpt-oss:120b-cloud")
    ran = curator("work", "--once")
    assert ran.code == 4
    assert "curator config ollama.allow_cloud gpt-oss:120b-cloud" in ran.out
    assert server.calls() == []


def test_without_a_model_the_rules_work_and_it_is_said_how_to_choose_one(
    curator: Curator, talks: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = curator("work", "--once")
    assert ran.code == 0
    assert "distil    off" in ran.out and "curator models" in ran.out


@thorough
def test_watching_imports_what_sessions_say_though_it_is_switched_off(
    curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(logs() / "claude-code", tmp_path / "claude" / "projects")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    assert rows(curator("work", "--once", "--json"))["watch"]["state"] == "off"
    told = rows(curator("work", "--once", "--watch", "--json"))["watch"]
    assert (told["done"], told["left"]) == (3, 0)
    again = rows(curator("work", "--once", "--watch", "--json"))["watch"]
    assert (again["done"], again["left"]) == (0, 0)
    store = Store.open(store_folder())
    assert len(store.raw.get_conversations()) == 3
    store.close()


@exhaustive
def test_it_stays_until_it_is_interrupted_and_keeps_what_was_done(server: Server, talks: Store) -> None:
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # background jobs ignore SIGINT
    words = [sys.executable, "-c", f"{heard}; from curator.main import main; main()", "work"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            while talks.sweeps.unswept("extract/1"):
                assert process.poll() is None
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "progress is kept" in err and "Traceback" not in err
    assert len(talks.list_ids(Filter(origins=(Origin.MODEL,)))) == len(SAID)


@exhaustive
def test_what_another_process_is_at_is_said_and_waited_for(server: Server, talks: Store) -> None:
    first, *_ = talks.sweeps.unswept("extract/1")
    lease = talks.sweeps.take(f"distil:{first}", "another", 600)
    assert lease is not None
    words = [sys.executable, "-c", "from curator.main import main; main()", "work", "--once"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = process.stderr.readline()
    assert "distil: another process (the app?) is working on 1 conversation" in said and "ctrl+c" in said
    assert process.poll() is None
    talks.sweeps.release(lease)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and "0 left" in out
    assert len(talks.list_ids(Filter(origins=(Origin.MODEL,)))) == len(SAID)


# The demo's store and a server that goes away


def state(store: Store) -> list[tuple[object, ...]]:
    """Return all that a sweep makes or changes, without ids: memories, quotes, wordings, alerts and judgments."""
    memories = {m.id: m for m in store.get_many(store.list_ids(Filter(lives=tuple(Life))))}
    found: list[tuple[object, ...]] = []
    for memory in memories.values():
        quotes = tuple(sorted((one.message or 0, one.start, one.quote) for one in store.evidence(memory.id)))
        wordings = tuple(sorted(one.text for one in store.wordings.of(memory.id)))
        found.append((memory.text, memory.origin, memory.review, memory.life, memory.distiller, quotes, wordings))
    alerts = store.alerts.open()
    opinions = store.judgments.of([alert.id for alert in alerts])
    for alert in alerts:
        judged = tuple((one.judge, one.relation) for one in opinions.get(alert.id, ()))
        pair = tuple(sorted((memories[alert.a].text, memories[alert.b].text)))
        found.append((*pair, alert.relation, alert.score, judged))
    return sorted(found, key=repr)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the home of a person whose store holds the demo, distilled by the rules."""
    home = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CURATOR_HOME", str(home))
        patch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
        settings.cache_clear()
        store = Store.open(store_folder())
        import_paths(store, sorted(path for path in logs().iterdir() if path.is_dir()), load_embedder("hashing", home))
        store.close()
        settings.cache_clear()
    return home


def at_home(demo: Path, home: Path, patch: pytest.MonkeyPatch) -> None:
    shutil.copytree(demo, home)
    patch.setenv("CURATOR_HOME", str(home))
    settings.cache_clear()


def sweep_all(curator: Curator) -> list[tuple[object, ...]]:
    """Sweep until nothing is left; return the state."""
    told = rows(curator("work", "--once", "--json"))
    assert all((row["left"], row["failed"]) == (0, 0) for row in told.values())
    store = Store.open(store_folder())
    assert store.differences() == []
    found = state(store)
    store.close()
    return found


Whole = list[tuple[object, ...]]


@pytest.fixture
def whole(curator: Curator, server: Server, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Whole:
    """Return the result of an undisturbed sweep over a copy of the demo."""
    if not _undisturbed:
        at_home(demo, tmp_path / "undisturbed", monkeypatch)
        _undisturbed.append(sweep_all(curator))
        assert len(server.calls()) > 40 and any(Origin.MODEL in row for row in _undisturbed[0])
        server.requests.clear()
    at_home(demo, tmp_path / "disturbed", monkeypatch)
    return _undisturbed[0]


_undisturbed: list[Whole] = []  # run by the first test, shared by all


@exhaustive
def test_a_server_that_stops_half_way_makes_no_difference_in_the_end(
    curator: Curator, server: Server, whole: Whole
) -> None:
    for call, at in ((12, 70), (8, 0), (5, 400)):
        server.change(Scenario(mind=answer, faults=(Fault(What.STOP, calls=range(call, call + 1), at=at),)))
        ran = curator("work", "--once")
        assert ran.code == 4 and "closed the connection" in ran.out
        assert not server.listens
        server.start()
    server.change(PLAIN)
    assert sweep_all(curator) == whole


@exhaustive
def test_a_sweep_that_is_killed_half_way_is_resumed_to_the_same_end(
    curator: Curator, server: Server, whole: Whole
) -> None:
    server.change(Scenario(mind=answer, first_byte=0.05))
    store = Store.open(store_folder())
    words = [sys.executable, "-c", "from curator.main import main; main()", "work", "--once"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    while len(store.sweeps.unswept("extract/1")) > 20:
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert store.sweeps.unswept("extract/1")
    with store.sqlite() as connection:  # ends the leases, as if their time was over
        connection.execute("DELETE FROM leases")
    store.close()
    server.change(PLAIN)
    assert sweep_all(curator) == whole


def test_status_says_who_is_at_what_and_how_far(curator: Curator) -> None:
    from dataclasses import replace

    from curator.services.run_progress import make_progress
    from store import clock

    store = Store.open(store_folder())
    run = make_progress("distil", "other", 90.0, 31, 204, 2)
    store.sweeps.put_progress([run, replace(run, holder="dead", host="elsewhere", seen=run.seen - clock.DAY // 2)])
    told = curator("work", "--status")
    assert told.code == 0 and f"process {run.process}" in told.out
    assert "31 of 204" in told.out and "2 failed" in told.out
    assert "last seen" in told.out and "stopped" in told.out
    (row,) = [row for row in curator("work", "--status", "--json").rows[0]["sweeps"] if row["name"] == "distil"]
    assert row["state"] == "running" and [one["running"] for one in row["runs"]] == [False, True]
    store.sweeps.drop_progress("other", ["distil"])
    (row,) = [row for row in curator("work", "--status", "--json").rows[0]["sweeps"] if row["name"] == "distil"]
    assert row["state"] != "running" and [one["done"] for one in row["runs"]] == [31]
    store.close()


@thorough
def test_a_pause_is_shown_and_holds_until_it_is_resumed(curator: Curator, server: Server, talks: Store) -> None:
    assert rows(curator("work", "--pause", "distil", "--json"))["distil"]["state"] == "paused"
    ran = curator("work", "--once")
    assert ran.code == 0 and "3 left" in ran.out and "curator work --resume distil" in ran.out
    assert server.calls() == []
    assert rows(curator("work", "--pause", "all", "--json"))["embed"]["state"] == "paused"
    assert "paused" not in curator("work", "--resume", "all").out
    assert rows(curator("work", "--once", "--json"))["distil"]["left"] == 0
    for words in (("--once", "--pause", "embed"), ("--pause", "embed", "--resume", "embed")):
        assert curator("work", *words).code == 2
    wrong = curator("work", "--pause", "everything")
    assert wrong.code == 2 and "distil" in wrong.err
