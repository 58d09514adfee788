"""Command lines that settings and environment variables hold as text."""

import os
import shlex
import sys


def split_command(command: str) -> list[str]:
    """Return the program and its arguments; the path of a file, even with blanks, is a program alone.

    Quotes group words and are removed. On Windows, backslashes separate folders. Raises ValueError for an open quote.
    """
    if os.path.exists(command):  # noqa: PTH110, pathlib's raises for some texts
        return [command]
    if sys.platform != "win32":
        return shlex.split(command)
    words = shlex.split(command, posix=False)  # keeps the quotes
    return [word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word for word in words]
