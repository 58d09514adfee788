"""The filter language of the History view: every term, and errors for unknown ones."""

import pytest

from curator.filters import BadFilter, parse_history
from store import LogFilter
from store.model import Actor

VERBS = ("add", "forget", "take in")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("", LogFilter()),
        ("forget", LogFilter(verbs=("forget",))),
        ("Forget add", LogFilter(verbs=("forget", "add"))),
        ("admit", LogFilter(verbs=("take in",))),
        ("verb:admit", LogFilter(verbs=("take in",))),
        ('verb:"take in"', LogFilter(verbs=("take in",))),
        ("forg", LogFilter(words=("forg",))),
        ("by:sweep", LogFilter(actors=(Actor.SWEEP,))),
        ("by:you BY:Model", LogFilter(actors=(Actor.PERSON, Actor.MODEL))),
        ("memory:123", LogFilter(memories=(123,))),
        ("undone", LogFilter(undone=True)),
        ("standing", LogFilter(undone=False)),
        ('"two words" tea', LogFilter(words=("two words", "tea"))),
        ("forget by:you memory:7 tea", LogFilter(("forget",), (Actor.PERSON,), (7,), None, ("tea",))),
    ],
)
def test_each_term(words: str, meant: LogFilter) -> None:
    assert parse_history(words, VERBS) == meant


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("verb:forgit", "forgit is not a command; there are add, forget, admit"),
        ("by:nobody", "by is one of person, sweep, model, server, not nobody"),
        ("memory:tea", "memory takes an id, like memory:7, not tea"),
        ("memory:²", "like memory:7"),
        ("memory:9223372036854775808", "like memory:7"),
        (f"memory:{'9' * 5_000}", "like memory:7"),
        ("kind:fact", "kind is not a filter for the history; filters are verb, by, memory, undone, standing"),
        ("undone standing", "not both"),
        ("x" * 1_001, "at most 1,000 characters"),
    ],
)
def test_what_means_nothing_is_an_error_in_words(words: str, said: str) -> None:
    with pytest.raises(BadFilter, match=said[:60]) as caught:
        parse_history(words, VERBS)
    assert len(str(caught.value)) < 200


def test_a_store_in_which_nothing_was_done() -> None:
    with pytest.raises(BadFilter, match="no commands yet"):
        parse_history("verb:forget", ())
