"""Paths of the store, the settings file and the model weights."""

import os
import sys
from pathlib import Path

from curator import folders


def expanded(text: str) -> Path:
    """Return a path with ~ expanded; `~name` is kept if there is no such user."""
    return Path(os.path.expanduser(text))  # noqa: PTH111, pathlib's raises there


def completed_path(typed: str) -> str | None:
    """Return a typed path extended to what all names that begin like it share, folders with / at the end; else None.

    Hidden names are found only by a dot.
    """
    start, name = os.path.split(typed)
    if typed == "~":
        return os.path.join(typed, "")  # noqa: PTH118, pathlib drops the / at the end
    try:
        with os.scandir(expanded(start) if start else ".") as entries:
            names = [
                f"{entry.name}/" if entry.is_dir() else entry.name
                for entry in entries
                if entry.name.isprintable()
                and (entry.name.startswith(name) if name else not entry.name.startswith("."))
            ]
    except OSError:
        return None
    shared = os.path.commonprefix(names)  # noqa: RUF071, letters of names, not folders
    return typed.removesuffix(name) + shared if len(shared) > len(name) else None


def program_folder(variable: str, default: Path) -> Path:
    """Return the folder of another program that a variable of the environment names, else its usual one."""
    return expanded(os.environ.get(variable) or str(default))


def xdg_data_home() -> Path:
    """Return the folder in which some programs keep a person's data on macOS too, as on Linux."""
    return program_folder("XDG_DATA_HOME", Path.home() / ".local" / "share")


def config_home() -> Path:
    """Return the folder in which other programs keep a person's settings, and some their data."""
    return _of_programs("APPDATA", "Roaming", "XDG_CONFIG_HOME", ".config")


def data_home() -> Path:
    """Return the folder in which other programs keep a person's data."""
    return _of_programs("LOCALAPPDATA", "Local", "XDG_DATA_HOME", ".local/share")


def _of_programs(windows: str, windows_default: str, xdg: str, xdg_default: str) -> Path:
    own = Path.home()
    if sys.platform == "darwin":
        return own / "Library" / "Application Support"
    if sys.platform == "win32":
        return program_folder(windows, own / "AppData" / windows_default)
    return program_folder(xdg, own / xdg_default)


def home() -> Path | None:
    """Return the folder set by `CURATOR_HOME`, if any."""
    named = os.environ.get("CURATOR_HOME")
    return expanded(named) if named else None


def store_folder() -> Path:
    """Return the folder of the store: below CURATOR_HOME, else the platform's user data folder."""
    return Path(folders.data(), "store")


def is_own_store(folder: Path) -> bool:
    """Return True for the folder of the store; False for that of another store, such as the demo's."""
    return os.path.realpath(folder) == os.path.realpath(store_folder())


def config_file() -> Path:
    """Return the path of the settings file, which may not exist."""
    own = home()
    if own is not None:
        return own / "config.toml"
    import platformdirs

    return Path(platformdirs.user_config_dir("curator", appauthor=False)) / "config.toml"


def signing_key_file() -> Path:
    """Return the path of the private key that signs exports: beside the store, never in it."""
    return store_folder().parent / "signing.key"


def trusted_keys_file() -> Path:
    """Return the path of the file with the fingerprints of trusted keys of other devices: beside the store."""
    return store_folder().parent / "trusted_keys"


def api_keys_file() -> Path:
    """Return the path of the hashes of the keys of the HTTP API: beside the store."""
    return store_folder().parent / "api_keys"


def hook_failures_file() -> Path:
    """Return the path of the file with the failures of assistants' hooks: beside the store."""
    return store_folder().parent / "hook_failures"


def hook_given_file() -> Path:
    """Return the path of the file that says which memories hooks gave to each session: beside the store."""
    return store_folder().parent / "hook_given"


def pending_sync_file() -> Path:
    """Return the path of the key of a sync space whose recovery words have not been shown yet."""
    return store_folder().parent / "sync-begun.json"


def sync_file() -> Path:
    """Return the path of the key and the target of `curator sync`: beside the store, never in it."""
    return store_folder().parent / "sync.json"


def shares_file() -> Path:
    """Return the path of the keys and targets of `curator share`: beside the store, never in it."""
    return store_folder().parent / "shares.json"


def themes_folder() -> Path:
    """Return the folder of the person's colour themes, beside the settings file."""
    return config_file().parent / "themes"


def work_tree(folder: Path) -> Path | None:
    """Return the root of the git work tree that a folder is in, or None; an unreadable folder has none."""
    return next((place for place in (folder, *folder.parents) if os.path.exists(place / ".git")), None)  # noqa: PTH110


def connections_folder() -> Path:
    """Return the folder of what is known of connected assistants, with copies of their settings: beside the store."""
    return store_folder().parent / "connections"


def block_files_list() -> Path:
    """Return the path of the list of files with a block of memories: beside the store."""
    return store_folder().parent / "block_files.json"


def own_files() -> tuple[Path, ...]:
    """Return the program's own files and folders outside of the store, which may not exist."""
    beside = (
        signing_key_file(),
        trusted_keys_file(),
        api_keys_file(),
        block_files_list(),
        hook_failures_file(),
        hook_given_file(),
        sync_file(),
        pending_sync_file(),
        shares_file(),
    )
    files = (*beside, config_file())
    locks = (file.with_name(f"{file.name}.lock") for file in files)
    return (*files, *locks, themes_folder(), connections_folder())


def cache_folder() -> Path:
    """Return the folder of model weights, shared by all stores: CURATOR_CACHE, else the platform's cache."""
    named = os.environ.get("CURATOR_CACHE")
    if named:
        return expanded(named)
    import platformdirs

    return Path(platformdirs.user_cache_dir("curator", appauthor=False))
