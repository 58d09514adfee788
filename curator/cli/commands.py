"""The program `curator`: command groups, `--help`, and exit codes.

These modules import nothing heavy at the top level; each command imports what it needs, so that `--help` stays fast.
"""

import io
import re
import sys
from functools import partial
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from curator import __version__
from curator.cli.options import HELP, NamedValues, ToCommand
from curator.cli.output import exit_code

PANELS: dict[str, dict[str, str]] = {
    "Import": {
        "import": "import_logs:import_logs",
        "distil": "import_logs:distil",
        "add": "review:add",
        "setup": "config:setup",
        "demo": "open_app:demo",
    },
    "Browse": {
        "list": "memories:list_memories",
        "search": "search:search",
        "show": "memories:show",
        "grep": "search:grep",
        "related": "memories:related",
        "tags": "memories:list_tags",
        "topics": "topics:topics",
        "refused": "memories:list_refused",
        "stats": "stats:show_stats",
        "sql": "memories:sql",
    },
    "Review": {
        "validate": "review:validate",
        "reject": "review:reject",
        "snooze": "review:snooze",
        "forget": "review:forget",
        "admit": "memories:admit",
        "purge": "purge:purge",
    },
    "Edit": {
        "edit": "review:edit",
        "merge": "review:merge",
        "supersede": "review:supersede",
        "tag": "review:tag",
        "pin": "review:pin",
        "tier": "review:set_tier",
        "give": "review:set_given",
        "kind": "review:set_kind",
        "rank": "review:set_rank",
        "importance": "review:set_importance",
        "score": "review:score",
        "scope": "review:set_scope",
        "until": "lifecycle:until",
    },
    "Conflicts": {"conflicts": "conflicts:conflicts", "duplicates": "compare:duplicates", "compare": "compare:compare"},
    "Recall": {
        "recall": "search:recall",
        "context": "search:context",
        "check": "check:check",
        "feedback": "sweeps:feedback",
        "warmth": "lifecycle:warmth",
    },
    "Assistants": {"connect": "connect:connect", "serve": "serve:serve", "mcp": "serve:mcp", "hook": "serve:hook"},
    "Local model": {"models": "models:models", "work": "sweeps:work"},
    "Maintenance": {
        "tidy": "lifecycle:tidy",
        "outdated": "purge:outdated",
        "scan": "scan:scan",
        "doctor": "doctor:doctor",
    },
    "Undo": {"undo": "history:undo", "redo": "history:redo", "log": "history:log"},
    "Backup and settings": {
        "backup": "backup:backup",
        "restore": "backup:restore",
        "sync": "sync:sync",
        "share": "share:share",
        "export": "export:export",
        "key": "config:key",
        "config": "config:config",
        "uninstall": "uninstall:uninstall",
    },
}
"""Every command by group, as in `curator --help`, with its module in `curator.cli` and its function there.

Only the module of the running command is imported: importing all of them would make each command a third slower."""


_PLAIN = (
    (r"^Value error, ", ""),
    (r", unable to parse.*$", ""),
    (r"Input should be ", "must be "),
    (r"greater than or equal to", "at least"),
    (r"less than or equal to", "at most"),
    (r"a valid integer", "a whole number"),
    (r"a valid number", "a number"),
)
"""Replacements for phrases in pydantic's error messages, which Typer uses to check values."""


_FORMER = {"later": "snooze", "take": "admit"}
"""Former names of commands, which still work."""


class PanelGroup(TyperGroup):
    """Command group that lists its commands by `PANELS`.

    Typer draws its own panels with rich, which takes longer to import than the whole help page may take.
    """

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command with a name or former name, else None; similar names are suggested from all commands."""
        wanted = _FORMER.get(cmd_name, cmd_name)
        places = {name: place for panel in PANELS.values() for name, place in panel.items()}
        names = [wanted] if wanted in places else list(places)  # all, so that click can suggest a similar one
        for name in names:
            module, _, function = places[name].partition(":")
            found = getattr(import_module(f"curator.cli.{module}"), function)
            parent = typer.Typer(add_completion=False, rich_markup_mode=None)
            if isinstance(found, typer.Typer):
                parent.add_typer(found, name=name)
            else:
                parent.command(name, cls=ToCommand if "to" in found.__annotations__ else NamedValues)(found)
            built: Any = get_command(parent)
            self.commands[name] = built.commands[name] if isinstance(found, typer.Typer) else built
        return super().get_command(ctx, wanted)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands by group."""
        return [name for panel in PANELS.values() for name in panel]

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Raises BadParameter with a plain message."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            for pattern, words in _PLAIN:
                error.message = re.sub(pattern, words, error.message)
            if "is not one of" in error.message:
                what, _, choices = error.message.rpartition("is not one of")
                error.message = what + "is not one of " + choices.strip().rstrip(".").replace("'", "")
            if error.param is None and error.ctx is not None:  # the combination of values is wrong, not a single one
                error.ctx.fail(error.message)
            raise

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the groups, with the first sentence of each command's help."""
        widest = max(map(len, self.list_commands(ctx)))
        width = formatter.width - widest - 6
        for panel, names in PANELS.items():
            with formatter.section(panel):
                formatter.write_dl(
                    [(f"{name:<{widest}}", self.get_command(ctx, name).get_short_help_str(width)) for name in names]
                )


app = typer.Typer(
    name="curator",
    help="See and fix what your AI remembers about you. Without a command, the app opens.",
    no_args_is_help=False,
    cls=PanelGroup,
    context_settings=HELP,
    epilog="`curator COMMAND -h` explains a command.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def print_version(wanted: bool) -> None:
    """Print the version and exit, as a Typer `callback`. Raises typer.Exit."""
    if wanted:
        print(f"curator {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Open the app when no command is named."""
    if context.invoked_subcommand is None:
        from curator.cli.open_app import open_app

        open_app()


def main() -> None:
    """Run the command line and exit with a stable code (0 done, 1 nothing or refused, 2 usage, 3 store, 4 model)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal with another encoding shows ? for missing characters
            stream.reconfigure(errors="replace")
    sys.exit(exit_code(partial(app, prog_name="curator")))
