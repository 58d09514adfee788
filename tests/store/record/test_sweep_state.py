"""State of sweeps in the record: leases, marks, failures, answers, scores; a purge removes the words from all."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from curator import curation
from factories import conversation, memory, put, quote
from store import NotFound, Store, clock
from store.errors import LeaseLost
from store.model import Actor, Failure, Fingerprint, Judgment, Life, Relation
from store.record import database, migrations, recalls, schema

WORDS = "Zaubertrank under the Kastanienbaum"


def failure(item: int, first: int = 1, last: int = 2, reason: str = "bad", reply: str = "{}") -> Failure:
    return Failure(0, "extract/1", item, first, last, reason, reply, "model@1", 1, 0)


def test_an_item_is_held_by_one_until_it_is_released_or_runs_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    present = 1_000_000_000
    monkeypatch.setattr(clock, "now", lambda: present)
    sweeps = store.sweeps
    mine = sweeps.take("distil:1", "me", 60)
    assert mine is not None
    assert sweeps.take("distil:1", "you", 60) is None
    assert sweeps.take("distil:2", "you", 60) is not None
    assert sweeps.take("distil:1", "me", 60) == mine
    sweeps.release(mine)
    assert sweeps.take("distil:1", "you", 60) is not None
    assert not sweeps.renew(mine, 60)
    present += 61_000_000
    again = sweeps.take("distil:1", "me", 60)
    assert again == mine
    present += 30_000_000
    assert sweeps.renew(mine, 60)
    present += 50_000_000
    assert sweeps.take("distil:1", "you", 60) is None


def test_what_is_written_needs_the_lease_and_else_leaves_nothing(store: Store) -> None:
    lease = store.sweeps.take("distil:1", "me", 60)
    assert lease is not None
    with store.sweeps.holding(lease):
        store.sweeps.put_failure(failure(1))
    store.sweeps.release(lease)
    store.sweeps.take("distil:1", "you", 60)
    with pytest.raises(LeaseLost), store.sweeps.holding(lease):
        store.sweeps.put_failure(failure(2))
    before = store.state_hash()
    with pytest.raises(LeaseLost), store.command("distil", Actor.MODEL) as writer:
        store.admit(writer, memory("I like tea"))
        store.sweeps.confirm(writer.connection, lease)
    assert store.state_hash() == before
    assert [one.item for one in store.sweeps.failures("extract/1")] == [1]


def test_marks_failures_and_answers_are_neither_journaled_nor_state(store: Store) -> None:
    before, seq = store.state_hash(), store.journal.seq()
    with store.command("distil", Actor.MODEL) as writer:
        store.sweeps.mark("extract/1", 1, 7)
        store.sweeps.put_failure(failure(1))
        store.replies.put(writer.connection, [(b"key", "extract/1", "model@1", "{}")])
    assert (store.state_hash(), store.journal.seq(), store.journal.log()) == (before, seq, [])
    assert (store.sweeps.upto("extract/1", 1), store.replies.get(b"key")) == (7, "{}")
    assert store.differences() == []


def test_a_failure_counts_its_tries_and_is_forgotten_when_everything_is_read_anew(store: Store) -> None:
    for reason in ("bad", "worse"):
        lease = store.sweeps.take("distil:1", "me", 60)
        assert lease is not None
        with store.sweeps.holding(lease):
            store.sweeps.put_failure(failure(1, reason=reason))
            store.sweeps.put_failure(failure(1, first=5, last=6))
    found = {one.first: one for one in store.sweeps.failures("extract/1")}
    assert (found[1].reason, found[1].tries, len(found), store.sweeps.count_failures("extract/1")) == ("worse", 2, 2, 2)
    store.sweeps.drop_failures([found[1].id])
    assert store.sweeps.count_failures("extract/1") == 1
    store.sweeps.unmark("extract/1")
    assert store.sweeps.count_failures("extract/1") == 0


def test_a_record_of_version_two_is_led_on(tmp_path: Path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    path = folder / "record.sqlite"
    connection = database.connect(path)
    migrations.migrate(connection, path, 0, schema.MIGRATIONS[:2])
    connection.close()
    opened = Store.open(folder)
    assert opened.sweeps.take("embed", "me", 1) is not None
    assert (folder / "backups" / "record-v2.sqlite").exists()
    opened.close()


# Judgments


def alert(store: Store) -> tuple[int, int, int]:
    a, b = put(store, "I live in Porto", "I live in Lisbon")
    with store.command("scan", Actor.SWEEP) as writer:
        store.alerts.put(writer, a, b, Relation.UPDATE, 0.8, ["words replaced"])
    return store.alerts.open()[0].id, a, b


def judged(store: Store, number: int, judge: str, *reasons: str) -> None:
    lease = store.sweeps.take(f"judge:{number}", "me", 60)
    assert lease is not None
    with store.sweeps.holding(lease) as connection:
        store.judgments.put(connection, Judgment(number, judge, Relation.COEXIST, reasons, 5))
    store.sweeps.release(lease)


def test_an_opinion_stands_beside_the_alert_and_closes_nothing(store: Store) -> None:
    number, a, _ = alert(store)
    assert [one.id for one in store.judgments.missing("judge/1", "judge/1 m@1", 9)] == [number]
    assert store.judgments.count_missing("judge/1", "judge/1 m@1") == 1
    judged(store, number, "judge/1 m@1", "two homes")
    assert store.judgments.missing("judge/1", "judge/1 m@1", 9) == []
    assert store.judgments.count_missing("judge/1", "judge/1 m@1") == 0
    assert len(store.judgments.missing("judge/1", "judge/1 m@2", 9)) == 1
    assert [one.id for one in store.alerts.open(a)] == [number]
    (opinion,) = store.judgments.of([number])[number]
    assert (opinion.relation, opinion.reasons) == (Relation.COEXIST, ("two homes",))


def test_a_proposal_goes_with_the_command_it_came_with(store: Store) -> None:
    (number,) = put(store, "I like tea")
    with store.command("distil", Actor.MODEL) as writer:
        store.add_evidence(writer, number, [quote("tea", "I like tea")])
        store.wordings.put(writer, number, "extract/1 m@1", "I am fond of tea")
        store.wordings.put(writer, number, "extract/1 m@1", "Tea is what I like")
    assert [one.text for one in store.wordings.of(number)] == ["I am fond of tea"]
    store.undo(writer.id)
    assert store.wordings.of(number) == []
    with store.command("distil", Actor.MODEL) as writer:
        store.add_evidence(writer, number, [quote("tea", "I like tea")])
        store.wordings.put(writer, number, "extract/1 m@1", "Tea is what I like")
    assert [one.text for one in store.wordings.of(number)] == ["Tea is what I like"]
    curation.pin(store, [number])
    assert store.wordings.of(number) == []


# Warmth


def warmed(store: Store, ident: str, step: float) -> bool:
    (recalled,) = [one for one in store.recalls.unscored("score/1", 9) if one.ident == ident]
    lease = store.sweeps.take(f"warmth:{recalled.id}", "me", 60)
    assert lease is not None
    with store.sweeps.holding(lease) as connection:
        return store.recalls.score(connection, recalled, dict.fromkeys(recalled.memories, step))


def test_warmth_moves_by_scores_within_bounds_and_drifts_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    present = 1_000 * clock.DAY
    monkeypatch.setattr(clock, "now", lambda: present)
    (number, other) = put(store, "I like tea", "I like trains")
    assert store.recalls.warmth([number, other]) == {number: 0.5, other: 0.5}
    for turn in range(7):
        store.recalls.put(f"r{turn}", [number])
        store.recalls.put_answer(f"r{turn}", "Have some tea.")
        assert warmed(store, f"r{turn}", 0.1)
    assert store.recalls.warmth([number])[number] == 1.0
    assert store.recalls.unscored("score/1", 9) == []
    present += clock.DAY
    assert store.recalls.warmth([number])[number] == pytest.approx(0.975)
    present += 9 * clock.DAY
    assert store.recalls.warmth([number, other]) == pytest.approx({number: 0.5 + 0.5 * 0.95**10, other: 0.5})
    before = store.recalls.warmth([number])[number]
    store.recalls.put("later", [number])
    store.recalls.put_answer("later", "Hm.")
    assert warmed(store, "later", 0.0)
    assert store.recalls.warmth([number])[number] == pytest.approx(before)
    assert recalls.drifted(0.0, 0, 365 * clock.DAY) == pytest.approx(0.5, abs=1e-6)


def test_a_turn_is_of_a_recall_and_a_newer_one_is_not_lost_to_a_score_of_the_older(store: Store) -> None:
    (number,) = put(store, "I like tea")
    with pytest.raises(NotFound, match="r1"):
        store.recalls.put_answer("r1", "Hello.")
    store.recalls.put("r1", [number])
    store.recalls.put_answer("r1", "Hello.")
    (old,) = store.recalls.unscored("score/1", 9)
    assert store.recalls.count_unscored("score/1") == 1
    store.recalls.put_answer("r1", "Tea it is.")
    lease = store.sweeps.take("warmth:1", "me", 60)
    assert lease is not None
    with store.sweeps.holding(lease) as connection:
        assert not store.recalls.score(connection, old, {number: 0.1})
    assert store.recalls.warmth([number]) == {number: 0.5}
    assert [one.turn for one in store.recalls.unscored("score/1", 9)] == ["Tea it is."]


# Vectors


def test_the_vectors_of_a_fingerprint_go_whole(store: Store) -> None:
    one, two = Fingerprint("a", "m", "", 1), Fingerprint("b", "m", "", 1)
    first, second = put(store, "I like tea", "I like trains")
    store.vectors.add(one, [(first, "I like tea", b"1234"), (second, "I like trains", b"1234")])
    store.vectors.add(two, [(first, "I like tea", b"1234")])
    curation.forget(store, [second])
    assert store.vectors.spaces() == [one, two]
    assert (store.vectors.missing(two, 9), store.vectors.count_missing(two)) == ([], 1)
    assert store.vectors.missing(two, 9, Life.FORGOTTEN) == [(second, "I like trains")]
    store.vectors.drop(one)
    assert (store.vectors.spaces(), store.vectors.of(first, one), store.vectors.embedded_by()) == ([two], None, two)
    store.vectors.drop(one)


# Purge


def test_no_byte_of_the_words_is_left_of_what_sweeps_kept(store: Store) -> None:
    said = f"I keep the {WORDS}, tell nobody."
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", said))
    first = store.raw.messages(store.raw.get_conversations()[0].id)[0].id
    with store.command("distil", Actor.MODEL) as writer:
        secret = store.admit(
            writer, memory(f"I keep the {WORDS}", evidence=(quote(f"I keep the {WORDS}", said, message=first),))
        ).added
        other = store.admit(writer, memory("I keep bees")).added
        assert secret is not None and other is not None
        store.wordings.put(writer, secret, "extract/1 m@1", f"The {WORDS} is mine")
        store.wordings.put(writer, other, "extract/1 m@1", f"I keep bees, and I keep the {WORDS}")
        store.replies.put(writer.connection, [(b"k", "extract/1", "m@1", f'{{"quote": "{WORDS}"}}')])
        store.sweeps.put_failure(failure(1, reason=f"no {WORDS}", reply=WORDS))
        unembedded = replace(failure(secret, first=4_711), sweep="embed")  # holds a checksum of its text
        store.sweeps.put_failure(unembedded)
        store.alerts.put(writer, secret, other, Relation.CONTRADICTION, 0.9, ["alike"])
    judged(store, store.alerts.open()[0].id, "judge/1 m@1", f"one is about I keep the {WORDS}")
    store.recalls.put("r1", [secret, other])
    store.recalls.put_answer("r1", f"As you said, I keep the {WORDS}.")
    curation.purge(store, [secret])
    store.close()
    for path in store.folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert WORDS.encode() not in content, path
            assert b"Kastanienbaum" not in content, path
    (left,) = store.sweeps.failures("extract/1")
    assert (left.reply, left.tries) == ("", 1) and "purge" in left.reason
    assert store.sweeps.failures("embed") == []
    assert store.wordings.of(other) == []


def test_a_purge_leaves_what_has_nothing_to_do_with_it(store: Store) -> None:
    number, kept, _ = alert(store)
    judged(store, number, "judge/1 m@1", "two homes")
    (gone,) = put(store, f"I keep the {WORDS}")
    store.recalls.put("r1", [kept])
    store.recalls.put_answer("r1", "Porto is lovely.")
    curation.purge(store, [gone])
    assert len(store.judgments.of([number])[number]) == 1
    assert [one.turn for one in store.recalls.unscored("score/1", 9)] == ["Porto is lovely."]


def test_what_an_undo_hid_is_not_shown_again_without_being_asked(store: Store) -> None:
    whole = conversation("a", "I like tea", "Noted", "I like trains")
    with store.command("import", Actor.SWEEP) as writer:
        store.raw.put_conversation(writer, conversation("a", "I like tea", "Noted"))
    store.undo(writer.id)
    with store.command("import", Actor.SWEEP) as writer:
        counts = store.raw.put_conversation(writer, whole, reveal=False)
    assert counts.fresh == (2,)
    (talk,) = store.raw.get_conversations()
    assert [one.text for one in store.raw.messages(talk.id)] == ["I like trains"]
    with store.command("import") as writer:
        assert store.raw.put_conversation(writer, whole).fresh == (0, 1)
    assert len(store.raw.messages(talk.id)) == 3


def test_marks_are_set_back_when_hidden_messages_are_shown_again(store: Store) -> None:
    talk = conversation("a", "I like tea", "Noted")
    with store.command("import") as writer:
        store.raw.put_conversation(writer, talk)
    (number,) = store.sweeps.unswept("extract/1")
    store.sweeps.mark("extract/1", number, 9)
    assert store.sweeps.unswept("extract/1") == []
    store.undo()
    with store.command("import") as writer:
        store.raw.put_conversation(writer, talk)
    assert store.sweeps.unswept("extract/1") == [number]
    assert store.sweeps.upto("extract/1", number) == 0


def test_leases_of_another_connection_are_seen(store: Store) -> None:
    assert store.sweeps.take("embed", "me", 60)
    other = Store.open(store.folder)
    assert other.sweeps.take("embed", "you", 60) is None
    other.close()
    with sqlite3.connect(store.folder / "record.sqlite") as raw:
        assert raw.execute("SELECT item, holder FROM leases").fetchall() == [("embed", "me")]
    raw.close()
