"""Whatever the program stores can be backed up, and every backup reported as good can be restored."""

import contextlib
import sqlite3
import tempfile
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.services.import_logs import import_paths
from curator.text import content_key
from effort import exhaustive, share, thorough
from factories import memory, put
from store import Damaged, Store, restore
from store.model import NewEvidence, NewVersion

NUMBERS = st.one_of(
    st.integers(0, 20), st.sampled_from([(1 << 53) - 1, 1 << 53, 1 << 60, (1 << 62) - 1, 1 << 62, -1, 1e300, 2.0])
)
TEXTS = st.one_of(
    st.text(min_size=1, max_size=30),
    st.builds(lambda word, times: word * times, st.sampled_from(["fox ", "é", "\x00", "🦊"]), st.just(40_000)),
)
TIMES = st.sampled_from([0, -1, 1e12, 253402300800, "0001-01-01", "9999-12-31T23:59:59Z", "-4000-01-01"])
ROW = st.fixed_dictionaries(
    {"text": TEXTS},
    optional={
        **dict.fromkeys(("id", "title", "scope", "project", "source", "session", "subject", "object", "flag"), TEXTS),
        **dict.fromkeys(("created_at", "expires_at"), TIMES),
        "ordinal": NUMBERS,
        "importance": NUMBERS,
        "confidence": st.floats(0, 1),
        "tags": st.lists(TEXTS, max_size=2),
        "surprise": st.fixed_dictionaries({"novelty": st.floats(0, 1)}),
        "evidence": st.lists(
            st.fixed_dictionaries({"quote": TEXTS}, optional={"start": NUMBERS, "end": NUMBERS, "said_at": TIMES}),
            max_size=2,
        ),
        "versions": st.lists(
            st.fixed_dictionaries({"text": TEXTS}, optional={"merged_from": NUMBERS, "at": TIMES}), max_size=2
        ),
    },
)


@exhaustive
@settings(max_examples=share(12))
@given(st.lists(ROW, min_size=1, max_size=12))
def test_odd_rows_that_an_import_takes_are_restored(rows: list[dict[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = folder / "rows.jsonl"
        lines.write_bytes(b"\n".join(orjson.dumps(row) for row in [{"text": "I like tea"}, *rows]))
        with contextlib.closing(Store.open(folder / "store")) as store:
            import_paths(store, [lines], None)
            before = store.state_hash()
            store.backup(folder / "copy")
            put(store, "I like kites")
            assert restore(store.folder, folder / "copy", content_key).invalid == {}
            assert store.state_hash() == before
            assert store.differences() == []


@thorough
def test_numbers_of_older_imports_and_long_texts_are_restored(store: Store, tmp_path: Path) -> None:
    large, long = 1 << 62, "I own a very long boat " * 10_000
    evidence = (NewEvidence("a quote", large - 4, large, title=long),)
    put(store, long, ordinal=large, session=long, evidence=evidence, versions=(NewVersion("once", 1, large, "once"),))
    before = store.state_hash()
    store.backup(tmp_path / "copy")
    restore(store.folder, tmp_path / "copy", content_key)
    assert store.state_hash() == before


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE memories SET kind = 'nonsense'",
        "INSERT INTO segments VALUES (99, 1)",
        "INSERT INTO distilled VALUES (99, 'rules', 1)",
        "UPDATE commands SET actor = 'nobody'",
        "DELETE FROM meta WHERE name = 'key'",
    ],
)
def test_a_copy_that_restore_would_refuse_is_not_called_a_backup(store: Store, tmp_path: Path, harm: str) -> None:
    put(store, "I like tea")
    store.backup(tmp_path / "copy")
    good = (tmp_path / "copy").read_bytes()
    with contextlib.closing(sqlite3.connect(store.folder / "record.sqlite", isolation_level=None)) as direct:
        direct.execute(harm)
    with pytest.raises(Damaged, match="was left alone"):
        store.backup(tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == good
    (kept,) = tmp_path.glob("copy.damaged-*")
    with pytest.raises(Damaged, match="nothing was changed"):
        restore(store.folder, kept, content_key)


def test_what_is_not_sound_is_named_when_it_is_backed_up(store: Store, tmp_path: Path) -> None:
    with store.command("add") as writer:
        store.admit(writer, memory("I like tea"))
    with contextlib.closing(sqlite3.connect(store.folder / "record.sqlite", isolation_level=None)) as direct:
        direct.execute("UPDATE commands SET verb = x'00'")
    with pytest.raises(Damaged, match=r"commands\.verb"):
        store.backup(tmp_path / "copy")
