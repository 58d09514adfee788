"""Starting: the app by the shortest way, since building the command line was a quarter of the wait for it."""

import gc
import os
import sys


def open_app(demo: bool = False) -> None:
    """Open the app on the person's store, or the demo's; needs a terminal, and ends the process.

    Raises ConfigError, StoreError.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("curator: the app needs a terminal; `curator --help` lists the commands", file=sys.stderr)
        sys.exit(2)
    gc.disable()  # until the first paint: no collection finds anything in what is being loaded
    sys.setswitchinterval(0.001)  # a thread that computes gives way to the keys sooner than after 5 ms
    from curator.paths import store_folder
    from curator.tui.app import run_app
    from store import Store

    store = Store.open(store_folder())
    if run_app(store, demo=demo) == "demo":
        from curator.cli import import_logs

        import_logs.demo()
    if demo:
        folder = store.folder.parent
        print(f"the demo's store stays in {folder}: `CURATOR_HOME={folder} curator` opens it again, else delete it")
    _leave()


def _leave() -> None:
    """End now. Threads that load LanceDB, build an index or import would be waited for, for minutes.

    What they do may be cut off at any moment: the record and all that is made from it survive a kill.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def main() -> None:
    """The program `curator`: the app where nothing is asked for, else the command line."""
    if len(sys.argv) > 1 or "_CURATOR_COMPLETE" in os.environ:  # a shell asks for completions without arguments
        from curator.cli import main as command_line

        command_line()
        return
    try:
        open_app()
    except (Exception, KeyboardInterrupt) as error:
        from curator.cli.errors import explain

        sys.exit(explain(error))
