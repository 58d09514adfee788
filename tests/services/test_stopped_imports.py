"""An import that is stopped or killed while it distils keeps what it distilled, and goes on to the same store."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from curator import curation
from curator.models import Embedder, load_embedder
from curator.services import distillation, import_run
from curator.services.import_logs import distil_all, import_paths
from curator.services.import_summary import Progress, Summary
from effort import thorough
from store import Filter, Store
from store.model import Actor
from store.record.unfinished import UnfinishedRuns

CHATS = (
    ("I live in Porto.", "I work as a nurse."),
    ("I prefer tea to coffee.", "Please forget that I collect stamps."),
    ("I collect stamps.", "My sister Eva lives in Lisbon."),
    ("I live in Lisbon.", "I work as a nurse."),
    ("I prefer tea to coffee.", "I am allergic to peanuts."),
    ("I play the cello every Tuesday.", "I live in Porto."),
    ("Forget that I play the cello.", "I work as a teacher."),
    ("I am allergic to nuts.", "My sister Eva lives in Madrid."),
)
TABLES = {
    "memories": "SELECT text, kind, life, review, flag, scope, tier, given, surprise FROM memories",
    "evidence": "SELECT m.text, e.quote, e.message, e.start FROM evidence e JOIN memories m ON m.id = e.memory",
    "alerts": "SELECT x.text, y.text, a.relation, round(a.score, 4) FROM alerts a"
    " JOIN memories x ON x.id = a.a JOIN memories y ON y.id = a.b",
    "refusals": "SELECT message, start, end, reason FROM refusals",
    "asked": "SELECT message, start, end FROM asked",
    "distilled": "SELECT conversation, distiller, upto FROM distilled",
}

Stop = Callable[[Progress], None]


@pytest.fixture
def lexical(tmp_path: Path) -> Embedder:
    """Return the embedder that needs no weights."""
    return load_embedder("hashing", tmp_path)


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a log for each chat, and let a batch be one or two of them."""
    monkeypatch.setattr(distillation, "_CHARACTERS", 5)
    return write_logs(tmp_path / "logs")


def write_logs(folder: Path) -> Path:
    folder.mkdir()
    for number, said in enumerate(CHATS):
        turns = [{"role": "user", "content": text} for text in said]
        (folder / f"chat{number}.json").write_text(json.dumps({"messages": turns}))
    return folder


def contents(store: Store) -> dict[str, list[tuple[object, ...]]]:
    with store.sqlite() as connection:
        return {
            name: sorted((tuple(row) for row in connection.execute(query)), key=repr) for name, query in TABLES.items()
        }


def stop_at(conversation: int) -> Stop:
    def stop(progress: Progress) -> None:
        if progress.stage == "distilling" and progress.done >= conversation:
            raise KeyboardInterrupt

    return stop


def stopped(store: Store, logs: Path, embedder: Embedder, conversation: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        import_paths(store, [logs], embedder, report=stop_at(conversation))


@thorough
@pytest.mark.parametrize("conversation", [1, 3, 6, 8])
def test_a_stopped_import_goes_on_to_the_same_store_and_is_one_step(
    store: Store, lexical: Embedder, logs: Path, tmp_path: Path, conversation: int
) -> None:
    empty = store.state_hash()
    stopped(store, logs, lexical, conversation)
    kept = len(store.list_ids(Filter()))
    assert kept > 0 or conversation < 2
    assert f"{kept} memor" in store.journal.log()[0].summary or not kept
    rest = import_paths(store, [logs], lexical)
    whole = Store.open(tmp_path / "unbroken")
    full = import_paths(whole, [logs], lexical)
    assert contents(store) == contents(whole)
    assert any(row[4] for row in contents(store)["memories"]), "a request to forget was matched"
    assert rest.memories == full.memories - kept
    assert [one.summary for one in store.journal.log()] == [one.summary for one in whole.journal.log()]
    assert store.differences() == []
    store.undo()
    assert store.state_hash() == empty
    assert store.unfinished_runs.all() == []
    whole.close()


@thorough
def test_an_import_killed_while_it_distils_goes_on(store: Store, lexical: Embedder, logs: Path, tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from curator.models import load_embedder;"
        "from curator.services import distillation; from curator.services.import_logs import import_paths;"
        "from store import Store; distillation._CHARACTERS = 5; folder = Path(sys.argv[1]);"
        "store = Store.open(folder / 'killed'); stop = lambda p: p.stage == 'distilling' and p.done >= 7"
        " and os.kill(os.getpid(), signal.SIGKILL);"
        "import_paths(store, [folder / 'logs'], load_embedder('hashing', folder), report=stop)"
    )
    environment = {**os.environ, "CURATOR_CLASSIFY__ENABLED": "false"}
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    killed = Store.open(tmp_path / "killed")
    assert len(killed.list_ids(Filter())) > 0
    import_paths(killed, [logs], lexical)
    import_paths(store, [logs], lexical)
    assert contents(killed) == contents(store)
    assert len(killed.journal.log()) == 1
    assert killed.differences() == []
    killed.close()


@thorough
def test_after_another_decision_the_rest_is_a_step_of_its_own_and_says_so(
    store: Store, lexical: Embedder, logs: Path
) -> None:
    stopped(store, logs, lexical, 4)
    first = store.journal.log()[0].id
    curation.validate(store, store.list_ids(Filter())[:1])
    import_paths(store, [logs], lexical)
    latest = store.journal.log()[0]
    assert latest.verb == "import" and latest.summary.endswith(f"continues command {first}")
    assert store.undo().id == latest.id
    assert store.list_ids(Filter()) != []


@thorough
def test_other_logs_are_not_added_to_a_stopped_import(
    store: Store, lexical: Embedder, logs: Path, tmp_path: Path
) -> None:
    stopped(store, logs, lexical, 4)
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"messages": [{"role": "user", "content": "I ride a bike to work."}]}))
    import_paths(store, [other], lexical)
    assert len(store.journal.log()) == 2
    assert any(row[4] for row in contents(store)["memories"]), "requests found before the stop are matched"
    assert store.unfinished_runs.all() == []


@thorough
def test_a_stopped_import_that_was_undone_is_not_continued(store: Store, lexical: Embedder, logs: Path) -> None:
    stopped(store, logs, lexical, 4)
    first = store.undo().id
    assert import_paths(store, [logs], lexical).batch != first
    assert store.unfinished_runs.all() == []


@thorough
def test_a_command_that_has_the_number_of_a_stopped_import_is_not_continued(
    store: Store, lexical: Embedder, logs: Path
) -> None:
    stopped(store, logs, lexical, 4)
    (run,) = store.unfinished_runs.all()
    with store.sqlite() as connection:
        connection.execute("UPDATE commands SET at = at - 1 WHERE id = ?", (run.command,))
    assert import_paths(store, [logs], lexical).batch != run.command
    assert store.unfinished_runs.all() == []


@thorough
def test_an_import_of_a_sweep_in_between_leaves_both_undoable(
    store: Store, lexical: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distillation, "_CHARACTERS", 1)
    for name, *said in (("a", "I live in Porto."), ("b", "My cat is called Miso."), ("c", "I work as a nurse.")):
        (tmp_path / f"{name}.json").write_text(json.dumps({"messages": [{"role": "user", "content": t} for t in said]}))
    other = tmp_path / "other"
    other.mkdir()
    turns = [{"role": "user", "content": text} for text in ("I live in Porto.", "I work as a nurse.")]
    (other / "d.json").write_text(json.dumps({"messages": turns}))
    logs = [tmp_path / f"{name}.json" for name in "abc"]
    with pytest.raises(KeyboardInterrupt):
        import_paths(store, logs, lexical, report=stop_at(2))
    import_paths(store, [other], lexical, actor=Actor.SWEEP, reveal=False)
    import_paths(store, logs, lexical)
    ids = [command.id for command in store.journal.log()]
    assert [store.undo(command).id for command in ids] == ids
    assert store.list_ids(Filter()) == []


def test_a_stopped_import_leaves_no_path_in_the_record(
    store: Store, lexical: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distillation, "_CHARACTERS", 5)
    stopped(store, write_logs(tmp_path / "about Zanzibar"), lexical, 4)
    assert store.unfinished_runs.all()
    with store.sqlite() as connection:
        values = [bytes(row[0]) for row in connection.execute("SELECT CAST(value AS BLOB) FROM meta")]
    assert not any(b"Zanzibar" in value for value in values), "a purge does not erase it there"


@thorough
def test_a_stopped_import_that_is_repeated_without_distilling_stays_unfinished(
    store: Store, lexical: Embedder, logs: Path, tmp_path: Path
) -> None:
    stopped(store, logs, lexical, 4)
    (before,) = store.unfinished_runs.all()
    assert before.asked
    import_paths(store, [logs], lexical, distil=False)
    (after,) = store.unfinished_runs.all()
    assert (after.command, after.since, after.asked) == (before.command, before.since, before.asked)
    assert store.journal.log()[0].summary.endswith("not finished")
    import_paths(store, [logs], lexical)
    whole = Store.open(tmp_path / "unbroken")
    import_paths(whole, [logs], lexical)
    assert contents(store) == contents(whole)
    assert store.unfinished_runs.all() == []
    whole.close()


def test_two_imports_at_once_do_not_both_continue_a_stopped_one(
    store: Store, lexical: Embedder, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped(store, logs, lexical, 4)
    (run,) = store.unfinished_runs.all()
    monkeypatch.setattr(import_run, "_running", set())  # as another process, which knows the run only from the store
    with import_run.begin_run(store, "import", paths=[logs]) as first:
        first.writer.pause()
        (claimed,) = store.unfinished_runs.all()
        assert (claimed.command, claimed.asked, claimed.memories) == (run.command, run.asked, run.memories)
        monkeypatch.setattr(import_run, "stopped_runs", lambda *_: (run,))  # read before the first one began
        with import_run.begin_run(store, "import", paths=[logs]) as second:
            second.writer.pause()
            assert second.writer.id != first.writer.id
            second.end(Summary())
        assert store.unfinished_runs.all() == [claimed], "it is running"
        first.end(Summary())


def test_an_import_that_begins_while_another_looks_for_stopped_ones_is_running(
    store: Store, lexical: Embedder, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped(store, logs, lexical, 4)
    (run,) = store.unfinished_runs.all()
    begun = replace(run, process=os.getppid())
    answers = iter([[], [begun]])
    monkeypatch.setattr(UnfinishedRuns, "all", lambda _: next(answers))
    assert import_run.stopped_runs(store, Actor.PERSON) == ()


@thorough
def test_a_running_import_is_not_continued_by_another(
    store: Store, lexical: Embedder, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int | None] = []

    def again(progress: Progress) -> None:
        if progress.stage == "distilling" and progress.done >= 4 and not batches:
            batches.append(None)
            batches[0] = import_paths(store, [logs], lexical).batch

    summary = import_paths(store, [logs], lexical, report=again)
    assert summary.batch != batches[0]
    assert store.differences() == []


@thorough
def test_an_import_whose_conversations_another_distilled_meanwhile_leaves_no_step(
    store: Store, lexical: Embedder, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distillation, "_CHARACTERS", 10_000)
    import_paths(store, [logs], lexical, distil=False)
    done: list[int | None] = []

    def other(progress: Progress) -> None:
        if progress.stage == "distilling" and progress.done > len(CHATS) - 1 and not done:
            done.append(None)
            done[0] = import_paths(store, [logs], lexical).batch

    assert import_paths(store, [logs], lexical, report=other).batch is None
    assert store.journal.log()[0].id == done[0]


@thorough
def test_a_line_that_was_edited_is_superseded_also_if_its_import_was_stopped(
    store: Store, lexical: Embedder, tmp_path: Path
) -> None:
    file = tmp_path / "CLAUDE.md"
    file.write_text("- Always use tabs for indentation in Python files.\n- Never push to main.\n")
    import_paths(store, [file], lexical)
    former = store.list_ids(Filter())
    file.write_text("- Always use spaces for indentation in Python files.\n- Never push to main.\n")

    def stop(progress: Progress) -> None:
        if progress.stage == "reading" and len(store.list_ids(Filter())) > len(former):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_paths(store, [file], lexical, report=stop)
    import_paths(store, [file], lexical)
    assert sorted(memory.text for memory in store.get_many(store.list_ids(Filter()))) == [
        "Always use spaces for indentation in Python files.",
        "Never push to main.",
    ]


@thorough
def test_distilling_everything_again_goes_on_after_a_stop(store: Store, lexical: Embedder, logs: Path) -> None:
    import_paths(store, [logs], lexical)
    seen: list[float] = []
    with pytest.raises(KeyboardInterrupt):
        distil_all(store, lexical, again=True, report=stop_at(6))
    distil_all(store, lexical, again=True, report=lambda progress: seen.append(progress.total))
    assert max(seen) < len(CHATS)
    distil_all(store, lexical, again=True, report=lambda progress: seen.append(progress.total))
    assert max(seen) == len(CHATS)


@thorough
def test_an_import_at_the_same_time_counts_each_conversation_once(
    store: Store, lexical: Embedder, tmp_path: Path
) -> None:
    from importers.sample_logs import code_line, write_lines

    path = write_lines(tmp_path / "session-1.jsonl", [code_line(1, "user", "Always run the tests first.")])
    done: list[bool] = []

    def first(progress: Progress) -> None:
        if progress.stage == "reading" and not done:
            done.append(True)
            import_paths(store, [path], lexical)

    summary = import_paths(store, [path], lexical, report=first)
    assert (summary.conversations, summary.known) == (0, 1)


@thorough
def test_an_import_says_in_the_journal_what_it_quarantined(store: Store, lexical: Embedder, logs: Path) -> None:
    summary = import_paths(store, [logs], lexical)
    assert summary.held_back
    assert f"{summary.held_back} quarantined" in store.journal.log()[0].summary
