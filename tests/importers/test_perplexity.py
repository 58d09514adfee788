"""Perplexity threads: exported as Markdown, and as the web page gets them."""

from pathlib import Path

import pytest

from curator.importers import Format, Unrecognised, detect
from importers.sample_logs import Json, conversations, items, problems, said, turns, write_json, write_lines

LOGO = '<img src="https://r2cdn.perplexity.ai/pplx-full-logo-primary-dark%402x.png" style="height:64px"/>\n\n'
FIRST = (
    "# Which tent for two?\n\nA **light** one.[^1]\n\n# Weight\n\nTwo kilos.\n\n"
    '<span style="display:none">[^2]</span>\n\n<div align="center">⁂</div>\n\n[^1]: https://example.org/tents\n\n'
)
SECOND = "---\n\n# And for three?\n\n---\nA larger one.\n"


def entry(uuid: str, question: str, answer: str, second: int) -> Json:
    block = {"intended_usage": "ask_text", "markdown_block": {"chunks": [answer[:3], answer[3:]]}}
    at = f"2025-10-01T10:00:{second:02}.000000"
    return {
        "uuid": uuid,
        "context_uuid": "thread-1",
        "query_str": question,
        "blocks": [block],
        "entry_created_datetime": at,
    }


def thread(*entries: Json) -> Json:
    return {"status": "success", "entries": list(entries), "thread_metadata": {"title": "Tents"}}


def test_markdown_has_the_questions_as_headings(tmp_path: Path) -> None:
    path = tmp_path / "Which tent.md"
    path.write_text(LOGO + FIRST + SECOND)
    assert detect(path) is Format.PERPLEXITY
    (chat,) = conversations(path)
    assert turns(chat.messages) == [
        ("user", "spoken", "Which tent for two?"),
        ("assistant", "spoken", "A **light** one.[^1]\n\n# Weight\n\nTwo kilos.\n\n[^1]: https://example.org/tents"),
        ("user", "spoken", "And for three?"),
        ("assistant", "spoken", "A larger one."),
    ]
    assert (chat.source, chat.external_id, chat.title) == ("perplexity", None, "Which tent for two?")
    assert chat.created_at is None


def test_grown_markdown_keeps_its_identities(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(LOGO + FIRST)
    (before,) = conversations(path)
    path.write_text(LOGO + FIRST + SECOND)
    (after,) = conversations(path)
    assert after.identity == before.identity
    assert after.messages[:2] == before.messages
    path.write_text(LOGO + "nothing")
    with pytest.raises(Unrecognised, match="no question found"):
        items(path)


def test_a_thread_of_the_page_has_dates_and_ids(tmp_path: Path) -> None:
    one, two = entry("q1", "Which tent?", "A light one.", 1), entry("q2", "For three?", "A larger one.", 2)
    path = write_json(tmp_path / "thread.json", thread(two, one))
    assert detect(path) is Format.PERPLEXITY
    (chat,) = conversations(path)
    assert turns(chat.messages) == [
        ("user", "spoken", "Which tent?"),
        ("assistant", "spoken", "A light one."),
        ("user", "spoken", "For three?"),
        ("assistant", "spoken", "A larger one."),
    ]
    assert (chat.external_id, chat.title) == ("thread-1", "Tents")
    assert chat.created_at == chat.messages[0].created_at == 1_759_312_801_000_000
    (before,) = conversations(write_json(tmp_path / "before.json", thread(one)))
    assert (before.identity, before.messages) == (chat.identity, chat.messages[:2])


def test_a_damaged_record_does_not_stop_the_rest(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [thread(entry("q1", "Why?", "So.", 1)), {"broken": 1}])
    assert [said(chat.messages) for chat in conversations(path)] == [["Why?", "So."]]
    assert [problem.place for problem in problems(items(path))] == ["a.jsonl: line 2"]
