"""Merge statements that a person made into one text, which is checked to say nothing that none of them says."""

import re
from collections.abc import Sequence, Set
from functools import partial
from itertools import pairwise

from curator.compare import Guard, differences, relate
from curator.compare.pair import OPPOSED
from curator.display import iso_date
from curator.distill.language import english_share, is_english
from curator.injection import flag_injection
from curator.llm.client import Asker, answer_tokens
from curator.llm.data_fence import fence, visible
from curator.llm.judge import DatedText
from curator.llm.reply_parser import Wording, parsed_one
from curator.llm.validate import LONGEST, SHORTEST, shortest_run
from curator.models import BadReply, Question, items_schema
from curator.secrets import redact
from curator.text import tokens

VERSION = "merge/1"
MOST = 8
"""Statements per call; of more, small models lose some."""

_KEPT, _NEW = 0.6, 0.3
"""Minimum share of the statements' words in the text, and maximum share of its words that are new."""
_FACTS = frozenset({Guard.NUMBER, Guard.UNIT, Guard.DATE, Guard.NAME, Guard.PERSON})
_LOST = frozenset({Guard.MODALITY, Guard.QUANTITY})
_CLAUSE = re.compile(r"[.!?;,:]+\s+|\s+(?:and|but|because|while|which)\s+")

SYSTEM = f"""\
You put several statements that a person made about themselves into one text.
- Say everything that they say, once, in the first person, in the person's own words.
- Keep every number, date, name, "not", "never" and condition as it is. Add nothing, explain nothing.
- Where two cannot both be true, say of the two only what the last one says.
- At most {LONGEST} characters.
Answer with JSON only, one item. Example, of "I keep 19 beehives" and "My beehives stand behind the lighthouse":
{{"items": [{{"text": "I keep 19 beehives, which stand behind the lighthouse."}}]}}"""

_SCHEMA = items_schema({"text": {"type": "string"}})


async def merge(asker: Asker, statements: Sequence[DatedText], opposed: bool = False) -> str:
    """Return one text for all statements; if they are `opposed`, for the last, with what may stay of the others.

    Raises CallFailed, also for a text that the rules do not trust, and ValueError for statements that they cannot
    check: too many, or in a language without rules.
    """
    if not 2 <= len(statements) <= MOST:
        raise ValueError(f"a model merges 2 to {MOST} memories, these are {len(statements)}")
    low = "\n".join(one.text for one in statements).lower()
    if not (is_english(low) and english_share(low)):
        raise ValueError("a model's merge can be checked in English only")
    asked = question(statements, asker.secret, asker.chat.model.context)
    return await asker.ask(VERSION, asked, partial(read, statements=[one.text for one in statements], opposed=opposed))


def question(statements: Sequence[DatedText], secret: bytes, context: int) -> Question:
    """Build the question for several statements."""
    border = fence(secret, *(one.text for one in statements))
    parts = [border.notice]
    for number, one in enumerate(statements, 1):
        day = "" if one.at is None else f", {iso_date(one.at)}"
        parts.append(border.wrap("statement", one.text, f"{number}{day}"))
    parts.append(
        f"End of the data. Put the {len(statements)} statements into one text that keeps every number and name."
        f" JSON only, one item. {border.notice}"
    )
    return Question(SYSTEM, "\n\n".join(parts), _SCHEMA, min(600, answer_tokens(context)))


def read(reply: str, statements: Sequence[str], opposed: bool) -> str:
    """Parse the text in a reply. Raises BadReply, with a reason for model and person, if it has a fault."""
    text = " ".join(visible(parsed_one(Wording, reply).text).split())
    problem = fault(statements, text, opposed)
    if problem is not None:
        raise BadReply(problem)
    return text


def fault(statements: Sequence[str], text: str, opposed: bool = False) -> str | None:
    """Return the fault of `text` as one text for all statements, or None.

    It may add no number, name, date, person or negation, and few words; nor leave out any, but if the statements are
    `opposed` only the last must stay.
    """
    if not SHORTEST <= len(text) <= LONGEST or "?" in text:
        return f"the text must be a statement of {SHORTEST} to {LONGEST} characters"
    together = "\n".join(one if one[-1:] in ".!?" else f"{one}." for one in statements)
    if redact(text).count or (flag_injection(text) and not flag_injection(together)):
        return "the text has something in it that no statement has"
    must = statements[-1:] if opposed else statements
    for one in differences(together, text):
        if one.guard in _FACTS and one.b:
            return f"it adds a {one.guard}"
    for one in differences("\n".join(must), text):
        if one.guard in _FACTS and one.a:
            return f"it leaves out a {one.guard}"
    said, words = tokens(together), tokens(text)
    if len(words - said) > _NEW * len(words):
        return "it adds words that no statement has"
    needed = frozenset[str]().union(*map(tokens, must))
    if len(needed & words) < _KEPT * len(needed):
        return "it leaves out what a statement says"
    guards = OPPOSED if opposed else OPPOSED | {Guard.TENSE}
    hedged = guards | {Guard.MODALITY}
    if _turned(text, statements, guards | _LOST) or any(_turned(one, [text], hedged) for one in must):
        return "it says something else than the statements"
    others = [clause for clause in _CLAUSE.split(text) if not tokens(clause) <= tokens(must[0])]
    if opposed and any(relate(clause, must[0]).relation.is_opposed for clause in others):
        return "it says what the last statement replaces"
    return None


def _turned(text: str, others: Sequence[str], guards: Set[Guard]) -> bool:
    """Return True if a clause of `text` differs by one of the guards from the clauses of the others nearest to it."""
    cuts = {other: [0, *(found.end() for found in _CLAUSE.finditer(other)), len(other)] for other in others}
    said = {clause.strip(" .") for other in others for clause in _CLAUSE.split(other)}
    for clause in _CLAUSE.split(text):
        if clause.strip(" .") in said:
            continue
        words = tokens(clause)
        runs = [shortest_run(clause, list(pairwise(cuts[other])), other) for other in others]
        most = max(len(words & tokens(run)) for run in runs)
        nearest = [differences(run, clause) for run in runs if len(words & tokens(run)) == most]
        if all(any(one.guard in guards and (one.a or one.guard not in _LOST) for one in each) for each in nearest):
            return True
    return False
