"""Opening the app."""

import sys

from curator.cli.errors import USAGE
from curator.cli.output import open_store


def open_app() -> None:
    """Open the app on the person's store; needs a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("curator: the app needs a terminal; `curator --help` lists the commands", file=sys.stderr)
        sys.exit(USAGE)
    from curator.tui.app import run_app

    run_app(open_store())
