"""Omissions and their reasons: too distant, over budget, given already, superseded, or of another scope."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from curator import curation
from curator.models import Embedder, load_embedder
from curator.recall import OmissionKind, Preset, SearchOptions, SearchResult, find, omissions_of, scopes_for, select
from curator.recall.explain import omission_code
from effort import thorough
from factories import put
from store import Filter, Store
from store.clock import DAY
from store.index import Index
from store.model import Fingerprint, Kind, Review

NOW = 1_800_000_000_000_000
HASHING = load_embedder("hashing", Path())


class PlacedEmbedder:
    """Embedder with a set angle on a circle, in degrees, for each text by its first word; other texts are far away."""

    fingerprint = Fingerprint("test", "placed", "1", 3)

    def __init__(self, **degrees: float) -> None:
        self._degrees = degrees

    def embed(self, texts: Sequence[str], progress: object = None) -> "np.typing.NDArray[np.float32]":
        angles = [np.radians(self._degrees[word]) if word in self._degrees else None for word in map(_first, texts)]
        rows = [(0, 0, 1) if angle is None else (np.cos(angle), np.sin(angle), 0) for angle in angles]
        return np.array(rows, np.float32)

    def embed_query(self, texts: Sequence[str]) -> "np.typing.NDArray[np.float32]":
        return self.embed(texts)

    def embed_prompt(self, texts: Sequence[str]) -> "np.typing.NDArray[np.float32]":
        return self.embed(texts)

    def is_word(self, word: str) -> None:
        return None


def _first(text: str) -> str:
    return (text.split() or [""])[0].casefold()


def embedded_index(store: Store, embedder: Embedder) -> Index:
    missing = store.vectors.missing(embedder.fingerprint, 1_000)
    rows = embedder.embed([text for _, text in missing])
    store.vectors.add(embedder.fingerprint, [(*item, row.tobytes()) for item, row in zip(missing, rows, strict=True)])
    return Index(store, embedder.fingerprint)


def ids_and_reasons(found: SearchResult) -> tuple[list[int], dict[int, str]]:
    return [hit.memory.id for hit in found.hits], {item.memory.id: omission_code(item.reason) for item in found.omitted}


def test_a_block_has_what_an_answer_needs_and_not_all_that_is_near(store: Store) -> None:
    embedder = PlacedEmbedder(deploy=0, kettles=72, frames=72, docs=70)
    put(store, "Kettles whistle", kind=Kind.FACT)
    put(store, "Frames are never committed", kind=Kind.CONSTRAINT, scope="project:site")
    put(store, "Docs are in German", kind=Kind.PREFERENCE, scope="project:site")
    options = SearchOptions(gap=5.0, for_model=True)

    def given_ids(*scopes: str) -> set[int]:
        which = Filter().within(("global", *scopes))
        return {
            hit.memory.id
            for hit in find(store, embedded_index(store, embedder), embedder, "deploy", which, options).hits
        }

    assert given_ids("project:site") == {2, 3}, (
        "rules of the project that the prompt is typed in, without a shared word"
    )
    assert given_ids() == set()


def test_the_best_memory_needs_less_in_a_block_if_it_shares_a_telling_word(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "Allotment 42b is ours", "Kettles whistle", "Bicycles rust", "Trains are late", "The choir sings")
    embedder = PlacedEmbedder(plant=0, allotment=73, kettles=85, bicycles=84, trains=86, the=71)
    index = embedded_index(store, embedder)

    def given_ids(prompt: str) -> list[int]:
        options = SearchOptions(gap=6.0, for_model=True)
        return [hit.memory.id for hit in find(store, index, embedder, prompt, Filter(), options).hits]

    assert given_ids("plant beans and peas on the allotment beside the shed") == [1]
    assert given_ids("plant beans and peas on the balcony beside the shed") == []
    monkeypatch.setattr(select, "BEST", 0.0)
    assert given_ids("plant beans and peas on the allotment beside the shed") == []


def test_what_neither_shares_a_word_nor_lies_near_is_below_the_floor(store: Store) -> None:
    near, far, word = put(store, "Kettles whistle", "Bicycles rust", "Nobody drinks tea here")
    embedder = PlacedEmbedder(tea=0, kettles=40, bicycles=85)
    hits, left = ids_and_reasons(find(store, embedded_index(store, embedder), embedder, "tea", Filter()))
    assert set(hits) == {near, word}
    assert left == {far: "floor"}


def test_a_question_about_something_else_has_no_answer(store: Store) -> None:
    put(store, "Bicycles rust in the rain", "Kettles whistle")
    embedder = PlacedEmbedder(how=0, bicycles=80, kettles=85)
    index = embedded_index(store, embedder)
    stranger = find(store, index, embedder, "how do whales in the northern rain sing", Filter())
    assert stranger.hits == ()
    assert set(ids_and_reasons(stranger)[1].values()) == {"floor"}
    assert len(find(store, index, embedder, "how bicycles rust", Filter()).hits) == 1


@thorough
def test_my_manager_in_a_question_is_the_one_that_is_known(store: Store) -> None:
    boss, _ = put(store, "The manager is Priya", "Bicycles rust in the rain")
    embedder = PlacedEmbedder(write=0, manager=75, bicycles=85)
    index = embedded_index(store, embedder)

    def found_ids(question: str) -> list[int]:
        return [hit.memory.id for hit in find(store, index, embedder, question, Filter()).hits]

    assert found_ids("write a short and friendly email to my new manager about friday") == [boss]
    assert found_ids("write a short and friendly page that explains what a manager does") == []


def test_what_is_over_says_nothing_of_how_much_is_known(store: Store) -> None:
    put(store, "Parsley is horrid", "Anton is the father", created_at=NOW - DAY)
    (over,) = put(store, "Bisoprolol is taken at eight", created_at=NOW - DAY, expires_at=NOW - 1)
    embedder = PlacedEmbedder(bisoprolol=0, parsley=76, anton=78)
    found = find(store, embedded_index(store, embedder), embedder, "bisoprolol", Filter(), SearchOptions(now=NOW))
    assert found.hits == () and ids_and_reasons(found)[1][over] == "expired"
    assert set(ids_and_reasons(found)[1].values()) == {"expired", "floor"}


def test_where_nothing_is_near_only_what_is_nearest_or_has_the_words_counts(store: Store) -> None:
    near, faint, worded, beside = put(store, "Kettles whistle", "Bicycles rust", "Cups of tea", "Cups break")
    embedder = PlacedEmbedder(tea=0, kettles=68, bicycles=76, cups=90, steam=50)
    assert set(ids_and_reasons(find(store, embedded_index(store, embedder), embedder, "tea", Filter()))[0]) == {
        near,
        worded,
    }
    (closer,) = put(store, "Steam rises")
    hits, left = ids_and_reasons(find(store, embedded_index(store, embedder), embedder, "tea", Filter()))
    assert set(hits) == {near, faint, worded, closer} and left == {beside: "floor"}


def test_letters_alone_find_what_is_misspelt_and_nothing_else(store: Store) -> None:
    allergy, *_ = put(store, "Has a hazelnut allergy", "Plays the violin", "Owns a grey house in Graz")
    index = embedded_index(store, HASHING)
    assert ids_and_reasons(find(store, index, HASHING, "hazlenut", Filter()))[0] == [allergy]
    assert ids_and_reasons(find(store, index, HASHING, "bisoprolol", Filter()))[0] == []


@thorough
def test_many_hits_only_where_many_are_near(store: Store) -> None:
    put(store, "Tea with lemon at the kettle", *(f"Pots of tea {n} times" for n in range(12)))
    embedder = PlacedEmbedder(lemon=0, tea=5, pots=70)
    index = embedded_index(store, embedder)
    wide = find(store, index, embedder, "lemon kettle tea", Filter(), SearchOptions(limit=20))
    close = find(store, index, embedder, "lemon kettle tea", Filter(), SearchOptions(limit=20, gap=2.0))
    assert len(close.hits) == 1 < len(wide.hits)
    assert close.hits[0].memory.id == wide.hits[0].memory.id == 1


def test_what_a_better_hit_says_already_is_left_out_but_not_its_opposite(store: Store) -> None:
    first, second, other = put(store, "Prefers tea to coffee", "Prefers tea to the coffee", "Prefers coffee to tea")
    embedder = PlacedEmbedder(prefers=0)
    hits, left = ids_and_reasons(find(store, embedded_index(store, embedder), embedder, "prefers tea", Filter()))
    assert set(hits) in ({first, other}, {second, other})
    (twin,) = {first, second} - set(hits)
    assert left == {twin: f"duplicate of {({first, second} & set(hits)).pop()}"}
    yocore, _ = ids_and_reasons(
        find(store, embedded_index(store, embedder), embedder, "prefers tea", Filter(), SearchOptions(Preset.YOCORE))
    )
    assert set(yocore) == {first, second, other}


@thorough
def test_forty_ways_to_say_one_thing_are_no_forty_hits(store: Store) -> None:
    ways = ["prefer", "would rather have", "always prefer", "really prefer", "do prefer"], ["to", "over", "instead of"]
    said = product(*ways, ["morning", "mornings"])
    same = put(store, *(f"I {way} tea {over} coffee in the {when}" for way, over, when in said))
    others = put(store, "My tea is from Assam", "Coffee is what my sister drinks")
    embedder = PlacedEmbedder(i=0, my=60, coffee=60)
    hits, left = ids_and_reasons(
        find(store, embedded_index(store, embedder), embedder, "i tea coffee", Filter(), SearchOptions(limit=20))
    )
    assert set(others) <= set(hits) and len(set(same) & set(hits)) <= 6
    assert sum(reason.startswith("duplicate of") for reason in left.values()) > 10


@pytest.mark.parametrize("keep", ["pin", "validate", ""])
def test_what_has_expired_is_not_told_unless_it_is_pinned(store: Store, keep: str) -> None:
    (number,) = put(store, "Tea at noon", kind=Kind.TASK, expires_at=NOW)
    if keep:
        getattr(curation, keep)(store, [number])
    index = Index(store, HASHING.fingerprint)
    early = find(store, index, None, "tea", Filter(), SearchOptions(now=NOW - DAY))
    late = find(store, index, None, "tea", Filter(), SearchOptions(now=NOW + DAY))
    assert ids_and_reasons(early) == ([number], {})
    assert ids_and_reasons(late) == (([number], {}) if keep == "pin" else ([], {number: "expired"}))


def test_what_was_superseded_expired_or_holds_elsewhere_is_named_when_asked(store: Store) -> None:
    (here,) = put(store, "Tea in the kitchen")
    old, over, gone = put(store, "Tea in the garden", "Tea in the hall", "Tea in the attic")
    (there,) = put(store, "Tea in the workshop", scope="project:shed")
    embedder = PlacedEmbedder(tea=0)
    embedded_index(store, embedder)
    with store.command("change") as writer:
        writer.update("memories", [old], {"life": "superseded", "superseded_by": here})
        writer.update("memories", [over], {"life": "expired"})
    curation.forget(store, [gone])
    index, which = embedded_index(store, embedder), Filter(scopes=scopes_for("house", None))
    found = find(store, index, embedder, "tea", which)
    assert ids_and_reasons(found)[0] == [here]
    left = {
        item.memory.id: omission_code(item.reason)
        for item in omissions_of(store, index, embedder, "tea", which, SearchOptions(), found)
    }
    assert left == {there: "scope", old: f"superseded by {here}", over: "expired"}


def test_scopes_of_a_project_and_a_conversation() -> None:
    assert scopes_for("p", None) == ("global", "project:p")
    assert scopes_for("p", "s", everywhere=False) == ("project:p", "session:s")


def test_the_yak_presets_leave_out_what_is_not_near_enough(store: Store) -> None:
    near, far = put(store, "Kettles whistle", "Bicycles rust")
    embedder = PlacedEmbedder(tea=0, kettles=40, bicycles=50)
    index = embedded_index(store, embedder)
    for preset in (Preset.YAK, Preset.YAK_ADDITIVE, Preset.YAK_LOG):
        assert ids_and_reasons(find(store, index, embedder, "tea", Filter(), SearchOptions(preset))) == (
            [near],
            {far: "floor"},
        )
        lower = SearchOptions(preset, threshold=0.5)
        assert set(ids_and_reasons(find(store, index, embedder, "tea", Filter(), lower))[0]) == {near, far}


@thorough
@pytest.mark.parametrize("by_meaning", [True, False])
def test_what_is_over_or_in_quarantine_takes_no_place_from_what_is_not(store: Store, by_meaning: bool) -> None:
    over = put(store, *(f"Tea at noon {n}" for n in range(120)), kind=Kind.TASK, expires_at=NOW)
    held = put(store, *(f"Tea after {n}" for n in range(120)), flag="injection")
    (asked,) = put(store, "In the house of my aunt one may ask for tea, or for something else, on most days")
    embedder = PlacedEmbedder(tea=0) if by_meaning else None
    index = embedded_index(store, embedder) if embedder else Index(store, HASHING.fingerprint)
    person = find(store, index, embedder, "tea", Filter(), SearchOptions(now=NOW + DAY, limit=200))
    assert (
        asked in ids_and_reasons(person)[0]
        and set(held) & set(ids_and_reasons(person)[0])
        and not set(over) & set(ids_and_reasons(person)[0])
    )
    model = find(store, index, embedder, "tea", Filter(), SearchOptions(now=NOW + DAY, for_model=True))
    hits, left = ids_and_reasons(model)
    assert hits == [asked]
    assert set(left.values()) <= {"expired", "flagged", "floor"} and set(left) <= {*over, *held}


@pytest.mark.parametrize(("over", "searches"), [(0, 2), (15, 2), (60, 4)])
def test_a_few_that_are_over_need_no_second_search(
    store: Store, monkeypatch: pytest.MonkeyPatch, over: int, searches: int
) -> None:
    asked: list[str] = []
    plain = Index.search_text

    def search(self: Index, query: str, filter: Filter, limit: int, column: str = "text") -> list[tuple[int, float]]:
        asked.append(column)
        return plain(self, query, filter, limit, column)

    monkeypatch.setattr(Index, "search_text", search)
    put(store, *(f"Tea {n}" for n in range(over)), kind=Kind.TASK, expires_at=NOW)
    late = put(store, *(f"Tea at noon with {n} of my many cousins" for n in range(110)))
    options = SearchOptions(now=NOW + DAY, limit=50)
    found = find(store, Index(store, HASHING.fingerprint), None, "tea", Filter(), options)
    assert len(asked) == searches and len(found.hits) == 50 and set(ids_and_reasons(found)[0]) <= set(late)


def test_the_next_beyond_the_limit_are_named(store: Store) -> None:
    put(store, *(f"Tea from {place}" for place in ("Assam", "Ceylon", "Java", "Kenya", "Yunnan", "Nepal")))
    found = find(store, Index(store, HASHING.fingerprint), None, "tea", Filter(), SearchOptions(limit=2))
    assert len(found.hits) == 2 and [item.reason.kind for item in found.omitted] == [OmissionKind.LIMIT] * 3
    assert max(item.score or 0.0 for item in found.omitted) <= found.hits[-1].score


def test_where_only_what_is_validated_is_given_the_others_are_named(store: Store) -> None:
    sure, unsure = put(store, "Tea in the kitchen", "Tea in the garden")
    curation.validate(store, [sure])
    index, which = Index(store, HASHING.fingerprint), Filter(reviews=(Review.VALIDATED,))
    found = find(store, index, None, "tea", which)
    left = omissions_of(store, index, None, "tea", which, SearchOptions(), found)
    assert ids_and_reasons(found)[0] == [sure]
    assert [(item.memory.id, item.reason.kind) for item in left] == [(unsure, OmissionKind.NOT_VALIDATED)]
