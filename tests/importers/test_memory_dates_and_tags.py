"""Ready memories: impossible dates, and tags in the form of the rest of the program."""

from pathlib import Path
from typing import Any

import pytest

from curator import curation
from curator.filters import parse_filter
from curator.importers.json_stream import as_time
from factories import put
from importers.sample_logs import items, memories, problems, write_lines
from store import Store, clock

BEYOND = "9999-12-31T23:59:59-14:00"
BEFORE = "0001-01-01T00:00:00+14:00"


@pytest.mark.parametrize("date", [BEYOND, BEFORE, 1e17, -1e15, 10**400, 1.7e308, "1e400", "9" * 400])
@pytest.mark.parametrize("place", ["created_at", "expires_at", "evidence", "versions"])
def test_a_date_that_cannot_be_is_a_problem(tmp_path: Path, place: str, date: object) -> None:
    places: dict[str, dict[str, Any]] = {
        "created_at": {"created_at": date},
        "expires_at": {"expires_at": date},
        "evidence": {"evidence": [{"quote": "tea", "said_at": date}]},
        "versions": {"versions": [{"text": "older", "at": date}]},
    }
    bad = places[place]
    found = items(write_lines(tmp_path / "m.jsonl", [{"id": "1", "text": "Ann likes tea.", **bad}, {"text": "Fine."}]))
    (problem,) = problems(found)
    assert problem.place == "m.jsonl: line 1"
    assert len(found) == 2


def test_the_first_and_last_dates_there_are(tmp_path: Path) -> None:
    rows = [{"text": "x", "created_at": date} for date in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z")]
    found = memories(write_lines(tmp_path / "m.jsonl", rows))
    assert [memory.created_at for memory in found] == [clock.EARLIEST, clock.LATEST]


@pytest.mark.parametrize("value", [BEYOND, BEFORE, -5, 0, 1e300, 1.7e308, 10**400, -(10**400), "1e308", "nan", True])
def test_the_other_importers_take_it_for_no_date(value: object) -> None:
    assert as_time(value) is None


def test_seconds_and_milliseconds_are_told_apart() -> None:
    assert as_time(1714521600) == as_time(1714521600000) == as_time("1714521600") == clock.from_iso("2024-05-01")


def test_tags_are_kept_as_a_persons_would_be(tmp_path: Path, store: Store) -> None:
    tags = ["Work", "#work", "Green  Tea", " #Straße ", "", "# ", "##", "# #x", 7, None, "-dash", "c#"]
    (memory,) = memories(write_lines(tmp_path / "m.jsonl", [{"text": "Ann likes tea.", "tags": tags}]))
    assert memory.tags == ("work", "green-tea", "strasse", "x", "-dash", "c#")
    (number,) = put(store, memory.text, tags=memory.tags)
    for tag in ("Work", "#work", "green-tea", "straße"):
        assert store.list_ids(parse_filter(f"tag:{tag}")) == [number]
    curation.tag(store, [number], remove=["WORK"])
    assert store.list_ids(parse_filter("tag:work")) == []
