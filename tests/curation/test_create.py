"""Memories that a person types."""

from curator.curation import add
from curator.text.dates import with_dates, without_dates
from store import Store, clock


def test_relative_dates_are_those_of_the_day_of_typing(store: Store) -> None:
    said = "I moved to Oslo last month"
    one = add(store, said)
    assert one.text == with_dates(said, clock.now()) != said
    assert without_dates(one.text) == said
    for said in ("I like tea", "The roses are cut in March", "My exam is on 3 July"):
        assert add(store, said).text == said
