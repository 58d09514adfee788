"""The folder of a person's data as text: pathlib and platformdirs would take a hook's process 15 ms to import."""

import os
import sys

_BELOW_HOME = {"linux": ".local/share", "darwin": "Library/Application Support"}


def data() -> str:
    """Return the folder that contains the store: CURATOR_HOME, else the platform's user data folder."""
    named = os.environ.get("CURATOR_HOME")
    if named:
        return os.path.expanduser(named)  # noqa: PTH111, no pathlib here
    own, given = os.environ.get("HOME", ""), os.environ.get("XDG_DATA_HOME", "")
    below = _BELOW_HOME.get(sys.platform)
    if below and own.startswith("/") and "ANDROID_DATA" not in os.environ:
        return f"{given if given.startswith('/') else own.rstrip('/') + '/' + below}/curator"
    import platformdirs

    return platformdirs.user_data_dir("curator", appauthor=False)
