"""Resolving one conflict: each verb's effect and preview, refusals after changes, and undo."""

from collections.abc import Callable

import pytest

from curator import curation
from curator.curation import Choice, Pair
from factories import memory, put
from store import Conflict, Filter, Forgotten, NotFound, Store, clock
from store.model import ASKED, Given, Life, Relation, Review

DAY = clock.DAY
VERBS: dict[str, Callable[[Store, Pair], int]] = {
    "keep a": lambda store, pair: curation.keep(store, pair, "a"),
    "keep b": lambda store, pair: curation.keep(store, pair, "b"),
    "both": lambda store, pair: curation.keep_both(store, pair),
    "told apart": lambda store, pair: curation.keep_both(store, pair, text_a="I lived in Lisbon", scope_b="project:x"),
    "merge": lambda store, pair: curation.merge_pair(store, pair, "I moved from Lisbon to Porto"),
    "none": curation.reject_both,
    "later": curation.snooze,
}


def clash(store: Store, a: str = "I live in Lisbon", b: str = "I live in Porto", **fields: object) -> Pair:
    """Store two memories with an alert; the one that was said first is stored second."""
    (second,) = put(store, b, created_at=900 * DAY, **fields)
    (first,) = put(store, a, created_at=100 * DAY, **fields)
    with store.command("compare") as writer:
        store.alerts.put(writer, first, second, Relation.UPDATE, 0.8, ["only one holds at a time"], judge="rules/2")
    return curation.pair(
        store, next(alert.id for alert in store.alerts.open() if {alert.a, alert.b} == {first, second})
    )


def live(store: Store) -> list[str]:
    return sorted(found.text for found in store.get_many(store.list_ids(Filter())))


def how(store: Store, pair: Pair) -> str | None:
    return store.alerts.get(pair.alert.id).settled


@pytest.mark.parametrize("verb", VERBS)
def test_each_is_one_step_that_undo_takes_back_and_redo_does_again(store: Store, verb: str) -> None:
    pair = clash(store)
    before, commands = store.state_hash(), len(store.journal.log())
    VERBS[verb](store, pair)
    after = store.state_hash()
    assert len(store.journal.log()) == commands + 1
    assert f"conflict {pair.alert.id}" in store.journal.log(1)[0].summary
    assert curation.waiting(store, curation.ConflictFilter()) == []
    store.undo()
    assert store.state_hash() == before
    assert [one.alert.id for one in curation.waiting(store, curation.ConflictFilter())] == [pair.alert.id]
    store.redo()
    assert store.state_hash() == after
    assert store.differences() == []


def test_a_was_said_first(store: Store) -> None:
    pair = clash(store)
    assert (pair.a.text, pair.b.text) == ("I live in Lisbon", "I live in Porto")
    assert pair.alert.a == pair.b.id, "though the alert names the other first"
    assert (pair.on("a"), pair.across("a")) == (pair.a, pair.b)


@pytest.mark.parametrize(("side", "stays"), [("a", "I live in Lisbon"), ("b", "I live in Porto")])
def test_one_side_stays_and_the_other_points_to_it(store: Store, side: curation.Side, stays: str) -> None:
    pair = clash(store)
    curation.validate(store, [pair.a.id, pair.b.id])
    curation.pin(store, [pair.a.id, pair.b.id])
    assert curation.keep(store, curation.pair(store, pair.alert.id), side) == 1
    gone = store.get(pair.across(side).id)
    assert (gone.life, gone.superseded_by, gone.review) == (Life.SUPERSEDED, pair.on(side).id, Review.VALIDATED)
    assert live(store) == [stays]
    assert how(store, pair) == "superseded"


def test_what_replaces_something_always_given_is_always_given_too(store: Store) -> None:
    pair = clash(store, "Keep answers short from now on", "Give me more detail in your answers now")
    curation.set_given(store, [pair.a.id], Given.ALWAYS)
    pair = curation.pair(store, pair.alert.id)
    assert "B is always given then, as A was" in curation.outcome(pair, Choice.B)
    assert "always given" not in curation.outcome(pair, Choice.A)
    plan = curation.plan_bulk([pair], curation.Rule.NEWEST)
    assert "1 always given from then on" in curation.bulk_outcome(plan)
    before = store.state_hash()
    for keep in (lambda: curation.keep(store, pair, "b"), lambda: curation.bulk(store, plan)):
        keep()
        assert store.get(pair.b.id).given is Given.ALWAYS
        store.undo()
        assert store.state_hash() == before and store.get(pair.b.id).given is Given.RELEVANT
    curation.set_given(store, [pair.b.id], Given.NEVER)
    curation.set_given(store, [pair.b.id], Given.RELEVANT)
    pair = curation.pair(store, pair.alert.id)
    assert "always given" not in curation.outcome(pair, Choice.B)
    curation.keep(store, pair, "b")
    assert store.get(pair.b.id).given is Given.RELEVANT, "the person has said when"


def test_what_ends_a_matter_of_safety_is_not_always_given_for_that(store: Store) -> None:
    pair = clash(store, "I'm vegetarian", "I eat meat now")
    curation.validate(store, [pair.a.id])
    curation.keep(store, curation.pair(store, pair.alert.id), "b")
    assert store.get(pair.b.id).given is Given.RELEVANT


def test_both_stay_and_it_is_no_conflict_for_good(store: Store) -> None:
    pair = clash(store)
    assert curation.keep_both(store, pair) == 0
    assert how(store, pair) == "not a conflict"
    with store.command("compare") as writer:
        assert not store.alerts.put(writer, pair.a.id, pair.b.id, Relation.CONTRADICTION, 0.9, [], judge="rules/3")
    assert store.alerts.open() == []


def test_both_stay_with_words_and_scopes_that_make_both_true(store: Store) -> None:
    pair = clash(store)
    first, second = curation.dated(pair)
    assert (first, second) == ("I live in Lisbon (until 1972-06-19)", "I live in Porto (since 1972-06-19)")
    assert curation.keep_both(store, pair, text_a=first, text_b=second, scope_a="project:old") == 2
    assert live(store) == [first, second]
    assert (store.get(pair.a.id).scope, store.get(pair.b.id).scope) == ("project:old", "global")
    assert [version.text for version in store.versions(pair.a.id)] == ["I live in Lisbon"]
    assert how(store, pair) == "both hold"
    with store.command("compare") as writer:
        assert not store.alerts.put(writer, pair.a.id, pair.b.id, Relation.UPDATE, 0.9, [], judge="rules/2")
    assert store.alerts.open() == [], "it is settled for the new words too"
    curation.edit(store, pair.a.id, "I live in Faro")
    with store.command("compare") as writer:
        assert store.alerts.put(writer, pair.a.id, pair.b.id, Relation.UPDATE, 0.9, [], judge="rules/2")


def test_dates_go_before_a_full_stop(store: Store) -> None:
    pair = clash(store, "I live in Lisbon.", "I live in Porto…")
    assert curation.dated(pair) == ("I live in Lisbon (until 1972-06-19).", "I live in Porto… (since 1972-06-19)")


def test_what_cannot_be_said_of_both_is_refused_whole(store: Store) -> None:
    pair = clash(store)
    put(store, "I live in Faro", scope="project:x")
    (gone,) = put(store, "I live in Braga")
    curation.forget(store, [gone])
    before = store.state_hash()
    for amended, error, words in (
        ({"text_a": "i live in PORTO"}, Conflict, f"memory {pair.b.id} says the same"),
        ({"text_a": "I live in Faro", "scope_a": "project:x"}, Conflict, "says the same"),
        ({"text_a": "I live in Braga"}, Forgotten, "forgotten"),
        ({"text_b": " "}, curation.Refused, "needs text"),
        ({"text_b": "x" * 501}, curation.Refused, "at most 500"),
        ({"scope_b": "nowhere"}, ValueError, "project:NAME"),
    ):
        with pytest.raises(error, match=words):
            curation.keep_both(store, pair, **amended)
    assert store.state_hash() == before


def test_a_scope_where_another_says_so_already_is_refused(store: Store) -> None:
    pair = clash(store, scope="project:y")
    put(store, "I live in Lisbon", scope="project:x")
    before = store.state_hash()
    with pytest.raises(Conflict, match="would say the same"):
        curation.keep_both(store, pair, scope_a="project:x")
    assert store.state_hash() == before


def test_merging_makes_one_in_the_persons_words(store: Store) -> None:
    pair = clash(store)
    proposed = curation.draft(store, [pair.a.id, pair.b.id])
    assert curation.merge_pair(store, pair, "I moved from Lisbon to Porto") == 2
    assert live(store) == ["I moved from Lisbon to Porto"]
    assert store.get(pair.a.id).superseded_by == proposed.survivor == pair.b.id
    assert {version.text for version in store.versions(pair.b.id)} == {"I live in Lisbon", "I live in Porto"}
    assert how(store, pair) == "merged"
    assert store.journal.log(1)[0].summary == f"into memory {pair.b.id} (conflict {pair.alert.id})"
    store.undo()
    curation.merge_pair(store, pair, "I moved from Lisbon to Porto", survivor=pair.a.id)
    assert store.get(pair.b.id).superseded_by == pair.a.id


def test_only_what_holds_in_one_scope_is_merged_and_only_into_one_of_them(store: Store) -> None:
    pair = clash(store)
    with pytest.raises(ValueError, match="not in conflict"):
        curation.merge_pair(store, pair, "I moved", survivor=99)
    curation.set_scope(store, [pair.a.id], "project:x")
    now = curation.pair(store, pair.alert.id)
    with pytest.raises(Conflict, match="one scope first"):
        curation.merge_pair(store, now, "I moved")
    assert "one scope first" in curation.outcome(now, Choice.MERGE)


def test_what_is_wrong_on_both_sides_does_not_come_back(store: Store) -> None:
    pair = clash(store)
    assert curation.reject_both(store, pair) == 2
    assert live(store) == []
    assert {store.get(side.id).review for side in (pair.a, pair.b)} == {Review.REJECTED}
    with store.command("distil") as writer:
        assert store.admit(writer, memory("I live in Lisbon")).forgotten == pair.a.id


def test_what_is_put_off_is_asked_again(store: Store) -> None:
    pair = clash(store)
    assert curation.snooze(store, pair, now=10 * DAY) == 0
    ids = [
        [one.alert.id for one in curation.waiting(store, which, now=day * DAY)]
        for which in (curation.ConflictFilter(), curation.ConflictFilter(snoozed=True))
        for day in (11, 17)
    ]
    assert ids == [[], [pair.alert.id], [pair.alert.id], []]
    curation.snooze(store, pair, 0)
    assert curation.waiting(store, curation.ConflictFilter(), now=11 * DAY)
    with pytest.raises(ValueError, match="3,650"):
        curation.snooze(store, pair, 4_000)


HELD_AS_FORGOTTEN = (ASKED, "like memory 7, which you forgot")


def hold(store: Store, flag: str, *memories: int) -> None:
    with store.command("import") as writer:
        writer.update("memories", list(memories), {"flag": flag})


@pytest.mark.parametrize("flag", HELD_AS_FORGOTTEN)
@pytest.mark.parametrize("verb", ["keep", "bulk", "supersede", "merge"])
def test_what_the_person_keeps_is_no_longer_held_as_forgotten(store: Store, verb: str, flag: str) -> None:
    pair = clash(store)
    hold(store, flag, pair.b.id)
    pair = curation.pair(store, pair.alert.id)
    assert "B leaves quarantine" in curation.outcome(pair, Choice.B)
    before = store.state_hash()
    if verb == "keep":
        curation.keep(store, pair, "b")
    elif verb == "bulk":
        curation.bulk(store, curation.plan_bulk([pair], curation.Rule.NEWEST))
    elif verb == "supersede":
        assert curation.supersede(store, [pair.a.id], pair.b.id) == 1
    else:
        assert not curation.draft(store, [pair.a.id, pair.b.id]).quarantined
        curation.merge_pair(store, pair, "I live in Porto", pair.b.id)
    assert not store.get(pair.b.id).quarantined
    assert (store.get(pair.b.id).review is Review.VALIDATED) == (verb == "merge"), "a choice of sides validates none"
    store.undo()
    assert store.state_hash() == before


@pytest.mark.parametrize("flag", ["injection", "proposed by Claude"])
def test_other_quarantine_ends_by_validating_alone_and_keeping_says_so(store: Store, flag: str) -> None:
    pair = clash(store)
    hold(store, flag, pair.b.id)
    pair = curation.pair(store, pair.alert.id)
    stays = " · 1 stays in quarantine until you validate it"
    plan = curation.plan_bulk([pair], curation.Rule.NEWEST)
    assert stays in curation.outcome(pair, Choice.B) and stays in curation.bulk_outcome(plan)
    assert stays not in curation.outcome(pair, Choice.A)
    curation.keep(store, pair, "b")
    assert store.get(pair.b.id).flag == flag


def test_keeping_both_chooses_none_and_leaves_quarantine_as_it_is(store: Store) -> None:
    pair = clash(store)
    hold(store, ASKED, pair.a.id, pair.b.id)
    pair = curation.pair(store, pair.alert.id)
    assert " · 2 stay in quarantine until you validate them" in curation.outcome(pair, Choice.BOTH)
    curation.keep_both(store, pair)
    assert store.get(pair.b.id).flag == ASKED


MEANWHILE: dict[str, tuple[Callable[[Store, Pair], object], str]] = {
    "settled": (lambda store, pair: curation.keep_both(store, pair), r"already resolved \(not a conflict\)"),
    "superseded": (lambda store, pair: curation.keep(store, pair, "b"), "already resolved"),
    "let go": (lambda store, pair: curation.forget(store, [pair.b.id]), "is forgotten now"),
    "put better": (lambda store, pair: curation.edit(store, pair.a.id, "I LIVE in Lisbon"), "edited"),
    "put anew": (lambda store, pair: curation.edit(store, pair.b.id, "I live in Faro"), "edited"),
    "purged": (lambda store, pair: store.purge([pair.a.id]), "gone|purged"),
    "never found": (lambda store, _: store.undo(), "is gone"),
}


@pytest.mark.parametrize("meanwhile", MEANWHILE)
@pytest.mark.parametrize("verb", VERBS)
def test_what_was_seen_must_be_so_still(store: Store, verb: str, meanwhile: str) -> None:
    pair = clash(store)
    other = Store.open(store.folder)
    change, words = MEANWHILE[meanwhile]
    change(other, pair)
    other.close()
    before, commands = store.state_hash(), len(store.journal.log())
    with pytest.raises(Conflict, match=words):
        VERBS[verb](store, pair)
    assert (store.state_hash(), len(store.journal.log())) == (before, commands)


def test_other_changes_do_not_matter(store: Store) -> None:
    pair = clash(store)
    curation.tag(store, [pair.a.id], ["home"])
    curation.validate(store, [pair.b.id])
    curation.snooze(store, pair)
    assert curation.keep(store, pair, "a") == 1


def test_words_that_were_put_better_are_settled_as_they_are(store: Store) -> None:
    pair = clash(store)
    curation.edit(store, pair.a.id, "I live in Faro")
    (now,) = curation.waiting(store, curation.ConflictFilter())
    assert now.outdated and now.open and now.a.text == "I live in Faro"
    curation.keep_both(store, now)
    assert not curation.pair(store, pair.alert.id).outdated
    with store.command("compare") as writer:
        assert not store.alerts.put(writer, pair.a.id, pair.b.id, Relation.UPDATE, 0.9, [], judge="rules/2")


def test_there_must_be_one(store: Store) -> None:
    with pytest.raises(NotFound):
        curation.pair(store, 7)
    other = Store.open(store.folder, owner="ana")
    theirs = clash(other)
    with pytest.raises(NotFound):
        curation.pair(store, theirs.alert.id)
    with pytest.raises(Conflict, match="gone"):
        curation.reject_both(store, theirs)
    assert len(live(other)) == 2
    other.close()


def test_a_restored_loser_is_settled_still_and_may_win_by_hand(store: Store) -> None:
    pair = clash(store)
    curation.keep(store, pair, "b")
    curation.restore(store, [pair.a.id])
    assert store.alerts.open() == []
    restoring = store.journal.log(1)[0].id
    curation.supersede(store, [pair.b.id], pair.a.id)
    before = store.state_hash()
    with pytest.raises(Conflict, match=f"restore {pair.b.id}"):
        store.undo(restoring)
    assert store.state_hash() == before
    assert store.successors(pair.b.id) == [pair.a.id]


# Previews


def test_each_choice_says_what_it_would_do(store: Store) -> None:
    pair = clash(store)
    curation.validate(store, [pair.a.id])
    curation.pin(store, [pair.a.id])
    pair = curation.pair(store, pair.alert.id)
    drafted = curation.draft(store, [pair.a.id, pair.b.id])
    assert [curation.outcome(pair, choice, drafted) for choice in Choice] == [
        "keeps A “I live in Lisbon” · B is superseded and leaves recall · undoable",
        "keeps B “I live in Porto” · A, validated and pinned, is superseded and leaves recall · undoable",
        "keeps both: no conflict, and not shown again unless one is edited · undoable",
        "merges both: B becomes “I live in Porto”, validated; the other is superseded, and no quotes are lost"
        " · undoable",
        "rejects both (A is validated and pinned): they leave recall and are not imported again · undoable",
        "snoozes the conflict for a week; both stay in recall · undoable",
    ]
    assert curation.outcome(pair, Choice.MERGE).startswith("merges both into one memory, after showing its text")
    curation.keep(store, pair, "b")
    assert "already resolved (superseded)" in curation.outcome(curation.pair(store, pair.alert.id), Choice.A)


def test_a_long_text_is_cut(store: Store) -> None:
    pair = clash(store, "I live in " + "Lisbon " * 30)
    assert len(curation.outcome(pair, Choice.A)) < 140


# The queue


def test_the_queue_is_narrowed_by_class_score_source_memory_and_words(store: Store) -> None:
    homes = clash(store, source="claude")
    teas = clash(store, "I drink green tea", "I drink no tea")
    with store.command("compare") as writer:
        store.alerts.put(writer, homes.a.id, teas.a.id, Relation.DUPLICATE, 0.9, [])
    everyone = [one.alert.id for one in curation.waiting(store, curation.ConflictFilter())]
    assert len(everyone) == 3 and everyone[0] not in (homes.alert.id, teas.alert.id)
    for which, wanted in (
        (curation.ConflictFilter(relations=(Relation.DUPLICATE,)), everyone[:1]),
        (curation.ConflictFilter(relations=(Relation.DUPLICATE, Relation.UPDATE)), everyone),
        (curation.ConflictFilter(least_score=0.85), everyone[:1]),
        (curation.ConflictFilter(source="claude"), [everyone[0], homes.alert.id]),
        (curation.ConflictFilter(memories=(teas.b.id,)), [teas.alert.id]),
        (curation.ConflictFilter(words=("GREEN", "no tea")), [teas.alert.id]),
        (curation.ConflictFilter(words=("coffee",)), []),
    ):
        assert [one.alert.id for one in curation.waiting(store, which)] == wanted
    assert len(curation.waiting(store, curation.ConflictFilter(), 2)) == 2
    assert len(curation.waiting(store, curation.ConflictFilter(words=("I",)), 2)) == 2
