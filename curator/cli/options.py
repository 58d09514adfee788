"""Options and arguments that commands share."""

from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from curator.cli.validators import countable, is_uid, memory_number

HELP = {"help_option_names": ["-h", "--help"]}

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AsJsonLines = Annotated[bool, typer.Option("--json", help="Print JSON, one object per line.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Ids = Annotated[
    list[int], typer.Argument(metavar="ID", parser=memory_number, callback=countable, help="Ids of memories.")
]
SomeIds = Annotated[
    list[int] | None,
    typer.Argument(metavar="ID", parser=memory_number, callback=countable, help="Ids of memories."),
]
"""The ids of a command that has another way to say which memories are meant."""
MemoryId = Annotated[
    int, typer.Argument(metavar="ID", parser=memory_number, callback=countable, help="The memory's id.")
]


class ToCommand(TyperCommand):
    """A command over ids whose value is `--to`; the value in the first place is answered with how to write it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words after the command. Raises UsageError."""
        words = [word for word in args if not word.startswith("--")]
        named = any(word.split("=")[0] in ("--to", *ctx.help_option_names) for word in args)
        if words and not named:
            first, *ids = words
            is_value = ctx.info_name in ("score", "importance") or not (first.isdecimal() or is_uid(first))
            if not (ids and is_value):
                first, ids = "VALUE", words
            ctx.fail(f"the value is an option; write it as: {ctx.command_path} {' '.join(ids)} --to {first}")
        return super().parse_args(ctx, args)
