"""Writes the README's key table from the app's registry of actions: `python tests/readme.py`."""

from pathlib import Path

from curator.tui.actions import Group, every
from curator.tui.keys import key_names

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- keys -->\n", "<!-- /keys -->"


def key_table() -> str:
    """The table in Markdown: every action of the areas, those of the palette included."""
    lines = ["| `vim` | `plain` | name | what it does |", "|---|---|---|---|"]
    for group in Group:
        of_group = [action for action in every() if action.group is group]
        if of_group:
            lines.append(f"| **{group}** | | | |")
        lines += [
            f"| {_keys(action.keys)} | {_keys(action.plain)} | {action.id} | {action.help} |" for action in of_group
        ]
    return "\n".join(lines) + "\n"


def _keys(keys: tuple[str, ...]) -> str:
    return " ".join(f"`{key}`" for key in key_names(keys).replace("|", "\\|").split()) or "palette"


def with_table(text: str) -> str:
    """The README with the table as it is now between its two marks."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + key_table() + END + rest.split(END, 1)[1]


if __name__ == "__main__":
    README.write_text(with_table(README.read_text("utf-8")), "utf-8")
