"""Options and arguments shared by commands, and parsers of numbers and dates."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand

from curator.display import truncate
from store import clock

HELP = {"help_option_names": ["-h", "--help"]}
LARGEST = 2**63 - 1
"""Largest id or count that a store can hold."""
MOST_DAYS = 36_500
_Given = TypeVar("_Given", int, list[int], int | None)


def countable(given: _Given) -> _Given:
    """Return the number or numbers unless too large for a store; for Typer's `callback`. Raises BadParameter."""
    for number in given if isinstance(given, list) else [given or 0]:
        if not -LARGEST <= number <= LARGEST:
            raise typer.BadParameter(f"{truncate(str(number))} is too large")
    return given


def is_uid(word: str) -> bool:
    """Return True if a word has the form of a global id."""
    return re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", word.lower()) is not None


def memory_number(word: str | int) -> int:
    """Return the id of a memory given by id or global id; for Typer's `parser`. Raises BadParameter."""
    if isinstance(word, str) and is_uid(word):
        from curator.cli.output import open_store

        try:
            return open_store().by_uid(word.lower())
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
    try:
        return int(word)
    except ValueError:
        raise typer.BadParameter(
            f"{truncate(str(word))!r} is not the id of a memory; `curator list` has them"
        ) from None


def parse_end(when: str) -> int | None:
    """Return an end date: `clock.LATEST` for "never", None for the kind's default ("default"). Raises BadParameter."""
    if when in ("never", "default"):
        return clock.LATEST if when == "never" else None
    days = re.fullmatch(r"([0-9]{1,5})d", when)
    if days is not None and int(days[1]) <= MOST_DAYS:
        return clock.now() + int(days[1]) * clock.DAY
    try:
        return clock.from_iso(when)
    except ValueError:
        raise typer.BadParameter(
            f"{truncate(when)!r} is not a date; give a date like 2027-03-01, days like 30d, never, or default"
        ) from None


From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="TARGET",
        help="Read another machine's snapshot: s3://, gs:// or az://BUCKET/PREFIX, or folder:PATH.",
    ),
]
TargetArgument = Annotated[
    str, typer.Argument(metavar="TARGET", help="folder:PATH, or s3://, gs:// or az://BUCKET/PREFIX.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
AsJsonLines = Annotated[bool, typer.Option("--json", help="Print JSON, one object per line.")]


class DraftBy(StrEnum):
    """The author of a merge draft."""

    RULES = "rules"
    MODEL = "model"


Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
PassphraseFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Read the passphrase of an encrypted archive from the first line of FILE."),
]
Ids = Annotated[
    list[int], typer.Argument(metavar="ID", parser=memory_number, callback=countable, help="Ids of memories.")
]
SomeIds = Annotated[
    list[int] | None,
    typer.Argument(metavar="ID", parser=memory_number, callback=countable, help="Ids of memories."),
]
"""Optional ids, for commands that can also select memories in other ways."""
MemoryId = Annotated[
    int, typer.Argument(metavar="ID", parser=memory_number, callback=countable, help="The memory's id.")
]


_MAX_VALUES = 4  # choices listed in an option's value name; more are listed in its help text


def value_name(option: Any) -> str:
    """Return the name of an option's value in help: ID, N, FILE, or the choices if they are few."""
    kind = option.type_descriptor
    if option.metavar:
        return str(option.metavar)
    if kind.is_choice and len(kind.choices) <= _MAX_VALUES:
        return "|".join(kind.choices)
    if kind.is_path:
        return "FILE"
    return "N" if kind.annotation is int else str(option.name).upper()


class NamedValues(TyperCommand):
    """A command whose help names values instead of Python types."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the arguments as `ID...`, without the braces of Typer."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options."""
        rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        parameters: list[Any] = self.get_params(ctx)
        for parameter in parameters:
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            (shown, text), kind = record, parameter.display_type(ctx)
            text = re.sub(r"(\d+)<=x<=(\d+)", r"\1 to \2", text.replace("x>=", "at least "))
            if parameter.param_type_name == "argument":
                rows["Arguments"].append((shown.removesuffix(f" {kind}"), text))
                continue
            name = value_name(parameter)
            if parameter.type_descriptor.is_choice and "|" not in name:
                text = f"{text}  [{', '.join(parameter.type_descriptor.choices)}]"
            rows["Options"].append((shown.replace(kind, name), text))
        for heading, lines in rows.items():
            if lines:
                with formatter.section(heading):
                    formatter.write_dl(lines)


class ToCommand(NamedValues):
    """A command on ids with a value in `--to`; a value given first is an error whose message shows the right form."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Raises UsageError."""
        words = [word for word in args if not word.startswith("--")]
        named = any(word.split("=")[0] in ("--to", *ctx.help_option_names) for word in args)
        if words and not named:
            ids = [word for word in words if word.isdecimal() or is_uid(word)]
            first = next((word for word in words if word not in ids), "VALUE")
            if first == "VALUE" and len(ids) > 1 and ctx.info_name in ("score", "importance"):
                first, *ids = words
            ctx.fail(f"the value is an option; write it as: {ctx.command_path} {' '.join(ids) or 'ID'} --to {first}")
        return super().parse_args(ctx, args)
