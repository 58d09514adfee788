"""Due dates of commitments, and end dates stated in a memory."""

from pathlib import Path

import orjson
import pytest

from curator import curation
from curator.lifecycle import expiry_of
from curator.services.admission import expiry_on_admission
from curator.services.import_logs import import_paths
from store import Filter, Store, clock
from store.model import Kind

SAID = clock.from_iso("2026-05-18T09:30:00")  # a Monday


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'll send the report by Friday", "2026-05-23"),
        ("I'll call them tomorrow", "2026-05-20"),
        ("I promised to finish it by 2026-07-01", "2026-07-02"),
        ("I promised to finish it by 3 August 2026", "2026-08-04"),
        ("I promised it on 2025-01-01", None),
        ("I'll call my mother", None),
    ],
)
def test_the_day_it_names(text: str, expected: str | None) -> None:
    found = expiry_on_admission(Kind.COMMITMENT, text, SAID)
    assert found == (None if expected is None else clock.from_iso(expected))


def test_other_kinds_and_unknown_times_have_none() -> None:
    assert expiry_on_admission(Kind.TASK, "by 2026-07-01", SAID) is None
    assert expiry_on_admission(Kind.COMMITMENT, "by 2026-07-01", None) is None


def test_what_is_typed_ends_when_its_words_say(store: Store) -> None:
    ends = {
        "My parking permit is valid until 3 March 2025": "2025-03-04",
        "The flat is ours until the end of May 2031": "2031-06-01",
        "Until May 2025 I lived in Lisbon": None,
        "I like tea": None,
    }
    found = {text: curation.add(store, text).expires_at for text in ends}
    assert {text: at and clock.to_iso(at)[:10] for text, at in found.items()} == ends
    assert curation.add(store, "The pass is valid until May 2031", until=clock.LATEST).expires_at == clock.LATEST


def test_a_ready_memory_without_an_end_of_its_own_has_that_of_its_words(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "memories.jsonl"
    rows = [
        {"text": "My parking permit is valid until 3 March 2025"},
        {"text": "The pass is valid until May 2031", "expires_at": "2030-01-01T00:00:00Z"},
        {"text": "Until May 2025 I lived in Lisbon", "kind": "event"},
    ]
    file.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    import_paths(store, [file], None)
    ends = [memory.expires_at for memory in store.get_many(store.list_ids(Filter(), descending=False))]
    assert [at and clock.to_iso(at)[:10] for at in ends] == ["2025-03-04", "2030-01-01", None]
    (lisbon,) = store.aging([3])
    assert expiry_of(lisbon.kind, lisbon.created_at, lisbon.expires_at) is None, "its kind cannot end what has no date"
