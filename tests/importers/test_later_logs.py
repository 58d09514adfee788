"""Later logs of stored messages: another branch, another name, another place, the same damage."""

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest

from curator.importers import Options
from curator.services.import_logs import import_paths
from effort import thorough
from importers import test_discord, test_letta, test_slack, test_telegram
from importers.sample_logs import Json, conversations, copilot_event, gpt_chat, write_json, write_lines, write_zip
from importers.test_more_agents import DEVIN, devin
from importers.test_other_agents import GROK
from store import Store


def shown(store: Store) -> list[str]:
    (chat,) = store.raw.conversation_ids()
    return [one.text for one in store.raw.messages(chat) if one.active]


def branched(current: str) -> Json:
    """Return a chat whose question was edited: two branches, one of them current."""
    chat = gpt_chat("g", "I own a boat", "Nice")
    edited = {**chat["mapping"]["g-0"], "id": "g-2", "children": []}
    edited["message"] = {
        **edited["message"],
        "id": "g-2",
        "content": {"content_type": "text", "parts": ["I own a kite"]},
    }
    chat["mapping"] |= {"g-2": edited}
    return {**chat, "current_node": current}


def test_a_branch_that_is_left_later_stays_as_it_was_said_and_what_is_new_can_be_undone_alone(
    tmp_path: Path, store: Store
) -> None:
    import_paths(store, [write_json(tmp_path / "a.json", [gpt_chat("g", "I own a boat", "Nice")])], None)
    before = store.state_hash()
    import_paths(store, [write_json(tmp_path / "b.json", [branched("g-2")])], None)
    assert shown(store) == ["I own a boat", "Nice", "I own a kite"]
    store.undo()
    assert shown(store) == ["I own a boat", "Nice"] and store.state_hash() == before


def test_many_rewinds_of_a_long_session_take_back_what_each_names(tmp_path: Path) -> None:
    events = [copilot_event(1, "session.start", sessionId="s1")]
    for number in range(3_000):
        said = {**copilot_event(2, "user.message", content=f"Step {number}"), "id": f"e{number}"}
        events += [
            said,
            {**copilot_event(3, "session.snapshot_rewind", upToEventId=f"e{number - 1}"), "id": f"r{number}"},
        ]
    (found,) = conversations(write_lines(tmp_path / "s1" / "events.jsonl", events))
    assert [one.text for one in found.messages if one.active] == []


@thorough
def test_a_renamed_person_is_the_same_in_telegram_and_discord(tmp_path: Path, store: Store) -> None:
    group = test_telegram.GROUP
    import_paths(store, [write_json(tmp_path / "t1.json", group)], None, me=["Ann"])
    renamed = [{**one, "from": "Annie"} if one["from"] == "Ann" else one for one in group["messages"]]
    more = test_telegram.post(9, "Ann", "I play the lute", **{"from": "Annie"})
    later = write_json(tmp_path / "t2.json", {**group, "messages": [*renamed, more]})
    found = import_paths(store, [later], None, me=["Annie"])
    assert (found.conversations, found.messages.total()) == (0, 1)
    import_paths(
        store, [write_json(tmp_path / "d1.json", test_discord.channel(*test_discord.TALK))], None, me=["ann_s"]
    )
    talk = json.loads(json.dumps(test_discord.TALK).replace('"ann_s"', '"annie"'))
    later = write_json(tmp_path / "d2.json", test_discord.channel(*talk))
    found = import_paths(store, [later], None, me=["annie"])
    assert (found.conversations, found.messages.total()) == (0, 0)
    both = conversations(tmp_path, options=Options(me=("Ann", "Annie", "ann_s")))
    assert all(one.role.value == "user" for chat in both for one in chat.messages if one.text.startswith("I "))


def test_a_slack_export_without_its_lists_adds_nothing(tmp_path: Path, store: Store) -> None:
    whole = write_zip(tmp_path / "whole.zip", test_slack.EXPORT)
    assert import_paths(store, [whole], None, me=["Ann"]).conversations == 3
    names = {user["id"]: user["profile"] for user in test_slack.EXPORT["users.json"]}
    for name, day in test_slack.EXPORT.items():
        if "/" in name:
            write_json(tmp_path / "bare" / name, [{**one, "user_profile": names[one["user"]]} for one in day])
    again = import_paths(store, [tmp_path / "bare"], None, me=["Ann"])
    assert (again.conversations, again.messages.total(), len(store.raw.conversation_ids())) == (0, 0, 3)


def test_two_agents_of_letta_with_one_name_keep_apart(tmp_path: Path) -> None:
    other = {**test_letta.AGENT, "id": "agent-1", "messages": test_letta.TURNS[:3]}
    found = conversations(write_json(tmp_path / "a.af", {"agents": [test_letta.AGENT, other], "blocks": []}))
    assert len({one.identity for one in found}) == 2
    (alone,) = conversations(write_json(tmp_path / "b.af", {"agents": [test_letta.AGENT], "blocks": []}))
    assert alone.identity == found[0].identity


def test_sessions_of_grok_that_were_copied_keep_apart(tmp_path: Path) -> None:
    path = tmp_path / "%2Fhome%2Fann%2Fgarden" / "s1" / "chat_history.jsonl"
    (own,) = conversations(write_lines(path, GROK))
    other = [*GROK[:2], {"type": "user", "content": "Paint it"}, {"type": "assistant", "content": "Red?"}]
    (first,) = conversations(write_lines(tmp_path / "x" / "Downloads" / "chat_history.jsonl", GROK))
    (second,) = conversations(write_lines(tmp_path / "y" / "Downloads" / "chat_history.jsonl", other))
    assert len({own.identity, first.identity, second.identity}) == 3
    write_json(tmp_path / "x" / "Downloads" / "summary.json", {"info": {"id": "s1"}})
    (same,) = conversations(tmp_path / "x")
    assert same.identity == own.identity


@thorough
def test_a_damaged_row_of_a_database_is_named_each_time(tmp_path: Path, store: Store) -> None:
    path = devin(tmp_path / "sessions.db", *DEVIN, (5, 3, "{"))
    for conversations_ in (1, 0, 0):
        found = import_paths(store, [path], None)
        assert (found.conversations, found.unreadable) == (
            conversations_,
            ["sessions.db: session dv1: message 5: not valid JSON"],
        )
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM message_nodes WHERE node_id = 5")
        connection.commit()
    assert [len(import_paths(store, [path], None).unreadable) for _ in range(2)] == [0, 0]


@pytest.mark.parametrize("undo", [False, True])
def test_an_undo_of_the_later_import_leaves_the_former_one(tmp_path: Path, store: Store, undo: bool) -> None:
    import_paths(store, [write_json(tmp_path / "a.json", [gpt_chat("g", "I own a boat", "Nice")])], None)
    later = import_paths(store, [write_json(tmp_path / "b.json", [branched("g-2")])], None)
    if undo:
        assert later.batch is not None
        store.undo(later.batch)
    (chat,) = store.raw.conversation_ids()
    assert len(store.raw.messages(chat)) == (2 if undo else 3)
