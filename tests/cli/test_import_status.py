"""A running import, as other commands report it."""

import json
import re
from pathlib import Path

import pytest

from cli.runner import Curator
from curator.cli.import_logs import undo_advice
from curator.importers import Format
from curator.paths import store_folder
from curator.services.import_logs import import_paths
from curator.services.import_summary import Progress
from curator.services.run_progress import running_imports
from effort import thorough
from factories import put
from store import Store


def test_while_an_import_runs_other_commands_say_so(curator: Curator, tmp_path: Path) -> None:
    file = tmp_path / "chat.json"
    turns = [{"role": "user", "content": "I live in Porto."}, {"role": "assistant", "content": "Lovely."}]
    file.write_text(json.dumps([{"id": name, "messages": turns} for name in ("a", "b")]))
    store = Store.open(store_folder())
    seen = []

    def look(progress: Progress) -> None:
        if progress.stage == "looking":  # listing the folder, before anything is written
            return
        seen.append((curator("list"), curator("recall", "where"), curator("work", "--status", "--json")))
        assert re.search("^import +running", curator("work", "--status").out, re.MULTILINE)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_paths(store, [file], None, report=look)
    ((listed, recalled, status),) = seen
    assert listed.code == recalled.code == 1
    assert "an import is running" in listed.err and "an import is running" in recalled.err
    (run,) = status.rows[0]["imports"]
    assert run["running"] and run["total"] == file.stat().st_size
    assert running_imports(store) == [] and "an import is running" not in curator("list").err
    store.close()


@thorough
def test_a_dry_run_tells_of_stored_chats_that_an_import_would_distil(curator: Curator, tmp_path: Path) -> None:
    file = tmp_path / "chat.json"
    file.write_text(json.dumps({"messages": [{"role": "user", "content": "I live in Porto."}]}))
    assert curator("import", file, "--no-distil").code == 0
    dry = curator("import", file, "--dry-run")
    assert "nothing new to store" in dry.out and "would distil 1 stored conversation\n" in dry.out
    assert curator("import", file, "--dry-run", "--json").rows[0]["undistilled"] == 1
    assert "would distil" not in curator("import", file, "--dry-run", "--no-distil").out
    curator("import", file)
    assert "would distil" not in curator("import", file, "--dry-run").out


def test_a_dry_run_of_found_logs_needs_no_confirmation(
    curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "chat.json"
    file.write_text(json.dumps({"messages": [{"role": "user", "content": "I live in Porto."}]}))
    monkeypatch.setattr("curator.importers.known_places", lambda: [(Format.OPENAI, file)])
    dry = curator("import", "auto", "--dry-run")
    assert dry.code == 0 and "would add 1 conversation (1 user)" in dry.out
    assert curator("import", "auto").code == 2  # as before: this one imports
    assert not curator("list", "--json").out


@thorough
def test_nothing_new_in_a_cut_export_does_not_sound_like_all_of_it(curator: Curator, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    talks = [{"id": name, "messages": [{"role": "user", "content": "I live in Porto."}]} for name in ("a", "b")]
    whole = json.dumps(talks)
    file.write_text(whole[:-20])
    assert "the file ends in the middle" in curator("import", file).err
    again = curator("import", file)
    assert "nothing new in what could be read\n" in again.out and "1 unreadable" in again.out
    assert "conversations.json" in again.err and "the rest is missing" in again.err
    file.write_text(whole[:30])
    assert curator("import", file).code == 1
    file.write_text(whole)
    curator("import", file)
    assert curator("import", file).out.startswith("nothing new\n")


def test_a_stopped_import_offers_undo_only_for_what_it_wrote(store: Store) -> None:
    advice = undo_advice(store)
    assert advice() == ""
    put(store, "I live in Ghent")
    assert "curator undo" in advice() and undo_advice(store)() == ""
