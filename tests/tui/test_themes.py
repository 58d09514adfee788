"""The themes that come along can be read, and a broken one is told by name."""

import pytest
from textual.color import Color
from textual.theme import Theme

from curator.tui.theming import DEFAULT, GROUNDS, TOKENS, ThemeError, parse, shipped
from making import put
from store import Store
from tui.driving import opened

THEMES = shipped()[0]


def contrast(one: str, other: str) -> float:
    """The WCAG 2 contrast ratio, 1-21."""
    lights = sorted((_luminance(one), _luminance(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _luminance(colour: str) -> float:
    parts = [part / 255 for part in Color.parse(colour).rgb]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_there_is_a_dark_and_a_light_one_and_none_is_broken() -> None:
    assert {theme.dark for theme in THEMES} == {True, False}
    assert DEFAULT in {theme.name for theme in THEMES}
    assert shipped()[1] == []


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("token", [token for token in TOKENS if token not in GROUNDS])
def test_everything_can_be_read_on_every_ground(theme: Theme, token: str) -> None:
    for ground in ("background", "raised", "cursor"):
        assert contrast(theme.variables[token], theme.variables[ground]) >= 4.5, ground


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_the_cursor_row_stands_out(theme: Theme) -> None:
    assert theme.variables["cursor"] != theme.variables["background"]


WHOLE = "dark = true\n[tokens]\n" + "\n".join(f'{token} = "#888888"' for token in TOKENS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dark = ", "not TOML"),
        ("[tokens]", "needs `dark"),
        ("dark = true", r"table \[tokens\]"),
        (WHOLE.replace('mark = "#888888"', 'mark = "fuchsa"'), "mark = 'fuchsa' is not a colour"),
        (WHOLE.replace('mark = "#888888"', "mark = 3"), "mark = 3 is not a colour"),
        (WHOLE.replace('quote = "#888888"', ""), "look at quote"),
        (WHOLE + '\nsparkle = "#ffffff"', "look at sparkle"),
    ],
)
def test_a_broken_theme_is_told_by_file_and_token(text: str, said: str) -> None:
    with pytest.raises(ThemeError, match=f"theme mine.toml.*{said}"):
        parse("mine.toml", text)


async def test_an_unknown_theme_is_one_message_and_the_default(store: Store) -> None:
    put(store, "one")
    async with opened(store, theme="no-such") as app:
        assert app.app.theme == DEFAULT
        assert "no theme no-such" in app.status


@pytest.mark.parametrize("theme", [theme.name for theme in THEMES])
async def test_every_theme_can_be_worn(store: Store, theme: str) -> None:
    put(store, "one")
    async with opened(store, theme=theme) as app:
        await app.press("j", "?")
        assert app.app.theme == theme


async def test_without_colour_the_cursor_row_is_still_marked(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    put(store, "one", "two")
    async with opened(store) as app:
        assert app.app.no_color
        assert [line[0] for line in app.seen().splitlines()[2:4]] == ["▌", " "]
