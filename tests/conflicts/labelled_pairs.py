"""Hand-written pairs of memories with the relation that a careful person sees between them.

Each line of `pairs.jsonl` is a pair: `a` is the older statement, `b` the newer (or as old), `a_at` and `b_at` the days
they were said, `cause` what decides the relation (one of `CAUSES`). How the labels were given:

- duplicate: both say the same thing; a filler word or an extra remark makes no difference, a hard detail does.
- update: what changes in a life has changed. It is said so, or the value is one of those that do change (home, job,
  phone), only one holds at a time, and years lie between.
- contradiction: both cannot be true, and nothing says that the newer one follows the older: the thing cannot change
  (a birthplace), the newer one denies the past as well, or a few days lie between and no change is mentioned.
- coexist: they touch the same topic, person or slot, and both may well be true.
- unrelated: not even that.

Arguable pairs are left out. The statements were written without a look at the rules that compare memories; rules may be
tuned on `half` "a" and are proven on "b". Within a relation the halves alternate, so each cause is in both. Those of
"c" were written later, shorter and plainer, for tuning too.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from store.model import Relation

CAUSES: dict[Relation, tuple[str, ...]] = {
    Relation.DUPLICATE: (
        "same words",  # except for case, punctuation, typos, order, small words
        "reworded",
        "first and third person",
        "other notation",  # of a number, a date, a unit
    ),
    Relation.UPDATE: (
        "home changed",
        "work or study changed",
        "tool or version changed",
        "date moved",
        "taste or habit changed",
        "state moved on",  # done, ended, begun, healed
        "number changed",
        "decision revised",
    ),
    Relation.CONTRADICTION: (
        "negated",
        "exclusive value",
        "opposite taste",
        "number differs",
        "implied opposite",  # visible only with knowledge of what the words mean
    ),
    Relation.COEXIST: (
        "many-valued slot",
        "other person",
        "other time",
        "other scope",  # project, place, situation
        "one contains the other",  # part and whole, general and particular
        "reported",
        "wish or plan",
        "different things counted",
        "degrees agree",
        "question",
    ),
    Relation.UNRELATED: ("shared word only", "nothing shared"),
}
"""All causes, by the relation they lead to."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements, the older first, and their relation."""

    id: str
    relation: Relation
    a: str
    b: str
    a_at: int
    """Microseconds since 1970, UTC, of the midnight that begins the day; so is `b_at`."""
    b_at: int
    cause: str
    half: str
    """ "a" and "c": rules may be tuned on them; "b": held out."""


@cache
def pairs() -> tuple[Pair, ...]:
    """Return all pairs, in the order of the file."""
    lines = Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(_pair(json.loads(line)) for line in lines)


def _pair(line: dict[str, str]) -> Pair:
    return Pair(
        id=line["id"],
        relation=Relation(line["relation"]),
        a=line["a"],
        b=line["b"],
        a_at=_microseconds(line["a_at"]),
        b_at=_microseconds(line["b_at"]),
        cause=line["cause"],
        half=line["half"],
    )


def _microseconds(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) * 1_000_000
