"""Full garbage collections: only while nobody types, and only if the app was launched as a program."""

import gc
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from curator.tui.idle import IdleCollector


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.enable()
    gc.unfreeze()


def test_a_full_collection_waits_for_a_pause_and_comes_once_in_a_while() -> None:
    with patch("curator.tui.idle.time.monotonic") as now, patch("curator.tui.idle.gc.collect") as collect:
        now.return_value = 0.0
        gc.disable()
        kept = IdleCollector()
        kept.begin()
        assert gc.isenabled() and gc.get_threshold()[2] > 1_000_000
        now.return_value = 1_000.0
        kept.collect_if_idle(990.0)
        assert collect.call_count == 0
        now.return_value = 1_030.0
        kept.collect_if_idle(1_000.0)
        kept.collect_if_idle(1_000.0)
        assert collect.call_count == 1
        now.return_value = 1_400.0
        kept.collect_if_idle(1_000.0)
        assert collect.call_count == 2


def test_in_any_other_process_python_decides() -> None:
    before = gc.get_threshold()
    kept = IdleCollector()
    kept.begin()
    with patch("curator.tui.idle.gc.collect") as collect, patch("curator.tui.idle.time.monotonic") as now:
        now.return_value = 1e12
        kept.collect_if_idle(0.0)
    assert gc.get_threshold() == before and collect.call_count == 0
