"""Chat logs of an invented person, for the first run and for trying things out.

Nora Lindqvist, the people around her, the companies and the keys do not exist. Two years of her chats are stored in
common formats: a ChatGPT export (`chatgpt/`), a Claude.ai export (`claude/`), Claude Code sessions (`claude-code/`),
OpenAI messages (`openai/`) and a Markdown transcript (`markdown/`).
"""

from importlib.resources import files
from pathlib import Path


def logs() -> Path:
    """Return the folder of the log files; read-only, with one subfolder per format.

    Raises FileNotFoundError if the package runs from an archive, since importers read files only.
    """
    folder = files(__name__).joinpath("logs")
    if not isinstance(folder, Path) or not folder.is_dir():
        raise FileNotFoundError(f"The demo's chat log is not a folder: {folder}. Install Curator unpacked.")
    return folder
