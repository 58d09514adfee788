"""Memories with resolved dates: distilled again, forgotten, purged, undone."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from curator import curation
from curator.models import Embedder, load_embedder
from curator.paths import cache_folder
from curator.services.import_logs import distil_all, import_paths
from curator.text import content_key
from effort import thorough
from factories import put
from store import Filter, Store, clock
from store.model import Memory, NewEvidence
from store.record.text_redaction import MASK

SAID = clock.from_iso("2026-01-20T23:30:00")
DUE = "My sister in Kiel is due in march"


@pytest.fixture
def embedder() -> Embedder:
    """Return the lexical embedder, which needs no weights."""
    return load_embedder("hashing", cache_folder())


def log(folder: Path, texts: Sequence[str], at: int | None = SAID, name: str = "a") -> Path:
    """Write a conversation of one person's messages in the OpenAI format."""
    stamp: dict[str, Any] = {} if at is None else {"created_at": at // 1_000_000}
    rows = [{"role": "user", "content": text, **stamp} for text in texts]
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.jsonl").write_text(json.dumps({"id": name, "messages": rows}) + "\n")
    return folder


def live(store: Store) -> list[Memory]:
    return store.get_many(store.list_ids(Filter()))


def test_the_words_of_a_memory_have_the_date_and_its_quote_does_not(
    store: Store, embedder: Embedder, tmp_path: Path
) -> None:
    import_paths(store, [log(tmp_path, [DUE])], embedder)
    (memory,) = live(store)
    assert memory.text == f"{DUE} (2026)"
    assert memory.created_at == SAID
    assert [quote.quote for quote in store.evidence(memory.id)] == [DUE]
    before = store.state_hash()
    distil_all(store, embedder, again=True)
    assert store.state_hash() == before and len(live(store)) == 1


def test_nothing_is_resolved_in_an_undated_log(store: Store, embedder: Embedder, tmp_path: Path) -> None:
    import_paths(store, [log(tmp_path, [DUE, "I live in Porto until Friday"], at=None)], embedder)
    assert {(one.text, one.created_at, one.expires_at) for one in live(store)} == {
        (DUE, None, None),
        ("I live in Porto until Friday", None, None),
    }


def test_an_end_that_is_said_is_the_end_date(store: Store, embedder: Embedder, tmp_path: Path) -> None:
    import_paths(store, [log(tmp_path, ["I live in Porto until the end of the month."])], embedder)
    (memory,) = live(store)
    assert memory.expires_at == clock.from_iso("2026-02-01")
    assert memory.text == "I live in Porto until the end of the month (January 2026)."


def test_what_an_earlier_version_distilled_does_not_come_twice(
    store: Store, embedder: Embedder, tmp_path: Path
) -> None:
    import_paths(store, [log(tmp_path, [DUE])], embedder, distil=False)
    message = next(iter(store.raw.messages(1)))
    quote = NewEvidence(DUE, 0, len(DUE), message=message.id)
    put(store, DUE, created_at=SAID, evidence=(quote,))
    distil_all(store, embedder)
    assert [one.text for one in live(store)] == [DUE]
    assert len(store.evidence(live(store)[0].id)) == 1


@pytest.mark.parametrize("end", [curation.forget, curation.reject])
def test_what_was_forgotten_without_its_date_does_not_come_back_with_it(
    store: Store, embedder: Embedder, tmp_path: Path, end: Callable[[Store, list[int]], object]
) -> None:
    end(store, put(store, DUE))
    import_paths(store, [log(tmp_path, [DUE])], embedder)
    assert live(store) == []
    store.undo()  # undoes the import
    store.undo()
    assert [one.text for one in live(store)] == [DUE]


@thorough
def test_what_was_forgotten_with_its_date_does_not_come_back_without_it(
    store: Store, embedder: Embedder, tmp_path: Path
) -> None:
    import_paths(store, [log(tmp_path, [DUE])], embedder)
    curation.forget(store, [one.id for one in live(store)])
    import_paths(store, [log(tmp_path / "undated", [DUE], at=None, name="b")], embedder)
    assert live(store) == []


def test_what_was_purged_does_not_come_back_with_or_without_its_date(
    store: Store, embedder: Embedder, tmp_path: Path
) -> None:
    made = put(store, "I have fridays off in Kiel")
    curation.purge(store, put(store, DUE))
    import_paths(store, [log(tmp_path, [DUE])], embedder)
    assert [one.id for one in live(store)] == made


@thorough
def test_what_was_purged_with_its_date_does_not_come_back_without_it(
    store: Store, embedder: Embedder, tmp_path: Path
) -> None:
    import_paths(store, [log(tmp_path, [DUE])], embedder)
    curation.purge(store, [one.id for one in live(store)])
    import_paths(store, [log(tmp_path / "undated", [DUE], at=None, name="b")], embedder)
    assert live(store) == []


def test_the_same_words_of_another_year_are_another_memory(store: Store, embedder: Embedder, tmp_path: Path) -> None:
    later = SAID + 730 * clock.DAY
    import_paths(store, [log(tmp_path, [DUE]), log(tmp_path / "later", [DUE], at=later, name="b")], embedder)
    assert {one.text for one in live(store)} == {f"{DUE} (2026)", f"{DUE} (2028)"}
    assert content_key(f"{DUE} (2026)") == content_key(f"{DUE} 2026")


TWO = "I work at Tidewell, and I'm not vegetarian anymore."


@pytest.fixture
def earlier(store: Store, embedder: Embedder, tmp_path: Path) -> int:
    """Store one memory of two statements, as an earlier version distilled it."""
    import_paths(store, [log(tmp_path, [TWO])], embedder, distil=False)
    message = next(iter(store.raw.messages(1)))
    (memory,) = put(store, TWO, created_at=SAID, evidence=(NewEvidence(TWO, 0, len(TWO), message=message.id),))
    return memory


def test_two_statements_are_two_memories_with_a_quote_each(store: Store, embedder: Embedder, tmp_path: Path) -> None:
    import_paths(store, [log(tmp_path, [TWO])], embedder)
    quotes = {one.text: [quote.quote for quote in store.evidence(one.id)] for one in live(store)}
    assert quotes == {
        "I work at Tidewell": ["I work at Tidewell"],
        "I'm not vegetarian anymore.": ["I'm not vegetarian anymore."],
    }
    before = store.state_hash()
    distil_all(store, embedder, again=True)
    assert len(live(store)) == 2
    store.undo()
    assert store.state_hash() == before
    store.undo()
    assert live(store) == []


@thorough
@pytest.mark.parametrize("reworded", [False, True])
def test_what_an_earlier_version_made_one_memory_stays_one(
    store: Store, embedder: Embedder, tmp_path: Path, earlier: int, reworded: bool
) -> None:
    if reworded:
        curation.edit(store, earlier, "I work at Tidewell and eat meat.")
    distil_all(store, embedder, again=True)
    assert [one.id for one in live(store)] == [earlier]
    assert len(store.evidence(earlier)) == 1
    import_paths(store, [log(tmp_path / "other", [TWO], name="b")], embedder)
    assert [one.id for one in live(store)] == [earlier]
    assert len(store.evidence(earlier)) == 3


@thorough
@pytest.mark.parametrize("end", [curation.forget, curation.reject, curation.purge])
def test_parts_of_what_was_forgotten_as_one_memory_do_not_come_back(
    store: Store, embedder: Embedder, tmp_path: Path, earlier: int, end: Callable[[Store, list[int]], object]
) -> None:
    end(store, [earlier])
    distil_all(store, embedder, again=True)
    import_paths(store, [log(tmp_path / "other", [TWO], name="b")], embedder)
    assert live(store) == []


@thorough
@pytest.mark.parametrize("end", [curation.forget, curation.purge])
@pytest.mark.parametrize(
    ("said", "kept"),  # as kept by versions that did not trim the ends of sentences
    [
        (
            "Note to self, I'm vegetarian and allergic to hazelnuts.",
            "To self, I'm vegetarian and allergic to hazelnuts.",
        ),
        ("Thanks. So yeah I'm 44 and live in Rome btw", "I'm 44 and live in Rome btw"),
        ("Fun fact, I'm left-handed, can you help?", "Fun fact, I'm left-handed"),
        ("I prefer tea to coffee. It's for my stomach.", "I prefer tea to coffee. It's for my stomach."),
    ],
)
def test_what_was_forgotten_does_not_come_back_because_it_is_now_cut_elsewhere(
    store: Store,
    embedder: Embedder,
    tmp_path: Path,
    said: str,
    kept: str,
    end: Callable[[Store, list[int]], object],
) -> None:
    end(store, put(store, kept))
    summary = import_paths(store, [log(tmp_path, [said, "I live in Lagos and hate winter tyres."])], embedder)
    assert {one.text for one in live(store)} == {"I live in Lagos", "I hate winter tyres."}
    with store.sqlite() as connection:
        texts = {text for (text,) in connection.execute("SELECT text FROM messages")}
    covered = end is curation.purge and any(MASK in text for text in texts)  # purge masks the words in the message
    assert summary.reasons["forgotten"] or covered
