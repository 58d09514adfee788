"""When a commitment is due, as its words say: until then it holds."""

from datetime import date

from store.clock import DAY
from store.model import Kind

_EPOCH = date(1970, 1, 1).toordinal()


def due(kind: Kind, text: str, said_at: int | None) -> int | None:
    """The end of the last day that a commitment names, if that was ahead when it was said; None if it names none.

    A weekday is the next one after it was said. A day without a year is left: it may be any.
    """
    if kind is not Kind.COMMITMENT or said_at is None:
        return None
    from curator.llm.relative_dates import day_of, meant
    from curator.recall.dates import spans

    said = day_of(said_at)
    named = [span.end for span in spans(text, said_at) if span.year and span.end > said]
    relative = sorted(
        day for word in meant(text, said_at) if len(word) == 10 and (day := date.fromisoformat(word)) > said
    )
    ends = [*(end.toordinal() for end in named), *(day.toordinal() + 1 for day in relative[:1])]
    return (max(ends) - _EPOCH) * DAY if ends else None
