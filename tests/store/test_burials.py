"""The words of what was let go: whatever shares enough of them is found, as if all of it had been read."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator import curation
from making import put
from store import Reading, Store

WORDS = Reading("words/1", lambda text: set(text.split()))
_TEXTS = st.lists(st.sampled_from("ab cd ef gh ij kl mn op".split()), min_size=1, max_size=8, unique=True)


@given(
    gone=st.lists(_TEXTS, min_size=1, max_size=12),
    text=_TEXTS,
    share=st.sampled_from([0.5, 0.6, 0.75, 0.9, 1.0]),
)
@settings(max_examples=40, deadline=None)
def test_no_share_is_missed_and_none_is_made_up(gone: list[list[str]], text: list[str], share: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder))
        ids = put(store, *(f"{' '.join(words)} n{n}" for n, words in enumerate(gone)))
        curation.forget(store, ids)
        told = set(text)
        right = {
            memory
            for memory, words in zip(ids, ({*words, f"n{n}"} for n, words in enumerate(gone)), strict=True)
            if len(words & told) >= share * len(words | told)
        }
        assert set(store.buried_like(" ".join(text), WORDS, share)) == right
        store.close()


def test_what_is_read_within_a_command_that_fails_is_read_again(store: Store) -> None:
    (one,) = put(store, "the old mill by the river")
    curation.forget(store, [one])
    with pytest.raises(RuntimeError), store.command("add"):
        assert list(store.buried_like("the old mill by the river", WORDS, 1.0)) == [one]
        raise RuntimeError
    assert list(store.buried_like("the old mill by the river", WORDS, 1.0)) == [one]


def test_words_that_are_redacted_are_read_anew(store: Store) -> None:
    from curator.jobs.scanning import redact_found, scan

    (one,) = put(store, "password: Tr0ub4dor&3x of the old mill")
    curation.forget(store, [one])
    assert store.buried_like("password: Tr0ub4dor&3x of the old mill", WORDS, 1.0)
    redact_found(store, scan(store))
    assert not store.buried_like("password: Tr0ub4dor&3x of the old mill", WORDS, 1.0)
    assert list(store.buried_like(store.get(one).text, WORDS, 1.0)) == [one]
