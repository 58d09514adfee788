"""Sweeps that ask a model for judgments: on alerts, and on which recalled memories were useful."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from scripted_sweeps import Models, models, standing, sweeper, until

from curator import curation
from curator.config import settings
from curator.models import Question
from curator.sweeps import State
from factories import put
from fake_ollama.rule_model import answer
from store import Store
from store.model import Actor, Relation

JUDGE = "judge/1 scripted:1b@0123456789ab"


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "scripted:1b")
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    monkeypatch.setenv("CURATOR_SWEEP_COMPARE__ENABLED", "false")


def mind(question: Question) -> str:
    """Answer as the stand-in server does."""
    body = {"format": question.schema, "messages": [{"content": question.user}]}
    return answer(body) or ""


def thinking() -> Models:
    return models(mind)


def relating(relation: Relation) -> Callable[[Question], str]:
    item = {"difference": "what they say", "relation": relation.value, "confidence": "high"}
    return lambda question: json.dumps({"items": [item]})


def alert(store: Store, *texts: str, relation: Relation = Relation.UPDATE) -> tuple[int, int, int]:
    a, b = put(store, *(texts or ("I live in Porto with two cats", "I live in Lisbon with two cats")))
    with store.command("scan", Actor.SWEEP) as writer:
        store.alerts.put(writer, a, b, relation, 0.8, ["words replaced"])
    return max(one.id for one in store.alerts.open()), a, b


# Alerts


async def test_an_alert_gets_an_opinion_that_closes_nothing_and_is_asked_for_once(store: Store) -> None:
    number, a, b = alert(store)
    before, seq = store.state_hash(), store.journal.seq()
    given = models(relating(Relation.CONTRADICTION))
    await sweeper(store, given).work(once=True)
    (opinion,) = store.judgments.of([number])[number]
    assert (opinion.relation, opinion.judge) == (Relation.CONTRADICTION, JUDGE)
    assert len(given.scripted.asked) == 2  # asked in both orders, since the judgment would have an effect
    assert [one.id for one in store.alerts.open()] == [number]
    assert (store.get(a).text, store.get(b).text) == ("I live in Porto with two cats", "I live in Lisbon with two cats")
    assert (store.state_hash(), store.journal.seq()) == (before, seq)
    await sweeper(store, given).work(once=True)
    assert len(given.scripted.asked) == 2


async def test_answers_that_differ_by_the_order_are_no_opinion(store: Store) -> None:
    number, *_ = alert(store)
    said = iter((Relation.UPDATE, Relation.DUPLICATE))
    await sweeper(store, models(lambda question: relating(next(said))(question))).work(once=True)
    (opinion,) = store.judgments.of([number])[number]
    assert opinion.relation is Relation.UNSURE and "in the other" in opinion.reasons[0]


async def test_an_alert_that_cannot_be_judged_is_kept_as_failed_and_done_when_asked(store: Store) -> None:
    number, a, b = alert(store)
    second, *_ = alert(store, "I own 3 boats", "I own 4 boats")
    good = False

    def picky(question: Question) -> str:
        return mind(question) if good or "Porto" not in question.user else "I cannot say."

    given = models(picky)
    sweeps = sweeper(store, given)
    await sweeps.work(once=True)
    assert (standing(sweeps, "judge").failed, standing(sweeps, "judge").pending) == (1, 0)
    (failed,) = await sweeps.failures("judge")
    assert (failed.title, failed.reply, failed.item) == (f"memories {a} and {b}", "I cannot say.", number)
    assert second in store.judgments.of([second]) and number not in store.judgments.of([number])
    calls = len(given.scripted.asked)
    await sweeps.work(once=True)
    assert len(given.scripted.asked) == calls
    good = True
    await sweeps.retry("judge")
    await sweeps.work(once=True)
    assert (standing(sweeps, "judge").failed, len(store.judgments.of([number])[number])) == (0, 1)


async def test_what_the_person_did_while_the_model_judged_stands(store: Store) -> None:
    number, a, _ = alert(store)
    other, b, _ = alert(store, "I own 3 boats", "I own 4 boats")
    done: set[str] = set()

    def meanwhile(question: Question) -> str:
        if "Porto" in question.user and "forgotten" not in done:
            done.add("forgotten")
            curation.forget(store, [a])
        if "3 boats" in question.user and "edited" not in done:
            done.add("edited")
            curation.edit(store, b, "I own 3 fast boats")
        return mind(question)

    sweeps = sweeper(store, models(meanwhile))
    await sweeps.work(once=True)
    assert done == {"forgotten", "edited"}
    assert number not in {one.id for one in store.alerts.open()}
    assert store.get(b).text == "I own 3 fast boats"
    (opinion,) = store.judgments.of([other])[other]
    assert "fast" in opinion.reasons[0]  # judges the edited text
    assert standing(sweeps, "judge").failed == 0


async def test_another_model_has_an_opinion_of_its_own(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    number, *_ = alert(store)
    await sweeper(store, models(relating(Relation.COEXIST))).work(once=True)
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "better:4b")
    settings.cache_clear()
    given = models(relating(Relation.UNRELATED))
    given.scripted.model = replace(given.scripted.model, name="better:4b", digest="fedcba9876543210")
    await sweeper(store, given).work(once=True)
    assert {one.relation for one in store.judgments.of([number])[number]} == {Relation.COEXIST, Relation.UNRELATED}


async def test_what_rules_leave_undecided_waits_for_the_person_if_the_model_sees_a_conflict(store: Store) -> None:
    put(store, "I own 3 boats")
    a, b = put(store, "I work in Porto", "I commute to an office in Lisbon")
    with store.command("scan", Actor.SWEEP) as writer:
        store.alerts.put(writer, a, b, Relation.UNSURE, 0.5, ["one may replace the other"], judge="rules/5", cosine=0.7)
    (unsure,) = store.alerts.find([Relation.UNSURE])
    assert store.alerts.open() == []
    before = store.state_hash()
    await sweeper(store, models(relating(Relation.COEXIST))).work(once=True)
    assert store.alerts.open() == [] and store.state_hash() == before, "an opinion that both hold raises nothing"
    with store.sqlite() as connection:
        connection.execute("DELETE FROM judgments")
        connection.execute("DELETE FROM replies")
    given = models(relating(Relation.CONTRADICTION))
    await sweeper(store, given).work(once=True)
    (raised,) = store.alerts.open()
    assert (raised.id, raised.relation, raised.score, raised.cosine) == (unsure.id, Relation.CONTRADICTION, 0.5, 0.7)
    assert (raised.judge, raised.reasons) == (JUDGE, ("what they say",))
    assert [one.relation for one in store.judgments.of([raised.id])[raised.id]] == [Relation.CONTRADICTION]
    command = store.journal.log(1)[0]
    assert (command.actor, command.verb, command.summary) == (Actor.MODEL, "compare", "contradiction, by scripted:1b")
    with store.command("scan", Actor.SWEEP) as writer:
        assert not store.alerts.put(writer, a, b, Relation.UNSURE, 0.5, ["again"], judge="rules/6")
        assert not store.alerts.withdraw(writer, raised.id)
    assert [one.judge for one in store.alerts.open()] == [JUDGE]
    store.undo(command.id)
    assert store.state_hash() == before and store.alerts.open() == []
    calls = len(given.scripted.asked)
    await sweeper(store, given).work(once=True)
    assert store.alerts.open() == [] and len(given.scripted.asked) == calls, "what was taken back is not raised again"


# Warmth


def recalled(store: Store, count: int = 2) -> list[int]:
    ids = put(store, "I drink green tea every morning", *(f"I own boat number {n}" for n in range(count - 1)))
    store.recalls.put("r1", ids)
    return ids


async def test_what_a_reply_used_grows_warm_and_what_it_did_not_cold(store: Store) -> None:
    tea, boat = recalled(store)
    before = store.state_hash()
    store.recalls.put_answer("r1", "Then drink green tea every morning, as you do.")
    given = thinking()
    await sweeper(store, given).work(once=True)
    warm = store.recalls.warmth([tea, boat])
    assert warm[tea] == pytest.approx(0.6, abs=1e-3) and warm[boat] == pytest.approx(0.4, abs=1e-3)
    assert store.recalls.unscored("score/1", 9) == []
    assert store.state_hash() == before
    calls = len(given.scripted.asked)
    await sweeper(store, given).work(once=True)
    assert len(given.scripted.asked) == calls
    assert store.recalls.warmth([tea])[tea] == pytest.approx(warm[tea], abs=1e-4)


async def test_many_are_scored_eight_at_a_time_and_kept_together(store: Store) -> None:
    ids = recalled(store, 19)
    store.recalls.put_answer("r1", "Then drink green tea every morning, as you do.")
    broken = True

    def weak(question: Question) -> str:
        return "" if broken and "boat number 17" in question.user else mind(question)

    given = models(weak)
    sweeps = sweeper(store, given)
    await sweeps.work(once=True)
    assert set(store.recalls.warmth(ids).values()) == {0.5}
    (failed,) = await sweeps.failures("warmth")
    assert failed.title == "recall r1" and standing(sweeps, "warmth").failed == 1
    broken = False
    await sweeps.retry("warmth")
    asked = len(given.scripted.asked)
    await sweeps.work(once=True)
    assert len(given.scripted.asked) - asked <= 3
    assert store.recalls.warmth(ids)[ids[0]] > 0.5 and standing(sweeps, "warmth").failed == 0


async def test_a_turn_that_is_replaced_while_it_is_scored_is_scored_anew(store: Store) -> None:
    tea, boat = recalled(store)
    store.recalls.put_answer("r1", "Sail on boat number 0.")
    told = False

    def meanwhile(question: Question) -> str:
        nonlocal told
        if not told:
            told = True
            store.recalls.put_answer("r1", "Then drink green tea every morning, as you do.")
        return mind(question)

    sweeps = sweeper(store, models(meanwhile))
    working = asyncio.create_task(sweeps.work())
    await until(lambda: told and standing(sweeps, "warmth").state is State.WAITING)
    sweeps.begin("warmth")
    await until(lambda: store.recalls.warmth([tea])[tea] > 0.55)
    assert store.recalls.warmth([boat])[boat] < 0.5
    working.cancel()
    await asyncio.wait({working})


async def test_without_a_turn_nothing_is_asked(store: Store) -> None:
    recalled(store)
    given = thinking()
    await sweeper(store, given).work(once=True)
    assert given.scripted.asked == []


@pytest.mark.parametrize("whole", [True, False])
async def test_an_answer_that_cites_what_was_purged_meanwhile_is_not_kept(store: Store, whole: bool) -> None:
    tea, boat = put(store, "I drink green tea every morning", "I own a boat called Zephyr of Braga")
    store.recalls.put("r1", [tea, boat])
    store.recalls.put_answer("r1", "Then drink green tea every morning, as you do.")

    def meanwhile(question: Question) -> str:
        if "Zephyr" not in question.user:
            return mind(question)
        if store.get(boat).text:
            curation.purge(store, [boat])
        rows = [{"number": n, "words": "I own a boat called Zephyr of Braga", "score": 1} for n in (1, 2)]
        return json.dumps({"items": rows}) if whole else "the boat called Zephyr"

    sweeps = sweeper(store, models(meanwhile))
    await sweeps.work(once=True)
    with store.sqlite() as connection:
        kept = connection.execute("SELECT reply FROM replies UNION SELECT reply FROM failures").fetchall()
    assert not any("Zephyr" in row[0] for row in kept)
    assert store.recalls.warmth([tea])[tea] > 0.5 and standing(sweeps, "warmth").failed == 0
