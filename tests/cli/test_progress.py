"""Progress lines: drawn on a terminal only."""

import io
import sys
from collections.abc import Iterator

import pytest

from cli.runner import Curator
from curator.cli.progress import ProgressLines, Task, progress


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Replace stderr by a terminal, with no pause between two drawings."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(ProgressLines, "every", 0)
    monkeypatch.setenv("TERM", "xterm")
    return stream


def test_lines_follow_what_is_done_and_are_gone_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    with progress() as lines:
        lines.show(Task("reading", 1, 4, "1 conversation"))
        lines.show(Task("reading", 2, 4, "2 conversations"))
        lines.show(Task("embedding", text="waiting"))
        drawn = screen.getvalue()
    assert " 25%" in drawn and " 50%" in drawn and "2 conversations" in drawn
    assert "embedding" in drawn and "reading" not in drawn.rpartition("embedding")[0].rpartition("2 conversations")[2]
    assert sys.stderr is screen and screen.getvalue().endswith("\x1b[2K")


def test_nothing_is_drawn_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as lines:
        lines.show(Task("reading", 1, 4))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("dumb", [False, True])
def test_a_long_import_prints_a_plain_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], dumb: bool
) -> None:
    if dumb:
        monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True)
        monkeypatch.setenv("TERM", "dumb")
    now = [0.0]
    monkeypatch.setattr("curator.cli.progress.time.monotonic", lambda: now[0])
    with progress(plain=True) as lines:
        for second in range(0, 25):
            now[0] = second
            lines.show(Task("distilling", second, 50, f"{second} of 50 conversations"))
        lines.show(Task("starting"))
    assert capsys.readouterr().err.splitlines() == [
        "curator: distilling 20% · 10 of 50 conversations",
        "curator: distilling 40% · 20 of 50 conversations",
    ]


def test_ctrl_c_says_that_the_work_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    with pytest.raises(SystemExit) as ended, progress(lambda: ", `curator undo` undoes it") as lines:
        lines.show(Task("reading", 1, 4))
        raise KeyboardInterrupt
    assert ended.value.code == 130
    assert "progress is kept; run the command again to continue, `curator undo`" in screen.getvalue()


def test_the_first_line_says_how_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    with progress() as lines:
        lines.show(Task("distil", 1, 4, "1 of 4"), Task("judge", 1, 4, "1 of 4"))
        drawn = screen.getvalue()
    shown = drawn.rpartition("distil")[2]
    assert "1 of 4 · ctrl+c stops" in shown and shown.count("ctrl+c") == 1


def test_the_search_for_logs_is_said_before_it_begins(monkeypatch: pytest.MonkeyPatch, curator: Curator) -> None:
    screen, drawn = terminal(monkeypatch), []

    def look() -> Iterator[object]:
        drawn.append(screen.getvalue())
        return iter(())

    monkeypatch.setattr("curator.importers.known_places", look)
    assert curator("import", "auto").code != 0
    assert "looking for logs" in drawn[0]
