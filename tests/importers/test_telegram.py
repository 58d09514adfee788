"""Telegram Desktop exports: one chat or all, and how the person is recognised in each."""

import json
from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Options, Unreadable, detect
from importers.sample_logs import Json, conversations, items, problems, said, skipped, write_json, write_zip
from store import clock
from store.model import Channel, NewConversation, Role

ME = Options(me=("Ann",))


def post(id_: int, author: str, text: object, person: str = "", **fields: Any) -> Json:
    ids = {"Ann": "user5", "Bob": "user6", "Cy": "user7"}
    return {
        "id": id_,
        "type": "message",
        "date": "2024-03-14T10:32:11",
        "date_unixtime": str(1_710_000_000 + id_),
        "from": author,
        "from_id": person or ids[author],
        "text": text,
        **fields,
    }


def chat(type_: str, id_: int, name: str | None, *messages: Any) -> Json:
    return {"name": name, "type": type_, "id": id_, "messages": list(messages)}


PAIR = chat(
    "personal_chat",
    6,
    "Bob",
    {"id": 1, "type": "service", "actor": "Bob", "action": "phone_call", "text": ""},
    post(2, "Bob", ["See ", {"type": "link", "text": "https://b.example"}, "!"]),
    post(3, "Ann", "I moved to Ghent", reply_to_message_id=2),
    post(4, "Ann", "I love forks", forwarded_from="Somebody"),
    post(5, "Ann", "", photo="photos/photo_1@14-03-2024.jpg"),
    post(6, "Bob", "", file="(File not included. Change data exporting settings to download.)", file_name="a.pdf"),
)
GROUP = chat("private_group", 9, "Club", post(1, "Cy", "Who plays?"), post(2, "Ann", "I play the cello"))


def spoken(found: NewConversation) -> list[tuple[Role, str]]:
    return [(one.role, one.text) for one in found.messages]


def everything(**fields: Any) -> Json:
    chats = {"about": "All", "list": [PAIR, GROUP, chat("saved_messages", 5, None, post(1, "Ann", "I own a boat"))]}
    person = {"user_id": 5, "first_name": "Ann", "bio": '"messages": ['}
    return {"about": "Data", "personal_information": person, "contacts": {"list": [{"user_id": 6}]}, "chats": chats}


@pytest.mark.parametrize("indent", [None, 1])
def test_in_a_chat_of_two_the_other_one_is_known(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(PAIR, indent=indent))
    assert detect(path) is Format.TELEGRAM
    (found,) = conversations(path)
    assert (found.title, found.external_id, found.source) == ("Bob · 2024-03", "6", "telegram")
    assert spoken(found) == [
        (Role.OTHER, "Bob: See https://b.example!"),
        (Role.USER, "I moved to Ghent"),
        (Role.USER, "I love forks"),
        (Role.USER, "[attachment: photo_1@14-03-2024.jpg]"),
        (Role.OTHER, "Bob: [attachment: a.pdf]"),
    ]
    assert found.messages[2].channel is Channel.ATTACHMENT
    assert clock.to_iso(found.messages[0].created_at or 0)[:19] == "2024-03-09T16:00:02"
    assert skipped(items(path)) == {"not_a_message": 1}


def test_an_export_of_everything_names_the_person(tmp_path: Path) -> None:
    packed = write_zip(tmp_path / "export.zip", {"DataExport/result.json": everything()})
    pair, group, saved = conversations(packed)
    assert [one.role for one in pair.messages][:2] == [Role.OTHER, Role.USER]
    assert spoken(group) == [(Role.OTHER, "Cy: Who plays?"), (Role.USER, "I play the cello")]
    assert (saved.title, spoken(saved)) == ("saved messages · 2024-03", [(Role.USER, "I own a boat")])
    write_json(tmp_path / "folder" / "result.json", everything())
    assert conversations(tmp_path / "folder") == [pair, group, saved]


def test_in_a_group_the_person_is_named(tmp_path: Path) -> None:
    path = write_json(tmp_path / "result.json", GROUP)
    with pytest.raises(Unreadable, match=r"one of Ann \(1\), Cy \(1\)$"):
        items(path)
    (found,) = conversations(path, options=ME)
    assert [one.role for one in found.messages] == [Role.OTHER, Role.USER]
    twins = write_json(
        tmp_path / "twins.json", chat("private_group", 9, "Club", *GROUP["messages"], post(3, "Ann", "x", "user8"))
    )
    with pytest.raises(
        Unreadable,
        match=r"nobody is named Ann: say who you are with --me NAME, one of Ann \(user5\) \(1\), Ann \(user8\) \(1\)",
    ):
        items(twins, options=ME)
    (found,) = conversations(twins, options=Options(me=("Ann (user5)",)))
    assert [one.role for one in found.messages] == [Role.OTHER, Role.USER, Role.OTHER]


def test_a_grown_chat_keeps_its_identities(tmp_path: Path) -> None:
    former = conversations(write_json(tmp_path / "a.json", PAIR))
    later = post(3_000_000, "Ann", "I own a bike")
    grown = conversations(write_json(tmp_path / "b.json", {**PAIR, "messages": [*PAIR["messages"], later]}))
    assert grown[:1] == former and (grown[1].title, said(grown[1].messages)) == ("Bob · 2024-04", ["I own a bike"])


def test_damaged_records(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps({**PAIR, "messages": [3, {"type": "message"}, *PAIR["messages"]]})[:-60])
    found = items(path)
    assert len(problems(found)) == 2
    (kept,) = [one for one in found if isinstance(one, NewConversation)]
    assert said(kept.messages)[:2] == ["Bob: See https://b.example!", "I moved to Ghent"]
