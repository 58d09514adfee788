"""The reason of a conflict in one sentence for a person; `curator conflicts explain` has all findings of the rules."""

from store.model import Alert, Judgment, Memory, Relation
from store.record.sync.twins import JUDGE

_LONGEST = 2_000
"""Maximum characters of each text that are looked at."""
_MOST = 3
"""Maximum reasons of a model."""
_NAMES = ("A", "B")


def reason(alert: Alert, a: Memory, b: Memory, names: tuple[str, str] = _NAMES) -> str:
    """Return the reason why two memories are a conflict; `a` was said first, `names` are their labels on the screen."""
    from curator.compare.summary import summarize

    told = by_model(alert) or _by_devices(alert)
    return opinion(alert) if told else summarize(*_texts(alert, a, b), names)


def headline(alert: Alert, a: Memory, b: Memory) -> tuple[bool, str]:
    """Return the reason of a conflict without labels of the memories, and whether it names two different values."""
    from curator.compare.summary import summarize, two_values

    if by_model(alert) or _by_devices(alert):
        return True, opinion(alert)
    texts = _texts(alert, a, b)
    values = two_values(*texts)
    return bool(values), values or summarize(*texts, None)


def by_model(alert: Alert) -> bool:
    """Return True if a model found an alert."""
    return bool(alert.judge) and not alert.judge.startswith("rules") and not _by_devices(alert)


def _by_devices(alert: Alert) -> bool:
    """Return True if two devices wrote without knowing of each other."""
    return alert.judge == JUDGE


def _texts(alert: Alert, a: Memory, b: Memory) -> tuple[Relation, str, str, bool]:
    dated = a.created_at is not None and b.created_at is not None
    return alert.relation, a.text[:_LONGEST], b.text[:_LONGEST], dated


def opinion(found: Alert | Judgment) -> str:
    """Return the reasons that a model gave, or two devices."""
    return "; ".join(found.reasons[:_MOST])
