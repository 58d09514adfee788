"""Channels exported by DiscordChatExporter, and the package of one's own data from Discord."""

from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Options, Unreadable, Unrecognised, detect
from importers.sample_logs import Json, conversations, items, problems, skipped, write_json, write_zip
from store import clock
from store.model import Channel, NewConversation, Role

ME = Options(me=("ann_s",))


def post(id_: str, name: str, text: str, at: str = "2024-03-31T10:00:00.123+02:00", **fields: Any) -> Json:
    author = {"id": f"9{len(name)}", "name": name, "nickname": f"{name.title()}!", "isBot": name == "pollbot"}
    return {"id": id_, "type": "Default", "timestamp": at, "content": text, "author": author, **fields}


def channel(*messages: Any, **fields: Any) -> Json:
    return {
        "guild": {"id": "1", "name": "Gardeners"},
        "channel": {"id": "77", "type": "GuildTextChat", "category": "Text", "name": "tools", "topic": None},
        "dateRange": {"after": None, "before": None},
        "exportedAt": "2024-05-01T00:00:00+00:00",
        "messages": list(messages),
        "messageCount": len(messages),
        **fields,
    }


TALK = [
    post("1", "bob", "Who has a spade?"),
    post("2", "pollbot", "", embeds=[{"title": "Poll", "description": "Spade or fork?"}]),
    post("3", "bob", "pinned a message", type="ChannelPinnedMessage"),
    post(
        "4",
        "ann_s",
        "I own two spades",
        type="Reply",
        reference={"messageId": "1"},
        attachments=[{"fileName": "s.jpg"}],
    ),
    post("5", "ann_s", "", forwardedMessage={"content": "I love forks", "attachments": []}),
    post("6", "ann_s", "I moved to Ghent", "2024-04-02T10:00:00+00:00"),
]


def test_an_exported_channel(tmp_path: Path) -> None:
    path = write_json(tmp_path / "Gardeners - tools [77].json", channel(*TALK))
    assert detect(path) is Format.DISCORD
    march, april = conversations(path, options=ME)
    assert (march.title, april.title) == ("Gardeners · tools · 2024-03", "Gardeners · tools · 2024-04")
    assert [(one.role, one.channel, one.text) for one in march.messages] == [
        (Role.OTHER, Channel.SPOKEN, "Bob!: Who has a spade?"),
        (Role.OTHER, Channel.ATTACHMENT, "Pollbot!: Poll\nSpade or fork?"),
        (Role.USER, Channel.SPOKEN, "I own two spades\n[attachment: s.jpg]"),
        (Role.USER, Channel.ATTACHMENT, "I love forks"),
    ]
    assert clock.to_iso(march.messages[0].created_at or 0)[:19] == "2024-03-31T08:00:00"
    assert skipped(items(path, options=ME)) == {"not_a_message": 1}
    with pytest.raises(Unreadable, match=r"one of ann_s \(3\), bob \(1\)$"):
        items(path)
    with pytest.raises(Unreadable, match="nobody is named Bob!"):  # anybody may choose this name
        items(path, options=Options(me=("Bob!",)))


def test_parts_and_a_grown_channel_keep_their_identities(tmp_path: Path) -> None:
    whole = conversations(write_json(tmp_path / "whole.json", channel(*TALK)), options=ME)
    parts = {"tools [part 1].json": channel(*TALK[:3]), "tools [part 2].json": channel(*TALK[3:])}
    found = conversations(write_zip(tmp_path / "parts.zip", parts), options=ME)
    assert [one.identity for one in found] == [whole[0].identity, whole[0].identity, whole[1].identity]
    assert [one for chat in found for one in chat.messages] == [one for chat in whole for one in chat.messages]
    more = conversations(write_json(tmp_path / "more.json", channel(*TALK, post("7", "bob", "Nice"))), options=ME)
    assert more[0] == whole[0] and {one.identity for one in more[1:]} == {whole[1].identity, whole[0].identity}


PACKAGE: dict[str, Any] = {
    "Messages/index.json": {"502": "Direct Message with bob#0", "503": "general in Gardeners"},
    "Messages/c502/channel.json": {"id": "502", "type": "DM", "recipients": ["1", "2"]},
    "Messages/c502/messages.json": [
        {"ID": 1183589260452962365, "Timestamp": "2024-03-11 02:02:09", "Contents": "I like tea", "Attachments": ""},
        {
            "ID": 1183589260452962364,
            "Timestamp": "2024-03-11 02:01:09",
            "Contents": "",
            "Attachments": "https://cdn.example/1/2/a.png?ex=0 https://cdn.example/1/3/b.png",
        },
    ],
    "Messages/c503/channel.json": {
        "id": "503",
        "type": "GUILD_TEXT",
        "name": "all",
        "guild": {"name": "Gardeners"},
    },
    "Messages/c503/messages.json": [
        {"ID": 5, "Timestamp": "2024-04-11 02:02:09", "Contents": "I like rain", "Attachments": ""}
    ],
    "Account/user.json": {"id": "1", "username": "ann"},
    "README.txt": "Welcome",
}


def test_the_package_has_only_the_persons_words(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "package.zip", PACKAGE)
    assert detect(path) is Format.DISCORD
    first, second = conversations(path)
    assert (first.title, second.title) == ("Direct Message with bob#0 · 2024-03", "Gardeners · all · 2024-04")
    assert [(one.role, one.text) for one in first.messages] == [
        (Role.USER, "[attachment: a.png]\n[attachment: b.png]"),
        (Role.USER, "I like tea"),
    ]
    assert first.messages[1].external_id == "1183589260452962365"
    assert skipped(items(path)) == {"other_file": 2}
    for name, value in PACKAGE.items():
        write_json(tmp_path / "folder" / name, value)
    assert conversations(tmp_path / "folder") == [first, second]


def test_a_package_whose_messages_are_a_table(tmp_path: Path) -> None:
    rows = 'ID,Timestamp,Contents,Attachments\r\n2,2023-03-11 02:02:09.1+00:00,"I like tea,\nand ""rain""",\r\n'
    folder = {name: value for name, value in PACKAGE.items() if not name.endswith("c502/messages.json")}
    path = write_zip(tmp_path / "a.zip", {**folder, "Messages/c502/messages.csv": rows})
    first, second = sorted(conversations(path), key=lambda one: one.title or "")
    assert (first.title, second.title) == ("Direct Message with bob#0 · 2023-03", "Gardeners · all · 2024-04")
    assert [(one.role, one.text, one.external_id) for one in first.messages] == [
        (Role.USER, 'I like tea,\nand "rain"', "2")
    ]
    more = f"{rows}3,2023-03-12 02:02:09.1+00:00,I moved,\r\n4\r\n"
    found = items(write_zip(tmp_path / "b.zip", {**folder, "Messages/c502/messages.csv": more}))
    (grown,) = [one for one in found if isinstance(one, NewConversation) and one.title == first.title]
    assert grown.messages[:1] == first.messages and len(grown.messages) == 2
    assert [one.place.rpartition("/")[2] for one in problems(found)] == ["messages.csv: line 5"]
    assert detect(write_zip(tmp_path / "c.zip", {"messages.csv": rows})) is Format.DISCORD


def test_damaged_records(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.json", channel(*TALK[:1], 7, {"id": "8", "author": 3, "content": "x"}, TALK[3]))
    path.write_text(path.read_text()[:-10])
    found = items(path, options=ME)
    assert len(problems(found)) == 2
    package = write_json(tmp_path / "messages.json", [*PACKAGE["Messages/c502/messages.json"], {"ID": 1}, 3])
    assert len(problems(items(package))) == 2 and len(conversations(package)[0].messages) == 2


def test_an_object_with_a_number_for_a_name_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(Unrecognised):
        detect(write_json(tmp_path / "other.json", {"1": "I live in Ghent", "name": "Ann"}))
