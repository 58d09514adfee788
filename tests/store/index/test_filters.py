"""A filter means the same in the search index as in the record."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from index_helpers import ANY, SPACE, change, embed, found, memory, remember

from effort import some
from store import Filter, Store
from store.filter import Dialect
from store.index import Index, queries, tables
from store.model import Kind, Life, Origin, Rank, Relation, Review, Tier


@pytest.fixture
def index(store: Store) -> Index:
    return Index(store, SPACE)


FILTERS = {
    "kind": Filter(kinds=(Kind.TASK, Kind.EVENT)),
    "tier": Filter(tiers=(Tier.CORE,)),
    "rank": Filter(ranks=(Rank.HIGH,)),
    "review": Filter(reviews=(Review.VALIDATED,)),
    "life": Filter(lives=(Life.SUPERSEDED,)),
    "origin": Filter(origins=(Origin.MODEL,)),
    "project": Filter(projects=('it\'s a "project"; --',)),
    "source": Filter(sources=("chatgpt",)),
    "scope": Filter(scopes=("project:x",)),
    "tag": Filter(tags=("a tag's tag",)),
    "two tags": Filter(tags=("a tag's tag", "b")),
    "pinned": Filter(pinned=True),
    "not pinned": Filter(pinned=False),
    "conflict": Filter(conflict=True),
    "no conflict": Filter(conflict=False),
    "flagged": Filter(flagged=True),
    "not flagged": Filter(flagged=False),
    "in quarantine": Filter(quarantine=True),
    "not in quarantine": Filter(quarantine=False),
    "not over": Filter(unexpired_at=500),
    "not over and not in quarantine": Filter(unexpired_at=500, quarantine=False),
    "after": Filter(created_after=500),
    "before": Filter(created_before=500),
    "score above": Filter(score_above=0.75),
    "score below": Filter(score_below=0.25),
    "score at least": Filter(score_least=0.9),
    "used": Filter(used_least=2),
    "seldom used": Filter(used_most=1),
    "due": Filter(due_by=500),
    "put off": Filter(deferred_at=500),
    "used and due": Filter(used_least=1, due_by=500, pinned=False),
    "never so often": Filter(used_least=99),
    "substring": Filter(words=("SURE", "100%_\\")),
    "without its accent": Filter(words=("tomas", "CREME")),
    "with an accent too many": Filter(words=("cómmon",)),
    "an accent and a wildcard": Filter(words=("é_",)),
    "two accents on a letter": Filter(words=("Viet",)),
    "two accents typed": Filter(words=("việt",)),
    "several": Filter(kinds=(Kind.TASK,), pinned=False, tags=("b",)),
    "none match": Filter(projects=("no such",)),
    "no text": Filter(projects=("\ud800\0",), words=("\ud800",)),
}


class TestFilters:
    @pytest.fixture(scope="class")
    def varied(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
        store = Store.open(tmp_path_factory.mktemp("filters") / "home")
        plain = replace(memory("a common word"), confidence=0.5, created_at=1_000)
        kinds = [
            plain,
            replace(plain, kind=Kind.TASK, tags=("b",)),
            replace(plain, kind=Kind.EVENT, pinned=True),
            replace(plain, tier=Tier.CORE, rank=Rank.HIGH),
            replace(plain, review=Review.VALIDATED, origin=Origin.MODEL),
            replace(plain, life=Life.SUPERSEDED),
            replace(plain, project='it\'s a "project"; --', source="chatgpt"),
            replace(plain, scope="project:x", tags=("a tag's tag",)),
            replace(plain, tags=("a tag's tag", "b"), created_at=10),
            replace(plain, flag="injection", confidence=0.1),
            replace(plain, flag="injection", review=Review.VALIDATED, expires_at=400),
            replace(plain, expires_at=400),
            replace(plain, expires_at=400, pinned=True),
            replace(plain, expires_at=900),
            replace(plain, confidence=0.1, user_score=9),
            replace(plain, confidence=0.9, user_score=1),
            replace(plain, text="a common word, 100%_\\ sure"),
            replace(plain, text="a common word of Tomás, é_ and crème"),
            replace(plain, text="a common word of Toma\u0301s and Crème"),
            replace(plain, text="a common word of Tomas and creme"),
            replace(plain, text="a common word of Việt Nam"),
            replace(plain, text="a common word of Viet Nam"),
        ]
        ids = remember(store, *(replace(item, key=f"{place}") for place, item in enumerate(kinds)))
        with store.command("compare") as writer:
            store.alerts.put(writer, ids[0], ids[1], Relation.CONTRADICTION, 0.9, ["differ"])
        change(store, ids[3:6], later_until=400)
        change(store, ids[6:9], later_until=900)
        store.recalls.record_use(ids[:4])
        store.recalls.record_use(ids[2:8])
        embed(store, ids, np.tile(np.eye(8)[0], (len(ids), 1)))
        yield store
        store.close()

    @pytest.mark.parametrize(
        ("name", "lagging"), some([(name, lagging) for lagging in (False, True) for name in FILTERS], 24)
    )
    @pytest.mark.parametrize("large", [False, True])
    def test_a_filter_means_the_same_in_the_index_as_in_the_record(
        self, varied: Store, name: str, lagging: bool, large: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if large:  # as if neither words nor vectors fitted into memory
            monkeypatch.setattr(tables, "WORDS_FROM", 0)
            monkeypatch.setattr(tables, "TRAIN_FROM", 0)
        index = Index(varied, SPACE)
        index.catch_up()
        if lagging:
            change(varied, varied.list_ids(Filter(lives=())), importance=varied.journal.seq() % 10)
        wanted = FILTERS[name]
        expected = sorted(varied.list_ids(replace(wanted, lives=(Life.LIVE,)))) if Life.LIVE in wanted.lives else []
        assert sorted(found(index.search_text("common", wanted, 50))) == expected
        assert sorted(found(index.search_text("common", wanted, 50, "context"))) == expected
        assert sorted(found(index.search_vector(np.eye(8)[0], wanted, 50))) == expected

    @pytest.mark.parametrize(
        "name", ["used", "seldom used", "due", "put off", "used and due", "never so often", "not over"]
    )
    @pytest.mark.parametrize("limit", [1, 3, 50])
    def test_the_record_confirms_what_the_index_does_not_hold(
        self, varied: Store, name: str, limit: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(queries, "CAP", 0)  # as if the filter matched many
        monkeypatch.setattr(tables, "WORDS_FROM", 0)
        monkeypatch.setattr(tables, "TRAIN_FROM", 0)  # and as if the vectors did not fit into memory
        index = Index(varied, SPACE)
        index.catch_up()
        meant = varied.list_ids(FILTERS[name])
        for hits in (
            index.search_text("common", FILTERS[name], limit),
            index.search_vector(np.eye(8)[0], FILTERS[name], limit),
        ):
            assert len(hits) == min(limit, len(meant))
            assert set(found(hits)) <= set(meant)

    def test_no_condition_is_left_out_in_silence(self) -> None:
        for name in ("used", "seldom used", "due", "put off", "not over"):
            with pytest.raises(ValueError, match="confirm"):
                FILTERS[name].sql(Dialect.LANCE)

    def test_a_settled_alert_is_no_conflict_any_more(self, store: Store, index: Index) -> None:
        first, second = remember(store, "Tea is best", "Tea is worst")
        with store.command("compare") as writer:
            store.alerts.put(writer, first, second, Relation.CONTRADICTION, 0.9, [])
        index.catch_up()
        assert len(index.search_text("tea", Filter(conflict=True), 5)) == 2
        with store.command("settle") as writer:
            writer.update("alerts", [1], {"settled": "both"})
        index.catch_up()
        assert index.search_text("tea", Filter(conflict=True), 5) == []

    def test_another_owner_s_memories_are_not_found(self, store: Store, index: Index) -> None:
        other = Store.open(store.folder, "somebody else")
        remember(other, "A secret garden")
        (mine,) = remember(store, "A public garden")
        index.catch_up()
        assert found(index.search_text("garden", ANY, 5)) == [mine]
        assert index.check() == []
        assert len(Index(other, SPACE).search_text("garden", ANY, 5)) == 1
        other.close()
