"""Writes the README's key table from the app's registry of actions: `python tests/readme.py`."""

from pathlib import Path

from curator.tui.actions import EVERYWHERE, MEMORIES

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- keys -->\n", "<!-- /keys -->"


def key_table() -> str:
    """The table in Markdown: every action that has a key."""
    lines = ["| key | what it does |", "|---|---|"]
    for action in (*MEMORIES, *EVERYWHERE):
        if action.keys:
            keys = " ".join(f"`{key}`" for key in action.shown_keys().split())
            lines.append(f"| {keys} | {action.help} |")
    return "\n".join(lines) + "\n"


def with_table(text: str) -> str:
    """The README with the table as it is now between its two marks."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + key_table() + END + rest.split(END, 1)[1]


if __name__ == "__main__":
    README.write_text(with_table(README.read_text("utf-8")), "utf-8")
