"""`export notes`, and the import of edited notes."""

import re
from pathlib import Path

from cli.runner import Curator
from effort import thorough
from importers.sample_logs import gpt_chat, write_json


@thorough
def test_notes_are_edited_and_taken_over_after_asking(curator: Curator, tmp_path: Path) -> None:
    curator("add", "The dog is called Rex")
    curator("add", "Answer in French")
    folder = tmp_path / "notes"
    assert "wrote 2 notes" in curator("export", "notes", folder).out
    assert "wrote 0 notes" in (again := curator("export", "notes", folder).out) and "2 unchanged" in again
    (file,) = [file for file in folder.iterdir() if "Rex" in file.read_text()]
    file.write_text(file.read_text().replace("called Rex", "called Max"))
    left = curator("export", "notes", folder)
    assert "skipped, because you edited them: 1 note" in left.err and file.name in left.err
    write_json(folder / "0" / "conversations.json", [gpt_chat("c", "I keep bees on the roof.", "Nice.")])
    asked = curator("import", folder)
    assert asked.code == 2 and "not confirmed: Apply these changes to 1 memory?" in asked.err
    assert "edited note of memory 1: The dog is called Rex\n  now: The dog is called Max" in asked.out
    assert "Rex" in curator("list").out
    assert "bees" not in curator("list").out and "import" not in curator("log").out, "nothing is written before"
    other = folder / "other.md"
    other.write_text(re.sub("uid: .*", "uid: 0190d4a0-0000-7000-8000-000000000001", file.read_text()))
    assert curator("import", folder).code == 2
    assert curator("list").out.count("dog") == 1 and "import" not in curator("log").out
    other.unlink()
    assert "changed 1 memory" in curator("import", folder, "--yes").out
    assert "Max" in curator("list").out and "Rex" not in curator("list").out and "bees" in curator("list").out
    assert curator("undo").code == 0 and "Rex" in curator("list").out


@thorough
def test_notes_of_a_filter_and_wrong_use(curator: Curator, tmp_path: Path) -> None:
    curator("add", "The dog is called Rex")
    curator("add", "Answer in French")
    assert "wrote 1 note to" in curator("export", "notes", tmp_path / "one", "dog").out
    assert curator("export", "notes").code == 2
    assert curator("export", "notes", tmp_path, "--budget", "200").code == 2
    (tmp_path / "file").write_text("x")
    refused = curator("export", "notes", tmp_path / "file")
    assert refused.code == 2 and "as a folder of notes" in refused.err


@thorough
def test_an_unknown_value_in_a_note_is_named_and_changes_nothing(curator: Curator, tmp_path: Path) -> None:
    curator("add", "The dog is called Rex", "--kind", "identity")
    curator("add", "Answer in French")
    folder = tmp_path / "notes"
    curator("export", "notes", folder)
    dog, french = sorted(folder.iterdir(), key=lambda file: "Rex" not in file.read_text())
    dog.write_text(dog.read_text().replace("kind: identity", "kind: banana"))
    french.write_text(french.read_text().replace("in French", "in Dutch"))
    done = curator("import", folder, "--yes")
    assert done.code == 1
    assert f"{dog.name}: kind is not one of " in done.err and "identity" in done.err
    lines = done.out.splitlines()
    assert [line for line in lines if line.startswith(("changed", "1 note"))] == [
        "changed 1 memory; `curator undo` undoes it",
        "1 note of memories that are here · 1 edited · 1 unreadable",
    ]
    assert not {"added", "found"} & {line.split()[0] for line in lines}
    (row,) = [row for row in curator("list", "--json").rows if "Rex" in row["text"]]
    assert row["kind"] == "identity"
    dog.write_text(dog.read_text().replace("kind: banana", "kind: identity"))
    assert curator("import", folder, "--yes").code == 0
    assert not curator("export", "notes", folder).err
