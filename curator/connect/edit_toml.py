"""Add, update and remove Curator's table in a TOML file.

A table is added at the end and removed as lines, so that comments before other tables stay where they are; tomlkit
does the rest. Every result is parsed again and compared with what it must say.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from curator.connect.edit_json import BOM, TAKEN, EditResult, Path
from curator.connect.hosts import NAME, Server, SettingsFile
from curator.connect.jsonc import InvalidSettings, eol_of
from curator.connect.program import is_server

_HEADER = re.compile(r"[ \t]*\[.*\][ \t]*(#.*)?$")


def connect(text: str, settings_file: SettingsFile, command: Sequence[str]) -> EditResult:
    """Return the text with Curator's table as it must be for `command`. Raises InvalidSettings."""
    import tomlkit

    server = settings_file.server
    assert server is not None and len(server.path) == 1
    body = text.removeprefix(BOM)
    data = _parsed(body, server)
    present, wanted = data.get(server.path[0], {}).get(NAME), server.entry(command)
    expected = deepcopy(data)
    if present is None:
        expected.setdefault(server.path[0], {})[NAME] = wanted
        eol = eol_of(body)
        fields = [f"{key} = {tomlkit.item(value).as_string()}" for key, value in wanted.items()]
        table = eol.join((f"[{server.path[0]}.{NAME}]", *fields))
        end = eol if body.endswith("\n") or not body else ""
        done = body + (eol if body else "") + (eol if body and not end else "") + table + end
        if not _says(done, expected):
            done = _changed(body, lambda document: document[server.path[0]].update({NAME: wanted}))
    elif not is_server(present):
        raise InvalidSettings(_line(body, server), TAKEN)
    else:
        changed = {name: wanted[name] for name in server.program if present.get(name) != wanted[name]}
        expected[server.path[0]][NAME].update(changed)
        done = _updated(body, server, changed) if changed else body
    if not _says(done, expected):
        raise InvalidSettings(
            _line(body, server), f"{server.path[0]} cannot be changed by a program; write [{server.path[0]}.x]"
        )
    return EditResult((BOM if text.startswith(BOM) else "") + done)


def disconnect(text: str, settings_file: SettingsFile, created: Sequence[Path]) -> str:
    """Return the text without Curator's table. Raises InvalidSettings."""
    server = settings_file.server
    assert server is not None and len(server.path) == 1
    body = text.removeprefix(BOM)
    data = _parsed(body, server)
    if not is_server(data.get(server.path[0], {}).get(NAME)):
        return text
    del data[server.path[0]][NAME]
    kept = deepcopy(data)
    if not data[server.path[0]]:
        del data[server.path[0]]
    lines = body.split("\n")
    for start, end in reversed(_ranges(lines, (server.path[0], NAME))):
        del lines[start - (start > 0 and not lines[start - 1].strip()) : end]
    done = "\n".join(lines) if body.endswith("\n") else "\n".join(lines).rstrip("\r")
    if not (_says(done, data) or _says(done, kept)):
        done = _changed(body, lambda document: document[server.path[0]].pop(NAME))
    if not (_says(done, data) or _says(done, kept)):
        raise InvalidSettings(
            _line(body, server), f"{server.path[0]}.{NAME} cannot be removed by a program; remove it there"
        )
    return (BOM if text.startswith(BOM) else "") + done


def _parsed(text: str, server: Server) -> dict[str, Any]:
    """Return the content of a file whose servers are a table. Raises InvalidSettings."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(match[1]) if match else text.count("\n") + 1
        raise InvalidSettings(line, re.sub(r" ?\(at .*\)$", "", str(error)).lower()) from None
    except RecursionError:
        raise InvalidSettings(1, "too deeply nested") from None
    if not isinstance(data.get(server.path[0], {}), dict):
        raise InvalidSettings(_line(text, server), f"{server.path[0]} must be a table")
    return data


def _says(text: str, expected: Mapping[str, object]) -> bool:
    try:
        return tomllib.loads(text) == expected
    except ValueError:
        return False


def _ranges(lines: Sequence[str], path: tuple[str, str]) -> list[tuple[int, int]]:
    """Return the lines of a table and its tables, without the blanks and comments that follow them."""
    ranges: list[tuple[int, int]] = []
    start, end = -1, 0
    quoted = False  # in a text of several lines
    for at, line in enumerate(lines):
        header = None if quoted else _header(line)
        if header is not None and header[:2] != path and start >= 0:
            ranges.append((start, end))
            start = -1
        elif header is not None and header[:2] == path and start < 0:
            start = at
        if quoted or (line.strip() and not line.lstrip().startswith("#")):
            end = at + 1
        quoted ^= (line.count('"""') + line.count("'''")) % 2 == 1
    return [*ranges, (start, end)] if start >= 0 else ranges


def _header(line: str) -> tuple[str, ...] | None:
    """Return the path of a table's header; None for another line."""
    if not _HEADER.match(line.rstrip("\r")):
        return None
    try:
        value: object = tomllib.loads(line.rstrip("\r"))
    except ValueError:
        return None
    path: list[str] = []
    while value:
        value = value[0] if isinstance(value, list) else value
        if not isinstance(value, dict) or not value:
            break
        key, value = next(iter(value.items()))
        path.append(key)
    return tuple(path) or None


def _line(text: str, server: Server) -> int:
    """Return the line in which the tables of the servers begin."""
    found = re.search(rf"^[ \t]*\[?[ \t]*{server.path[0]}\b.*{NAME}|^[ \t]*\[?{server.path[0]}\b", text, re.M)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def _updated(text: str, server: Server, fields: Mapping[str, object]) -> str:
    """Return the text with other values in Curator's table; tomlkit sees its lines only, if it has some of its own."""
    lines = text.split("\n")
    start, end = next(iter(_ranges(lines, (server.path[0], NAME))), (0, len(lines)))
    table = "\n".join(lines[start:end])
    ending = "\n" if end < len(lines) else ""
    done = _changed(table + ending, lambda document: document[server.path[0]][NAME].update(fields))
    return "\n".join((*lines[:start], done.removesuffix(ending) if ending else done, *lines[end:]))


def _changed(text: str, change: Callable[[Any], object]) -> str:
    """Return the text after a change by tomlkit, or as it was if tomlkit cannot."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        if tomlkit.dumps(document) != text:
            return text  # it would change more: it gathers the parts of a list of tables
        change(document)
        return tomlkit.dumps(document)
    except (TOMLKitError, ValueError, KeyError, AttributeError, RecursionError):
        return text
