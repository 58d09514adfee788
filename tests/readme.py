"""Write the tables in `docs/` that are generated from the program: `python tests/readme.py`."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import BaseModel
from typer.main import get_command

from curator.cli.commands import PANELS, app
from curator.cli.options import value_name
from curator.config import Settings
from curator.distill.reasons import REASONS
from curator.secrets.scan import DETECTORS
from curator.tui.actions import Group, view_actions
from curator.tui.keymap import key_names
from curator.tui.sweeps.render import PURPOSES

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "docs"


def key_table() -> str:
    """Return the table of every action of the app, including those of the palette."""
    lines = ["| `vim` | `plain` | name | what it does |", "|---|---|---|---|"]
    for group in Group:
        of_group = [action for action in view_actions() if action.group is group]
        if of_group:
            lines.append(f"| **{group}** | | | |")
        lines += [
            f"| {_keys(action.keys)} | {_keys(action.plain)} | {action.id} | {_cell(action.help)} |"
            for action in of_group
        ]
    return _joined(lines)


def _keys(keys: tuple[str, ...]) -> str:
    quoted = (f"`{_cell(key)}`" if key != "`" else "`` ` ``" for key in key_names(keys).split())
    return " ".join(quoted) or "palette"


def command_tables() -> str:
    """Return a table of arguments and options for each group of commands."""
    commands: Any = get_command(app)
    lines: list[str] = []
    for heading, names in PANELS.items():
        lines += [f"## {heading}", "", "| command | what it does |", "|---|---|"]
        for name in names:
            rows = _rows(f"curator {name}", commands.get_command(None, name))
            lines += [f"| `{usage}` | {text} |" for usage, text in rows]
        lines.append("")
    return _joined(lines[:-1])


def _rows(words: str, command: Any) -> Iterator[tuple[str, str]]:
    """Yield usage and help text of a command, or of each command in a group."""
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from _rows(words if name == "list" else f"{words} {name}", inner)
        return
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    needed = [_option(one) for one in options if one.required]
    usage = " ".join([words, *(_argument(one) for one in arguments), *needed])
    text = [_cell(" ".join(command.help.split()))]
    text += [f"`{_cell(_option(one))}` {_cell(one.help or '')}".strip() for one in options]
    yield _cell(usage), "<br>".join(text)


def _argument(argument: Any) -> str:
    name = (argument.metavar or argument.name.upper()) + ("..." if argument.nargs == -1 else "")
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _option(option: Any) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    return names if option.is_flag else f"{names} {value_name(option)}"


def setting_tables() -> str:
    """Return a table for each section of the settings; sections of the same kind share one."""
    kinds: dict[type[BaseModel], list[str]] = {}
    for name, field in Settings.model_fields.items():
        if isinstance(field.default, BaseModel):
            kinds.setdefault(type(field.default), []).append(name)
    lines: list[str] = []
    for kind, names in kinds.items():
        lines += [f"## {', '.join(f'`[{name}]`' for name in names)}", "", kind.__doc__ or "", ""]
        lines += _shared(kind, names) if len(names) > 1 else _section(kind, names[0])
        lines.append("")
    keys = Settings.model_fields["keys"].description or ""
    return _joined([*lines, "## `[keys]`", "", keys, "", "The names are in the [list of keys](keys.md)."])


def _section(kind: type[BaseModel], name: str) -> list[str]:
    default = Settings.model_fields[name].default
    return [
        "| setting | default | what it does |",
        "|---|---|---|",
        *(
            f"| `{name}.{key}` | `{_toml(getattr(default, key))}` | {_cell(_described(field))} |"
            for key, field in kind.model_fields.items()
        ),
    ]


def _shared(kind: type[BaseModel], names: Sequence[str]) -> list[str]:
    """Return the descriptions of these sections' settings, then the defaults of each section."""
    keys = list(kind.model_fields)
    explained = [f"| `{key}` | {_cell(_described(field))} |" for key, field in kind.model_fields.items()]
    defaults = []
    for name in names:
        section = Settings.model_fields[name].default
        defaults.append(f"| `[{name}]` | {' | '.join(f'`{_toml(getattr(section, key))}`' for key in keys)} |")
    heads = [f"| default | {' | '.join(f'`{key}`' for key in keys)} |", "|---" * (len(keys) + 1) + "|"]
    return ["| setting | what it does |", "|---|---|", *explained, "", *heads, *defaults]


def _described(field: Any) -> str:
    return " ".join((field.description or "").split())


def _toml(value: object) -> str:
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    return tomlkit.item(number).as_string()


def secret_kinds() -> str:
    """Return the names of all kinds of secrets, as the setting `secrets.off` accepts them."""
    return ", ".join(f"`{name}`" for name in dict.fromkeys(one.name for one in DETECTORS)) + "\n"


def reason_table() -> str:
    """Return the table of reasons for refusing a candidate."""
    lines = ["| reason | meaning |", "|---|---|", *(f"| `{code}` | {_cell(text)} |" for code, text in REASONS.items())]
    return _joined(lines)


def sweep_table() -> str:
    """Return the table of sweeps and their purposes."""
    return _joined(
        ["| sweep | what it does |", "|---|---|", *(f"| `{name}` | {_cell(text)} |" for name, text in PURPOSES.items())]
    )


def _cell(text: str) -> str:
    """Return a text escaped for a table cell; inside code, GitHub removes the escape again."""
    return text.replace("|", "\\|")


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "keys": ("keys.md", key_table),
    "commands": ("commands.md", command_tables),
    "settings": ("settings.md", setting_tables),
    "reasons": ("formats.md", reason_table),
    "secrets": ("privacy.md", secret_kinds),
    "sweeps": ("models.md", sweep_table),
}
"""Page and generator of each table between `<!-- name -->` and `<!-- /name -->`."""


def with_table(text: str, name: str) -> str:
    """Return a page with its table of this name brought up to date."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, rest = text.split(begin)
    return before + begin + "\n" + TABLES[name][1]() + "\n" + end + rest.split(end, 1)[1]


def pages() -> list[Path]:
    """Return every page of documentation."""
    return [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]


def code_spans(text: str) -> list[str]:
    """Return the contents of inline code spans, outside fenced blocks."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


if __name__ == "__main__":
    for table, (page, _) in TABLES.items():
        file = DOCS / page
        file.write_text(with_table(file.read_text("utf-8"), table), "utf-8")
