"""Gemini chats from Takeout: activities as JSON and HTML in several languages, and Workspace conversations."""

from pathlib import Path

import pytest

from curator.importers import Format, Unrecognised, detect
from curator.importers.html_text import html_text
from curator.importers.takeout_dates import date_of, is_date
from importers.sample_logs import (
    conversations,
    gemini_activity,
    gemini_page,
    items,
    problems,
    said,
    skipped,
    turns,
    write_json,
    write_zip,
)

LATER = gemini_activity("Prompted Yes, tulips.", "<p>Nice.</p>", "2025-08-01T10:05:00.500Z")
FIRST = gemini_activity("Prompted I garden.", "<p>What do you <b>grow</b>?</p>", "2025-08-01T10:00:00.250Z")
NEXT_DAY = gemini_activity("Asked Is it May?", None, "2025-08-02T10:00:00Z")


def test_activities_are_parted_by_half_an_hour_of_silence(tmp_path: Path) -> None:
    path = write_json(tmp_path / "in" / "MyActivity.json", [NEXT_DAY, LATER, FIRST])
    assert detect(path) is Format.GEMINI
    later, talk = conversations(path)
    assert turns(talk.messages) == [
        ("user", "spoken", "I garden."),
        ("assistant", "spoken", "What do you **grow**?"),
        ("user", "spoken", "Yes, tulips."),
        ("assistant", "spoken", "Nice."),
    ]
    assert said(later.messages) == ["Is it May?"]
    assert (talk.source, talk.external_id, talk.title) == ("gemini", None, "I garden.")
    assert talk.created_at == talk.messages[0].created_at == 1_754_042_400_250_000
    name = "Takeout/My Activity/Gemini Apps/MyActivity.json"
    zipped = write_zip(tmp_path / "takeout.zip", {name: [NEXT_DAY, LATER, FIRST]})
    assert conversations(zipped) == conversations(path.parent) == [later, talk]


def test_a_grown_log_keeps_its_identities(tmp_path: Path) -> None:
    (before,) = conversations(write_json(tmp_path / "a.json", [FIRST]))
    _, after = conversations(write_json(tmp_path / "b.json", [NEXT_DAY, LATER, FIRST]))
    assert after.identity == before.identity
    assert after.messages[:2] == before.messages


def test_a_page_gives_the_same_as_json(tmp_path: Path) -> None:
    page = gemini_page(
        ("Prompted&nbsp;Yes, tulips.", "Aug 1, 2025, 12:05:00\u202fPM CEST", "<p>Nice.</p>"),
        ("Prompted&nbsp;I garden.", "Aug 1, 2025, 12:00:00\u202fPM CEST", "<p>What do you <b>grow</b>?</p>"),
    )
    path = tmp_path / "MyActivity.html"
    path.write_text(page)
    assert detect(path) is Format.GEMINI
    (read,) = conversations(path)
    (talk,) = conversations(write_json(tmp_path / "a.json", [LATER, FIRST]))
    assert (read.identity, read.title, turns(read.messages)) == (talk.identity, talk.title, turns(talk.messages))
    assert [m.identity for m in read.messages] == [m.identity for m in talk.messages]
    assert read.created_at == 1_754_042_400_000_000


def test_a_link_names_the_conversation(tmp_path: Path) -> None:
    link = {"details": [{"name": "https://gemini.google.com/app/c0ffee"}]}
    log = [
        gemini_activity("Prompted Roses.", "<p>Red?</p>", "2025-09-01T10:00:00Z", **link),
        NEXT_DAY,
        gemini_activity("Prompted I garden.", "<p>What?</p>", "2025-08-01T10:00:00Z", **link),
    ]
    _, talk = conversations(write_json(tmp_path / "a.json", log))
    assert talk.external_id == "c0ffee"
    assert said(talk.messages) == ["I garden.", "What?", "Roses.", "Red?"]
    path = tmp_path / "a.html"
    path.write_text(gemini_page(("Prompted&nbsp;I garden.", "1 Aug 2025, 10:00:00 UTC", "<p>What?</p>"), chat="c0ffee"))
    (page,) = conversations(path)
    assert (page.identity, page.messages[:2]) == (talk.identity, talk.messages[:2])


def test_a_page_in_another_language_is_read(tmp_path: Path) -> None:
    files = "1 priložena datoteka.<br>-&nbsp; <a href='a-1.png'>a.png</a>"
    path = tmp_path / "Moja_dejavnost.html"
    cells = (
        ("Ustvarjeno platno Gemini z naslovom&nbsp;Kviz<br>print(1)", "6. nov. 2025, 01:34:47 CEST", ""),
        (f"Poslali ste poziv:&nbsp;Kaj je to?<br>Povej.<br>{files}", "5. nov. 2025, 01:34:47 CEST", "<p>Roža.</p>"),
        ("Uporabljena je bila funkcija", "5. nov. 2025, 01:30:00 CEST", ""),
        ("Poslali ste poziv:&nbsp;Kdaj?", "nekoč", "<p>Jutri.</p>"),
    )
    path.write_text(gemini_page(*cells, product="Aplikacije Gemini"))
    canvas, talk = conversations(path)
    assert turns(talk.messages) == [
        ("user", "spoken", "Kaj je to?\nPovej.\n[attachment: a.png]"),
        ("assistant", "spoken", "Roža."),
    ]
    assert [(m.role.value, m.channel.value) for m in canvas.messages] == [("assistant", "tool")]
    assert talk.created_at == 1_762_299_287_000_000
    assert skipped(items(path)) == {"not_a_message": 1}
    assert [problem.place for problem in problems(items(path))] == ["Moja_dejavnost.html: activity 4"]


def test_what_was_not_said_is_counted(tmp_path: Path) -> None:
    log = [
        gemini_activity("Selected preferred draft", None, "2025-08-01T10:02:00Z"),
        gemini_activity("Created Gemini Canvas titled Quiz", "<p>1 + 1</p>", "2025-08-01T10:01:00Z"),
        {"broken": 1},
        gemini_activity("Searched for tulips", None, "2025-08-01T10:00:30Z", header="Search", products=["Search"]),
        gemini_activity("Prompted Look Attached 1 file.", "<p>A cat</p>", "2025-08-01T10:00:00Z", imageFile="cat.png"),
    ]
    path = write_json(tmp_path / "a.json", log)
    (chat,) = conversations(path)
    assert turns(chat.messages) == [
        ("user", "spoken", "Look\n[attachment: cat.png]"),
        ("assistant", "spoken", "A cat"),
        ("assistant", "tool", "Created Gemini Canvas titled Quiz\n1 + 1"),
    ]
    assert skipped(items(path)) == {"not_a_message": 2}
    assert len(problems(items(path))) == 1


def test_activities_in_other_products_are_no_log(tmp_path: Path) -> None:
    path = tmp_path / "MyActivity.html"
    path.write_text(gemini_page(("Searched for&nbsp;tulips", "Aug 1, 2025, 12:05:00 PM UTC", ""), product="Search"))
    with pytest.raises(Unrecognised):
        detect(path)


def test_conversations_of_workspace_are_files(tmp_path: Path) -> None:
    turns_ = [
        {"user_turn": {"prompt": "I garden.", "turn_index": 0, "turn_last_modified": "2025-08-01T10:00:00Z"}},
        {
            "system_turn": {
                "text": [{"data": "What do you grow?"}],
                "turn_index": 1,
                "model_thoughts": [{"headline": "Plants", "description": "Ask."}],
            }
        },
        {"user_turn": {"prompt": "Nothing.", "turn_index": 2, "turn_deleted_time": "2025-08-02T10:00:00Z"}},
    ]
    log = {"title": "Garden", "creation_time": "2025-08-01T09:59:00Z", "conversation_turns": turns_}
    path = tmp_path / "conversation_3.txt"
    write_json(path, log)
    assert detect(path) is Format.GEMINI
    (chat,) = conversations(path)
    assert turns(chat.messages) == [
        ("user", "spoken", "I garden."),
        ("assistant", "thinking", "Plants\nAsk."),
        ("assistant", "spoken", "What do you grow?"),
    ]
    assert (chat.title, chat.created_at) == ("Garden", 1_754_042_340_000_000)
    assert skipped(items(path)) == {"do_not_remember": 1}


@pytest.mark.parametrize(
    ("line", "micros"),
    [
        ("Nov 5, 2025, 1:34:47\u202fAM CEST", 1_762_299_287),
        ("5. nov. 2025, 01:34:47 CEST", 1_762_299_287),
        ("5 de nov. de 2025, 01:34:47 BRT", 1_762_317_287),
        ("2025/11/05 1:34:47 JST", 1_762_274_087),
        ("2025. 11. 5. 오후 1:34:47 KST", 1_762_317_287),
        ("05.11.2025, 01:34:47 MEZ", 1_762_302_887),
        ("2025年11月5日 01:34:47 GMT+8", 1_762_277_687),
        ("5 févr. 2025, 01:34:47 CET", 1_738_715_687),
        ("5 sept. 2025, 01:34:47 CEST", 1_757_028_887),
        ("5. marraskuuta 2025, 01:34:47", None),
    ],
)
def test_dates_are_understood_in_many_languages(line: str, micros: int | None) -> None:
    assert is_date(line)
    assert date_of(line) == (None if micros is None else micros * 1_000_000)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>a &lt; b &amp;&amp; c</p><p>d<br>e</p>", "a < b && c\n\nd\ne"),
        ("<h2>Steps</h2><ul><li><p>First</p></li><li>Second</li></ul>", "## Steps\n\n- First\n\n- Second"),
        ("<pre><code>x = 1\n  y = 2\n</code></pre> after", "```\nx = 1\n  y = 2\n```\n\nafter"),
        ("<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>", "A | B\n1 | 2"),
        ("<style>p {}</style><!-- no -->See <a href='x'>the docs</a>", "See the docs"),
        ("<p>hello<<<>>", "hello<<<>>"),
    ],
)
def test_html_becomes_text(page: str, text: str) -> None:
    assert html_text(page) == text
