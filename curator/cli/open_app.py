"""Start of the app, on the person's store or the demo store."""

import gc
import os
import shlex
import sys
from pathlib import Path


def open_app(on_demo: bool = False) -> None:
    """Open the app on the person's store or the demo store. It needs a terminal, and ends the process.

    Raises ConfigError, StoreError.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("curator: the app needs a terminal; `curator --help` lists the commands", file=sys.stderr)
        sys.exit(2)
    gc.disable()  # until the first paint: loading creates no garbage
    sys.setswitchinterval(0.001)  # computing threads yield to key presses sooner than after 5 ms
    from curator.paths import store_folder
    from curator.tui.app import run_app
    from store import Store

    store = Store.open(store_folder())
    wanted, code = run_app(store, demo=on_demo)
    if wanted == "demo":
        demo()
    if on_demo:
        folder = store.folder.parent
        again = f"CURATOR_HOME={shlex.quote(str(folder))} curator"
        print(f"the demo store is kept (yours was not touched): reopen it with `{again}`, or delete the folder")
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads that load LanceDB, build an index or import could delay the exit for minutes. They may be killed at any
    # time: the record and all data derived from it survive that.
    os._exit(code)


def demo() -> None:
    """Try the app with sample chat logs, in a separate store."""
    import tempfile

    from curator.cli.import_logs import embedder, import_reporter
    from curator.cli.import_summary import print_forget_requests, print_summary
    from curator.cli.output import open_store
    from curator.cli.progress import progress
    from curator.config import save, settings
    from curator.demo import logs
    from curator.services.import_logs import import_paths, index_memories

    no_model = settings().embed.provider == "hashing"
    folder = Path(tempfile.mkdtemp(prefix="curator-demo-"))
    os.environ["CURATOR_HOME"] = str(folder)
    settings.cache_clear()
    if no_model:  # so that a refusal of the download applies to the demo too
        save("embed.provider", "hashing")
    store = open_store()
    with progress() as lines:
        files = sorted(path for path in logs().iterdir() if not path.name.startswith("."))
        chosen, report = embedder(store, lines), import_reporter(lines)
        summary = import_paths(store, files, chosen, report=report)
        index_memories(store, chosen, summary, report)
    home = f"CURATOR_HOME={shlex.quote(str(folder))}"  # without it, commands would change the person's own store
    print_summary(summary, as_json=False, program=f"{home} curator")
    print_forget_requests(store, summary.forget_requests, f"{home} curator")
    if sys.stdin.isatty() and sys.stdout.isatty():
        open_app(on_demo=True)
        return
    print(f"\ndemo store: {folder} (yours is not touched); delete the folder when you are done")
    print("try next:")
    for command in (
        'curator search "what does she eat" --explain',
        "curator list kind:preference",
        'curator recall "plan a dinner"',
        "curator",
    ):
        print(f"  {home} {command}")
