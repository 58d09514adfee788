"""Starting: the app by the shortest way, since building the command line was a quarter of the wait for it."""

import sys


def open_app() -> None:
    """Open the app on the person's store; needs a terminal. Raises ConfigError, StoreError."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("curator: the app needs a terminal; `curator --help` lists the commands", file=sys.stderr)
        sys.exit(2)
    from curator.paths import store_folder
    from curator.tui.app import run_app
    from store import Store

    store = Store.open(store_folder())
    if run_app(store) == "demo":
        from curator.cli.importing import demo

        store.close()
        demo()


def main() -> None:
    """The program `curator`: the app where nothing is asked for, else the command line."""
    if len(sys.argv) > 1:
        from curator.cli import main as command_line

        command_line()
        return
    try:
        open_app()
    except (Exception, KeyboardInterrupt) as error:
        from curator.cli.errors import explain

        sys.exit(explain(error))
