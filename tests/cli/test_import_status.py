"""A running import, as other commands report it."""

import json
import re
from pathlib import Path

import pytest

from cli.runner import Curator
from curator.paths import store_folder
from curator.services.import_logs import import_paths
from curator.services.import_summary import Progress
from curator.services.run_progress import running_imports
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
