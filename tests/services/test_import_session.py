"""Import of a session in the background, which holds a lease on its log."""

import json
from pathlib import Path

import pytest

from curator.services import import_session as module
from curator.services.import_session import import_session, session_lease
from curator.services.import_summary import Progress
from store import Busy, Store
from store.record.sweep_state import Sweeps


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a session's log, and renew the lease at every progress report."""
    monkeypatch.setattr(module, "LEASE", 0.0)
    line = {
        "type": "user",
        "uuid": "u0",
        "parentUuid": None,
        "sessionId": "s1",
        "timestamp": "2026-03-01T10:00:00.000Z",
        "message": {"role": "user", "content": "I prefer small commits with a test each."},
    }
    file = tmp_path / "s1.jsonl"
    file.write_text(json.dumps(line) + "\n")
    return file


def ignore(progress: Progress) -> None:
    pass


def test_a_record_that_is_locked_for_a_while_does_not_end_an_import(
    store: Store, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def renew(*_: object) -> bool:
        raise Busy("another process has been writing")

    monkeypatch.setattr(Sweeps, "renew", renew)
    assert import_session(store, log, None, ignore)
    assert len(store.raw.get_conversations()) == 1


def test_who_has_lost_the_lease_leaves_the_log_to_who_has_it(
    store: Store, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renew, others = Sweeps.renew, []

    def taken_over(sweeps: Sweeps, *args: object) -> bool:
        others.append(store.sweeps.take(session_lease(log), "another process", 60))
        return renew(sweeps, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Sweeps, "renew", taken_over)
    assert not import_session(store, log, None, ignore)
    assert others[0] is not None and store.sweeps.held("", "me") == {session_lease(log)}
