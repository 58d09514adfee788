"""When a commitment is due."""

import pytest

from curator.services.admission import due
from store import clock
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
    found = due(Kind.COMMITMENT, text, SAID)
    assert found == (None if expected is None else clock.from_iso(expected))


def test_other_kinds_and_unknown_times_have_none() -> None:
    assert due(Kind.TASK, "by 2026-07-01", SAID) is None
    assert due(Kind.COMMITMENT, "by 2026-07-01", None) is None
