"""Filters by end date in DuckDB's copy of the record."""

import contextlib
from dataclasses import replace

from index_helpers import remember

from factories import memory
from store import Filter, Store
from store.analytics import Analytics


def test_what_is_past_its_end_is_the_same_in_the_record_and_its_copy(store: Store) -> None:
    passes = [replace(memory(f"pass {end}"), expires_at=end, key=f"{end}") for end in (400, 900, None)]
    pinned = replace(memory("a pinned pass"), expires_at=400, pinned=True, key="pinned")
    over, *_ = remember(store, *passes, pinned)
    with contextlib.closing(Analytics(store)) as analytics:
        analytics.follow()
        for wanted in (Filter(lives=(), ended_at=500), Filter(unexpired_at=500)):
            assert sorted(analytics.list_ids(wanted).tolist()) == sorted(store.list_ids(wanted))
        assert analytics.list_ids(Filter(lives=(), ended_at=500)).tolist() == [over]
