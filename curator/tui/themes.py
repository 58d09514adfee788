"""Colour themes: TOML files of tokens, validated on loading.

Custom themes are files in the folder `themes` next to the settings file; a file with the name of a built-in theme
replaces it.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from textual.color import Color, ColorParseError
from textual.theme import Theme

from curator.display import truncate
from curator.ui_defaults import Looks

DEFAULT = Looks().theme
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
"""Tokens that a theme must colour: backgrounds first (screen, prompt, line between panes, cursor row), then texts."""

_SHOWN = 80  # characters of an invalid value that a message shows
_MAX_BYTES = 64 * 1024  # of a theme file
_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]*")  # Textual uses the name as a class in its style sheets


class ThemeError(ValueError):
    """An unusable theme; the text names the file, the token and the problem."""


def parse(name: str, text: str) -> Theme:
    """Parse a theme from the text of its file; `name` is the file, whose stem names the theme. Raises ThemeError."""
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ThemeError(f"theme {name} is not TOML ({truncate(str(error), _SHOWN)}); correct or remove it") from error
    dark, ansi, tokens = content.get("dark"), content.get("ansi", False), content.get("tokens")
    if not isinstance(dark, bool) or not isinstance(ansi, bool) or not isinstance(tokens, dict):
        raise ThemeError(f"theme {name} needs `dark = true` or `false`, and a table [tokens]; `ansi` is true or false")
    if strange := [token for token in tokens if token not in TOKENS]:
        raise ThemeError(
            f"theme {name}: unknown token {truncate(strange[0], _SHOWN)}; the tokens are {', '.join(TOKENS)}"
        )
    if missing := [token for token in TOKENS if token not in tokens]:
        raise ThemeError(f"theme {name} lacks {', '.join(missing)}; add it to [tokens], as in {DEFAULT}.toml")
    for token, colour in tokens.items():
        try:
            parsed = Color.parse(str(colour) if isinstance(colour, str) else "")
        except (ColorParseError, ValueError):
            parsed = None
        wrong = ""
        if ansi and (parsed is None or parsed.ansi is None):
            wrong = 'is not one of the terminal\'s colours; write "ansi_default", "ansi_red", "ansi_bright_red" …'
        elif parsed is None:
            wrong = 'is not a colour; write it as "#rrggbb"'
        elif not ansi and parsed.ansi is not None:
            wrong = "is the terminal's own; that needs `ansi = true` and such colours throughout"
        elif not ansi and parsed.a != 1:
            wrong = 'is transparent; write it as "#rrggbb"'
        if wrong:
            raise ThemeError(f"theme {name}: {token} = {truncate(repr(colour), _SHOWN)} {wrong}")
    return make_theme(Path(name).stem, dark, ansi, tokens)


def make_theme(name: str, dark: bool, ansi: bool, tokens: Mapping[str, str]) -> Theme:
    """Make a Textual theme from the tokens, for Textual's own widgets too.

    The brightness of a terminal's ANSI colours is unknown, so themes with them also make the cursor row bold, and
    reverse it in menus, which have the same background.
    """
    own = {
        "block-cursor-foreground": tokens["text"],
        "block-cursor-background": tokens["cursor"],
        "block-cursor-text-style": "bold reverse" if ansi else "none",
        "block-cursor-blurred-foreground": tokens["text"],
        "block-cursor-blurred-background": tokens["cursor"],
        "block-cursor-blurred-text-style": "bold reverse" if ansi else "none",
        "border": tokens["rule"],
        "border-blurred": tokens["rule"],
        "input-cursor-background": tokens["text"] if ansi else tokens["accent"],
        "input-cursor-foreground": tokens["background"],
        "input-cursor-text-style": "reverse" if ansi else "none",
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
    if ansi:  # Textual's CSS requires these
        own |= {"ansi-background": tokens["background"], "ansi-foreground": tokens["text"]}
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
        ansi=ansi,
        variables={**tokens, **own},
    )


@cache
def shipped() -> tuple[Sequence[Theme], Sequence[str]]:
    """Return the built-in themes, and a message for each invalid file. The files are read once."""
    return _load_all(Path(str(file)) for file in resources.files("themes").iterdir())


def available(folder: Path) -> tuple[list[Theme], list[str]]:
    """Return the built-in themes and those of a folder, by name, and a message for each invalid file."""
    by_name = {theme.name: theme for theme in shipped()[0]}
    problems = list(shipped()[1])
    try:
        own, wrong = _load_all(folder.iterdir())
        by_name |= {theme.name: theme for theme in own}
        problems += wrong
    except FileNotFoundError:
        pass
    except OSError as error:
        problems.append(f"the themes in {folder} cannot be read: {error.strerror}; check its permissions")
    return sorted(by_name.values(), key=lambda theme: theme.name), problems


def _load_all(files: Iterable[Path]) -> tuple[list[Theme], list[str]]:
    themes, problems = [], []
    for file in sorted(file for file in files if file.suffix == ".toml" and file.name[0] != "."):
        try:
            themes.append(load(file))
        except ThemeError as error:
            problems.append(str(error))
    return themes, problems


def load(file: Path) -> Theme:
    """Load a theme from a file. Raises ThemeError."""
    if not _NAME.fullmatch(file.stem):
        raise ThemeError(
            f"theme {file}: a theme's name is letters, digits, - and _, beginning with a letter; rename it"
        )
    try:
        if not file.is_file():
            raise ThemeError(f"theme {file} is not a file; remove it")
        with file.open("rb") as opened:
            raw = opened.read(_MAX_BYTES + 1)
        if len(raw) > _MAX_BYTES:
            raise ThemeError(f"theme {file} is larger than {_MAX_BYTES // 1024} KB; remove everything but [tokens]")
        return parse(str(file), raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ThemeError(f"theme {file} is not text in UTF-8 (byte {error.start}); save it as that") from error
    except OSError as error:
        raise ThemeError(f"theme {file} cannot be read: {error.strerror}; check its permissions") from error
