"""WhatsApp chats: date formats, system lines, attachments, and who the person is."""

from pathlib import Path

import pytest

from curator.importers import Format, Item, Options, Problem, Unreadable, detect, group_chats
from curator.services.import_logs import import_paths, preview
from effort import thorough
from importers.sample_logs import conversations, items, problems, said, skipped, write_zip
from store import Store, clock
from store.model import NewConversation, Role

ME = Options(me=("Ann",))
ANDROID = """\
31/12/2023, 23:58 - Messages and calls are end-to-end encrypted. Tap to learn more.
31/12/2023, 23:58 - Bob: Happy new year!
Did you move?
1/1/2024, 00:03 - Ann: Yes, I live in Ghent now
1/1/2024, 00:04 - Bob: <Media omitted>
1/1/2024, 00:05 - Ann: IMG-20240101-WA0001.jpg (file attached)
My new balcony
1/1/2024, 00:06 - Bob changed the subject from "x: y" to "z: w"
1/1/2024, 00:07 - Bob: This message was deleted
"""
IOS = (
    "\u200e[14.03.24, 09:05:11] Bob: \u200eMessages and calls are end-to-end encrypted.\r\n"
    "[14.03.24, 09:05:12] Ann: I hate olives \u200e<This message was edited>\r\n"
    "\u200e[14.03.24, 09:06:00] Bob: \u200e<attached: 00000002-PHOTO-2024-03-14-09-06-00.jpg>\r\n"
    "[14.03.24, 09:07:30] ~\u202fBob: @\u2068Ann\u2069 10:30: see you\r\n"
)


def chat(folder: Path, text: str, name: str = "WhatsApp Chat with Bob.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def only(path: Path, options: Options = ME) -> NewConversation:
    (found,) = conversations(path, options=options)
    return found


def test_an_android_chat(tmp_path: Path) -> None:
    path = chat(tmp_path, ANDROID)
    assert detect(path) is Format.WHATSAPP
    found = only(path)
    assert (found.title, found.source) == ("Bob", "whatsapp")
    assert [(one.role, one.text) for one in found.messages] == [
        (Role.OTHER, "Bob: Happy new year!\nDid you move?"),
        (Role.USER, "Yes, I live in Ghent now"),
        (Role.OTHER, "Bob: [attachment]"),
        (Role.USER, "[attachment: IMG-20240101-WA0001.jpg]\nMy new balcony"),
    ]
    assert [clock.to_iso(one.created_at or 0)[:16] for one in found.messages[:2]] == [
        "2023-12-31T23:58",
        "2024-01-01T00:03",
    ]
    assert skipped(items(path, options=ME)) == {"not_a_message": 3}


def test_an_ios_chat_in_a_zip_or_a_folder(tmp_path: Path) -> None:
    packed = write_zip(tmp_path / "WhatsApp Chat - Bob.zip", {"_chat.txt": IOS, "photo.jpg": b"x"})
    (tmp_path / "unpacked").mkdir()
    plain = chat(tmp_path / "unpacked", IOS, "_chat.txt")
    found = only(packed)
    assert said(found.messages) == [
        "I hate olives",
        "Bob: [attachment: 00000002-PHOTO-2024-03-14-09-06-00.jpg]",
        "Bob: @Ann 10:30: see you",
    ]
    assert clock.to_iso(found.messages[0].created_at or 0)[:19] == "2024-03-14T09:05:12"
    for path in (plain, tmp_path / "unpacked"):
        assert only(path) == found


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("3/6/18, 1:55 p.m. - Ann: m", "2018-06-03T13:55"),
        ("3/16/18, 1:55 PM - Ann: m", "2018-03-16T13:55"),
        ("3/6/18, 1:55\u202fPM - Ann: m", "2018-03-06T13:55"),
        ("03-06-2018, 12.55 AM - Ann: m", "2018-06-03T00:55"),
        ("13.06.18 21.25.15: Ann: m", "2018-06-13T21:25"),
        ("[06.13.18 21:25:15] Ann: m", "2018-06-13T21:25"),
        ("13.6.2018 klo 21.25 - Ann: m", "2018-06-13T21:25"),
        ("14/03/2024 à 10:32 - Ann: m", "2024-03-14T10:32"),
        ("[3/6/18 1:55:00 p.\u00a0m.] Ann: m", "2018-06-03T13:55"),
        ("[2018/06/13, 21:25:15] Ann: m", "2018-06-13T21:25"),
        ("2024/1/5 下午3:05 - Ann: m", "2024-01-05T15:05"),
        ("2024-03-14 10:32 - Ann: m", "2024-03-14T10:32"),
        ("\u200f١٢\u200f/٣\u200f/٢٠٢٠، ١٠:٣٢ م - Ann: m", "2020-03-12T22:32"),
        ("14/3/2567 10:32 - Ann: m", "2024-03-14T10:32"),
    ],
)
def test_dates_of_many_regions(tmp_path: Path, line: str, time: str) -> None:
    (message,) = only(chat(tmp_path, line)).messages
    assert clock.to_iso(message.created_at or 0)[:16] == time
    assert message.text == "m"


def test_the_whole_file_tells_the_order_of_day_and_month(tmp_path: Path) -> None:
    text = "01/02/24, 10:00 - Ann: a\n02/02/24, 10:00 - Ann: b\n13/02/24, 10:00 - Ann: c\n"
    assert [clock.to_iso(one.created_at or 0)[:10] for one in only(chat(tmp_path, text)).messages] == [
        "2024-02-01",
        "2024-02-02",
        "2024-02-13",
    ]
    text = "01/30/24, 10:00 - Ann: a\n02/01/24, 10:00 - Ann: b\n03/01/24, 10:00 - Ann: c\n"
    assert [clock.to_iso(one.created_at or 0)[:10] for one in only(chat(tmp_path, text)).messages] == [
        "2024-01-30",
        "2024-02-01",
        "2024-03-01",
    ]
    text = "11/09/23, 10:00 - Ann: a\n02/10/23, 10:00 - Ann: b\n01/11/23, 10:00 - Ann: c\n"
    assert clock.to_iso(only(chat(tmp_path, text)).messages[0].created_at or 0)[:10] == "2023-09-11", "they go forward"


def test_a_grown_chat_keeps_its_identities(tmp_path: Path) -> None:
    first = only(chat(tmp_path, ANDROID))
    longer = only(chat(tmp_path, ANDROID + "14/1/2024, 09:00 - Ann: I own a bike\n", "WhatsApp Chat with Bob (1).txt"))
    assert longer.identity == first.identity
    assert longer.messages[: len(first.messages)] == first.messages
    assert len({one.identity for one in longer.messages}) == 5


@thorough
def test_a_long_chat_comes_in_parts_and_is_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"Zoë says \U0001f33b {'é' * (number % 900)}\r\nnumber {number}" for number in range(350)]
    text = "".join(f"{1 + n // 60 % 28}/2/24, {n % 24}:{n % 60:02} - Ann: {one}\n" for n, one in enumerate(words))
    path = chat(tmp_path, text * 2)
    monkeypatch.setattr(group_chats, "_PART", 5_000)
    whole = only(path)
    assert [one.text for one in whole.messages] == [one.replace("\r", "") for one in words] * 2
    assert len({one.identity for one in whole.messages}) == 700
    monkeypatch.setattr(group_chats, "_PART", 500)
    first, second = conversations(path, options=ME)
    assert first.messages + second.messages == whole.messages
    assert (first.continues, second.continues) == (False, True)
    assert (
        (first.identity, first.created_at) == (second.identity, second.created_at) == (whole.identity, whole.created_at)
    )
    store = Store.open(tmp_path / "store")
    assert preview(store, [path], me=["Ann"]).conversations == 1
    summaries = [import_paths(store, [path], None, me=["Ann"]) for _ in range(2)]
    chat(tmp_path, text * 2 + "1/3/24, 10:00 - Ann: I own a bike\n")
    summaries.append(import_paths(store, [path], None, me=["Ann"]))
    assert [(one.conversations, one.known, one.grown) for one in summaries] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    (stored,) = store.raw.conversation_ids()
    assert [one.text for one in store.raw.messages(stored)][:700] == [one.text for one in whole.messages]


def test_another_person_makes_other_identities(tmp_path: Path) -> None:
    path = chat(tmp_path, ANDROID)
    mine, theirs = only(path), only(path, Options(me=("bob",)))
    assert [one.role for one in theirs.messages] == [Role.USER, Role.OTHER, Role.USER, Role.OTHER]
    assert not {one.identity for one in mine.messages} & {one.identity for one in theirs.messages}


def test_without_a_name_nothing_is_read(tmp_path: Path) -> None:
    path = chat(tmp_path, ANDROID)
    with pytest.raises(
        Unreadable, match=r"a chat of several people: say who you are with --me NAME, one of Ann \(2\), Bob \(2\)"
    ):
        items(path)
    with pytest.raises(Unreadable, match=r"nobody is named Zoe: say who you are with --me NAME, one of Ann"):
        items(path, options=Options(me=("Zoe",)))
    chat(tmp_path, "You: I own a boat\nAssistant: Nice\n", "other.md")
    found: list[Item] = items(tmp_path)
    assert [one.source for one in found if isinstance(one, NewConversation)] == ["markdown"]
    assert len(problems(found)) == 1, "the rest is read"


def test_a_chat_in_which_the_person_has_another_name_is_a_problem(tmp_path: Path) -> None:
    chat(tmp_path, ANDROID)
    chat(tmp_path, ANDROID.replace("Ann:", "Anna:"), "WhatsApp Chat with Kim.txt")
    found = items(tmp_path, options=ME)
    (problem,) = [one for one in found if isinstance(one, Problem)]
    assert "Kim" in problem.place and "--me NAME, one of: " in problem.reason and "Anna" in problem.reason


def test_the_answer_to_who_it_is(tmp_path: Path) -> None:
    asked = []

    def answer(people: object, place: str) -> list[str]:
        asked.append((people, place))
        return ["Ann"]

    assert [one.role for one in only(chat(tmp_path, ANDROID), Options(ask_me=answer)).messages][1] is Role.USER
    assert asked == [({"Ann": 2, "Bob": 2}, "WhatsApp Chat with Bob.txt")]


def test_logs_of_programs_and_damaged_chats(tmp_path: Path) -> None:
    log = chat(tmp_path, "2024-01-01 10:32:11 - INFO: started\n2024-01-01 10:32:12 - ERROR: no\n", "app.txt")
    assert skipped(items(chat(tmp_path, ANDROID).parent, options=ME))["other_file"] == 1, log
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"1/1/2024, 00:03 - Ann: \xff\xfe\x00 I live in Ghent\n99/99/2024, 00:04 - Ann: late\n")
    assert [one.created_at is None for one in only(broken).messages] == [False, True]
