"""Claims, links and names in README and docs match the program."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.main import get_command

from curator.cli.commands import app
from curator.cli.output import INTERRUPTED, MODEL, NOTHING, STORE, USAGE
from curator.config import explained, settings
from curator.filters import parse_filter
from curator.importers import Format
from curator.importers.formats import FORMATS
from curator.recall.types import Preset
from curator.tui.actions import SCOPES
from curator.tui.keymap import keymap
from curator.tui.looks import load
from curator.tui.themes import shipped
from curator.ui_defaults import Keymap
from readme import DOCS, README, ROOT, TABLES, code_spans, pages, with_table

TEXTS = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in pages()}
CHANGES = "CHANGELOG.md"  # also mentions what no longer exists
README_TEXT = TEXTS["README.md"]


def _blocks(language: str) -> list[str]:
    """Return the fenced code blocks of a language on all pages."""
    return [block for text in TEXTS.values() for block in re.findall(rf"```{language}\n(.*?)```", text, re.S)]


@pytest.mark.parametrize("name", TABLES)
def test_generated_tables_are_those_of_the_program(name: str) -> None:
    text = (DOCS / TABLES[name][0]).read_text("utf-8")
    assert with_table(text, name) == text, "run `python tests/readme.py`"


def test_the_table_of_formats_has_all_of_them_and_the_readme_their_number() -> None:
    section = TEXTS["docs/formats.md"].partition("## Comparison with other programs")[2].partition("\n## ")[0]
    marks = [line.strip("| ").split(" | ")[1:] for line in section.splitlines() if " | " in line][1:]
    assert len(marks) == len(Format)
    assert all(len(row) == 5 and row[0] == "✓" and set(row) <= {"✓", "–"} for row in marks)
    assert f"Curator reads {len(Format)} formats" in README_TEXT
    places = [line.split(" | ")[2] for line in TEXTS["docs/formats.md"].splitlines() if line.count(" | ") == 3]
    assert sum("Downloads" in place for place in places) == sum(one.exported for one in FORMATS)


def test_the_readme_fits_two_screens_with_its_commands_and_picture() -> None:
    assert len(README_TEXT.splitlines()) <= 90
    assert re.search(r"^python3 -m venv .*pip install.*\n\.venv/bin/curator demo$", README_TEXT, re.M)
    assert re.search(r"^python3 -m venv .*pytest", README_TEXT, re.M)
    (picture,) = re.findall(r"!\[[^]]*\]\(([^)]*)\)", README_TEXT)
    assert (Path(README).parent / picture).is_file()


def test_no_page_has_markers_of_a_merge_conflict() -> None:
    assert [page for page, text in TEXTS.items() if re.search(r"^(?:<{7}|>{7}) ", text, re.M)] == []


@pytest.mark.parametrize("page", TEXTS)
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", TEXTS[page]):
        if link.startswith(("http:", "https:", "mailto:")):
            continue
        path, _, heading = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        if heading:
            assert heading in _headings(target.read_text("utf-8")), link


def _headings(text: str) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("block", _blocks("toml"))
def test_examples_of_settings_are_taken(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_HOME", str(tmp_path))
    (tmp_path / "config.toml").write_text(block, "utf-8")
    settings()
    looks = load()
    for preset in get_args(Keymap):
        keymap(SCOPES, preset, looks.keys, tmp_path / "config.toml")


LINES = [line for block in _blocks("sh") for line in block.splitlines()]


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("curator ")])
def test_examples_of_commands_are_understood(line: str) -> None:
    command: Any = get_command(app)
    words = shlex.split(line, comments=True)[1:]
    while words and words[0] in getattr(command, "commands", ()):
        command = command.commands[words.pop(0)]
    assert command.make_context("curator", words, resilient_parsing=False) is not None


def test_tasks_of_the_makefile_are_there() -> None:
    tasks = set(re.findall(r"^([\w.]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    named = {found[1] for line in LINES if (found := re.match(r"make (\w+)", line))}
    assert named and named <= tasks


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("curator list")])
def test_examples_of_filters_are_understood(line: str) -> None:
    assert parse_filter(shlex.join(shlex.split(line)[2:]))


def test_the_names_that_pages_list_are_all_there_are() -> None:
    codes = re.findall(r"^\| (\d+) \|", TEXTS["docs/commands.md"], re.M)
    assert [int(code) for code in codes] == [0, NOTHING, USAGE, STORE, MODEL, INTERRUPTED]
    ranked = re.findall(r"`([a-z-]+)`", "".join(re.findall(r"^\| \*{0,2}(`.*?) \|", TEXTS["docs/ranking.md"], re.M)))
    assert set(ranked) == set(Preset)
    themes, _ = shipped()
    assert {theme.name for theme in themes} <= set(code_spans(TEXTS["docs/keys.md"]))


def _spans() -> Iterator[tuple[str, str]]:
    """Yield each inline code span with its page."""
    for page, text in TEXTS.items():
        if page != CHANGES:
            yield from ((page, span) for span in code_spans(text))


def test_commands_named_in_the_text_are_there() -> None:
    commands: Any = get_command(app)
    names = commands.list_commands(None)
    for page, span in _spans():
        if found := re.match(r"curator ([a-z]+)", span):
            assert found[1] in names, f"{page}: {span}"


def test_settings_named_in_the_text_are_there() -> None:
    known = {name for name, _, _ in explained()}
    sections = {name.partition(".")[0] for name in known}
    for page, span in _spans():
        section, dot, key = span.partition(".")
        if dot and section in sections and re.fullmatch(r"[a-z_]+", key) and key not in ("py", "md", "toml"):
            assert span in known, f"{page}: {span}"


def test_the_map_has_every_package_and_module_of_the_top() -> None:
    spans = set(code_spans(TEXTS["docs/architecture.md"]))
    for name in ("curator", "store"):
        packages = [f"{file.parent.relative_to(ROOT).as_posix()}/" for file in ROOT.glob(f"{name}/*/__init__.py")]
        assert set(packages) <= spans
    modules = {f"curator/{file.name}" for file in ROOT.glob("curator/*.py") if not file.name.startswith("__")}
    assert modules <= spans


PLACE = re.compile(r"(?:(?:curator|store|tests|themes|docs)/[\w./*-]*|[\w-]+\.(?:md|toml|yaml))(?::([\w.]+))?")


THEIRS = ("config.toml", "themes/", "CLAUDE.md", "AGENTS.md", "GEMINI.md", "QWEN.md", "config.yaml")
"""Files of the person and of other programs."""


def test_files_and_functions_named_in_the_text_are_there() -> None:
    for page, span in _spans():
        for word in span.split():
            if PLACE.fullmatch(word) and not word.startswith(THEIRS):
                path, _, name = word.partition(":")
                files = [*ROOT.glob(path)]
                assert files, f"{page}: {word}"
                assert not name or name.rpartition(".")[2] in _defined(files[0]), f"{page}: {word}"


@cache
def _defined(file: Path) -> set[str]:
    """Return the classes, functions, methods and constants of a module."""
    found = re.finditer(r"^\s*(?:async )?(?:def|class) (\w+)|^(\w+)(?::[^=\n]*)? = ", file.read_text("utf-8"), re.M)
    return {one[1] or one[2] for one in found}
