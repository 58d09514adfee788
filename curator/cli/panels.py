"""The page of `curator --help`: commands in groups."""

from typing import Any

from typer.core import TyperGroup

PANELS: dict[str, tuple[str, ...]] = {
    "Import": ("import", "distil", "add", "setup", "demo"),
    "Look": ("list", "search", "show", "grep", "related", "tags", "refused", "stats", "sql"),
    "Review": ("validate", "reject", "later", "forget", "take", "purge"),
    "Edit": (
        ("edit", "merge", "supersede", "tag", "pin", "tier", "kind", "rank", "importance", "score", "scope", "until")
    ),
    "Conflicts": ("conflicts", "duplicates", "compare"),
    "Recall": ("recall", "context", "check", "feedback", "warmth"),
    "Local model": ("models", "work"),
    "Upkeep": ("tidy", "outdated", "scan", "doctor"),
    "Undo": ("undo", "redo", "log"),
    "Backup and settings": ("backup", "restore", "export", "key", "config"),
}


class PanelGroup(TyperGroup):
    """The commands of `PANELS`, group by group.

    Typer's own panels are drawn by rich, which takes longer to import than the whole page may take.
    """

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the groups, each command with the first sentence of its help."""
        widest = max(map(len, self.commands))
        for panel, names in PANELS.items():
            with formatter.section(panel):
                formatter.write_dl(
                    [
                        (f"{name:<{widest}}", self.commands[name].get_short_help_str(formatter.width - widest - 6))
                        for name in names
                    ]
                )
