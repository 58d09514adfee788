"""Kinds of secrets that a person switched off, read without the library that checks settings.

Redaction is in the way of every text that is written down, and loading that library takes longer than the rest.
"""

import os
import tomllib
from collections.abc import Iterable
from functools import cache

import orjson

from curator.errors import ConfigError
from curator.paths import config_file

_VARIABLES = ("CURATOR_SECRETS__OFF", "CURATOR_SECRETS")


@cache
def switched_off() -> frozenset[str]:
    """Return the names that `secrets.off` lists. Raises ConfigError where they cannot be read."""
    environment = {name.upper(): value for name, value in os.environ.items()}
    for variable in _VARIABLES:
        if text := environment.get(variable):
            return _names(_listed(text, variable), f"the variable {variable}")
    file = config_file()
    try:
        content = tomllib.loads(file.read_bytes().decode()) if file.is_file() else {}
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{file} is not TOML: {error}; correct it") from error
    section = content.get("secrets", {})
    return _names(section.get("off", []) if isinstance(section, dict) else None, str(file))


def _listed(text: str, variable: str) -> object:
    try:
        value: object = orjson.loads(text)
    except ValueError:
        return text if variable == _VARIABLES[0] else None
    return value.get("off", []) if isinstance(value, dict) else value


def _names(value: object, place: str) -> frozenset[str]:
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        raise ConfigError(f'setting secrets.off: it takes a list of names, as ["iban"] (in {place})')
    try:
        return frozenset(known_kinds(str(one) for one in value))
    except ValueError as error:
        raise ConfigError(f"setting secrets.off: {error} (in {place})") from error


def known_kinds(names: Iterable[str]) -> list[str]:
    """Return the names as they are in the table of detectors. Raises ValueError for one that is not."""
    from curator.secrets.table import DETECTORS

    known = {one.name for one in DETECTORS}
    wanted = [name.strip().lower() for name in names if name.strip()]
    for name in wanted:
        if name not in known:
            raise ValueError(f"there is no kind of secret {name!r}; there are {', '.join(sorted(known))}")
    return wanted


def reread_settings() -> None:
    """Read what is switched off anew, since the settings have changed."""
    from curator.secrets.table import table

    switched_off.cache_clear()
    table.cache_clear()
