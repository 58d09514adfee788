"""Each command's effect on a memory, and when it is refused."""

import pytest

from curator import curation
from curator.curation.commands import tag_within
from curator.filters import BadFilter, parse_filter
from factories import memory, put
from store import Conflict, Filter, Forbidden, NotFound, Store, clock
from store.model import Kind, Life, Origin, Rank, Review, Tier


def test_validate_vouches_and_is_for_live_ones(store: Store) -> None:
    tea, coffee = put(store, "I like tea", "I like coffee")
    assert curation.validate(store, [tea, coffee, tea]) == 2
    assert store.get(tea).review is Review.VALIDATED
    curation.forget(store, [coffee])
    with pytest.raises(Conflict, match="restore"):
        curation.validate(store, [tea, coffee])


def test_reject_and_forget_let_go_in_two_ways(store: Store) -> None:
    wrong, old = put(store, "I like rain", "I like snow")
    curation.validate(store, [old])
    assert curation.reject(store, [wrong]) == 1
    assert curation.forget(store, [old]) == 1
    assert (store.get(wrong).review, store.get(wrong).life) == (Review.REJECTED, Life.FORGOTTEN)
    assert (store.get(old).review, store.get(old).life) == (Review.VALIDATED, Life.FORGOTTEN)
    assert store.list_ids(Filter()) == []
    assert curation.restore(store, [wrong, old]) == 2
    assert (store.get(wrong).review, store.get(old).review) == (Review.OPEN, Review.VALIDATED)
    assert store.count(Filter()) == 2


@pytest.mark.parametrize("verb", ["reject", "forget"])
def test_what_was_purged_stays_so_whatever_is_done_to_it(store: Store, verb: str) -> None:
    gone, there = put(store, "I like rain", "I like snow")
    curation.purge(store, [gone])
    assert getattr(curation, verb)(store, [gone, there]) == 1
    assert store.get(gone).life is Life.PURGED
    with pytest.raises(Conflict, match="purged"):
        curation.restore(store, [gone])
    curation.restore(store, [there])
    assert [found.text for found in store.get_many(store.list_ids(Filter()))] == ["I like snow"]


def test_edit_keeps_the_former_text_and_drops_its_vector(store: Store) -> None:
    from store.model import Fingerprint

    fingerprint = Fingerprint("test", "a", "1", 2)
    (tea,) = put(store, "I like tea")
    store.vectors.add(fingerprint, [(tea, "I like tea", bytes(8)), (tea, "another text", bytes(8))])
    assert store.vectors.missing(fingerprint, 9) == []
    assert curation.edit(store, tea, "  I like\n green  tea ") == 1
    assert store.get(tea).text == "I like green tea"
    assert [version.text for version in store.versions(tea)] == ["I like tea"]
    assert store.vectors.missing(fingerprint, 9) == [(tea, "I like green tea")]
    assert curation.edit(store, tea, "I like green tea") == 0
    store.undo()
    assert (store.get(tea).text, store.versions(tea)) == ("I like tea", [])


def test_what_a_person_types_is_validated_and_holds_no_secret(store: Store) -> None:
    key = "sk-ant-api03-" + "FAKEkey0123456789abcdefFAKE" * 3 + "-AA"
    made = curation.add(store, f"The key of the shop is {key}", Kind.CONTEXT, Tier.LOW, project="site", tags=["#Work"])
    assert key not in made.text
    assert (made.review, made.origin, made.scope, made.tags) == (
        Review.VALIDATED,
        Origin.PERSON,
        "project:site",
        ("work",),
    )
    with store.sqlite() as connection:
        dump = "\n".join(connection.iterdump())
    assert key not in dump


@pytest.mark.parametrize("text", ["", " \n\t ", "x" * 501])
def test_what_cannot_be_a_memory_is_refused(store: Store, text: str) -> None:
    with pytest.raises(curation.Refused):
        curation.add(store, text)


def test_many_are_tagged_with_no_more_queries_than_one(store: Store) -> None:
    ids = put(store, "I like tea", "I like coffee", "I like cocoa")
    asked: list[list[str]] = []
    for some in (ids[:1], ids[1:]):
        asked.append([])
        with store.command("tag") as writer:
            writer.connection.set_trace_callback(asked[-1].append)
            assert tag_within(writer, some, ["drink"], []) == set(some)
            writer.connection.set_trace_callback(None)
    one, two = ([query for query in some if query.startswith("SELECT memory FROM tags")] for some in asked)
    assert len(one) == len(two)


def test_scores_tags_and_pins(store: Store) -> None:
    (tea,) = put(store, "I like tea", confidence=0.9)
    curation.score(store, [tea], 2)
    assert store.list_ids(parse_filter("score:<0.3")) == [tea]
    curation.score(store, [tea], None)
    assert store.list_ids(parse_filter("score:>0.8")) == [tea]
    for bad in (-1, 11):
        with pytest.raises(ValueError):
            curation.score(store, [tea], bad)
    assert curation.tag(store, [tea], add=["#Food", "food"]) == 1
    assert curation.tag(store, [tea], add=["food"]) == 0
    for bad_tag in ("", "#", "two words"):
        with pytest.raises(ValueError):
            curation.tag(store, [tea], add=[bad_tag])
    assert curation.pin(store, [tea]) == 1
    assert store.list_ids(parse_filter("is:pinned tag:FOOD")) == [tea]
    assert curation.pin(store, [tea], False) == 1


@pytest.mark.parametrize("verb", ["validate", "reject", "forget", "restore", "pin", "purge"])
def test_every_verb_checks_that_all_are_there_and_mine_first(store: Store, verb: str) -> None:
    (mine,) = put(store, "I like tea")
    other = Store.open(store.folder, owner="ana")
    (theirs,) = put(other, "I like rain")
    other.close()
    before = store.state_hash()
    with pytest.raises(NotFound):
        getattr(curation, verb)(store, [mine, 99])
    with pytest.raises(Forbidden):
        getattr(curation, verb)(store, [mine, theirs])
    assert store.state_hash() == before


def test_filters_mean_what_they_say(store: Store) -> None:
    day = clock.DAY
    now = 1_000 * day
    tea = put(
        store, "I like green tea", kind=Kind.PREFERENCE, tier=Tier.CORE, created_at=now - 5 * day, source="claude"
    )
    rain = put(store, "It rains in O'Hara's 100%_town", created_at=now - 100 * day, project="my site", flag="injection")
    curation.validate(store, tea)
    mine = put(store, "I typed this", origin=Origin.PERSON, created_at=now - 1)

    def found(words: str) -> list[int]:
        return sorted(store.list_ids(parse_filter(words, now=now)))

    assert found("") == sorted(tea + rain + mine)
    assert found("kind:preference tier:core") == tea
    assert found("kind:preference kind:fact") == sorted(tea + rain + mine)
    assert found("age:<90d") == sorted(tea + mine)
    assert found("age:>2w") == rain
    assert found("is:validated") == tea
    assert found("is:open is:flagged") == rain
    assert found("is:inbox") == rain
    assert found('project:"my site"') == rain
    assert found("source:claude GREEN tea") == tea
    assert found("O'Hara's 100%_town") == rain
    assert found("100xxtown") == []
    assert found("'; DROP TABLE memories; --") == []
    assert found("state:new") == sorted(tea + rain + mine)
    curation.forget(store, rain)
    assert found("is:forgotten") == rain
    assert found("state:any") == sorted(tea + rain + mine)
    for wrong in ("kind:nonsense", "age:90d", "score:high", "is:nice", "colour:red", "state:odd"):
        with pytest.raises(BadFilter):
            parse_filter(wrong)


def test_alerts_can_be_filtered_for(store: Store) -> None:
    from store.model import Relation

    lisbon, porto, tea = put(store, "I live in Lisbon", "I live in Porto", "I like tea")
    with store.command("distil") as writer:
        assert store.alerts.put(writer, porto, lisbon, Relation.UPDATE, 0.8, ["same slot"])
        assert not store.alerts.put(writer, lisbon, porto, Relation.UPDATE, 0.8, ["same slot"])
    assert sorted(store.list_ids(parse_filter("has:conflict"))) == [lisbon, porto]
    (alert,) = store.alerts.open(porto)
    assert (alert.a, alert.b, alert.relation, alert.reasons) == (lisbon, porto, Relation.UPDATE, ("same slot",))
    assert store.alerts.open(tea) == []
    curation.forget(store, [lisbon])
    assert store.alerts.open() == []
    store.undo()
    store.undo()
    assert store.alerts.open() == []


def test_later_imports_do_not_overrule_the_person(store: Store) -> None:
    (tea,) = put(store, "I like tea")
    curation.validate(store, [tea])
    curation.set_tier(store, [tea], Tier.CORE)
    with store.command("import") as writer:
        store.admit(writer, memory("i like tea", tier=Tier.LOW, confidence=0.1))
    found = store.get(tea)
    assert (found.text, found.tier, found.review) == ("I like tea", Tier.CORE, Review.VALIDATED)


def test_rank_and_importance_are_set_by_hand_and_undone(store: Store) -> None:
    (tea,) = put(store, "I like tea")
    assert curation.set_rank(store, [tea], Rank.HIGH) == curation.set_importance(store, [tea], 9) == 1
    assert (store.get(tea).rank, store.get(tea).importance) == (Rank.HIGH, 9)
    store.undo()
    store.undo()
    assert (store.get(tea).rank, store.get(tea).importance) == (Rank.NEW, 5)
    with pytest.raises(ValueError, match="1 to 10"):
        curation.set_importance(store, [tea], 11)


def test_a_date_takes_a_typed_memory_out_of_recall_unless_it_is_pinned(store: Store) -> None:
    day = clock.from_iso("2026-01-31")
    memory = curation.add(store, "I work from Ghent this winter", importance=8, until=day)
    current = Filter(unexpired_at=day + 1)
    assert (memory.importance, memory.expires_at, store.list_ids(current)) == (8, day, [])
    assert store.list_ids(Filter(unexpired_at=day - 1)) == [memory.id]
    curation.pin(store, [memory.id])
    assert store.list_ids(current) == [memory.id]


def test_all_that_are_not_live_are_named_at_once(store: Store) -> None:
    put(store, "I like tea.", "I like figs.", "I like dates.")
    curation.forget(store, [1, 3])
    with pytest.raises(Conflict, match=r"memories 1, 3 are not live; `curator restore 1 3` brings them back"):
        curation.validate(store, [1, 2, 3])
    with pytest.raises(Conflict, match=r"memory 3 is not live; `curator restore 3` brings it back"):
        curation.validate(store, [2, 3])
