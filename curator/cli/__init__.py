"""The command line: every verb of the app, in plain text or JSON.

Modules here import nothing heavy at the top; each command imports what it needs, so that `--help` stays quick.
"""

import io
import os
import sys
from typing import Annotated

import typer

from curator import __version__
from curator.cli import (
    check,
    compare,
    config,
    conflicts,
    context,
    history,
    import_logs,
    keys,
    lifecycle,
    maintenance,
    memories,
    merge,
    models,
    purge,
    refused,
    review,
    scan,
    search,
    stats,
    sweeps,
)
from curator.cli.errors import NOTHING, explain
from curator.cli.options import HELP
from curator.cli.panels import PanelGroup

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
for family in (
    import_logs,
    memories,
    stats,
    search,
    context,
    check,
    refused,
    review,
    purge,
    merge,
    conflicts,
    compare,
    history,
    maintenance,
    keys,
    models,
    lifecycle,
    scan,
    sweeps,
    config,
):
    family.register(app)


def _version(asked: bool) -> None:
    if asked:
        print(f"curator {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Open the app when no command is named."""
    if context.invoked_subcommand is None:
        from curator.main import open_app

        open_app()


def main() -> None:
    """Run the command line and exit with a stable code (0 done, 1 nothing or refused, 2 usage, 3 store, 4 model)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal of another alphabet shows ? where it must
            stream.reconfigure(errors="replace")
    try:
        try:
            app(prog_name="curator")
        finally:
            _flush()
    except BrokenPipeError:
        sys.exit(NOTHING)  # whoever read has read enough; the framework ends so too when it happens earlier
    except (Exception, KeyboardInterrupt) as error:
        sys.exit(explain(error))


def _flush() -> None:
    """Write out what is printed while an error can still be told; what stdout does not take is dropped."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise
