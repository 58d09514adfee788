"""Add, update and remove Curator's entries in a JSON file."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from curator.connect import jsonc
from curator.connect.hosts import NAME, Hooks, SettingsFile
from curator.connect.jsonc import InvalidSettings, Json, Step
from curator.connect.program import is_hook, is_server

Path = tuple[str, ...]
BOM = "\ufeff"
TAKEN = "the server curator there was not made by Curator; rename or remove it"


@dataclass(slots=True)
class EditResult:
    """A text after an edit, and the paths of the objects and arrays that the edit created, outer ones first."""

    text: str
    created: list[Path] = field(default_factory=list)


def connect(text: str, settings_file: SettingsFile, command: Sequence[str]) -> EditResult:
    """Return the text with Curator's entries as they must be for `command`. Raises InvalidSettings."""
    edited = EditResult(text.removeprefix(BOM))
    if jsonc.parse(edited.text) is None:
        eol = jsonc.eol_of(edited.text)
        edited.text += ("" if edited.text.endswith("\n") or not edited.text else eol) + "{}" + eol
        edited.created.append(())
    if settings_file.server is not None:
        path, wanted = (*settings_file.server.path, NAME), settings_file.server.entry(command)
        _ensure(edited, settings_file.server.path, {})
        found = jsonc.find(edited.text, path)
        if found is None:
            edited.text = jsonc.insert(edited.text, settings_file.server.path, NAME, wanted)
        elif not is_server(found.value):
            raise InvalidSettings(jsonc.line_of(edited.text, found.start), TAKEN)
        else:
            _set_fields(edited, path, {name: wanted[name] for name in settings_file.server.program})
    for event in settings_file.hooks.events if settings_file.hooks is not None else ():
        assert settings_file.hooks is not None
        at = ("hooks", event.name)
        present = handlers(edited.text, settings_file.hooks, at)
        for handler in present:
            _set_fields(edited, handler, settings_file.hooks.program(command, event))
        if not present:
            _ensure(edited, at, [])
            edited.text = jsonc.insert(edited.text, at, None, settings_file.hooks.group(command, event))
    edited.text = (BOM if text.startswith(BOM) else "") + edited.text
    return edited


def disconnect(text: str, settings_file: SettingsFile, created: Sequence[Path]) -> str:
    """Return the text without Curator's entries, and without the empty objects that were created for them.

    Raises InvalidSettings.
    """
    body = text.removeprefix(BOM)
    if settings_file.server is not None:
        path = (*settings_file.server.path, NAME)
        found = jsonc.find(body, path)
        if found is not None and is_server(found.value):
            body = jsonc.remove(body, path)
    if settings_file.hooks is not None:
        for event in settings_file.hooks.events:
            for handler in reversed(handlers(body, settings_file.hooks, ("hooks", event.name))):
                body = jsonc.remove(body, handler)
                if jsonc.find(body, (*handler[:-2], "hooks", 0)) is None:
                    body = jsonc.remove(body, handler[:-2])
    for item in reversed(created):
        found = jsonc.find(body, item)
        if (
            found is not None
            and found.kind != "scalar"
            and not found.children
            and not body[found.start + 1 : found.end - 1].strip()
        ):
            body = jsonc.remove(body, item) if item else body[: found.start] + body[found.end :].lstrip("\r\n")
    return (BOM if text.startswith(BOM) else "") + body


def _set_fields(edited: EditResult, path: Sequence[Step], fields: dict[str, Json]) -> None:
    """Set members of an object whose values differ."""
    for name, value in fields.items():
        node = jsonc.find(edited.text, (*path, name))
        if node is None:
            edited.text = jsonc.insert(edited.text, path, name, value)
        elif node.value != value:
            edited.text = jsonc.replace(edited.text, (*path, name), value)


def _ensure(edited: EditResult, path: Path, empty: Json) -> None:
    """Create the objects that are missing on a path, and `empty` at its end. Raises InvalidSettings."""
    root = jsonc.find(edited.text, ())
    assert root is not None
    if root.kind != "object":
        raise InvalidSettings(jsonc.line_of(edited.text, root.start), "there must be an object in {} around everything")
    for depth in range(1, len(path) + 1):
        value: Json = empty if depth == len(path) else {}
        found = jsonc.find(edited.text, path[:depth])
        if found is None:
            edited.text = jsonc.insert(edited.text, path[: depth - 1], path[depth - 1], value)
            edited.created.append(path[:depth])
        elif found.kind != ("array" if isinstance(value, list) else "object"):
            brackets = "an array in []" if isinstance(value, list) else "an object in {}"
            raise InvalidSettings(jsonc.line_of(edited.text, found.start), f"{path[depth - 1]} must be {brackets}")


def handlers(text: str, hooks: Hooks, at: Path) -> list[tuple[Step, ...]]:
    """Return the paths of Curator's handlers in the groups of an event."""
    groups = jsonc.find(text, at)
    if groups is None or groups.kind != "array":
        return []
    found: list[tuple[Step, ...]] = []
    for number, group in enumerate(groups.children):
        inner = jsonc.find(text, (*at, number, "hooks"))
        if group.node.kind == "object" and inner is not None and inner.kind == "array":
            found += [
                (*at, number, "hooks", index)
                for index, handler in enumerate(inner.children)
                if is_hook(handler.node.value, hooks.host)
            ]
    return found
