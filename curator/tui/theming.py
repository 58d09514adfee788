"""Colour themes: TOML files of tokens, checked before they reach the screen."""

import tomllib
from importlib import resources

from textual.color import Color, ColorParseError
from textual.theme import Theme

DEFAULT = "curator-dark"
TOKENS = (
    "background",
    "raised",
    "rule",
    "cursor",
    "text",
    "muted",
    "accent",
    "good",
    "warn",
    "bad",
    "mark",
    "tier-core",
    "tier-medium",
    "tier-low",
    "diff-old",
    "diff-new",
    "quote",
)
"""What a theme has to colour: grounds first (screen, prompt, line between panes, cursor row), then what is written."""

GROUNDS = TOKENS[:4]


class ThemeError(ValueError):
    """A theme that cannot be used; the text names the file, the token and what is wrong."""


def parse(name: str, text: str) -> Theme:
    """A theme from the text of its file, `name` being the file's. Raises ThemeError."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"theme {name} is not TOML: {error}") from error
    dark, tokens = content.get("dark"), content.get("tokens")
    if not isinstance(dark, bool) or not isinstance(tokens, dict):
        raise ThemeError(f"theme {name} needs `dark = true` or `false`, and a table [tokens]")
    wrong = [token for token in TOKENS if token not in tokens] + [token for token in tokens if token not in TOKENS]
    if wrong:
        raise ThemeError(f"theme {name}: the tokens are {', '.join(TOKENS)}; look at {', '.join(wrong)}")
    for token, colour in tokens.items():
        try:
            Color.parse(str(colour))
        except ColorParseError as error:
            raise ThemeError(f"theme {name}: {token} = {colour!r} is not a colour") from error
    return _theme(name.removesuffix(".toml"), dark, tokens)


def _theme(name: str, dark: bool, tokens: dict[str, str]) -> Theme:
    """The tokens as Textual's own colours, so that its widgets wear them too."""
    own = {
        "block-cursor-foreground": tokens["text"],
        "block-cursor-background": tokens["cursor"],
        "block-cursor-text-style": "none",
        "block-cursor-blurred-foreground": tokens["text"],
        "block-cursor-blurred-background": tokens["cursor"],
        "block-cursor-blurred-text-style": "none",
        "border": tokens["rule"],
        "border-blurred": tokens["rule"],
        "input-cursor-background": tokens["accent"],
        "input-cursor-foreground": tokens["background"],
        "input-selection-background": tokens["cursor"],
        "scrollbar": tokens["rule"],
        "scrollbar-hover": tokens["muted"],
        "scrollbar-active": tokens["accent"],
        "scrollbar-background": tokens["background"],
        "scrollbar-background-hover": tokens["background"],
        "scrollbar-background-active": tokens["background"],
        "scrollbar-corner-color": tokens["background"],
        "text-muted": tokens["muted"],
    }
    return Theme(
        name=name,
        primary=tokens["accent"],
        accent=tokens["accent"],
        success=tokens["good"],
        warning=tokens["warn"],
        error=tokens["bad"],
        foreground=tokens["text"],
        background=tokens["background"],
        surface=tokens["background"],
        panel=tokens["raised"],
        dark=dark,
        variables={**tokens, **own},
    )


def shipped() -> tuple[list[Theme], list[str]]:
    """The themes that come with the program, and a message for each file that is not one."""
    themes: list[Theme] = []
    problems: list[str] = []
    for file in sorted(resources.files("themes").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            try:
                themes.append(parse(file.name, file.read_text(encoding="utf-8")))
            except ThemeError as error:
                problems.append(str(error))
    return themes, problems
