"""Themes: the built-in ones are readable for everybody, the person's own are checked, and errors name the file."""

import math
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.color import Color as Drawn
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.theme import Theme

from curator.tui.themes import DEFAULT, TOKENS, ThemeError, available, parse, shipped
from curator.ui_defaults import Looks
from effort import some, thorough
from factories import put
from store import Store
from tui.driver import Driven, opened
from tui.sample_store import fill

THEMES = shipped()[0]
WRITTEN = TOKENS[4:]  # all but the backgrounds
BEHIND = ("background", "raised", "cursor")

COLOURED = [theme for theme in THEMES if not theme.ansi]
"""Themes with colours of their own: those in the terminal's colours have no contrast that could be computed."""
NAMED = [theme for theme in THEMES if theme.ansi]


def contrast(one: str, other: str) -> float:
    """Return the WCAG 2 contrast ratio, 1-21."""
    lights = sorted(_luminance(_linear(colour)) for colour in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _linear(colour: str) -> tuple[float, ...]:
    parts = (part / 255 for part in Color.parse(colour).rgb)
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def _luminance(linear: tuple[float, ...]) -> float:
    red, green, blue = linear
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_there_is_one_for_every_eye_and_none_is_broken() -> None:
    named = {theme.name: theme for theme in THEMES}
    assert shipped()[1] == []
    assert {name for name, theme in named.items() if theme.dark} >= {"curator-dark", "ember", "high-contrast"}
    assert {name for name, theme in named.items() if not theme.dark} >= {"curator-light", "paper", "ansi-day"}
    assert {theme.name for theme in NAMED} == {"ansi", "ansi-day"}
    assert DEFAULT in named


@pytest.mark.parametrize("theme", COLOURED, ids=lambda theme: theme.name)
@pytest.mark.parametrize("token", WRITTEN)
def test_everything_can_be_read_on_every_ground(theme: Theme, token: str) -> None:
    least = 7 if theme.name == "high-contrast" else 4.5
    for ground in BEHIND:
        assert contrast(theme.variables[token], theme.variables[ground]) >= least, ground


@pytest.mark.parametrize("theme", COLOURED, ids=lambda theme: theme.name)
def test_the_words_of_a_memory_are_the_clearest_thing_there_is(theme: Theme) -> None:
    clear = {token: contrast(theme.variables[token], theme.variables["background"]) for token in WRITTEN}
    assert max(clear, key=clear.__getitem__) == "text"


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_the_cursor_row_stands_out(theme: Theme) -> None:
    assert theme.variables["cursor"] != theme.variables["background"]


# Red-green colour blindness

_BLIND = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}


def seen(colour: str, eyes: str) -> tuple[float, float, float]:
    """Return a colour as seen with a colour vision deficiency, in CIE 1976 L*a*b* (D65).

    After G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color
    Vision Deficiency", IEEE Transactions on Visualization and Computer Graphics 15(6), 2009: their matrices for
    severity 1.0, on linear RGB.
    """
    linear = _linear(colour)
    red, green, blue = (
        min(max(sum(a * b for a, b in zip(row, linear, strict=True)), 0.0), 1.0) for row in _BLIND[eyes]
    )
    x = _root((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047)
    y = _root(0.2126729 * red + 0.7151522 * green + 0.0721750 * blue)
    z = _root((0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _root(part: float) -> float:
    return part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116


@pytest.mark.parametrize("eyes", _BLIND)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("good", "bad"),
        ("warn", "bad"),
        ("diff-old", "diff-new"),
        ("tier-core", "tier-medium"),
        ("tier-medium", "tier-low"),
        ("tier-core", "tier-low"),
    ],
)
def test_one_theme_needs_no_eye_for_red_and_green(eyes: str, one: str, other: str) -> None:
    """Check a difference of at least 20: 2.3 is just noticeable, 20 is another colour."""
    tokens = next(theme for theme in THEMES if theme.name == "colour-blind").variables
    assert math.dist(seen(tokens[one], eyes), seen(tokens[other], eyes)) >= 20


def test_the_simulation_takes_red_and_green_together_and_leaves_greys_alone() -> None:
    red, green = seen("#b05050", "deuteranopia"), seen("#6f7d50", "deuteranopia")
    assert math.dist(red, green) < 12
    assert math.dist(seen("#808080", "protanopia"), (53.585, 0, 0)) < 0.1


# Drawn text


def drawn(app: Driven) -> Iterator[tuple[str, Drawn, Drawn]]:
    """Yield every visible piece of text on the screen with its two drawn colours; lines and bars are no text."""
    ground = app.app.screen.background_colors[1]
    for strip in app.app.screen._compositor.render_strips():
        line: list[Segment] = list(strip)
        for change in app.app._filters:
            line = change.apply(line, ground) if change.enabled else line
        for text, style, _ in line:
            if style is not None and text.strip(" │▏▌─"):
                assert style.color is not None and style.bgcolor is not None, text
                yield text, *((style.bgcolor, style.color) if style.reverse else (style.color, style.bgcolor))


@thorough
@pytest.mark.parametrize("theme", some(COLOURED, 3), ids=lambda theme: theme.name)
async def test_what_is_drawn_can_be_read(store: Store, theme: Theme) -> None:
    fill(store)
    least = 7 if theme.name == "high-contrast" else 4.5
    async with opened(store, looks=Looks(theme=theme.name)) as app:
        await app.press("space", "space", "k", "k")
        pieces = list(drawn(app))
        faint = [
            (text, front.name, back.name)
            for text, front, back in pieces
            if contrast(front.get_truecolor().hex, back.get_truecolor().hex) < least
        ]
        await app.press("?")
        assert app.app.theme == theme.name
    assert len(pieces) > 50
    assert faint == []


@thorough
@pytest.mark.parametrize("theme", some(NAMED, 1), ids=lambda theme: theme.name)
async def test_the_terminals_own_colours_are_sent_by_name(store: Store, theme: Theme) -> None:
    assert {Color.parse(theme.variables[token]).ansi for token in TOKENS} <= {-1, *range(16)}
    fill(store)
    async with opened(store, looks=Looks(theme=theme.name)) as app:
        await app.press("space", "space", "k", "k")
        sent = {colour for _, front, back in drawn(app) for colour in (front, back)}
        await app.press("?")
        sent |= {colour for _, front, back in drawn(app) for colour in (front, back)}
    assert [colour.name for colour in sent if not (colour.is_default or colour.is_system_defined)] == []
    assert len(sent) > 5


@thorough
@pytest.mark.parametrize("theme", some(list(THEMES), 1), ids=lambda theme: theme.name)
async def test_without_colour_nothing_is_lost(store: Store, monkeypatch: pytest.MonkeyPatch, theme: Theme) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    put(store, "one", "two")
    async with opened(store, looks=Looks(theme=theme.name)) as app:
        assert app.app.no_color
        assert [app.listing.render_line(y).text[0] for y in (0, 1)] == ["▌", " "]
        assert [text for text, front, back in drawn(app) if front == back and not front.is_default] == []


@thorough
@pytest.mark.parametrize("theme", some(NAMED[::-1], 1), ids=lambda theme: theme.name)
async def test_behind_a_menu_in_the_terminals_own_colours_the_list_is_seen_and_its_cursor_row_stands_out(
    store: Store, theme: Theme
) -> None:
    put(store, "words of the list behind")
    async with opened(store) as app:
        await app.press("colon")
        await app.write("theme")
        await app.press("enter")
        await app.press(*["down"] * (1 + sorted(one.name for one in THEMES if one.name != DEFAULT).index(theme.name)))
        assert app.app.theme == theme.name
        assert f"for {'dark' if theme.dark else 'light'} backgrounds" in app.seen()
        assert "words of the list behind" in app.seen()
        assert any(style and style.reverse for style in _styles(app, f" {theme.name} "))


def _styles(app: Driven, words: str) -> list[Style | None]:
    """Return the styles of the pieces of text that hold the words."""
    strips = app.app.screen._compositor.render_strips()
    return [style for strip in strips for text, style, _ in strip if words in text]


@thorough
async def test_one_changes_into_another_and_back(store: Store) -> None:
    put(store, "one")
    async with opened(store) as app:
        for name in ("ansi", "paper", "ansi-day", DEFAULT):
            app.app.theme = name
            await app.rest()
            ansi = name.startswith("ansi")
            assert all((front.is_default or front.is_system_defined) == ansi for _, front, _ in drawn(app))
            assert all(style and style.bold for _, style, _ in app.listing.render_line(0)) == ansi


async def test_an_unknown_theme_is_one_message_and_the_default(store: Store) -> None:
    put(store, "one")
    async with opened(store, looks=Looks(theme="no-such")) as app:
        assert app.app.theme == DEFAULT
        assert f"unknown theme no-such: using {DEFAULT}; available: ansi, " in app.status


# Theme files

WHOLE = "dark = true\n[tokens]\n" + "\n".join(f'{token} = "#888888"' for token in TOKENS)
ANSI = "ansi = true\n" + WHOLE.replace("#888888", "ansi_red")

BROKEN = [
    ("dark = ", "is not TOML .*; correct or remove it"),
    ("[tokens]", "needs `dark"),
    ("dark = 1\n[tokens]", "needs `dark"),
    ('ansi = "yes"\n' + WHOLE, "`ansi` is true or false"),
    ("dark = true", r"table \[tokens\]"),
    ("dark = true\ntokens = 3", r"table \[tokens\]"),
    (WHOLE.replace('mark = "#888888"', 'mark = "fuchsa"'), "mark = 'fuchsa' is not a colour; write it as \"#rrggbb\""),
    (WHOLE.replace('mark = "#888888"', "mark = 3"), "mark = 3 is not a colour"),
    (WHOLE.replace('mark = "#888888"', "mark = { a = 1 }"), "mark = {'a': 1} is not a colour"),
    (WHOLE.replace('mark = "#888888"', 'mark = ""'), "mark = '' is not a colour"),
    (WHOLE.replace('mark = "#888888"', f'mark = "{"#" * 9999}"'), "mark = '#####.*… is not a colour"),
    (WHOLE.replace('mark = "#888888"', 'mark = "#88888880"'), "mark = '#88888880' is transparent; write it as"),
    (
        WHOLE.replace('mark = "#888888"', 'mark = "ansi_red"'),
        "mark = 'ansi_red' is the terminal's own; .*`ansi = true`",
    ),
    (
        ANSI.replace('mark = "ansi_red"', 'mark = "#ff0000"'),
        "mark = '#ff0000' is not one of the terminal's colours; write",
    ),
    (ANSI.replace('mark = "ansi_red"', 'mark = "ansi_pink"'), "mark = 'ansi_pink' is not one of the terminal's"),
    (WHOLE.replace('quote = "#888888"', ""), "lacks quote; add it to"),
    (WHOLE + '\nsparkle = "#ffffff"', "unknown token sparkle; the tokens are background, .*quote"),
    (WHOLE + '\n"[red]x[/red]" = "#ffffff"', r"unknown token \[red\]x\[/red\]; the tokens are"),
    (WHOLE + "\ndeep = " + "[" * 3000 + "]" * 3000, "is not TOML"),
    (WHOLE + "\nlarge = " + "9" * 5000, "is not TOML"),
    (WHOLE + "\nwhen = 2026-99-99", "is not TOML"),
]


@pytest.mark.parametrize(("text", "said"), BROKEN, ids=[said[:30] for _, said in BROKEN])
def test_a_broken_theme_is_told_by_file_and_token(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ThemeError, match=rf"^theme mine.toml.*{said}"):
        parse("mine.toml", text)
    (tmp_path / "mine.toml").write_text(text)
    themes, (problem,) = available(tmp_path)
    assert {theme.name for theme in themes} == {theme.name for theme in THEMES}
    assert problem.startswith(f"theme {tmp_path / 'mine.toml'}")
    assert len(problem) < 400 + len(str(tmp_path))


def test_a_persons_own_theme_is_there_and_may_take_the_place_of_another(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(WHOLE)
    (tmp_path / "paper.toml").write_text(ANSI)
    (tmp_path / "notes.txt").write_text("not a theme")
    (tmp_path / ".#mine.toml").write_text("an editor's own")
    themes, problems = available(tmp_path)
    named = {theme.name: theme for theme in themes}
    assert problems == []
    assert list(named) == sorted({"mine", *(theme.name for theme in THEMES)})
    assert (named["mine"].background, named["paper"].ansi) == ("#888888", True)


def test_without_a_folder_there_is_what_came_along(tmp_path: Path) -> None:
    assert available(tmp_path / "none")[1] == []
    (tmp_path / "file").write_text("")
    themes, (problem,) = available(tmp_path / "file")
    assert len(themes) == len(THEMES)
    assert f"{tmp_path / 'file'} cannot be read" in problem


@pytest.mark.parametrize("name", ["[red]x[-red]", "two words", "a.b", "é", "-x", "9", "\x1b[31m", "a" + "\u202e"])
def test_a_name_that_the_screen_cannot_take_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.toml").write_text(WHOLE)
    assert "a theme's name is letters, digits, - and _, beginning with a letter; rename it" in available(tmp_path)[1][0]


def test_each_file_that_is_none_is_one_message_and_the_rest_is_there(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(bytes(range(256)))
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "huge.toml").write_text("#" * 70_000)
    (tmp_path / "gone.toml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "good.toml").write_text(WHOLE)
    os.mkfifo(tmp_path / "pipe.toml")
    themes, problems = available(tmp_path)
    said = [
        "not text in UTF-8 (byte 128); save it",
        "is not a file",
        "is not a file",
        "larger than 64 KB",
        "is not a file",
    ]
    assert [part in problem for part, problem in zip(said, problems, strict=True)] == [True] * 5, problems
    assert "good" in {theme.name for theme in themes}


@thorough
async def test_a_broken_theme_of_ones_own_is_one_message_and_the_app_goes_on(store: Store) -> None:
    from curator.paths import themes_folder

    put(store, "one")
    themes_folder().mkdir(parents=True)
    (themes_folder() / "mine.toml").write_text(WHOLE.replace('mark = "#888888"', 'mark = "fuchsa"'))
    (themes_folder() / "nord.toml").write_text(WHOLE)
    async with opened(store, looks=Looks(theme="nord"), size=(200, 30)) as app:
        assert "mine.toml: mark = 'fuchsa' is not a colour" in app.status
        assert app.app.theme == "nord"
        await app.press("j", "?")
