"""Former names of settings, which go on working in the file, in variables and for `curator config set`.

Who renames a setting adds a line to `RENAMED` and never takes one out. Where both names are given, the present one
counts.
"""

from collections.abc import Mapping
from typing import TypeVar

RENAMED: dict[str, str] = {}
"""The former name and the present one, as `section.key` or, of a whole section, as `section`."""

_PREFIX = "curator_"
_Value = TypeVar("_Value")


def present_name(name: str) -> str:
    """Return what a setting or section is called now; a name that was never another is its own."""
    section, _, key = name.partition(".")
    if name in RENAMED:
        return present_name(RENAMED[name])
    if key and section in RENAMED:
        return present_name(f"{RENAMED[section]}.{key}")
    return name


def present_content(content: Mapping[str, object]) -> dict[str, object]:
    """Return what a settings file says, under the present names."""
    tables = {section: value for section, value in content.items() if isinstance(value, dict)}
    named = {f"{section}.{key}": value for section, table in tables.items() for key, value in table.items()}
    out: dict[str, object] = {section: value for section, value in content.items() if section not in tables}
    out |= {section: {} for section in tables if present_name(section) == section}
    for name, value in _present_last(named).items():
        section, _, key = name.partition(".")
        table = out.setdefault(section, {})
        assert isinstance(table, dict)
        table[key] = value
    return out


def present_variables(variables: Mapping[str, _Value]) -> dict[str, _Value]:
    """Return environment variables, in small letters, with those of former settings under the present names."""
    small = {variable.lower(): value for variable, value in variables.items()}
    own = {_setting(variable): value for variable, value in small.items() if variable.startswith(_PREFIX)}
    others = {variable: value for variable, value in small.items() if not variable.startswith(_PREFIX)}
    return others | {_PREFIX + name.replace(".", "__", 1): value for name, value in _present_last(own).items()}


def _setting(variable: str) -> str:
    return variable.removeprefix(_PREFIX).replace("__", ".", 1)


def _present_last(named: Mapping[str, _Value]) -> dict[str, _Value]:
    """Return values under the present names; those given under them count before those of former ones."""
    former = {present_name(name): value for name, value in named.items() if present_name(name) != name}
    return former | {name: value for name, value in named.items() if present_name(name) == name}
