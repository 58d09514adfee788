"""Editing of long texts in the person's own editor."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from curator.command_line import split_command


def edited(text: str) -> str | None:
    """Return the text as saved from $VISUAL or $EDITOR; None if it was not changed.

    Raises ValueError if no editor is set, if it fails, or if the saved file is not UTF-8. Its words could then only be
    guessed, so the file is kept, readable only by its owner, and the message names it.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if sys.platform == "win32" else "vi")
    folder = Path(tempfile.mkdtemp(prefix="curator-"))  # readable only by the owner
    keep = False
    try:
        file = folder / "memory.txt"
        file.write_text(text + "\n", encoding="utf-8")
        try:
            done = subprocess.run([*split_command(command), str(file)], check=False)
        except (OSError, ValueError) as error:
            raise ValueError(f"cannot run the editor {command}: {error}; set EDITOR to one") from error
        if done.returncode:
            raise ValueError(f"the editor {command} ended with {done.returncode}; nothing was changed")
        try:
            changed = file.read_text(encoding="utf-8-sig").strip()
        except UnicodeDecodeError as error:
            keep = True
            file.chmod(0o600)
            raise ValueError(
                f"the editor {command} did not save UTF-8; nothing was changed, and your words are in {file}:"
                " set the editor to UTF-8, take them over, and delete that file"
            ) from error
        except OSError as error:
            raise ValueError(f"the editor {command} left no text ({error.strerror}); nothing was changed") from error
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return None if changed == text.strip() else changed
