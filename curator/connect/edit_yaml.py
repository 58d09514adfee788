"""Add, update and remove Curator's entry in a YAML file, by lines.

There is no YAML parser among Curator's dependencies. Only files in the plain block style, as the host writes them, are
changed: one mapping at the margin, with the servers indented below their key.
"""

import json
import re
from collections.abc import Mapping, Sequence

from curator.connect.edit_json import BOM, TAKEN, EditResult, Path
from curator.connect.hosts import NAME, Server, SettingsFile
from curator.connect.jsonc import InvalidSettings, Json, eol_of
from curator.connect.program import is_server

_PLAIN = re.compile(r"[\w./@:+-]*[\w/]")  # needs no quotes, unless it is a word or number of YAML
_WORDS = re.compile(r"(?i:true|false|yes|no|on|off|y|n|null|~)|[-+.\d].*")


def connect(text: str, settings_file: SettingsFile, command: Sequence[str]) -> EditResult:
    """Return the text with Curator's entry as it must be for `command`. Raises InvalidSettings."""
    server, lines = _read(text, settings_file)
    eol, key = eol_of(text), server.path[0]
    wanted = server.entry(command)
    begin, end, indent = _block(lines, 0, key, "")
    if begin is None:
        lines += [f"{key}:", *render({NAME: wanted}, "  ")]
        return _joined(text, lines, eol, [(key,)])
    if (empty := re.fullmatch(rf"({key}:)[ \t]*\{{[ \t]*\}}([ \t]*(?:#.*)?)", lines[begin])) is not None:
        lines[begin] = empty[1] + empty[2]
        lines[begin + 1 : begin + 1] = render({NAME: wanted}, "  ")
        return _joined(text, lines, eol, [])
    own, last, inner = _block(lines, begin + 1, NAME, indent, end)
    if own is None:
        lines[end:end] = render({NAME: wanted}, indent)
        return _joined(text, lines, eol, [])
    entry = _entry(lines, own + 1, last, inner)
    if not is_server(entry):
        raise InvalidSettings(own + 1, TAKEN)
    for name in server.program:
        if entry.get(name) != wanted[name]:
            at, after, _ = _block(lines, own + 1, name, inner, last)
            changed = render({name: wanted[name]}, inner)
            lines[own + 1 if at is None else at : own + 1 if at is None else after] = changed
            last += len(changed) - (0 if at is None else after - at)
    return _joined(text, lines, eol, [])


def disconnect(text: str, settings_file: SettingsFile, created: Sequence[Path]) -> str:
    """Return the text without Curator's entry. Raises InvalidSettings."""
    server, lines = _read(text, settings_file)
    key = server.path[0]
    begin, end, indent = _block(lines, 0, key, "")
    if begin is None:
        return text
    own, last, inner = _block(lines, begin + 1, NAME, indent, end)
    if own is None or not is_server(_entry(lines, own + 1, last, inner)):
        return text
    del lines[own:last]
    if not any(line.strip() for line in lines[begin + 1 : end - (last - own)]):
        if (key,) in created:
            del lines[begin]
        else:
            lines[begin] = re.sub(rf"^{key}:", f"{key}: {{}}", lines[begin])
    return _joined(text, lines, eol_of(text), []).text if lines else ""


def render(value: Mapping[str, Json], indent: str) -> list[str]:
    """Return the lines of a mapping in block style."""
    lines = []
    for key, one in value.items():
        if isinstance(one, dict) and one:
            lines += [f"{indent}{key}:", *render(one, indent + "  ")]
        elif isinstance(one, list) and one:
            lines += [f"{indent}{key}:", *(f"{indent}- {_scalar(item)}" for item in one)]
        else:
            lines.append(f"{indent}{key}: {_scalar(one)}")
    return lines


def _scalar(value: Json) -> str:
    """Return a value as YAML; texts in JSON's quotes where they need some."""
    if isinstance(value, str) and (
        all(_PLAIN.fullmatch(word) for word in value.split(" ")) and not _WORDS.fullmatch(value) and ": " not in value
    ):
        return value
    return json.dumps(value, ensure_ascii=False)


def _read(text: str, settings_file: SettingsFile) -> tuple[Server, list[str]]:
    """Return the server and the lines without their ends. Raises InvalidSettings if it is not in plain block style."""
    assert settings_file.server is not None and len(settings_file.server.path) == 1
    body = text.removeprefix(BOM)
    if 0 < body.count("\r\n") < body.count("\n"):
        raise InvalidSettings(1, "two kinds of line ends")
    lines = [line.removesuffix("\r") for line in body.split("\n")]
    if lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, 1):
        if re.match(r" *\t", line):
            raise InvalidSettings(number, "a tab in the indentation")
        if re.match(r"(---|\.\.\.)(\s|$)", line) and any(_content(one) for one in lines[: number - 1]):
            raise InvalidSettings(number, "there are several documents")
        if line[:1] not in (" ", "#", "-", "") and not re.match(
            r"(---|\.\.\.|[^\s:#][^:]*:(\s|$)|['\"].*:(\s|$))", line
        ):
            raise InvalidSettings(number, "not a key with a colon")
    key = settings_file.server.path[0]
    for number, line in enumerate(lines, 1):
        if re.match(rf"{key}:", line) and not re.fullmatch(rf"{key}:[ \t]*(\{{[ \t]*\}})?[ \t]*(#.*)?", line):
            raise InvalidSettings(number, f"{key} is not in block style")
    if sum(bool(re.match(rf"{key}:", line)) for line in lines) > 1:
        raise InvalidSettings(1, f"{key} is there twice")
    return settings_file.server, lines


def _block(
    lines: Sequence[str], start: int, key: str, indent: str, stop: int | None = None
) -> tuple[int | None, int, str]:
    """Return the line of a key at an indentation, the line after its last content, and its children's indentation."""
    stop = len(lines) if stop is None else stop
    name = re.compile(rf"{indent}(?:{key}|\"{key}\"|'{key}'):(\s|$)")
    begin = next((at for at in range(start, stop) if name.match(lines[at])), None)
    if begin is None:
        return None, stop, indent
    end, inner = begin + 1, ""
    for at in range(begin + 1, stop):
        line = lines[at]
        depth = len(line) - len(line.lstrip(" "))
        if _content(line):
            item = line[depth : depth + 1] == "-"
            if depth < len(indent) or (depth == len(indent) and not item):
                break
            end, inner = at + 1, inner or line[:depth]
        elif line.strip() and depth > len(indent):
            end = at + 1  # an indented comment belongs to the block
    return begin, end, inner or indent + "  "


def _content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _entry(lines: Sequence[str], start: int, stop: int, indent: str) -> dict[str, object]:
    """Return the texts and lists of texts of an entry."""
    found: dict[str, object] = {}
    items: list[str] = []
    for line in lines[start:stop]:
        field = re.match(rf"{indent}([\w-]+):[ \t]*(.*)$", line)
        if field is not None:
            value, items = "" if field[2].startswith("#") else field[2], []
            if value[:1] == "[":
                items += [_text(one.strip()) for one in value.strip("[] \t").split(",") if one.strip()]
            found[field[1]] = _text(value) if value and value[0] != "[" else items
        elif (item := re.match(r"[ ]*-[ \t]+(.*)$", line)) is not None:
            items.append(_text(item[1]))
    return found


def _text(value: str) -> str:
    """Return a scalar without its quotes and comment."""
    if value[:1] == '"':
        try:
            return str(json.JSONDecoder().raw_decode(value)[0])
        except ValueError:
            return value.strip('"')
    if value[:1] == "'":
        return value[1:].partition("'")[0]
    return re.sub(r"[ \t]+#.*$", "", value).strip()


def _joined(text: str, lines: Sequence[str], eol: str, created: list[Path]) -> EditResult:
    ends = eol if text.endswith("\n") or not text else ""
    return EditResult((BOM if text.startswith(BOM) else "") + eol.join(lines) + ends, created)
