"""Merge: several statements in one text. By rule, the draft of `curator.curation.merge`; it is the fallback too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from curator.llm import token_budget
from curator.llm.client import Asker
from curator.llm.data_fence import fence, visible
from curator.llm.judge import Statement
from curator.models.chat import Question, items_schema
from curator.models.errors import BadReply, CallFailed

VERSION = "merge/1"
MOST = 8
"""Statements in one call; with more, small models lose some."""
LONGEST = 500

_KEPT, _NEW = 0.6, 0.3
"""Least share of the statements' words that must survive, and largest share of new words in the text."""

_CLAUSE = re.compile(r"[.!?;,:]+\s+|\s+(?:and|but|because|while|which)\s+")

SYSTEM = f"""\
You put several statements that a person made about themselves into one.
- Say everything that the statements say, once, in the first person, in the person's own words and language.
- Keep every number, date, name, "not", "never" and condition as it is. Add nothing, explain nothing, leave nothing out.
- Where statements disagree keep both, each with its date.
- At most {LONGEST} characters.
Answer with JSON only, one item. Example, of "I keep 19 beehives" and "My beehives stand behind the lighthouse":
{{"items": [{{"text": "I keep 19 beehives, which stand behind the lighthouse."}}]}}"""


_SCHEMA = items_schema({"text": {"type": "string"}})


@dataclass(frozen=True, slots=True)
class Merged:
    """A text for several statements. `by` is the task's version or "rules"; `problem` is the fault of the model's."""

    text: str
    by: str
    problem: str = ""


async def merge(asker: Asker, statements: Sequence[Statement], draft: str) -> Merged:
    """Return the model's text if it keeps all numbers, dates and names and adds none, else the rules' `draft`.

    Never raises CallFailed: what a call came to is told in `problem`. Offline and NotAllowed come through.
    """
    if not 2 <= len(statements) <= MOST:
        return Merged(draft, "rules", f"a model merges 2 to {MOST} statements, these are {len(statements)}")
    asked = question(statements, asker.secret, asker.chat.model.context)
    try:
        text = await asker.ask(VERSION, asked, partial(read, statements=statements))
    except CallFailed as error:
        return Merged(draft, "rules", f"{asker.chat.model.name}: {error}")
    return Merged(text, VERSION)


def question(statements: Sequence[Statement], secret: bytes, context: int) -> Question:
    """Build the question for several statements."""
    from curator.llm.relative_dates import day_of

    border = fence(secret, *(one.text for one in statements))
    parts = [border.notice]
    for number, one in enumerate(statements, 1):
        day = f", {day_of(one.at):%Y-%m-%d}" if one.at is not None else ""
        parts.append(border.wrap("statement", one.text, f"{number}{day}"))
    parts.append(
        f"End of the data. Put the {len(statements)} statements into one text that keeps every number and name."
        f" JSON only, one item. {border.notice}"
    )
    return Question(SYSTEM, "\n\n".join(parts), _SCHEMA, min(600, token_budget.answer(context)))


def read(reply: str, statements: Sequence[Statement]) -> str:
    """Parse the text in a reply. Raises BadReply, with a reason for the model, unless it keeps the meaning."""
    from curator.llm import reply_parser as replies
    from curator.llm.schemas import Wording

    found = replies.shaped(Wording, replies.items(reply, Wording.model_fields))
    if len(found) != 1:
        raise BadReply("it must have exactly one item")
    text = " ".join(visible(found[0].text).split())
    if problem := wrong([one.text for one in statements], text):
        raise BadReply(problem)
    return text


def wrong(statements: Sequence[str], text: str) -> str | None:
    """Return the fault of `text` as one text for several statements, or None."""
    from curator.compare import Guard, differences
    from curator.distill import flag_injection
    from curator.secrets import redact
    from curator.text import tokens

    if not text or len(text) > LONGEST:
        return f"the text must have 1 to {LONGEST} characters"
    together = "\n".join(one if one[-1:] in ".!?" else f"{one}." for one in statements)
    if redact(text).count or (flag_injection(text) and not flag_injection(together)):
        return "the text has something in it that no statement has"
    kept = (Guard.NUMBER, Guard.UNIT, Guard.DATE, Guard.NAME, Guard.PERSON)
    for one in differences(together, text):
        if one.guard in kept and (one.a or one.b):
            return f"it {'leaves out' if one.a else 'adds'} a {one.guard}"
    before, after = tokens(together), tokens(text)
    if len(after - before) > _NEW * len(after):
        return "it adds words that no statement has"
    if len(before & after) < _KEPT * len(before):
        return "it leaves out what some statement says"
    if _turned(text, statements) or any(_turned(one, [text]) for one in statements):
        return "it says the opposite of a statement"
    return None


def _turned(text: str, others: Sequence[str]) -> bool:
    """Tell whether a clause of `text` contradicts the nearest clause of the others."""
    from curator.compare import Guard, differences
    from curator.llm.validate import shortest_run
    from curator.text import tokens

    opposed = (Guard.NEGATION, Guard.POLARITY, Guard.DIRECTION)
    cuts = {other: [0, *(found.end() for found in _CLAUSE.finditer(other)), len(other)] for other in others}
    for clause in _CLAUSE.split(text):
        words = tokens(clause)
        runs = [shortest_run(clause, list(pairwise(cuts[other])), other) for other in others]
        nearest = min(runs, key=lambda run: (-len(words & tokens(run)), len(run)))
        if any(one.guard in opposed for one in differences(nearest, clause)):
            return True
    return False
