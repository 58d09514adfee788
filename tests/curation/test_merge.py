"""Merge: the rules' draft, what the survivor gets, refusals, and an exact undo."""

import itertools
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator import curation
from curator.text import tokens
from effort import exhaustive, share, thorough
from factories import conversation, memory, put, quote
from store import Conflict, Filter, Forbidden, Forgotten, NotFound, Store
from store.model import Given, Kind, Life, NewVersion, Relation, Review, Tier


def said(store: Store, *turns: str) -> list[int]:
    """Store a conversation; return the ids of the person's messages."""
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", *(part for turn in turns for part in (turn, "Noted."))))
    return [message.id for message in store.raw.messages(store.raw.get_conversations()[0].id) if message.role == "user"]


def quoting(store: Store, text: str, message: int, **fields: object) -> int:
    """Store a memory that quotes a whole message."""
    evidence = (quote(text, store.raw.message(message).text, message=message),)
    (number,) = put(store, text, evidence=evidence, **fields)
    return number


def live(store: Store) -> list[str]:
    return [found.text for found in store.get_many(store.list_ids(Filter(), descending=False))]


# The draft


@pytest.mark.parametrize(
    ("texts", "drafted"),
    [
        (["I like green tea", "i like green TEA!"], "i like green TEA!"),
        (["I like green tea", "I like tea"], "I like green tea"),
        (["I live in Porto.", "I work as a nurse"], "I work as a nurse. I live in Porto."),
        (["I have 2 cats", "I have 3 cats"], "I have 3 cats. I have 2 cats."),
        (["I like tea", "I do not like tea"], "I do not like tea. I like tea."),
        (["I went to Oslo with Ana", "I went to Oslo with Bob"], "I went to Oslo with Bob. I went to Oslo with Ana."),
        (["Ana lives in Porto", "I live in Porto"], "I live in Porto. Ana lives in Porto."),
        (["Tea is fine. Coffee is not", "Coffee is not. I sleep badly"], "Coffee is not. I sleep badly. Tea is fine."),
        (["See Dr. Chen on Monday", "I run"], "I run. See Dr. Chen on Monday."),
    ],
)
def test_the_draft_says_what_all_say_and_shows_where_they_differ(store: Store, texts: list[str], drafted: str) -> None:
    ids = [put(store, text, created_at=n, external_id=str(n))[0] for n, text in enumerate(texts)]
    before = store.state_hash()
    found = curation.draft(store, ids)
    assert (found.text, found.survivor, found.memories, found.left_out) == (drafted, ids[-1], tuple(ids), ())
    assert curation.draft(store, [*reversed(ids)]).text == drafted, "the order they are given in does not matter"
    assert store.state_hash() == before


@pytest.mark.parametrize(
    ("texts", "drafted"),
    [
        (
            [
                "We use dbt, Postgres with Timescale and Grafana.",
                "The team uses dbt, Postgres with Timescale, and Grafana.",
            ],
            "The team uses dbt, Postgres with Timescale, and Grafana.",
        ),
        (
            ["I live in Ghent with my husband Tom", "I live in Ghent"],
            "I live in Ghent with my husband Tom",
        ),
        (["I have a dog named Rex", "I have a dog"], "I have a dog named Rex"),
        (["I am vegetarian", "I don't eat meat"], "I don't eat meat"),
        (["I have 2 cats and a dog", "I have 3 cats and a dog"], "I have 3 cats and a dog. I have 2 cats and a dog."),
    ],
    ids=["the team", "a relative", "a name", "by rule", "a number differs"],
)
def test_of_two_that_say_the_same_one_text_is_drafted(store: Store, texts: list[str], drafted: str) -> None:
    first, second = (put(store, text, created_at=n, external_id=str(n))[0] for n, text in enumerate(texts))
    with store.command("compare") as writer:
        store.alerts.put(writer, first, second, Relation.DUPLICATE, 0.9, ())
    found = curation.draft(store, [first, second])
    assert (found.text, found.survivor, found.left_out) == (drafted, second, ())


def test_the_words_of_a_sentence_are_taken_once_for_a_draft(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = ("kitchen", "cellar", "attic", "garage", "garden", "hall")
    sentences = [
        [f"The {room} was {done} in {year}." for year in (2001, 2002)]
        for room in rooms
        for done in ("painted", "cleaned", "measured")
    ]
    asked = Counter[str]()

    def counted(text: str) -> frozenset[str]:
        asked[text] += 1
        return tokens(text)

    monkeypatch.setattr("curator.text.tokens", counted)
    found = curation.draft(store, put(store, *map(" ".join, sentences)))
    assert len(found.left_out) > len(rooms)
    assert {asked[sentence] for both in sentences for sentence in both} == {1}


def test_the_survivor_is_the_one_a_person_vouched_for_then_pinned_then_with_most_quotes_then_newest(
    store: Store,
) -> None:
    first, second = said(store, "I like tea and I like trains", "I like tea")
    newest = put(store, "I like coffee", created_at=9_000_000_000_000_000)[0]
    quoted = quoting(store, "I like tea", second)
    pinned = put(store, "I like snow")[0]
    vouched = put(store, "I like rain", kind=Kind.PREFERENCE, tier=Tier.LOW)[0]
    with store.command("distil") as writer:
        store.add_evidence(writer, quoted, [quote("I like tea", store.raw.message(first).text, message=first)])
    everyone = [newest, quoted, pinned, vouched]
    assert curation.draft(store, [newest, pinned]).survivor == newest
    assert curation.draft(store, everyone).survivor == quoted
    curation.pin(store, [pinned])
    assert curation.draft(store, everyone).survivor == pinned
    curation.validate(store, [vouched])
    curation.set_tier(store, [newest], Tier.CORE)
    found = curation.draft(store, everyone)
    assert (found.survivor, found.kind, found.tier) == (vouched, Kind.PREFERENCE, Tier.CORE)


def test_a_draft_is_never_too_long_and_says_what_it_leaves_out(store: Store) -> None:
    ids = put(store, *(f"I keep book number {n} on the shelf of room {n * 7}" for n in range(40)))
    found = curation.draft(store, ids)
    assert len(found.text) <= curation.MAX_LENGTH
    assert len(found.left_out) == 40 - found.text.count("book")
    assert found.text.count("book") > 8
    (long,) = put(store, "word " * 200)
    assert len(curation.draft(store, [long, ids[0]]).text) <= curation.MAX_LENGTH


# Effects of a merge


def test_the_survivor_gets_all_there_is(store: Store) -> None:
    first, second = said(store, "I like tea", "I drink tea at six")
    tea = quoting(store, "I like tea", first, tags=("food",), importance=4, expires_at=5)
    six = quoting(
        store,
        "I drink tea at six",
        second,
        tags=("food", "habit"),
        importance=8,
        pinned=True,
        tier=Tier.CORE,
        versions=(NewVersion("I drink tea", 7),),
    )
    (imported,) = put(store, "Tea it is", evidence=(quote("Tea", "Tea it is", reference="m9", title="Elsewhere"),))
    before = store.state_hash()
    assert curation.merge(store, [tea, six, imported], "I like tea,  at six", tea) == 3
    after = store.state_hash()
    found = store.get(tea)
    assert (found.text, found.review, found.life) == ("I like tea, at six", Review.VALIDATED, Life.LIVE)
    assert (found.importance, found.pinned, found.tier, found.tags) == (8, True, Tier.CORE, ("food", "habit"))
    assert found.expires_at is None
    assert [item.quote for item in store.evidence(tea)] == ["Tea", "I like tea", "I drink tea at six"]
    versions = {(version.text, version.merged_from) for version in store.versions(tea)}
    assert versions == {
        ("I like tea", None),
        ("I drink tea at six", six),
        ("I drink tea", six),
        ("Tea it is", imported),
    }
    assert store.versions(tea)[0].text == "I like tea"
    for other in (six, imported):
        gone = store.get(other)
        assert (gone.life, gone.superseded_by) == (Life.SUPERSEDED, tea)
        assert store.evidence(other) and store.successors(other) == [tea]
    assert live(store) == ["I like tea, at six"]
    assert (store.journal.log(1)[0].verb, store.journal.log(1)[0].count) == ("merge", 3)
    store.undo()
    assert store.state_hash() == before
    store.redo()
    assert store.state_hash() == after
    assert store.differences() == []


@pytest.mark.parametrize(("expiries", "kept"), [((9, 5), 9), ((5, 9), 9), ((5, None), None)])
def test_the_survivor_holds_as_long_as_any_of_them(
    store: Store, expiries: tuple[int | None, ...], kept: int | None
) -> None:
    tea, six = (put(store, f"I like tea number {n}", expires_at=at)[0] for n, at in enumerate(expiries))
    curation.merge(store, [tea, six], "I like tea", tea)
    assert store.get(tea).expires_at == kept


def test_of_those_taken_as_they_are_worded_none_may_be_gone(store: Store) -> None:
    tea, cup, gone, open_one = put(store, "I like tea", "I like a cup of tea", "I like rain", "I like snow")
    curation.forget(store, [gone])
    before = store.state_hash()
    with pytest.raises(Conflict, match=f"curator restore {gone}"):
        curation.gather(store, {tea: [cup]}, [open_one, gone])
    assert store.state_hash() == before
    assert curation.gather(store, {tea: [cup]}, [open_one]) == 3
    assert store.get(open_one).review is store.get(tea).review is Review.VALIDATED


def test_a_survivor_is_like_an_edited_memory(store: Store) -> None:
    tea, six = put(store, "I like tea", "I drink tea at six")
    curation.merge(store, [tea, six], "I like tea at six", tea)
    curation.edit(store, tea, "I like tea at seven")
    store.undo()
    curation.forget(store, [tea])
    curation.restore(store, [tea])
    assert live(store) == ["I like tea at six"]
    assert store.differences() == []


def test_the_words_of_one_of_them_may_be_kept(store: Store) -> None:
    tea, six = put(store, "I like tea", "I drink tea at six")
    curation.merge(store, [tea, six], "I drink tea at six", tea)
    assert [(version.text, version.merged_from) for version in store.versions(tea)] == [
        ("I like tea", None),
        ("I drink tea at six", six),
    ]
    with pytest.raises(Conflict, match=str(tea)):
        curation.restore(store, [six])
    store.undo()
    curation.merge(store, [tea, six], "I like tea", tea)
    assert [version.merged_from for version in store.versions(tea)] == [six], "it says what it said"


def test_merging_into_a_merged_one_keeps_where_each_text_came_from(store: Store) -> None:
    one, two, three = put(store, "I like tea", "I like trains", "I like boats")
    before = store.state_hash()
    curation.merge(store, [one, two], "I like tea and trains", one)
    curation.merge(store, [one, three], "I like tea, trains and boats", three)
    assert {(version.text, version.merged_from) for version in store.versions(three)} == {
        ("I like boats", None),
        ("I like tea and trains", one),
        ("I like tea", one),
        ("I like trains", two),
    }
    assert store.successors(two) == [one, three]
    store.undo()
    store.undo()
    assert store.state_hash() == before


def test_one_that_was_merged_can_be_restored(store: Store) -> None:
    first, second = said(store, "I like tea", "I like trains")
    tea, trains = quoting(store, "I like tea", first), quoting(store, "I like trains", second)
    curation.merge(store, [tea, trains], "I like tea and trains", tea)
    assert curation.restore(store, [trains]) == 1
    back = store.get(trains)
    assert (back.life, back.superseded_by, back.text) == (Life.LIVE, None, "I like trains")
    assert [item.quote for item in store.evidence(trains)] == ["I like trains"]
    assert store.get(tea).text == "I like tea and trains"
    curation.merge(store, [tea, trains], "I like both", tea)
    texts = [version.text for version in store.versions(tea)]
    assert sorted(texts) == ["I like tea", "I like tea and trains", "I like trains"], "none twice"


def test_alerts_between_them_are_settled(store: Store) -> None:
    lisbon, porto, tea = put(store, "I live in Lisbon", "I live in Porto", "I like tea")
    with store.command("distil") as writer:
        store.alerts.put(writer, porto, lisbon, Relation.UPDATE, 0.8, [])
        store.alerts.put(writer, porto, tea, Relation.UPDATE, 0.7, [])
    curation.merge(store, [lisbon, porto], "I moved from Lisbon to Porto", porto)
    assert [(alert.a, alert.b) for alert in store.alerts.open()] == [(porto, tea)]
    store.undo()
    assert len(store.alerts.open()) == 2


# Later imports of the same


def test_what_was_merged_does_not_come_back(store: Store) -> None:
    tea, six = put(store, "I like tea", "I drink tea at seven")
    curation.edit(store, six, "I drink tea at six")
    curation.merge(store, [tea, six], "Tea at six, I like that", tea)
    for text in ("I like tea", "I drink tea at six", "i drink tea at SEVEN"):
        with store.command("import") as writer:
            assert store.admit(writer, memory(text, created_at=9_000_000_000_000_000)).known == tea, text
    curation.forget(store, [tea])
    for text in ("I like tea", "I drink tea at six", "I drink tea at seven", "Tea at six, I like that"):
        with store.command("import") as writer:
            assert store.admit(writer, memory(text)).forgotten == tea, text
    assert curation.add(store, "I like tea").text == "I like tea", "the person may say it again"


# Refusals


def test_what_cannot_be_merged(store: Store) -> None:
    tea, trains, boats, gone = put(store, "I like tea", "I like trains", "I like boats", "I like rain")
    (here,) = put(store, "Use tabs", scope="project:site")
    curation.forget(store, [gone])
    other = Store.open(store.folder, owner="ana")
    (theirs,) = put(other, "I like rain")
    other.close()
    before = store.state_hash()
    refused = [
        ([tea], "x", tea, ValueError, "2 to 1,000"),
        ([tea, tea], "x", tea, ValueError, "2 to 1,000"),
        ([tea, trains], "x", boats, ValueError, "not one of"),
        ([tea, trains], "", tea, curation.Refused, "text"),
        ([tea, trains], "x" * 501, tea, curation.Refused, "500"),
        ([tea, trains], "i like BOATS", tea, Conflict, str(boats)),
        ([tea, trains], "I like rain", tea, Forgotten, str(gone)),
        ([tea, gone], "x", tea, Conflict, "forgotten"),
        ([tea, here], "x", tea, Conflict, "global, memory 5 in project:site: .*curator scope 1 5 --to global"),
        ([tea, 99], "x", tea, NotFound, "99"),
        ([tea, theirs], "x", tea, Forbidden, str(theirs)),
    ]
    for ids, text, survivor, error, words in refused:
        with pytest.raises(error, match=words):
            curation.merge(store, ids, text, survivor)
        if text == "x" and survivor in ids:
            with pytest.raises(error, match=words):
                curation.draft(store, ids)
    assert store.state_hash() == before


@exhaustive
def test_a_thousand_at_most(store: Store) -> None:
    ids = put(store, *(f"I own book number {n}" for n in range(1_001)))
    with pytest.raises(ValueError, match="1,001"):
        curation.draft(store, ids)
    before = store.state_hash()
    drafted = curation.draft(store, ids[:1_000])
    assert curation.merge(store, ids[:1_000], drafted.text, drafted.survivor) == 1_000
    assert len(live(store)) == 2
    store.undo()
    assert store.state_hash() == before


def test_a_secret_in_the_text_is_redacted(store: Store) -> None:
    key = "sk-ant-api03-" + "FAKEkey0123456789abcdefFAKE" * 3 + "-AA"
    tea, trains = put(store, "I like tea", "I like trains")
    curation.merge(store, [tea, trains], f"The key of the tea machine is {key}", tea)
    assert key not in store.get(tea).text


# Undo and redo of any merge

MERGED = st.fixed_dictionaries(
    {
        "tier": st.sampled_from(Tier),
        "importance": st.integers(0, 10),
        "tags": st.lists(st.sampled_from(["home", "work", "tea"]), unique=True),
        "created_at": st.integers(0, 10**15),
    }
)


@thorough
@settings(max_examples=share(25), suppress_health_check=list(HealthCheck))
@given(data=st.data(), fields=st.lists(MERGED, min_size=2, max_size=5))
def test_merging_then_undoing_restores_the_state(data: st.DataObject, fields: list[dict[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "store")
        ids = [put(store, f"I have {n} cats", **given)[0] for n, given in enumerate(fields)]
        for number in data.draw(st.lists(st.sampled_from(ids), unique=True)):
            data.draw(st.sampled_from([curation.pin, curation.validate]))(store, [number])
        with store.command("compare") as writer:
            for a, b in itertools.combinations(ids, 2):
                if data.draw(st.booleans()):
                    store.alerts.put(writer, a, b, Relation.UPDATE, 0.8, ["numbers differ"])
        before = store.state_hash()
        chosen = data.draw(st.lists(st.sampled_from(ids), min_size=2, unique=True))
        text = data.draw(st.sampled_from([store.get(chosen[0]).text, "I have many cats"]))
        curation.merge(store, chosen, text, data.draw(st.sampled_from(chosen)))
        after = store.state_hash()
        store.undo()
        assert store.state_hash() == before
        store.redo()
        assert store.state_hash() == after
        assert store.differences() == []
        store.close()


@pytest.mark.parametrize(
    ("first", "second", "merged", "given"),
    [
        ("I have a small kitchen", "I'm allergic to nuts", "I have a small kitchen and I'm allergic to nuts", "always"),
        ("My son Max is ten", "Max has asthma", "Max is ten and has asthma", "always"),
        ("My son Max has asthma", "Max has a blue inhaler", "Max has asthma: a blue inhaler", "always"),
        ("Max has asthma", "Max has a blue inhaler", "Max has asthma: a blue inhaler", "relevant"),
        ("I'm allergic to nuts", "I bake on Sundays", "I bake on Sundays", "relevant"),
    ],
)
def test_a_safety_fact_is_always_given_once_merged_as_once_validated(
    store: Store, first: str, second: str, merged: str, given: str
) -> None:
    a, b = put(store, first)[0], put(store, second)[0]
    with store.command("validate") as writer:  # as by an older version, which made nothing always given
        writer.update("memories", [a], {"review": "validated"})
    before = store.state_hash()
    curation.merge(store, [a, b], merged, a)
    assert (store.get(a).review, store.get(a).given) == (Review.VALIDATED, given)
    store.undo()
    assert store.state_hash() == before


def test_a_merge_keeps_to_when_the_person_said_that_it_is_given(store: Store) -> None:
    a, b = put(store, "I bake on Sundays")[0], put(store, "I'm allergic to nuts")[0]
    for when in (Given.NEVER, Given.RELEVANT):
        curation.set_given(store, [a], when)
    curation.merge(store, [a, b], "I bake on Sundays, and I'm allergic to nuts", a)
    assert store.get(a).given is Given.RELEVANT
