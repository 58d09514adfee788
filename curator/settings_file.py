"""The settings file: parsing, changing one value, former setting names, and error messages."""

import tomllib
from collections.abc import Iterable, Mapping, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from curator import text_files
from curator.display import truncate
from curator.errors import ConfigError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Value = str | bool | int | float | list[str]
_Value = TypeVar("_Value")

RENAMED: dict[str, str] = {"serve.lifeboats": "serve.session_recaps"}
"""Former setting names and their present ones, as `section.key` or, for a whole section, as `section`.

Former names keep working in the file, in variables and for `curator config`. Add a line when you rename a
setting, and never remove one. If both names are given, the present one takes precedence.
"""

_FIRST_LINE = "# Settings of Curator; `curator config --explain` lists them.\n"
_PREFIX = "curator_"
_LONGEST = 60  # characters shown of a value
_WANTED = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "finite_number": "a number",
    "greater_than_equal": "at least {ge:g}",
    "greater_than": "more than {gt:g}",
    "less_than_equal": "at most {le:g}",
    "less_than": "less than {lt:g}",
    "literal_error": "one of {expected}",
    "string_pattern_mismatch": "hours like 22:00-07:00, or nothing",
    "string": "text",
    "list": "a list",
    "model": "a table of settings",
}
"""Description of the valid values, by the prefix of the validator's error type."""


def present(file: Path) -> dict[str, object]:
    """Return the content of the file, by present names. Raises ConfigError."""
    return present_content(parse(file, text_files.read(file)))


def parse(file: Path, text: str) -> dict[str, object]:
    """Return the parsed content of the file's text. Raises ConfigError."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file} is not TOML: {error}; correct it") from error


def with_value(text: str, section: str, key: str, value: Value) -> str | None:
    """Return the TOML text with one value changed or added; None if that is not possible."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    text = text or _FIRST_LINE
    windows = "\r\n" in text
    text = text.replace("\r\n", "\n")
    try:
        document = tomlkit.parse(text if text.endswith("\n") else f"{text}\n")
        if section not in document:
            document.add(section, tomlkit.table())
        table = document[section]
        if not isinstance(table, MutableMapping):
            return None
        table[key] = value
        written = tomlkit.dumps(document)
    except (TOMLKitError, ValueError, RecursionError):
        return None
    return written.replace("\n", "\r\n") if windows else written


def present_name(name: str) -> str:
    """Return the present name of a setting or section; other names are returned unchanged."""
    section, _, key = name.partition(".")
    present = RENAMED.get(name) or (f"{RENAMED[section]}.{key}" if key and section in RENAMED else name)
    return name if present == name else present_name(present)


def present_content(content: Mapping[str, object]) -> dict[str, object]:
    """Return the content of a settings file with former names replaced by present ones."""
    tables = {section: value for section, value in content.items() if isinstance(value, dict)}
    named = {f"{section}.{key}": value for section, table in tables.items() for key, value in table.items()}
    out: dict[str, object] = {section: value for section, value in content.items() if section not in tables}
    out |= {section: {} for section in tables if present_name(section) == section}
    for name, value in _present_names(named).items():
        section, _, key = name.partition(".")
        table = out.setdefault(section, {})
        assert isinstance(table, dict)
        table[key] = value
    return out


def present_variables(variables: Mapping[str, _Value]) -> dict[str, _Value]:
    """Return environment variables in lower case, with former setting names replaced by present ones."""
    small = {variable.lower(): value for variable, value in variables.items()}
    own = {
        variable.removeprefix(_PREFIX).replace("__", ".", 1): value
        for variable, value in small.items()
        if variable.startswith(_PREFIX)
    }
    others = {variable: value for variable, value in small.items() if not variable.startswith(_PREFIX)}
    return others | {_PREFIX + name.replace(".", "__", 1): value for name, value in _present_names(own).items()}


def _present_names(named: Mapping[str, _Value]) -> dict[str, _Value]:
    """Return values by present name; those given by present name take precedence."""
    former = {present_name(name): value for name, value in named.items() if present_name(name) != name}
    return former | {name: value for name, value in named.items() if present_name(name) == name}


def wrong_value(name: str, error: "ErrorDetails") -> str:
    """Return the message for an invalid value: the valid values, and the one given."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "value_error":
        return f"setting {name}: {context['error']}"
    wanted = next((words for start, words in _WANTED.items() if kind.startswith(start)), "another kind of value")
    given = str(error["input"])
    shown = truncate(given, _LONGEST)
    return f"setting {name}: takes {wanted.format(**context).replace(chr(39), '')}, not {shown or 'nothing'}"


def unknown(what: str, name: str, valid: Iterable[str]) -> str:
    """Return the message for an unknown setting or section, with similar names or the first ones of its section."""
    from difflib import get_close_matches

    names = list(valid)
    of_section = [setting for setting in names if setting.startswith(f"{name.partition('.')[0]}.")]
    near = get_close_matches(name, names, 3, 0.75) or of_section[:4]
    return f"there is no {what}; " + (
        f"did you mean {' or '.join(near)}?" if near else "`curator config --explain` lists all"
    )
