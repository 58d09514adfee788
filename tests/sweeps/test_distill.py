"""The distil sweep with a chat model: results, failures, repetitions and undo."""

from dataclasses import replace

import pytest
from scripted_sweeps import Models, items, models, note, quoting, standing, stored, sweeper, talk, texts, turns

from curator import curation
from curator.distill import BY_WORDS, DISTILLER
from curator.llm.extract import VERSION
from curator.models import Offline, Question, ServerFailed
from curator.services.import_logs import distil_all
from curator.sweeps import State
from effort import thorough
from store import Filter, ReliedOn, Store
from store.model import ASKED, Actor, Origin, Review

PORTO = "I live in Porto with my dog Bo. What is the weather like?"
NURSE = "I work as a nurse at the hospital in Braga. Any tips for nights?"


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "scripted:1b")
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    monkeypatch.setenv("CURATOR_SWEEP_JUDGE__ENABLED", "false")  # alerts of the rules are not tested here


async def once(store: Store, given: Models) -> None:
    await sweeper(store, given).work(once=True)


@thorough
async def test_what_a_model_finds_becomes_memories_that_say_who_made_them(store: Store) -> None:
    numbers = stored(store, talk("one", PORTO, NURSE), talk("two", "I never eat peanuts."))
    given = models()
    await once(store, given)
    assert texts(store) == [
        "I live in Porto with my dog Bo",
        "I work as a nurse at the hospital in Braga",
        "I never eat peanuts",
    ]
    for memory in store.get_many(store.list_ids(Filter())):
        assert (memory.origin, memory.review) == (Origin.MODEL, Review.OPEN)
        assert memory.distiller == f"{VERSION} scripted:1b@0123456789ab"
        (quote,) = store.evidence(memory.id)
        assert quote.conversation in numbers and quote.quote.startswith(memory.text)
    assert {command.actor for command in store.journal.log()} == {Actor.PERSON, Actor.MODEL}
    assert store.sweeps.unswept(VERSION) == []
    assert store.differences() == []
    calls = len(given.scripted.asked)
    await once(store, given)
    assert len(given.scripted.asked) == calls


async def test_what_a_model_finds_is_held_back_if_the_person_asked_to_forget_it(store: Store) -> None:
    asked = "Please forget that I live in Porto with my dog Bo."
    stored(store, talk("one", PORTO, NURSE, at=1), talk("two", asked, at=2))
    with store.command("import") as writer:
        message = store.raw.find_identity(writer, talk("two", asked, at=2).messages[0].identity)
        store.forget_requests.put(writer, [(message, asked.index("I live"), len(asked))])
    await once(store, models())
    flags = {memory.text: memory.flag for memory in store.get_many(store.list_ids(Filter()))}
    assert flags["I live in Porto with my dog Bo"] == ASKED and set(flags.values()) == {ASKED, None}


async def test_conversations_are_read_from_the_oldest_on_and_a_grown_one_again_from_where_it_was(store: Store) -> None:
    day = 86_400_000_000
    stored(store, talk("new", "I like tea now.", at=9 * day), talk("old", "I like trains.", at=day))
    given = models()
    await once(store, given)
    assert ["trains" in one.user for one in given.scripted.asked] == [True, False]
    with store.command("import") as writer:
        store.raw.put_conversation(writer, talk("old", "I like trains.", "I moved to Lisbon in May 2021.", at=day))
    await once(store, given)
    assert [text for _, text in turns(given.scripted.asked[-1])] == ["I moved to Lisbon in May 2021."]
    assert len(given.scripted.asked) == 3


@thorough
async def test_a_coding_session_is_read_once_it_is_long_enough(store: Store) -> None:
    said = [f"I prefer tabs of width {n}." for n in range(13)]
    stored(store, talk("short", *said[:3], agent=True))
    given = models()
    await once(store, given)
    assert given.scripted.asked == []
    stored(store, talk("short", *said, agent=True))
    await once(store, given)
    assert len(turns(given.scripted.asked[0])) == 13


async def test_what_fails_is_passed_by_kept_with_its_reply_and_done_when_asked(store: Store) -> None:
    first, second = stored(store, talk("one", PORTO), talk("two", NURSE, at=1_800_000_000_000_000))
    good = False

    def mind(question: Question) -> str:
        return quoting(question) if good or "Porto" not in question.user else "I would rather not."

    given = models(mind)
    sweeps = sweeper(store, given)
    await sweeps.work(once=True)
    assert texts(store) == ["I work as a nurse at the hospital in Braga"]
    assert (standing(sweeps, "distil").failed, standing(sweeps, "distil").pending) == (1, 0)
    (failed,) = await sweeps.failures("distil")
    assert (failed.title, failed.reply, failed.tries) == ("one", "I would rather not.", 1)
    assert "JSON" in failed.reason and failed.item == first and second
    calls = len(given.scripted.asked)
    await sweeps.work(once=True)
    assert len(given.scripted.asked) == calls  # a failed item is not retried by itself
    await sweeps.retry("distil")
    await sweeps.work(once=True)
    (failed,) = await sweeps.failures("distil")
    assert failed.tries == 2
    good = True
    await sweeps.retry("distil")
    await sweeps.work(once=True)
    assert await sweeps.failures("distil") == []
    assert len(texts(store)) == 2


@pytest.mark.parametrize(
    "reply",
    [
        "I would \ud800 rather not.",
        "no\0thing",
        '{"items": [\ud83d]}',
        "sorry " * 2_000_000,
        "[" * 500_000,
        "\udc80" * 99,
    ],
    ids=["surrogate", "nul", "surrogate in JSON", "12 MB", "deep", "surrogates only"],
)
async def test_a_reply_that_cannot_be_stored_fails_alone(store: Store, reply: str) -> None:
    stored(store, talk("one", PORTO), talk("two", NURSE, at=1_800_000_000_000_000))
    sweeps = sweeper(store, models(lambda question: reply if "Porto" in question.user else quoting(question)))
    await sweeps.work(once=True)
    assert texts(store) == ["I work as a nurse at the hospital in Braga"]
    assert (standing(sweeps, "distil").failed, standing(sweeps, "distil").pending) == (1, 0)
    (failed,) = await sweeps.failures("distil")
    assert (failed.title, bool(failed.reason), bool(failed.reply)) == ("one", True, True)
    assert len(failed.reply) <= 50_000
    assert failed.reply.encode().decode() == failed.reply and "\0" not in failed.reply


@thorough
async def test_a_server_that_goes_away_fails_nothing_and_the_end_is_that_of_an_undisturbed_run(store: Store) -> None:
    stored(store, *(talk(f"talk {n}", f"I own {n + 3} bicycles of make {n}.") for n in range(6)))
    away = True

    def mind(question: Question) -> str:
        if away and "5 bicycles" in question.user:
            raise Offline("the server is gone")
        return quoting(question)

    given = models(mind)
    sweeps = sweeper(store, given)
    await sweeps.work(once=True)
    stands = standing(sweeps, "distil")
    assert (stands.state, stands.problem, stands.failed, stands.pending) == (State.OFFLINE, "the server is gone", 0, 4)
    away = False
    await sweeps.work(once=True)
    assert texts(store) == [f"I own {n + 3} bicycles of make {n}" for n in range(6)]
    assert standing(sweeps, "distil").state is not State.OFFLINE


async def test_a_server_that_fails_at_everything_is_left_alone(store: Store) -> None:
    stored(store, *(talk(f"talk {n}", f"I own {n + 3} bicycles.") for n in range(20)))

    def mind(question: Question) -> str:
        raise ServerFailed("out of memory")

    sweeps = sweeper(store, models(mind))
    await sweeps.work(once=True)
    stands = standing(sweeps, "distil")
    assert (stands.failed, stands.pending, stands.state) == (3, 17, State.OFFLINE)
    assert "out of memory" in stands.problem


@thorough
async def test_reading_again_is_answered_from_the_cache_and_changes_nothing(store: Store) -> None:
    stored(store, talk("one", PORTO, NURSE), talk("two", "I never eat peanuts.", "I like tea. I do not like tea."))
    given = models()
    embedder = given.embedder
    distil_all(store, embedder)
    await once(store, given)
    before, calls = store.state_hash(), len(given.scripted.asked)
    distil_all(store, embedder, again=True)
    assert store.sweeps.unswept(VERSION) != []
    await once(store, given)
    assert (store.state_hash(), len(given.scripted.asked)) == (before, calls)


def decided(store: Store, *numbers: int) -> dict[int, tuple[object, ...]]:
    found = {number: store.get(number) for number in numbers}
    return {number: (m.text, m.review, m.life, m.origin, m.distiller) for number, m in found.items()}


@thorough
async def test_reading_again_by_another_model_keeps_every_memory_and_every_decision(store: Store) -> None:
    stored(store, talk("one", PORTO, NURSE), talk("two", "I never eat peanuts."))
    await once(store, models())
    first, nurse, peanuts = store.list_ids(Filter(), descending=False)
    curation.validate(store, [first])
    curation.reject(store, [peanuts])
    before = decided(store, first, nurse, peanuts)
    distil_all(store, models().embedder, again=True)
    own = {memory.text for memory in store.get_many(store.list_ids(Filter())) if memory.id not in before}

    def other(question: Question) -> str:
        rows = [(number, text.partition(".")[0]) for number, text in turns(question)]
        return items(*(note(number, quote, f"{quote}, as I said") for number, quote in rows))

    given = models(other)
    given.scripted.model = replace(given.scripted.model, name="better:4b", digest="fedcba9876543210")
    await once(store, given)
    assert len(given.scripted.asked) == 2
    assert decided(store, *before) == before
    now = {memory.text for memory in store.get_many(store.list_ids(Filter())) if memory.id not in before}
    assert now == own
    assert store.wordings.of(first) == [] and store.wordings.of(peanuts) == []
    assert [one.text for one in store.wordings.of(nurse)] == ["I work as a nurse at the hospital in Braga, as I said"]
    settled = store.state_hash()
    distil_all(store, models().embedder, again=True)
    await once(store, given)
    assert (store.state_hash(), len(given.scripted.asked)) == (settled, 2)


async def test_what_was_taken_back_comes_again_when_all_is_read_anew(store: Store) -> None:
    stored(store, talk("one", PORTO))
    given = models()
    await once(store, given)
    (made,) = [command for command in store.journal.log() if command.actor is Actor.MODEL]
    store.undo(made.id)
    await once(store, given)
    assert texts(store) == []
    store.sweeps.unmark(VERSION)
    await once(store, given)
    assert (texts(store), len(given.scripted.asked)) == (["I live in Porto with my dog Bo"], 1)


# Rules and model together


def ruled(store: Store, *said: str) -> list[int]:
    """Distil conversations by the rules; return the memories."""
    stored(store, talk("ruled", *said))
    distil_all(store, models().embedder)
    return store.list_ids(Filter(), descending=False)


async def test_a_model_that_says_what_a_rule_found_makes_no_second_memory_but_a_proposal(store: Store) -> None:
    (number,) = ruled(store, "I really prefer tea to coffee, never after six.")
    before = store.get(number)
    said = "I prefer tea to coffee, never after six"
    given = models(lambda question: items(note(1, "I really prefer tea to coffee, never after six", said)))
    await once(store, given)
    assert store.list_ids(Filter()) == [number]
    assert store.get(number).text == before.text
    (wording,) = store.wordings.of(number)
    assert (wording.text, wording.distiller) == (said, f"{VERSION} scripted:1b@0123456789ab")
    curation.edit(store, number, said)
    assert store.wordings.of(number) == []


async def test_what_the_person_validated_or_pinned_gets_evidence_and_no_proposal(store: Store) -> None:
    (number,) = ruled(store, "I really prefer tea to coffee, never after six.")
    curation.validate(store, [number])
    decided = store.get(number)
    stored(store, talk("later", "As I said: I really prefer tea to coffee, never after six."))
    given = models(lambda q: items(*(note(n, "I really prefer tea to coffee, never after six") for n, _ in turns(q))))
    await once(store, given)
    now = store.get(number)
    assert (now.text, now.review, store.wordings.of(number)) == (decided.text, Review.VALIDATED, [])
    assert store.list_ids(Filter()) == [number]
    assert len(store.evidence(number)) >= 2


async def test_what_was_rejected_does_not_come_back_in_a_models_words(store: Store) -> None:
    (number,) = ruled(store, "I really prefer tea to coffee, never after six.")
    curation.reject(store, [number])
    said = "I prefer tea to coffee, never after six"
    await once(store, models(lambda q: items(note(1, "I really prefer tea to coffee, never after six", said))))
    assert store.list_ids(Filter()) == []
    assert "forgotten" in dict(store.distillation.refused_counts())


# Undo


async def test_what_a_model_made_is_taken_back_by_its_command_and_does_not_come_again(store: Store) -> None:
    stored(store, talk("one", PORTO))
    before = store.state_hash()
    await once(store, models())
    (made,) = [command for command in store.journal.log() if command.actor is Actor.MODEL]
    store.undo(made.id)
    assert store.state_hash() == before
    await once(store, models())
    assert texts(store) == []


async def test_an_import_is_taken_back_with_what_the_model_made_of_it_and_comes_back_with_it(store: Store) -> None:
    empty = store.state_hash()
    stored(store, talk("one", PORTO), talk("two", NURSE))
    await once(store, models())
    full = store.state_hash()
    undone = store.undo()
    assert (undone.verb, store.state_hash(), texts(store)) == ("import", empty, [])
    assert store.journal.log(1)[0].summary == "with 2 commands of sweeps that depended on it"
    store.redo()
    assert store.state_hash() == full
    assert store.differences() == []
    given = models()
    await once(store, given)
    assert given.scripted.asked == []


async def test_an_import_taken_back_and_made_again_is_read_again_from_the_cache(store: Store) -> None:
    stored(store, talk("one", PORTO))
    given = models()
    await once(store, given)
    store.undo()
    stored(store, talk("one", PORTO))
    await once(store, given)
    assert texts(store) == ["I live in Porto with my dog Bo"]
    assert len(given.scripted.asked) == 1


async def test_a_decision_of_the_person_keeps_an_import_and_is_named(store: Store) -> None:
    stored(store, talk("one", PORTO))
    (batch,) = [command.id for command in store.journal.log()]
    await once(store, models())
    curation.validate(store, store.list_ids(Filter()))
    with pytest.raises(ReliedOn) as error:
        store.undo(batch)
    assert error.value.commands == (store.journal.log(1)[0].id,)
    store.undo()
    store.undo(batch)
    assert texts(store) == []


async def test_what_another_import_made_stays_when_one_is_taken_back(store: Store) -> None:
    stored(store, talk("one", PORTO))
    stored(store, talk("two", NURSE))
    await once(store, models())
    store.undo()
    assert texts(store) == ["I live in Porto with my dog Bo"]
    assert store.differences() == []


# Changes while the model reads


@pytest.mark.parametrize("change", ["purge", "undo"])
async def test_what_was_purged_or_undone_while_the_model_read_is_dropped(store: Store, change: str) -> None:
    ruled(store, PORTO)
    (number, *_) = store.list_ids(Filter())
    done = False

    def mind(question: Question) -> str:
        nonlocal done
        if not done:
            done = True
            if change == "purge":
                curation.purge(store, [number])
            else:
                for _ in range(2):
                    store.undo()
        return quoting(question)

    await once(store, models(mind))
    assert not any("Porto" in text for text in texts(store))
    with store.sqlite() as connection:
        rows = connection.execute("SELECT reply FROM replies").fetchall()
    assert not any("Porto" in row[0] for row in rows)
    assert store.differences() == []


def test_marks_of_both_distillers_are_cleared(store: Store, tmp_path: object) -> None:
    (number,) = stored(store, talk("one", PORTO))
    distil_all(store, models().embedder)
    store.sweeps.mark(VERSION, number, 99)
    distil_all(store, models().embedder, again=True)
    assert store.sweeps.upto(VERSION, number) == 0
    assert store.distillation.undistilled([DISTILLER, BY_WORDS]) == []


@thorough
async def test_a_long_message_is_failed_as_long_as_one_part_of_it_is(store: Store) -> None:
    walks = "I walk along the river for a while. " * 500
    stored(store, talk("one", f"I live in Porto with my dog Bo. {walks} I work as a nurse in Braga."))
    good = False

    def mind(question: Question) -> str:
        if "Porto" in question.user:
            return items(note(1, "I live in Porto with my dog Bo")) if good else "I would rather not."
        return items(note(1, "I work as a nurse in Braga")) if "Braga" in question.user else items()

    sweeps = sweeper(store, models(mind))
    await sweeps.work(once=True)
    for _ in range(2):
        assert (texts(store), standing(sweeps, "distil").failed) == (["I work as a nurse in Braga"], 1)
        await sweeps.retry("distil")
        await sweeps.work(once=True)
    good = True
    await sweeps.retry("distil")
    await sweeps.work(once=True)
    assert (len(texts(store)), standing(sweeps, "distil").failed) == (2, 0)


async def test_what_failed_and_was_purged_since_is_no_failure_once_it_was_tried(store: Store) -> None:
    ruled(store, "I live in Porto with my dog Bo")
    given = models(lambda _: "I would rather not.")
    sweeps = sweeper(store, given)
    await sweeps.work(once=True)
    assert standing(sweeps, "distil").failed == 1
    curation.purge(store, store.list_ids(Filter()))
    await sweeps.retry("distil")
    await sweeps.work(once=True)
    assert standing(sweeps, "distil").failed == 0
