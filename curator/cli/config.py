"""The commands setup and config."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from curator.cli.errors import MODEL
from curator.cli.options import AsJson
from curator.cli.output import open_store, print_json, table


def setup(
    folder: Annotated[
        Path | None, typer.Option("--from", help="A folder with all-MiniLM-L6-v2, instead of downloading it.")
    ] = None,
) -> None:
    """Download the model for search by meaning (83 MB)."""
    from curator.cli.import_logs import progress_line
    from curator.models import FetchFailed, load_embedder, weights
    from curator.paths import cache_folder
    from curator.services.embed_missing import embed_missing
    from curator.services.import_summary import Progress, Summary

    try:
        if folder is not None:
            weights.adopt(folder, cache_folder())
        elif wrong := weights.damage(cache_folder(), anew=True):
            if weights.installed(cache_folder()) is not None:
                print(f"curator: {wrong}", file=sys.stderr)
            print(f"downloading the model ({weights.DOWNLOAD_BYTES // 1_000_000} MB)", file=sys.stderr)
            weights.fetch(cache_folder())
    except FetchFailed as error:
        print(f"curator: {error}", file=sys.stderr)
        raise typer.Exit(MODEL) from error
    model = load_embedder("minilm", cache_folder())
    print(f"the model is installed in {weights.installed(cache_folder())}")
    store = open_store()
    with progress_line(sys.stderr.isatty()) as report:

        def tell(made: int) -> None:
            if report is not None:
                report(Progress("embedding", made, made, Summary(memories=made)))

        made = embed_missing(store, model, tell)
    print(f"made {made:,} vectors" if made else "all memories have vectors")


def config(
    explain: Annotated[bool, typer.Option("--explain", help="Show what each setting does.")] = False,
    change: Annotated[
        str | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a setting, e.g. look.theme=paper.")
    ] = None,
    get: Annotated[
        str | None, typer.Option("--get", metavar="NAME", help="Print one setting, e.g. look.theme.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the settings and folders, or change a setting."""
    from curator.config import explained, value_of
    from curator.paths import cache_folder, config_file, store_folder

    if change is not None and get is not None:
        raise typer.BadParameter("give one of --set and --get")
    if change is not None:
        _set(change)
        return
    if get is not None:
        value = value_of(get)
        if as_json:
            print_json({get: value})
        else:
            print(value)
        return
    rows = explained()
    if as_json:
        print_json({name: value for name, value, _ in rows})
        return
    table(
        [
            ("settings", str(config_file()) + ("" if config_file().is_file() else " (no file, all defaults)")),
            ("store", str(store_folder())),
            ("models", str(cache_folder())),
        ]
    )
    print()
    if explain:
        for name, value, text in rows:
            print(f"{name} = {value}\n    {text}")
    else:
        table([(name, value) for name, value, _ in rows])


def _set(change: str) -> None:
    """Write one setting into the settings file. Raises ConfigError."""
    from curator.config import overridden, save
    from curator.errors import ConfigError
    from curator.paths import config_file

    name, given, value = (part.strip() for part in change.partition("="))
    if not given:
        raise ConfigError(f"{change} has no value; write it as look.theme=paper")
    _check_looks(name, value)
    save(name, value)
    print(f"{name} = {value} saved in {config_file()}")
    if (variable := overridden(name)) is not None:
        print(f"curator: the variable {variable} overrides this", file=sys.stderr)


def _check_looks(name: str, value: str) -> None:
    """See that there is such a theme, and that the keys fit together. Raises ConfigError."""
    from curator.config import settings
    from curator.errors import ConfigError

    section, _, what = name.partition(".")
    if name == "look.theme":
        from curator.paths import themes_folder
        from curator.tui.themes import available

        known = [theme.name for theme in available(themes_folder())[0]]
        if value not in known:
            raise ConfigError(f"there is no theme {value}; there are {', '.join(known)}")
    elif section == "keys" or name == "look.keymap":
        from curator.tui.actions import SCOPES
        from curator.tui.keymap import keymap

        now = settings()
        preset = value if name == "look.keymap" else now.look.keymap
        keymap(SCOPES, preset, now.keys | ({what: value} if section == "keys" else {}), None)


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("setup")(setup)
    app.command("config")(config)
