"""Forget requests in chats: they are shown, and forget nothing by themselves."""

import contextlib
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator import curation
from curator.distill.forget.match import Certainty, match_text, parse_request
from curator.distill.rules import distil
from curator.distill.scores.chats import sentence_classifier
from curator.models import load_embedder
from curator.recall import block, find
from curator.recall.explain import omission_code
from curator.services import distillation, forget_requests
from curator.services.forget_requests import (
    RequestMatches,
    match_forgotten,
    match_requests,
    memories_of_chats,
    quarantine_matches,
)
from curator.services.import_logs import import_paths
from curator.services.import_summary import Summary
from curator.services.recall import block_options
from curator.services.search_session import SearchSession
from effort import exhaustive, thorough
from factories import conversation, memory, put, quote
from services.labelled_requests import ChatTally, Person, Tally, chatting_people, fill, noticed, people
from store import Filter, Store, Writer
from store.index import Index
from store.model import ASKED, Actor, Conversation, Fingerprint, Life, Memory, Message, Role
from store.record.distillation import ForgetRequests, Place
from store.record.raw_messages import Raw


@pytest.fixture(autouse=True)
def _words_only(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "classifiers" not in request.fixturenames:
        monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")


def match_request(store: Store, request: str) -> list[Memory]:
    """Return the memories that a request means for sure."""
    return list(match_requests(store, [request])[0].sure)


class KnownWordsEmbedder:
    """An embedder that knows only words about work and moving, and nothing of other words' meaning."""

    fingerprint = Fingerprint("test", "knowing", "1", 8)

    def embed(self, texts: Sequence[str], progress: object = None) -> "np.typing.NDArray[np.float32]":
        rows = np.zeros((len(texts), 8), np.float32)
        for row, text in zip(rows, texts, strict=True):
            said = set(text.casefold().split())
            row[0 if {"job", "work"} & said else 7 if {"address", "moved", "live"} & said else 1 + len(text) % 6] = 1
        return rows

    def embed_query(self, texts: Sequence[str]) -> "np.typing.NDArray[np.float32]":
        return self.embed(texts)

    def embed_prompt(self, texts: Sequence[str]) -> "np.typing.NDArray[np.float32]":
        return self.embed(texts)

    def is_word(self, word: str) -> None:
        return None


def embed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Embed the memories of a store, and its searches, with `KnownWordsEmbedder`."""
    model = KnownWordsEmbedder()
    missing = store.vectors.missing(model.fingerprint, 9)
    rows = model.embed([text for _, text in missing])
    store.vectors.add(model.fingerprint, [(*item, row.tobytes()) for item, row in zip(missing, rows, strict=True)])
    opened = SearchSession(Index(store, model.fingerprint), model, ())
    monkeypatch.setattr("curator.services.search_session.open_search", lambda store: opened)


def ids(found: RequestMatches) -> tuple[list[int], list[int]]:
    """Return the ids of the sure matches and of the doubtful ones."""
    return [memory.id for memory in found.sure], [one.memory.id for one in found.doubtful]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("my salary", [0, 1]),
        ("that I live in Lisbon", [2]),
        ("everything about Lisbon", [2, 3]),
        ("my old address in Lisbon", [2, 3]),
        ("my old flat in Lisbon", [3]),
        ("my salary in Lisbon", []),
        ("the weather on Mars", []),
        ("everything", []),
    ],
)
def test_the_memories_that_may_be_meant(store: Store, request_: str, expected: list[int]) -> None:
    ids = put(
        store,
        "My salary is 62,000 euros.",
        "I talked to my boss about a higher salary.",
        "I live in Lisbon.",
        "I sold the old flat in Lisbon.",
        "I like tea.",
    )
    found = [memory.id for memory in match_request(store, request_)]
    assert sorted(found) == [ids[place] for place in expected]
    assert all(memory.life is Life.LIVE for memory in store.get_many(ids))


def test_what_a_relative_earns_is_not_what_the_person_earns(store: Store) -> None:
    partner, own = put(store, "My partner Marcus earns 44k", "I earn 39k")
    assert ids(match_requests(store, ["how much i earn"])[0]) == ([own], [partner])
    assert ids(match_requests(store, ["salary"])[0]) == ([own], [partner])
    assert ids(match_requests(store, ["what my partner earns"])[0])[0] == [partner]


def test_a_phone_number_is_told_by_its_form(store: Store) -> None:
    dutch, norwegian, order = put(
        store, "My number is +31 6 5550 1423", "My number is +47 912 34 567", "My order number is 0612345678"
    )
    assert ids(match_requests(store, ["my old phone number, the +31 one"])[0])[0] == [dutch]
    assert sorted(ids(match_requests(store, ["my phone number"])[0])[0]) == [dutch, norwegian]
    assert order in ids(match_requests(store, ["my phone number"])[0])[1]


def test_one_for_a_noun_is_no_number(store: Store) -> None:
    one, two = put(store, "I live in a one bedroom flat", "I live in a two bedroom flat")
    assert ids(match_requests(store, ["my one bedroom flat"])[0])[0] == [one]
    assert ids(match_requests(store, ["my flat, the two bedroom one"])[0])[0] == [two]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("forget the volvo stuff, we sold it yesterday", ["volvo"]),
        ("forget the Peugeot, I no longer own it", ["the Peugeot"]),
        ("forget the css stuff, let's do html first", []),
        ("forget the sorting part, I did it already", []),
        ("ok forget the auth stuff, we dropped it from the spec", []),
    ],
)
def test_a_thing_that_was_sold_is_the_reason_to_forget_it(text: str, asked: list[str]) -> None:
    said = Message(id=1, conversation=1, ordinal=0, role=Role.USER, text=text)
    found = distil(Conversation(id=1, source="chatgpt", messages=1), [said], confidence=0.0)
    assert [text[one.start : one.end] for one in found.forget_requests] == asked


def test_what_is_gone_is_not_shown(store: Store) -> None:
    curation.forget(store, put(store, "My salary is 62,000 euros."))
    assert match_request(store, "my salary") == []


def test_what_is_gone_already_is_told_with_the_day(store: Store) -> None:
    ids = put(store, "My salary is 62,000 euros.", "I like tea.")
    curation.forget(store, ids)
    salary, mars = match_forgotten(store, ["my salary", "the weather on Mars"])
    assert [one.memory.id for one in salary] == ids[:1] and salary[0].at == store.journal.log(1)[0].at and mars == []
    curation.restore(store, ids)
    assert match_forgotten(store, ["my salary"]) == [[]]


def test_the_day_is_that_of_the_last_time_it_was_forgotten(store: Store) -> None:
    (salary,) = put(store, "My salary is 62,000 euros.")
    curation.forget(store, [salary])
    curation.restore(store, [salary])
    curation.reject(store, [salary])
    rejected = store.journal.log(1)[0].at
    curation.pin(store, [salary])
    ((match,),) = match_forgotten(store, ["my salary"])
    assert match.at == rejected


def test_what_is_meant_is_found_by_its_meaning_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    work, tea, _ = put(store, "I work at Alba Robotics.", "I like tea.", "The bicycle is red.")
    (alone,) = match_requests(store, ["My job title"])
    assert ids(alone) == ([], []), "without a model that understands meaning the words decide"
    embed(store, monkeypatch)
    found = match_requests(store, ["My job title", "my tea", "everything"])
    assert [ids(one) for one in found] == [([], [work]), ([tea], []), ([], [])]
    assert found[0].doubtful[0].why == "similar in meaning"


def test_a_move_from_a_city_is_not_the_address_there(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    home, moved, _ = put(
        store, "I live on Rua das Flores 12 in Lisbon.", "We moved from Lisbon to Porto.", "I like tea."
    )
    embed(store, monkeypatch)
    (found,) = match_requests(store, ["my old address in Lisbon"])
    assert ids(found) == ([home], [moved])


def test_however_the_words_are_written(store: Store) -> None:
    said = put(
        store, "I LOVE BIG CITIES.", "I was hiking with two dogs.", "我住在北京。", "I pay 1,000 euros for the flat."
    )
    requests = ["that I love a big city", "my hikes with 2 dogs", "我住在北京", "the 1000 euros", "the 1000"]
    found = [[memory.id for memory in one.sure] for one in match_requests(store, requests)]
    assert found == [[said[0]], [said[1]], [said[2]], [said[3]], [said[3]]]


def test_nothing_is_read_twice_until_something_changes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    (salary,) = put(store, "My salary is 62,000 euros.")
    looked: list[Filter] = []
    found = store.list_ids

    def counted(which: Filter) -> list[int]:
        looked.append(which)
        return found(which)

    monkeypatch.setattr(store, "list_ids", counted)
    for _ in range(2):
        assert [memory.id for memory in match_request(store, "my old salary in euros")] == [salary]
    words = {word for which in looked for word in which.words}
    assert {"salar", "euro"} < words and len(looked) == len(words), "each word, and its synonyms, once"
    (more,) = put(store, "I asked for a salary in euros.")
    assert [memory.id for memory in match_request(store, "my old salary in euros")] == [more, salary]


def test_a_sharp_s_is_found(store: Store) -> None:
    (street,) = put(store, "Die STRAßE ist laut.")
    assert [memory.id for memory in match_request(store, "my Straße")] == [street]


def chat(store: Store, title: str, *texts: str) -> list[int]:
    """Store the memories of a chat with a title."""
    return list(fill(store, Person("", held=False, memories={str(n): (title, text) for n, text in enumerate(texts)})))


def test_everything_about_a_subject_is_also_what_was_said_in_its_chats(store: Store) -> None:
    machine = chat(
        store, "Espresso machine under 300", "I'll buy the machine on Black Friday", "The counter is 50 cm deep"
    )
    (race,) = chat(store, "Half marathon", "Full disclosure I had an espresso before the start")
    (everything, mine) = match_requests(store, ["everything about the espresso machine", "my espresso machine"])
    assert (sorted(ids(everything)[0]), ids(everything)[1]) == (machine, [race])
    assert everything.doubtful[0].why == "does not say “machine”"
    assert mine.sure == () and {*ids(mine)[1]} == {*machine, race}
    assert {one.why for one in mine.doubtful} == {
        "does not say “machine”",
        "from the chat “Espresso machine under 300”",
    }


def test_what_is_said_in_every_chat_is_of_none(store: Store) -> None:
    text = "My name is Nora"
    for title in ("Espresso machine", "Half marathon", "Glazes"):
        with store.command("import") as writer:
            said = conversation(title, text)
            store.raw.put_conversation(writer, replace(said, title=title))
            message = store.raw.find_identity(writer, said.messages[0].identity)
            store.admit(writer, memory(text, evidence=(quote(text, text, message=message),)))
    assert match_requests(store, ["everything about the espresso machine"]) == [RequestMatches()]


def test_what_states_it_without_its_words_is_meant(store: Store) -> None:
    pay, mail, _ = put(store, "I make 58,000 a year.", "Write to me at nora@example.org", "I make bowls.")
    assert [ids(one)[0] for one in match_requests(store, ["my salary", "my email"])] == [[pay], [mail]]


def test_what_somebody_else_does_is_in_doubt(store: Store) -> None:
    mine, hers = put(store, "I work at Alba Robotics.", "My sister works at the port.")
    (found,) = match_requests(store, ["my job"])
    assert ids(found) == ([mine], [hers]) and found.doubtful[0].why == "perhaps of somebody else"
    (found,) = match_requests(store, ["my sister's job"])
    assert ids(found) == ([hers], [])


@pytest.mark.parametrize("request_text", ["Ruben's drinking", "ruben’s drinking", "what I said about Ruben's drinking"])
def test_whose_it_is_is_part_of_what_is_meant(store: Store, request_text: str) -> None:
    his, _, _ = put(store, "Ruben drinks too much", "Confession, I drink coffee again", "I dont drink coffee")
    (found,) = match_requests(store, [request_text])
    assert ids(found) == ([his], [])


def test_a_possessor_alone_is_not_what_is_meant(store: Store) -> None:
    put(store, "Ruben cooks on Mondays")
    habit, _ = put(store, "Ruben has a drinking habit", "I have a habit of humming")
    (found,) = match_requests(store, ["Ruben's drinking habit"])
    assert ids(found) == ([habit], [])


@pytest.mark.parametrize(
    "request_text", ["my old address please", "my old address now, thanks", "my address. Thank you!"]
)
def test_courtesy_is_not_what_is_asked_for(store: Store, request_text: str) -> None:
    (home, _) = put(store, "My old address is Rua Augusta 12.", "I thanked Ines.")
    assert [memory.id for memory in match_request(store, request_text)] == [home]


@pytest.mark.parametrize(
    ("request_text", "said", "sure"),
    [
        ("my Leeds address", "Tomasz and I got a flat in York near the river, no more commuting from Leeds", False),
        ("Leeds address", "Got a flat in York, no more commuting from Leeds", False),
        ("my Leeds address", "We moved from Leeds to York and live by the river", False),
        ("my Leeds address", "I used to live in Leeds, now I live in York", False),
        ("my Leeds address", "I used to live in Leeds, Park Row 12", True),
        ("my Leeds address", "I no longer live in Leeds", True),
        ("my job at Acme", "I left Acme and now work at Zeta", False),
        ("my job at Acme", "I work at Zeta, not at Acme", False),
        ("my job at Acme", "I work at Acme, not at Zeta", True),
        ("I play the trumpet", "I don't play the trumpet", False),
        ("I play the trumpet", "I play the trumpet, not the flute", True),
        ("I don't play the trumpet", "I don't play the trumpet", True),
        ("I moved from Leeds to York", "I moved from Leeds to York in May", True),
        ("my address", "My ex is called Jana", False),
        ("my address", "Address me as Dr. Webb", False),
        ("my address", "I live at Calle Feria 20", True),
        ("my trip to Rome", "I live in Rome now", False),
        ("my trip to Rome", "We take the night train", True),
    ],
)
def test_what_is_denied_or_was_before_is_not_surely_meant(request_text: str, said: str, sure: bool) -> None:
    certainty, _ = match_text(parse_request(request_text), said, ["My trip to Rome"])
    assert (certainty is Certainty.SURE) == sure


@thorough
def test_labelled_requests_mark_what_is_meant_and_little_else(tmp_path: Path) -> None:
    tallies = {held: Tally() for held in (False, True)}
    for person in people():
        store = Store.open(tmp_path / person.name)
        letters = fill(store, person)
        found = match_requests(store, [words for words, _, _ in person.requests])
        for (_, meant_, either), one in zip(person.requests, found, strict=True):
            tallies[person.held].add({letters[memory.id] for memory in one.sure}, meant_, either)
        store.close()
    tuned, held = tallies[False], tallies[True]
    assert tuned.precision > 0.9 and tuned.recall > 0.9
    assert held.precision > 0.85 and held.recall > 0.7


@exhaustive
@pytest.mark.usefixtures("classifiers")
def test_requests_typed_in_chats_are_found_and_talk_of_texts_is_none(tmp_path: Path) -> None:
    tallies, classifier = {held: ChatTally() for held in (False, True)}, sentence_classifier()
    for (name, is_held), said in chatting_people().items():
        store = Store.open(tmp_path / name)
        tallies[is_held].read(store, said, classifier)
        store.close()
    tuned, held = tallies[False], tallies[True]
    assert tuned.found >= 0.95 * tuned.requests and tuned.right >= 0.8 * tuned.requests and tuned.taken == 0
    assert held.found >= 0.5 * held.requests and held.taken <= 0.1 * held.near_misses


@exhaustive
@pytest.mark.usefixtures("classifiers")
def test_requests_are_noticed_in_words_that_no_rule_knows() -> None:
    found = noticed(sentence_classifier())
    (asked, of_asked), (taken, of_others) = found["forget"], found["other"]
    assert asked >= 0.8 * of_asked and taken <= 0.02 * of_others
    assert noticed(None)["forget"][0] < asked


@thorough
@pytest.mark.usefixtures("classifiers")
@pytest.mark.parametrize(
    "asked",
    [
        "Delete that last thing, it's nobody's business.",
        "oh you never heard that",
        "pls dont keep what i told u re the debt",
    ],
)
def test_a_request_may_point_at_the_message_before_it_even_if_that_was_read_already(
    store: Store, tmp_path: Path, asked: str
) -> None:
    debt = "I have 4,300 pounds of credit card debt."
    talk(store, tmp_path, 1, debt)
    summary = talk(store, tmp_path, 1, debt, asked)
    (only,) = store.get_many(store.list_ids(Filter()))
    assert only.flag == ASKED and summary.held_back == 1 and len(summary.forget_requests) == 1


THINGS = "piano boat tent kettle lamp radio fence drum".split()


def talk(store: Store, folder: Path, day: int, *said: str) -> Summary:
    """Import a chat of a day in March 2026."""
    turns = [{"role": "user", "content": one, "created_at": f"2026-03-{day:02}T10:00:00Z"} for one in said]
    (folder / f"{day}.json").write_text(json.dumps([{"title": f"chat {day}", "messages": turns}]))
    return import_paths(store, [folder / f"{day}.json"], load_embedder("hashing", Path()))


def given(store: Store, prompt: str) -> tuple[list[str], dict[str, str]]:
    """Return the texts that a model gets for a prompt, and the reasons of those left out."""
    index = Index(store, load_embedder("hashing", Path()).fingerprint)
    found = find(store, index, None, prompt, Filter(), block_options())
    kept = store.get_many(block(store, found.hits, 500).memories)
    return [one.text for one in kept], {one.memory.text: omission_code(one.reason) for one in found.omitted}


@thorough
def test_what_a_chat_asks_to_forget_is_kept_from_models_until_the_person_decides(store: Store, tmp_path: Path) -> None:
    talk(store, tmp_path, 1, "I live in Ghent near the canal.", "I work as a nurse in Ghent.", "I'm allergic to kiwi.")
    assert "I live in Ghent near the canal." in given(store, "where do I live")[0]
    summary = talk(store, tmp_path, 2, "Please forget that I live in Ghent near the canal.", "Forget my kiwi allergy.")
    assert summary.held_back == 1
    texts, left = given(store, "where do I live in Ghent, and what is my work as a nurse")
    assert "I work as a nurse in Ghent." in texts and "I live in Ghent near the canal." not in texts
    assert left["I live in Ghent near the canal."] == "asked to forget"
    assert "I'm allergic to kiwi." in given(store, "plan a dinner")[0], (
        "nobody misses an allergy before it is looked at"
    )
    (home,) = (one for one in store.get_many(store.list_ids(Filter())) if one.text.startswith("I live"))
    assert home.flag == ASKED and home.life is Life.LIVE
    store.undo()
    assert store.get(home.id).flag is None
    store.redo()
    curation.validate(store, [home.id])
    talk(store, tmp_path, 3, "I play the cello in an orchestra.")
    assert "I live in Ghent near the canal." in given(store, "where do I live")[0], "the person has decided"


@thorough
def test_a_request_means_what_its_chat_said_shortly_before_of_whom_the_chat_names(store: Store, tmp_path: Path) -> None:
    talk(
        store,
        tmp_path,
        1,
        "I met Dario again, he works with my sister in Trieste.",
        "He told me about his bankruptcy in 2019, it ruined him.",
        "I have known a bankruptcy lawyer for years.",
    )
    said = "He had a gambling debt of 40,000 euros with the casino, I lent him money."
    summary = talk(
        store, tmp_path, 2, "my cousin Dario came by.", said, "I play the cello.", "forget about Dario's debt"
    )
    held = {store.get(one).text for one in store.list_ids(Filter()) if store.get(one).flag == ASKED}
    assert summary.held_back == 1 and len(held) == 1 and "gambling debt" in held.pop()


def test_a_chat_is_read_once_for_all_its_requests(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(store, tmp_path, 1, "I owe Dario for a boat.", "forget about Dario's boat", "forget that I owe Dario")
    read, messages = list[int](), Raw.messages

    def noted(raw: Raw, chat: int) -> list[Message]:
        read.append(chat)
        return messages(raw, chat)

    monkeypatch.setattr(Raw, "messages", noted)
    assert len(memories_of_chats(store, ("Dario's boat", "I owe Dario"))) == 2
    assert len(read) == 1


@thorough
def test_in_one_chat_the_order_of_messages_counts_and_not_their_times(store: Store, tmp_path: Path) -> None:
    turns = [
        {"role": "user", "content": "I live in Ghent near the canal.", "created_at": "2026-03-01T10:05:00Z"},
        {
            "role": "user",
            "content": "Forget that I live in Ghent near the canal.",
            "created_at": "2026-03-01T10:00:00Z",
        },
    ]
    (tmp_path / "1.json").write_text(json.dumps([{"title": "one", "messages": turns}]))
    assert import_paths(store, [tmp_path / "1.json"], load_embedder("hashing", Path())).held_back == 1


def test_what_an_undo_released_is_not_held_back_again_for_the_title_of_its_chat(store: Store) -> None:
    text = "I live near the canal."
    with store.command("import") as writer:
        store.raw.put_conversation(writer, replace(conversation("home", text), title="Address in Ghent"))
        evidence = (quote(text, text, message=store.raw.find_identity(writer, "chatgpt:home:0")),)
        home = store.admit(writer, memory(text, created_at=1, evidence=evidence)).added or 0
        store.raw.put_conversation(writer, conversation("x", "Forget my address in Ghent."))
        store.forget_requests.put(writer, [(store.raw.find_identity(writer, "chatgpt:x:0"), 7, 26)])
    new = [one.place for one in store.forget_requests.page()]
    with store.command("distil", Actor.MODEL) as writer:
        writer.pause()
        assert quarantine_matches(store, writer, store.journal.seq(), new) == 1
    store.undo(store.journal.log(1)[0].id)
    since = store.journal.seq()
    put(store, "I drive a red bus.")
    with store.command("distil", Actor.MODEL) as writer:
        writer.pause()
        assert quarantine_matches(store, writer, since) == 0
    assert store.get(home).flag is None


def test_a_weight_is_stated_without_the_word() -> None:
    assert match_text(parse_request("my weight"), "I'm 12 stone 9, is that much?", [])[0] is Certainty.SURE
    assert match_text(parse_request("my height"), "Im 5 foot 9 and a size 14", [])[0] is Certainty.SURE
    assert match_text(parse_request("my weight"), "The garden wall is 12 stones high", [])[0] is Certainty.NO
    assert match_text(parse_request("my height"), "I have 3 feet of ribbon", [])[0] is Certainty.NO
    assert match_text(parse_request("my address"), "Tests live in tests/ and use pytest", [])[0] is Certainty.NO
    for own in ("We live in Bristol", "I live at 12/3 Leith Walk, Edinburgh", "I live in Berlin/Kreuzberg"):
        assert match_text(parse_request("my address"), own, [])[0] is Certainty.SURE
    assert match_text(parse_request("that I was fired"), "My dad was fired in May", [])[0] is Certainty.DOUBTFUL


@thorough
def test_a_request_holds_back_nothing_that_was_decided_on_or_said_after_it(store: Store, tmp_path: Path) -> None:
    talk(store, tmp_path, 2, "I live in Ghent near the canal.", "I play the cello in an orchestra.")
    (home, cello) = store.list_ids(Filter(), descending=False)
    curation.validate(store, [cello])
    assert talk(store, tmp_path, 1, "Forget that I live in Ghent near the canal.").held_back == 0
    assert talk(store, tmp_path, 3, "Forget that I play the cello in an orchestra.").held_back == 0
    requests = store.forget_requests.page()
    (said_later,) = match_requests(store, [one.words for one in requests if "Ghent" in one.words])[0].doubtful
    assert said_later.memory.id == home and said_later.why == "said after you asked"
    store.forget_requests.mark_seen([one.place for one in requests])
    assert talk(store, tmp_path, 4, "I drive a red bus.").held_back == 0
    assert {store.get(home).flag, store.get(cello).flag} == {None}


@thorough
def test_every_request_holds_back_what_it_means_and_nobody_waits_for_the_matching(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_words, locked = forget_requests._match_by_words, list[bool]()

    def watched(*arguments: Any) -> list[RequestMatches]:
        with contextlib.closing(sqlite3.connect(store.folder / "record.sqlite", timeout=0)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                locked.append(True)
            else:
                locked.append(False)
        return by_words(*arguments)

    monkeypatch.setattr(forget_requests, "_match_by_words", watched)
    talk(store, tmp_path, 1, "I live in Ghent near the canal.")
    more = [f"Forget my {one} and my {other}." for one in THINGS for other in THINGS if one != other]
    summary = talk(store, tmp_path, 2, "Forget that I live in Ghent near the canal.", *more)
    assert store.forget_requests.count_unseen() > 50 and summary.held_back == 1
    assert locked == [False]


@thorough
def test_every_request_is_stored_once_however_many_batches_follow(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_places, written = ForgetRequests.put, list[Place]()

    def watched(writer: Writer, places: Sequence[Place]) -> None:
        written.extend(places)
        put_places(writer, places)

    monkeypatch.setattr(ForgetRequests, "put", staticmethod(watched))
    monkeypatch.setattr(distillation, "_CONVERSATIONS", 1)
    talks = [
        {"title": one, "messages": [{"role": "user", "content": f"Forget that I own a {one}."}]} for one in THINGS[:3]
    ]
    (tmp_path / "talks.json").write_text(json.dumps(talks))
    import_paths(store, [tmp_path / "talks.json"], load_embedder("hashing", Path()))
    assert len(written) == 3 and {one.place for one in store.forget_requests.page()} == set(written)


@thorough
def test_what_the_person_kept_in_a_conflict_is_not_held_back_again(store: Store, tmp_path: Path) -> None:
    talk(store, tmp_path, 1, "I live in Ghent near the canal.", "I play the cello in an orchestra.")
    (home, cello) = store.list_ids(Filter(), descending=False)
    assert talk(store, tmp_path, 2, "Forget that I live in Ghent near the canal.").held_back == 1
    curation.supersede(store, [cello], home)
    assert talk(store, tmp_path, 3, "I drive a red bus.").held_back == 0
    assert store.get(home).flag is None


def test_what_the_person_edited_without_a_quote_is_not_held_back(store: Store, tmp_path: Path) -> None:
    (home,) = put(store, "I live in Ghent.", created_at=1)
    curation.edit(store, home, "I live in Ghent near the canal.")
    assert talk(store, tmp_path, 1, "Forget that I live in Ghent near the canal.").held_back == 0


@thorough
def test_what_an_undo_released_is_not_held_back_by_another_import(store: Store, tmp_path: Path) -> None:
    talk(store, tmp_path, 1, "I live in Ghent near the canal.")
    assert talk(store, tmp_path, 2, "Forget that I live in Ghent near the canal.").held_back == 1
    (home,) = store.list_ids(Filter())
    with store.command("tidy", Actor.PERSON) as writer:
        writer.update("memories", [home], {"flag": None})
    assert talk(store, tmp_path, 3, "I drive a red bus.").held_back == 0
    assert store.get(home).flag is None


@pytest.mark.parametrize(
    ("text", "owners"), [("forget my sister's address", {"sister"}), ("forget today's plan", set())]
)
def test_a_day_owns_nothing(text: str, owners: set[str]) -> None:
    assert parse_request(text).names == owners


@pytest.mark.parametrize(
    "text",
    [
        "Sabine, my ex business partner",
        "everything about Sabine, my ex business partner",
        "sabine, my ex business partner",
        "Sabine (my ex)",
        "Sabine - who was my boss",
        "my ex business partner Sabine",
    ],
)
def test_of_a_person_the_name_counts_and_not_who_that_is(text: str) -> None:
    for said in ("My ex partner Sabine Lemoine owes me 6,000 euros", "Sabine lives in La Rochelle now"):
        assert match_text(parse_request(text), said, ["Talk"])[0] is Certainty.SURE
    assert match_text(parse_request(text), "My business partner is Tom", ["Talk"])[0] is Certainty.NO


@pytest.mark.parametrize(
    "text",
    [
        "my phone number, the old one",
        "rent, my landlord raised it",
        "my trip to Rome",
        "Berlin, the trip in May",
        "Max, his broken arm",
        "Anna - her debts",
    ],
)
def test_what_is_no_person_keeps_its_words(text: str) -> None:
    assert len(parse_request(text).words) > 1


@thorough
def test_everything_about_a_person_is_held_back_by_one_request(store: Store, tmp_path: Path) -> None:
    talk(store, tmp_path, 1, "My ex partner Sabine Lemoine owes me 6000 euros for the machines of the workshop.")
    said = "Please forget everything about Sabine, my ex business partner. I don't want to read her name again"
    assert talk(store, tmp_path, 2, said).held_back == 1
    assert [one.words for one in store.forget_requests.page(9)] == ["Sabine, my ex business partner"]
