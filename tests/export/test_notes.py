"""A folder of Markdown notes, one per memory: read back unchanged; edits are neither lost nor applied unasked."""

import contextlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator import curation
from curator.export.files import export_rows
from curator.export.notes import export_notes, notes_in
from curator.importers import Format, detect
from curator.services.import_logs import import_paths
from curator.text.markers import QUOTES
from curator.text.notes import parse_note, render_note
from effort import share, thorough
from factories import memory, put
from store import Filter, Store
from store.model import NewEvidence, NewVersion, Review

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60)
VALUE = st.one_of(
    st.none(), st.booleans(), st.integers(-(1 << 53), 1 << 53), st.floats(allow_nan=False, allow_infinity=False), TEXT
)
ODD = st.sampled_from(
    ["---", "no", "1e3", "2024-05-01", "2024-05-01T10:00:00+00:00", "*x", "&a b", "# h", "a: b", "~", QUOTES]
)


@settings(max_examples=share(60))
@given(
    st.dictionaries(st.sampled_from("kind tags project source flag".split()), st.one_of(VALUE, ODD, st.lists(ODD))),
    st.one_of(TEXT, ODD, st.builds("{} {}\n{}".format, ODD, TEXT, ODD)),
    st.lists(st.fixed_dictionaries({"quote": st.one_of(TEXT, ODD), "title": ODD}), max_size=2),
)
def test_a_note_is_read_as_the_row_it_was(fields: dict[str, Any], text: str, quotes: list[Any]) -> None:
    row = {"schema": "curator_memory.v2", **fields, "text": text, "evidence": quotes}
    assert parse_note(render_note(row)) == row


@pytest.fixture
def full(store: Store) -> Store:
    """Return a store with quotes, versions, tags and decisions."""
    quote = NewEvidence(
        "I like tea,\nmostly", 0, 19, source="chatgpt", title="Drinks: *a*", said_at=1_700_000_000_000_000
    )
    with store.command("import") as writer:
        store.admit(writer, memory("I like tea", evidence=(quote,), versions=(NewVersion("tea", 5, None, "k"),)))
    put(store, "Answer in French", "The dog is called Rex", tags=("pets", "home"))
    curation.validate(store, [1])
    curation.pin(store, [2])
    return store


@thorough
def test_a_folder_taken_into_another_store_is_the_same_folder_again(full: Store, tmp_path: Path) -> None:
    done = export_notes(full, tmp_path / "notes", Filter(), replace=False)
    assert (done.written, done.unchanged, done.removed, done.edited) == (3, 0, 0, ())
    with contextlib.closing(Store.open(tmp_path / "other")) as other:
        assert detect(tmp_path / "notes") is Format.NOTES
        assert import_paths(other, [tmp_path / "notes"], None).memories == 3
        (tea,) = [one for one in other.get_many(other.list_ids(Filter())) if one.text == "I like tea"]
        assert tea.review is Review.VALIDATED and [one.text for one in other.versions(tea.id)] == ["tea"]
        (said,) = other.evidence(tea.id)
        assert (said.quote, said.title) == ("I like tea,\nmostly", "Drinks: *a*")
        again = [{**row, "signature": 0, "uid": 0, "added_at": 0} for row in export_rows(other, Filter())]
    first = [{**row, "signature": 0, "uid": 0, "added_at": 0} for row in export_rows(full, Filter())]
    assert sorted(first, key=str) == sorted(again, key=str)


def test_only_what_changed_is_written_and_files_of_others_stay(full: Store, tmp_path: Path) -> None:
    export_notes(full, tmp_path, Filter(), replace=False)
    mine = tmp_path / "shopping.md"
    mine.write_text("---\ntitle: mine\n---\nmilk\n")
    times = {file: file.stat().st_mtime_ns for file in tmp_path.glob("*.md")}
    curation.edit(full, 2, "Answer in German")
    curation.forget(full, [3])
    done = export_notes(full, tmp_path, Filter(), replace=False)
    assert (done.written, done.unchanged, done.removed, done.edited) == (1, 1, 1, ())
    assert len(dict(notes_in(tmp_path))) == 2
    assert mine.read_text().endswith("milk\n") and mine.stat().st_mtime_ns == times[mine]


@thorough
def test_an_edited_note_is_left_alone_and_says_so_at_the_next_import(full: Store, tmp_path: Path) -> None:
    export_notes(full, tmp_path, Filter(), replace=False)
    (file,) = [file for file in tmp_path.glob("*.md") if "Rex" in file.read_text()]
    file.write_text(file.read_text().replace("called Rex", "called Max").replace("- pets", "- animals"))
    curation.forget(full, [2])
    done = export_notes(full, tmp_path, Filter(), replace=False)
    assert done.edited == (file,) and "Max" in file.read_text()
    before = full.state_hash()
    summary = import_paths(full, [tmp_path], None)
    assert summary.edited == {
        3: curation.Revision(text="The dog is called Max", add_tags=["animals"], remove_tags=["pets"])
    }
    assert full.state_hash() == before and summary.memories == 0
    curation.revise(full, 3, summary.edited[3])
    assert export_notes(full, tmp_path, Filter(), replace=False).edited == ()  # applied, so its note is rewritten
    assert import_paths(full, [tmp_path], None).edited == {}


def test_a_remark_in_a_note_stays(full: Store, tmp_path: Path) -> None:
    export_notes(full, tmp_path, Filter(), replace=False)
    (file,) = [file for file in tmp_path.glob("*.md") if QUOTES in file.read_text()]
    file.write_text(file.read_text() + "\nMY REMARK\n")
    curation.edit(full, 1, "I like green tea")
    assert export_notes(full, tmp_path, Filter(), replace=False).edited == (file,)
    curation.forget(full, [1])
    assert export_notes(full, tmp_path, Filter(), replace=True).edited == (file,) and "REMARK" in file.read_text()


def test_an_older_note_changes_no_newer_memory(full: Store, tmp_path: Path) -> None:
    export_notes(full, tmp_path, Filter(), replace=False)
    (file,) = [file for file in tmp_path.glob("*.md") if "Rex" in file.read_text()]
    file.write_text(file.read_text().replace("- pets", "- animals"))
    curation.edit(full, 3, "The dog is called Max")
    summary = import_paths(full, [tmp_path], None)
    assert summary.edited == {} and "was changed since this note was written" in summary.unreadable[0]


def test_other_notes_are_not_deleted(full: Store, tmp_path: Path) -> None:
    export_notes(full, tmp_path, Filter(), replace=False)
    with contextlib.closing(Store.open(tmp_path / "other")) as other:
        put(other, "I like kites")
        assert export_notes(other, tmp_path / "x", Filter(), replace=True).written == 1
        (foreign,) = (tmp_path / "x").glob("*.md")
        foreign.rename(tmp_path / foreign.name)
    done = export_notes(full, tmp_path, Filter(words=("nowhere",)), replace=True)
    assert (done.removed, len(list(tmp_path.glob("*.md")))) == (0, 4)


def test_markup_in_a_log_is_inert_in_a_note(store: Store, tmp_path: Path) -> None:
    text = "See ![x](http://evil.example/p.png) and <script>x</script> or \\<b"
    quote = NewEvidence(text, 0, len(text), title="Chat\n# Injected ![y](z)")
    with store.command("import") as writer:
        store.admit(writer, memory(text, evidence=(quote,)))
    put(store, "𝐇𝐞𝐥𝐥𝐨𝐇𝐞𝐥𝐥𝐨𝐇𝐞𝐥𝐥𝐨 " * 20, "It's a first line of six words, one", "It's a first line of six words, two")
    export_notes(store, tmp_path, Filter(), replace=False)
    (file,) = [file for file in tmp_path.glob("*.md") if "evil" in file.read_text()]
    body = file.read_text().split("\n---\n", 1)[1]
    assert " ![" not in body and "<script" not in body.replace("\\<", "") and "\n# Injected" not in body
    assert parse_note(file.read_text())["text"] == text
    assert export_notes(store, tmp_path, Filter(), replace=False).unchanged == 4


HEAD = "---\nschema: curator_memory.v2\n"


@pytest.mark.parametrize(
    "text",
    [
        HEAD,
        f"{HEAD}id: [\n---\nx",
        "---\nschema: curator_memory.v99\n---\nx",
        f"{HEAD}a: &a [1]\nb: *a\n---\nx",
        f"{HEAD}---\n",
        f"{HEAD}x: !!bool foo\n---\nx",
        f"{HEAD}x: !!int ''\n---\nx",
        f"{HEAD}x: {'[' * 50_000}\n---\nx",
    ],
)
def test_a_damaged_note_is_named(store: Store, tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.md").write_text(text)
    (tmp_path / "fine.md").write_text(f"{HEAD}id: m1\ntags: [tea]\n---\nI like tea\n")
    summary = import_paths(store, [tmp_path], None)
    assert summary.memories == 1 and summary.invalid == 1 and "odd.md" in summary.unreadable[0]
