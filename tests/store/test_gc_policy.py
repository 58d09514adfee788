"""Garbage collection during imports: among new objects only, and as before afterwards."""

import gc
from collections.abc import Iterator

import pytest

from store.gc_policy import collected_seldom


@pytest.fixture(autouse=True)
def unfrozen() -> Iterator[None]:
    gc.unfreeze()
    yield
    gc.unfreeze()


def test_objects_from_before_are_exempt_until_the_import_ends() -> None:
    before = gc.get_threshold()
    with collected_seldom():
        assert gc.get_freeze_count() > 1_000 and gc.get_threshold()[0] >= 100_000
    assert gc.get_freeze_count() == 0 and gc.get_threshold() == before


def test_what_is_exempt_for_good_stays_so() -> None:
    gc.freeze()
    with collected_seldom():
        pass
    assert gc.get_freeze_count() > 1_000
