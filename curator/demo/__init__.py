"""The chat log of an invented person, for the first run and for trying things out.

Nora Lindqvist, the people around her, the companies and the keys in it do not exist. Two years of her chats are kept
in the formats that people have: a ChatGPT export (`chatgpt/`), a Claude.ai export (`claude/`), Claude Code sessions
(`claude-code/`), OpenAI messages (`openai/`) and a Markdown transcript (`markdown/`).
"""

from importlib.resources import files
from pathlib import Path


def logs() -> Path:
    """The folder of the log files; read-only, one folder inside it for each format.

    Raises FileNotFoundError where the package runs from inside an archive: importers read files, not archives of code.
    """
    folder = files(__name__).joinpath("logs")
    if not isinstance(folder, Path) or not folder.is_dir():
        raise FileNotFoundError(f"The demo's chat log is not a folder: {folder}. Install Curator unpacked.")
    return folder
