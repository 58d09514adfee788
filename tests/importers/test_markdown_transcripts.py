"""Markdown transcripts: how a message may begin, and what must not begin one."""

from pathlib import Path

import pytest

from curator.importers import Format, Unrecognised, detect
from importers.sample_logs import conversations, said
from store.model import Channel, Role

PLAIN = "User: I collect stamps.\nAssistant: Since when?\nUser: Since 1999."


def file(tmp_path: Path, text: str, name: str = "talk.md") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "**You:** I collect stamps.\n\n**Claude:** Since when?\n\n**You:** Since 1999.",
        "**User**: I collect stamps.\n**Assistant**: Since when?\n**User**: Since 1999.",
        "# Stamps\n\n## Human\n\nI collect stamps.\n\n## Assistant\n\nSince when?\n\n## Human\n\nSince 1999.\n",
        "### 👤 User (2024-05-01 10:32)\nI collect stamps.\n### 🤖 ChatGPT\nSince when?\n### 👤 User\nSince 1999.",
        "You said:\nI collect stamps.\n\nChatGPT said:\nSince when?\n\nYou said:\nSince 1999.",
        "> I collect stamps.\n\nSince when?\n\n> Since 1999.\n\nOk.",
        "[2024-05-01 10:32] User: I collect stamps.\n[2024-05-01 10:33] GPT-4: Since when?\nUser: Since 1999.",
    ],
)
def test_turns_are_found(tmp_path: Path, text: str) -> None:
    path = file(tmp_path, text)
    assert detect(path) is Format.MARKDOWN
    (chat,) = conversations(path)
    assert said(m for m in chat.messages if m.role is Role.USER) == ["I collect stamps.", "Since 1999."]
    assert said(chat.messages)[1] == "Since when?"
    assert {m.channel for m in chat.messages} == {Channel.SPOKEN}


def test_nothing_splits_inside_a_fence(tmp_path: Path) -> None:
    answer = "Try:\n```yaml\nUser: root\nAssistant: none\n~~~\n```\nDone."
    (chat,) = conversations(file(tmp_path, f"User: How?\nAssistant: {answer}\nUser: Thanks a lot."))
    assert said(chat.messages) == ["How?", answer, "Thanks a lot."]


def test_another_way_of_naming_splits_nothing(tmp_path: Path) -> None:
    text = "## User\nWrite a play.\n## Assistant\nUser: Hello!\nAssistant: Hi.\n## User\nMore."
    (chat,) = conversations(file(tmp_path, text))
    assert said(chat.messages) == ["Write a play.", "User: Hello!\nAssistant: Hi.", "More."]


def test_a_fence_that_is_never_closed_is_none(tmp_path: Path) -> None:
    (chat,) = conversations(file(tmp_path, "User: Why ```\n```\nAssistant: Because.\nUser: I see."))
    assert said(chat.messages) == ["Why ```\n```", "Because.", "I see."]


def test_aider_histories_hold_several_sessions(tmp_path: Path) -> None:
    text = (
        "\n# aider chat started at 2024-05-01 10:32:00\n\n> Aider v0.30\n\n#### add a pump\n\nSure:\n\n"
        "```\n#### no prompt\n```\n"
        "> Applied edit\n\n# aider chat started at 2024-05-02 08:00:00\n\n#### remove it\n#### please\n\nDone.\n"
    )
    first, second = conversations(file(tmp_path, text, ".aider.chat.history.md"))
    assert said(m for m in first.messages if m.role is Role.USER) == ["add a pump"]
    assert said(m for m in second.messages if m.role is Role.USER) == ["remove it\nplease"]
    assert [m.channel for m in first.messages if m.role is Role.TOOL] == [Channel.TOOL] * 2
    assert first.created_at == 1_714_559_520_000_000
    assert "#### no prompt" in first.messages[2].text


def test_a_grown_transcript_adds_the_difference(tmp_path: Path) -> None:
    (before,) = conversations(file(tmp_path, PLAIN))
    (after,) = conversations(file(tmp_path, PLAIN + "\nAssistant: Long ago.\nUser: Since 1999."))
    assert after.identity == before.identity
    assert after.messages[:3] == before.messages
    assert len({m.identity for m in after.messages}) == 5


@pytest.mark.parametrize(
    "text", ["# Notes\n\nBuy milk.\n", "User: root\nPassword: none\n", "\n", "> one quote\n\nand no more"]
)
def test_other_texts_are_no_transcripts(tmp_path: Path, text: str) -> None:
    with pytest.raises(Unrecognised, match=r"docs/formats\.md"):
        detect(file(tmp_path, text))
