"""Entry point: opens the app if no command is named, without loading the command line."""

import os
import sys


def main() -> None:
    """Run the program `curator`: the app without arguments, else the command line."""
    if len(sys.argv) > 1 or "_CURATOR_COMPLETE" in os.environ:  # shells ask for completions without arguments
        from curator.cli.commands import main as run_command

        run_command()
        return
    try:
        from curator.cli.open_app import open_app

        open_app()
    except (Exception, KeyboardInterrupt) as error:
        from curator.cli.output import explain

        sys.exit(explain(error))
