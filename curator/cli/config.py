"""The commands `setup`, `config` and `key`."""

from pathlib import Path
from typing import Annotated

import typer

from curator.cli.options import AsJson
from curator.cli.output import NOTHING, open_store, print_json, print_table, warn, warn_if_overridden
from curator.cli.progress import Task, progress
from curator.errors import ConfigError
from curator.paths import cache_folder, config_file, signing_key_file, store_folder, themes_folder


def setup(
    folder: Annotated[
        Path | None,
        typer.Option("--from", metavar="FOLDER", help="A folder with one of the models, instead of downloading."),
    ] = None,
) -> None:
    """Download the built-in models (488 MB).

    They are used for search by meaning and to find memories and conflicts, even if you declined them at an import,
    unless another model is set.
    """
    from curator.config import save, settings
    from curator.models import FetchFailed, load_embedder, weights
    from curator.services.search_session import embed_missing

    cache = cache_folder()
    failed: FetchFailed | None = None
    if folder is not None:
        print(f"installed in {weights.install_from_folder(folder, cache)}")
    else:
        for missing in weights.missing(cache, anew=True):
            if weights.installed(missing, cache) is not None:
                warn(weights.verification_error(missing, cache))
            warn(f"downloading {missing.name} ({weights.megabytes([missing])})")
            try:
                weights.fetch(missing, cache)
            except FetchFailed as error:
                failed = error
                break
            print(f"{missing.name} is installed in {weights.weights_folder(missing, cache)}")
    if not settings().classify.enabled and weights.installed(weights.MPNET, cache) is not None:
        save("classify.enabled", True)
        print(f"classify.enabled = true saved in {config_file()}")
        warn_if_overridden("classify.enabled")
    if not weights.verification_error(weights.MINILM, cache):
        model = load_embedder("minilm", cache)
        if settings().embed.provider == "hashing":  # set when the person declined the download
            save("embed.provider", "minilm")
            print(f"embed.provider = minilm saved in {config_file()}")
            warn_if_overridden("embed.provider")
        store = open_store()
        with progress() as lines:
            made = embed_missing(store, model, lambda done: lines.show(Task("embedding", text=f"{done:,} memories")))
        print(f"made {made:,} vectors" if made else "all memories have vectors")
    if failed is not None:
        raise failed


def config(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A setting, e.g. look.theme.")] = None,
    value: Annotated[str | None, typer.Argument(metavar="VALUE", help="Its new value.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Describe all settings, or this one.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show all settings and folders, or print or change one setting."""
    from curator.config import explained, explained_as, save

    if name is not None and value is None and "=" in name:
        name, _, value = (part.strip() for part in name.partition("="))
    if name is not None and value is not None:
        _check_look(name, value)
        save(name, value)
        print(f"{name} = {value} saved in {config_file()}")
        warn_if_overridden(name)
        return
    if name is not None:
        found, text = explained_as(name)
        if as_json:
            print_json({name: found})
        else:
            print(text if explain else found)
        return
    rows = explained()
    if as_json:
        print_json({name: value for name, value, _ in rows})
        return
    print_table(
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
        print_table([(name, value) for name, value, _ in rows])


def _check_look(name: str, value: str) -> None:
    """Check that the theme exists, and that the keys do not conflict. Raises ConfigError."""
    from curator.config import settings

    section, _, key = name.partition(".")
    if name == "look.theme":
        from curator.tui.themes import available

        names = [theme.name for theme in available(themes_folder())[0]]
        if value not in names:
            raise ConfigError(f"unknown theme {value}; choose one of {', '.join(names)}")
    elif section == "keys" or name == "look.keymap":
        from curator.tui.actions import SCOPES
        from curator.tui.keymap import keymap

        present = settings()
        preset = value if name == "look.keymap" else present.look.keymap
        keymap(SCOPES, preset, present.keys | ({key: value} if section == "keys" else {}), None)


def key(
    remove: Annotated[
        str | None, typer.Option(metavar="FINGERPRINT", help="Stop trusting a key; memories imported with it are kept.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show your signing key and trusted keys."""
    from curator.signature import checked_fingerprint, distrust, own_fingerprint, trusted

    if remove is not None:
        was_trusted = distrust(checked_fingerprint(remove))
        print(f"removed {remove.strip()}" if was_trusted else f"{remove.strip()} was not trusted")
        raise typer.Exit(0 if was_trusted else NOTHING)
    own, others = own_fingerprint(make=True), trusted()
    if as_json:
        rows = [{"fingerprint": name, "since": since} for name, since in others.items()]
        print_json({"fingerprint": own, "file": str(signing_key_file()), "trusted": rows})
        return
    print(f"this device   {own}")
    for name, since in others.items():
        print(f"trusted       {name}  since {since}")
