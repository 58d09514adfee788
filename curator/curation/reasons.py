"""The reason of a conflict in one sentence for a person; `curator conflicts explain` has all that the rules found."""

from curator.compare.summary import NAMES, Names, summarize
from store.model import Alert, Judgment, Memory

_LONGEST = 2_000
"""Maximum characters of each text that are looked at."""
_MOST = 3
"""Maximum reasons of a model."""


def reason(alert: Alert, a: Memory, b: Memory, names: Names = NAMES) -> str:
    """Return why two memories are a conflict; `a` was said first. `names` are what they are called beside it."""
    if alert.judge and not alert.judge.startswith("rules"):
        return opinion(alert)
    dated = a.created_at is not None and b.created_at is not None
    return summarize(alert.relation, a.text[:_LONGEST], b.text[:_LONGEST], dated, names)


def opinion(found: Alert | Judgment) -> str:
    """Return the reasons that a model gave."""
    return "; ".join(found.reasons[:_MOST])
