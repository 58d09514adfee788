"""Help pages, shell completion, and the form of verbs that take ids."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main
from typer.main import get_command

from cli.runner import Curator
from curator.cli.commands import PANELS, app
from effort import thorough

ROOT: Any = get_command(app)


def commands(group: Any = ROOT, *before: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command and group of the program, with the words that call it."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        yield (*before, name), command
        if hasattr(command, "commands"):
            yield from commands(command, *before, name)


def test_each_command_stands_in_one_group() -> None:
    names = [name for names in PANELS.values() for name in names]
    assert sorted(names) == sorted(set(names)) == sorted({words[0] for words, _ in commands()})


def test_each_has_a_line_of_its_own(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page = curator("--help").out
    assert "..." not in page.replace("[ARGS]...", ""), "a line is cut short"
    assert [panel for panel in PANELS if f"\n{panel}:\n" not in page] == []
    assert curator("-h").out == page


@pytest.mark.parametrize("words", [words for words, _ in commands()], ids=" ".join)
def test_h_is_help(curator: Curator, words: Any) -> None:
    ran = curator(*words, "-h")
    assert (ran.code, ran.err) == (0, "") and ran.out.startswith(f"Usage: curator {' '.join(words)}")


@pytest.mark.parametrize("words", [words for words, _ in commands()], ids=" ".join)
def test_json_says_whether_it_is_one_object(curator: Curator, words: Any) -> None:
    page = " ".join(curator(*words, "-h").out.split())
    if "--json" in page:
        assert re.search(r"--json Print (one JSON object(\.|; with --)|JSON, one object per line\.)", page)


def complete(words: str) -> list[str]:
    """Return bash's completions at the end of a command line."""
    asked = {"_CURATOR_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "curator"], env=os.environ | asked, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@thorough
def test_a_shell_completes_commands_and_values() -> None:
    assert complete("curator val") == ["validate"]
    assert complete("curator tier 3 --to c") == ["core"]


@thorough
def test_values_have_names_and_not_python_types(curator: Curator) -> None:
    pages = [curator(*words, "-h").out for words, _ in commands()]
    assert [page for page in pages if re.search(r"<[a-z]|range>|x>=", page)] == []
    assert "--limit N " in curator("list", "-h").out and "core|medium|low" in curator("tier", "-h").out
    assert "relationship" in curator("add", "-h").out, "the choices that are too many for a name"


def test_former_names_of_commands_still_work(curator: Curator) -> None:
    assert curator("later", "-h").out.replace("later", "snooze") == curator("snooze", "-h").out
    assert curator("take", "-h").code == 0


def test_completion_is_shown_to_install(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    built_anew: Any = typer.main.get_command  # the variable is read while the commands are built
    built_anew.cache_clear()
    shown = curator("--show-completion", "bash")
    built_anew.cache_clear()
    assert shown.code == 0 and "_CURATOR_COMPLETE" in shown.out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["tier", "core", "3"], "curator tier 3 --to core"),
        (["tier", "core", "3", "4", "--json"], "curator tier 3 4 --to core"),
        (["tier", "3", "4"], "curator tier 3 4 --to VALUE"),
        (["kind", "task", "3"], "curator kind 3 --to task"),
        (["score", "5", "11", "12"], "curator score 11 12 --to 5"),
        (["score", "5"], "curator score 5 --to VALUE"),
        (["scope", "project:site", "3"], "curator scope 3 --to project:site"),
        (["until", "30d", "3"], "curator until 3 --to 30d"),
        (["until", "2027-03-01", "3"], "curator until 3 --to 2027-03-01"),
        (["importance", "8", "3"], "curator importance 3 --to 8"),
    ],
)
def test_the_value_in_the_first_place_names_how_to_write_it(curator: Curator, old: Any, new: Any) -> None:
    ran = curator(*old)
    assert ran.code == 2 and f"write it as: {new}\n" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("validate",), "already validated"),
        (("tier", "--to", "medium"), "already medium"),
        (("kind", "--to", "fact"), "already fact"),
        (("scope", "--to", "global"), "scope is already global"),
        (("score", "--to", "none"), "no score of yours"),
        (("until", "--to", "default"), "the end date is already the default of its kind"),
        (("pin", "--off"), "not pinned"),
        (("tag", "--remove", "x"), "tags unchanged"),
        (("restore",), "already live"),
    ],
)
def test_what_is_so_already_is_said_and_no_failure(curator: Curator, words: Any, said: Any) -> None:
    curator("add", "I like tea")
    ran = curator(*words, 1)
    assert (ran.code, ran.out, ran.err) == (0, f"{said}\n", "")
    if words != ("restore",):
        as_json = curator(*words, 1, "--json")
        assert (as_json.code, as_json.rows) == (0, [{"changed": 0, "memories": [1]}])
    assert len(curator("log", "--json").rows) == 1, "it is no step"
