"""Entry point: opens the app if no command is named, without loading the command line."""

import contextlib
import os
import sys

TYPE_CHECKING = False  # typing takes 3 ms to import
if TYPE_CHECKING:
    from collections.abc import Sequence


def main() -> None:
    """Run the program `curator`: the app without arguments, else the command line."""
    if len(sys.argv) > 1 or "_CURATOR_COMPLETE" in os.environ:  # shells ask for completions without arguments
        try:
            code = served(sys.argv[1:])
        except OSError as error:
            from curator.cli.output import explain

            code = explain(error)
        if code is not None:
            end(code)
        from curator.cli.commands import main as run_command

        run_command()
        return
    try:
        from curator.cli.open_app import open_app

        open_app()
    except (Exception, KeyboardInterrupt) as error:
        from curator.cli.output import explain

        sys.exit(explain(error))


def end(code: int) -> None:
    """End the process without the interpreter's clean-up, which takes 3 ms and prints an error for a closed pipe."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, AttributeError):  # closed, or none
            stream.flush()
    os._exit(code)


def served(arguments: "Sequence[str]") -> int | None:
    """Run a command without loading the command line: a hook, the relay, or one that the resident process can run.

    Returns the exit code, or None if the command line must be loaded. Raises OSError.
    """
    if arguments[:1] == ["mcp"] and len(arguments) == 1:
        from curator.serve.relay import relay

        return relay()
    if arguments[:1] == ["hook"] and len(arguments) == 3:
        from curator.serve.hook_client import hook

        return hook(*arguments[1:])
    if arguments and arguments[0] in ("recall", "search", "context", "check"):
        from curator.serve.client import run

        return run(arguments)
    return None
