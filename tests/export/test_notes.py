"""A folder of Markdown notes: one a memory, read again as it was, edited notes neither lost nor taken unasked."""

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
from effort import share
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
    """A store with quotes, versions, tags and decisions."""
    quote = NewEvidence(
        "I like tea,\nmostly", 0, 19, source="chatgpt", title="Drinks: *a*", said_at=1_700_000_000_000_000
    )
    with store.command("import") as writer:
        store.admit(writer, memory("I like tea", evidence=(quote,), versions=(NewVersion("tea", 5, None, "k"),)))
    put(store, "Answer in French", "The dog is called Rex", tags=("pets", "home"))
    curation.validate(store, [1])
    curation.pin(store, [2])
    return store


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


def test_an_edited_note_is_left_alone_and_says_so_at_the_next_import(full: Store, tmp_path: Path) -> None:
    export_notes(full, tmp_path, Filter(), replace=False)
    (file,) = [file for file in tmp_path.glob("*.md") if "Rex" in file.read_text()]
    file.write_text(file.read_text().replace("called Rex", "called Max").replace("- pets", "- animals"))
    curation.forget(full, [2])
    done = export_notes(full, tmp_path, Filter(), replace=False)
    assert done.edited == (file,) and "Max" in file.read_text()
    before = full.state_hash()
    summary = import_paths(full, [tmp_path], None)
    ((number, said),) = summary.edited.items()
    assert (number, said.text, set(said.tags)) == (3, "The dog is called Max", {"animals", "home"})
    assert full.state_hash() == before and summary.memories == 0
    assert export_notes(full, tmp_path, Filter(), replace=True).edited == ()
    assert "Rex" in file.read_text()


HEAD = "---\nschema: curator_memory.v2\n"


@pytest.mark.parametrize(
    "text",
    [
        HEAD,
        f"{HEAD}id: [\n---\nx",
        "---\nschema: curator_memory.v99\n---\nx",
        f"{HEAD}a: &a [1]\nb: *a\n---\nx",
        f"{HEAD}---\n",
    ],
)
def test_a_damaged_note_is_named(store: Store, tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.md").write_text(text)
    (tmp_path / "fine.md").write_text(f"{HEAD}id: m1\ntags: [tea]\n---\nI like tea\n")
    summary = import_paths(store, [tmp_path], None)
    assert summary.memories == 1 and summary.invalid == 1 and "odd.md" in summary.problems[0]
