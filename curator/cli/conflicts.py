"""Conflicts: what waits, one of them closely, why it was found, and settling it."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.browsing import AsJson
from curator.cli.errors import NOTHING
from curator.cli.numbers import countable
from curator.cli.output import confirmed, counted, dim, memory_line, open_store, print_json
from curator.cli.review import Yes

if TYPE_CHECKING:
    from typer import _click as click

    from curator.curation import Pair, Rule
    from curator.export.rows import Json
    from store import Store

_DAYS = 7
Alert = Annotated[int, typer.Argument(metavar="ID", callback=countable, help="A conflict's id.")]
