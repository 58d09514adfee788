"""The person's own editor, for a text that is longer than a line."""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


def edited(text: str) -> str | None:
    """The text as the person leaves it in $VISUAL or $EDITOR; None if it was not changed.

    Raises ValueError if no editor is set or it fails.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if sys.platform == "win32" else "vi")
    with tempfile.TemporaryDirectory(prefix="curator-") as folder:
        file = Path(folder) / "memory.txt"
        file.write_text(text + "\n", encoding="utf-8")
        try:
            done = subprocess.run([*shlex.split(command, posix=os.name == "posix"), str(file)], check=False)
        except (OSError, ValueError) as error:
            raise ValueError(f"cannot run the editor {command}: {error}; set EDITOR to one") from error
        if done.returncode:
            raise ValueError(f"the editor {command} ended with {done.returncode}; nothing was changed")
        changed = file.read_text(encoding="utf-8").strip()
    return None if changed == text.strip() else changed
