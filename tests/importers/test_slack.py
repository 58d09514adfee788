"""Slack exports: people, channels, threads, files, and Slack's own notices."""

from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Options, Unreadable, detect
from importers.sample_logs import Json, conversations, items, problems, skipped, write_json, write_zip
from store import clock
from store.model import Channel, NewConversation, Role

ME = Options(me=("Ann",))


def user(id_: str, name: str, handle: str = "", **fields: Any) -> Json:
    return {"id": id_, "team_id": "T1", "name": handle or name.lower(), "profile": {"display_name": name}, **fields}


def said(user: str, text: str, ts: str, **fields: Any) -> Json:
    return {"type": "message", "user": user, "text": text, "ts": ts, **fields}


EXPORT: dict[str, Any] = {
    "users.json": [
        user("U1", "Ann"),
        user("U2", "Bob"),
        user("U3", "", real_name="Zoe Q", profile={"display_name": "", "real_name": "Zoe Q"}),
        user("U4", "Poll", is_bot=True),
    ],
    "channels.json": [{"id": "C1", "name": "general", "created": 1, "members": ["U1", "U2"], "is_general": True}],
    "dms.json": [{"id": "D1", "created": 1, "members": ["U1", "U3"]}],
    "general/2024-01-30.json": [
        said("U2", "Has &lt;anyone&gt; a bike, <@U1>? See <https://b.example/x|this> in <#C1>", "1706600000.000100"),
        said("U4", "Poll: lunch", "1706600000.000200", bot_id="B1", subtype="bot_message"),
        said("U2", "<@U2> has joined the channel", "1706600000.000300", subtype="channel_join"),
    ],
    "general/2024-01-31.json": [
        said("U3", "Anything else?", "1706690000.000100"),
        said("U1", "I own a cargo bike", "1706690001.000100", thread_ts="1706600000.000100"),
        said("U1", "", "1706690002.000100", files=[{"name": "bike.jpg"}]),
    ],
    "general/2024-02-01.json": [said("U1", "It is <!channel> mine", "1706790000.000100")],
    "D1/2024-02-02.json": [said("U3", "Hi", "1706890000.000100"), said("U1", "I moved to Ghent", "1706890001.000100")],
}


def by_title(path: Path, options: Options = ME) -> dict[str | None, NewConversation]:
    return {one.title: one for one in conversations(path, options=options)}


def test_channels_threads_and_direct_messages(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "Team Slack export.zip", EXPORT)
    assert detect(path) is Format.SLACK
    found = by_title(path)
    assert list(found) == ["Ann, Zoe Q · 2024-02", "#general · 2024-01", "#general · 2024-02"]
    assert [(one.role, one.text) for one in found["#general · 2024-01"].messages] == [
        (Role.OTHER, "Bob: Has <anyone> a bike, @Ann? See this (https://b.example/x) in #general"),
        (Role.USER, "I own a cargo bike"),
        (Role.OTHER, "Poll: Poll: lunch"),
        (Role.OTHER, "Zoe Q: Anything else?"),
        (Role.USER, "[attachment: bike.jpg]"),
    ]
    assert [one.text for one in found["#general · 2024-02"].messages] == ["It is @channel mine"]
    first = found["#general · 2024-01"]
    assert (first.source, first.external_id, first.messages[0].external_id) == ("slack", "C1", "1706600000.000100")
    assert clock.to_iso(first.messages[0].created_at or 0)[:19] == "2024-01-30T07:33:20"
    assert skipped(items(path, options=ME)) == {"not_a_message": 1}


def test_a_folder_reads_as_its_zip_and_a_grown_export_adds_only_what_is_new(tmp_path: Path) -> None:
    packed = write_zip(tmp_path / "export.zip", EXPORT)
    for name, value in EXPORT.items():
        write_json(tmp_path / "folder" / name, value)
    former = by_title(packed)
    assert by_title(tmp_path / "folder") == former
    more = [*EXPORT["general/2024-02-01.json"], said("U2", "Nice", "1706790001.000100")]
    write_json(tmp_path / "folder" / "general" / "2024-02-01.json", more)
    grown = by_title(tmp_path / "folder")
    assert [one.identity for one in grown.values()] == [one.identity for one in former.values()]
    assert grown["#general · 2024-02"].messages[:1] == former["#general · 2024-02"].messages


def test_people_are_counted_without_bots(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "export.zip", EXPORT)
    with pytest.raises(Unreadable, match=r"one of Ann \(4\), Zoe Q \(2\), Bob \(1\)$"):
        items(path)
    twins = [user("U1", "Ann"), user("U2", "Ann", "ann2"), user("U3", "Zoe Q")]
    path = write_zip(tmp_path / "twins.zip", {**EXPORT, "users.json": twins})
    with pytest.raises(Unreadable, match=r"one of Ann \(ann\) \(4\), Zoe Q \(2\), Ann \(ann2\) \(1\)"):
        items(path)


def test_a_channel_without_its_export_and_damaged_records(tmp_path: Path) -> None:
    day = [
        said("U2", "Hi", "1706600000.000100", user_profile={"real_name": "Bob"}),
        said("U1", "I swim", "1706600001.000100", user_profile={"display_name": "Ann"}),
        {"type": "message", "ts": {}, "text": 7, "user": []},
        3,
    ]
    path = write_json(tmp_path / "swimmers" / "2024-01-30.json", day)
    for given in (path, path.parent, tmp_path):
        found = items(given, options=ME)
        (chat,) = [one for one in found if isinstance(one, NewConversation)]
        assert (chat.title, [one.text for one in chat.messages]) == ("#swimmers · 2024-01", ["Bob: Hi", "I swim"])
        assert len(problems(found)) == 1


def test_words_of_others_are_not_the_persons(tmp_path: Path) -> None:
    day = [
        said("U1", "", "1706600000.000100", attachments=[{"text": "I keep bees", "author_name": "Bob"}]),
        said("U9", "I keep goats", "1706600001.000100", user_profile={"display_name": "Ann"}),
    ]
    path = write_zip(tmp_path / "export.zip", {**EXPORT, "general/2024-01-30.json": day})
    found = {one.text: one for one in by_title(path)["#general · 2024-01"].messages}
    assert found["I keep bees"].channel is Channel.ATTACHMENT
    assert found["Ann: I keep goats"].role is Role.OTHER
