"""The person's name in a group chat: given as an option, or asked on a terminal."""

import io
import sys
from pathlib import Path

import pytest

from cli.runner import Curator
from effort import thorough

pytestmark = thorough

CHAT = """\
1/1/2024, 00:03 - Ann: I live in Ghent
1/1/2024, 00:04 - Bob: I live in Bruges
1/1/2024, 00:05 - Bob: I own a boat
"""


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "WhatsApp Chat with Bob.txt"
    path.write_text(CHAT)
    return path


def test_only_the_persons_words_become_memories(curator: Curator, chat: Path) -> None:
    done = curator("import", chat, "--me", "ann", "--json")
    assert done.rows[0]["messages"] == {"user": 1, "other": 2, "assistant": 0, "tool": 0, "system": 0, "hidden": 0}
    assert [row["text"] for row in curator("list", "--json").rows] == ["I live in Ghent"]
    assert "Bob: I own a boat" in curator("grep", "boat").out
    assert "1 already known" in curator("import", chat, "--me", "Ann").out


def test_without_a_terminal_the_names_are_listed(curator: Curator, chat: Path) -> None:
    for words in ((), ("--dry-run",), ("--json",)):
        done = curator("import", chat, *words)
        assert done.code == 1
        assert "a chat of several people: say who you are with --me NAME, one of Bob (2), Ann (1)" in done.err
    done = curator("import", chat, "--me", "Zoe")
    assert done.code == 1 and "nobody is named Zoe" in done.err
    assert not curator("list", "--json").out


def test_a_part_of_a_name_is_enough_if_nobody_else_has_it(curator: Curator, tmp_path: Path) -> None:
    chat = tmp_path / "WhatsApp Chat with Bob.txt"
    chat.write_text(CHAT.replace("Ann:", "Ann Smith:").replace("Bob:", "Bob Smith:"))
    assert "nobody is named smith" in curator("import", chat, "--me", "smith").err
    assert curator("import", chat, "--me", "ann").code == 0
    assert [row["text"] for row in curator("list", "--json").rows] == ["I live in Ghent"]


def test_a_wrong_name_is_undone(curator: Curator, chat: Path) -> None:
    curator("import", chat, "--me", "Bob")
    curator("undo")
    curator("import", chat, "--me", "Ann")
    assert [row["text"] for row in curator("list", "--json").rows] == ["I live in Ghent"]
    again = curator("import", chat)
    assert "nothing new" in again.out and "found 0" not in again.out and again.code == 0


@pytest.mark.parametrize(
    ("answer", "code"), [("2\n", 0), ("Ann\n", 0), ("\n", 1), ("9\n", 1), ("9\n0\nZoe\n2\n", 0), ("ann\n", 0)]
)
def test_on_a_terminal_it_is_asked(
    curator: Curator, chat: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    answers = io.StringIO(answer)
    answers.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdin", answers)
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True)
    done = curator("import", chat, "--no-distil")
    assert done.code == code
    assert f"Chat {chat.name}: which one is you?" in done.err
    assert ("there is no 9; give a number from 1 to 2" in done.err) is answer.startswith("9")
    assert done.err.count("Number or name") == max(1, answer.count("\n") + (answer == "9\n"))
    assert "   1  Bob (2)\n   2  Ann (1)\n" in done.err
    assert ("added 1 conversation (1 user, 2 other)" in done.out) is (code == 0)


def test_a_chat_without_the_persons_name_is_not_counted_as_damaged(
    curator: Curator, chat: Path, tmp_path: Path
) -> None:
    (tmp_path / "own.json").write_text('{"messages": [{"role": "user", "content": "I own a boat."}]}')
    for words in (("--dry-run",), ()):
        done = curator("import", tmp_path, *words)
        assert "0 unreadable" in done.out and "whose_chat" in done.out and "--me NAME" in done.err
        assert "invalid" not in done.out
    assert curator("import", tmp_path, "--me", "Ann", "--json").rows[0]["reasons"].get("whose_chat") is None
