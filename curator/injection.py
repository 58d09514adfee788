"""Text that looks like orders to a model rather than like something a person says of themselves."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

CHECKED = 20_000
_BLOB = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{100,4000}={0,2}")


@dataclass(frozen=True, slots=True)
class _Sign:
    """A way of giving orders; `needs` are literals of which one must be there, so most texts are read no further."""

    needs: tuple[str, ...]
    pattern: re.Pattern[str]


@cache
def _signs() -> tuple[_Sign, ...]:
    rows = tomllib.loads((files("curator") / "injection.toml").read_text("utf-8"))["sign"]
    return tuple(
        _Sign(tuple(cast("list[str]", row["needs"])), re.compile("|".join(cast("list[str]", row["patterns"]))))
        for row in cast("list[dict[str, object]]", rows)
    )


def flag_injection(text: str) -> str | None:
    """The word "injection" if `text` gives orders to a model, imitates its protocol or hides a payload, else None.

    A person's standing wishes ("always answer in British English", "never use emoji") are no injections. Only the
    first 20,000 characters are looked at; memories have at most 500.
    """
    part = text[:CHECKED]
    low = part.lower().replace("’", "'")
    for sign in _signs():
        if any(literal in low for literal in sign.needs) and sign.pattern.search(low):
            return "injection"
    if any(_encoded(found[0]) for found in _BLOB.finditer(part)):
        return "injection"
    return None


def _encoded(run: str) -> bool:
    """Whether a long run of letters and digits is an encoding rather than a word held down on the keyboard."""
    return len(set(run)) >= 20 and not run.isalpha() and not run.islower() and not run.isupper()
