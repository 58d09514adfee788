"""Judge the relation of two statements about a person, as a second opinion beside the rules.

Relations that would lead to an action are asked in both orders; if the answers differ, the opinion is `unsure`.
"""

from dataclasses import dataclass
from functools import partial

from curator.compare import Guard, differences
from curator.display import iso_date
from curator.llm.client import Asker, answer_tokens
from curator.llm.data_fence import fence, visible
from curator.llm.reply_parser import Opinion, parsed_one
from curator.models import Question, items_schema
from curator.secrets import redact
from store.model import Relation

VERSION = "judge/1"

_ACTED_ON = frozenset({Relation.DUPLICATE, Relation.UPDATE, Relation.CONTRADICTION})
_TOLD = 200
"""Characters kept of the model's explanation."""

SYSTEM = """\
You compare two statements that a person made about themselves, A and B, each with its date.
- difference: in at most 20 words, what differs between them.
- relation, one of:
  duplicate: both say the same, with the same numbers, dates, names and conditions.
  update: the same subject, and the later statement replaces the earlier one.
  contradiction: they cannot both be true, and it is not a change over time.
  coexist: about the same subject, and both can be true.
  unrelated: different subjects.
  unsure: you cannot tell.
- confidence: low, medium or high.
Never duplicate if a number, a date, a name, a "not" or a condition differs.
Answer with JSON only, one item. Examples:
A (2019-05-02) "I keep 19 beehives" B (2019-06-11) "There are 19 beehives that I keep"
{"items": [{"difference": "none", "relation": "duplicate", "confidence": "high"}]}
A (2019-05-02) "I keep 19 beehives" B (2021-08-30) "I keep 4 beehives now"
{"items": [{"difference": "19 then, 4 later", "relation": "update", "confidence": "high"}]}
A (2019-05-02) "I sold honey at the fair in May" B (2019-09-02) "I sold honey at the fair in August"
{"items": [{"difference": "two different fairs", "relation": "coexist", "confidence": "high"}]}"""


_SCHEMA = items_schema(
    {
        "difference": {"type": "string"},
        "relation": {"type": "string", "enum": [relation.value for relation in Relation]},
        "confidence": {"type": "string", "enum": ["low", "medium", "high"]},
    }
)


@dataclass(frozen=True, slots=True)
class DatedText:
    """The text of a memory and when it was said, in microseconds since 1970 UTC."""

    text: str
    at: int | None = None


@dataclass(frozen=True, slots=True)
class PairJudgment:
    """An opinion on a pair, with reasons for people to read."""

    relation: Relation
    reasons: tuple[str, ...]


async def judge(asker: Asker, a: DatedText, b: DatedText) -> PairJudgment:
    """Return the model's opinion; `unsure` if it doubts, or contradicts itself or the rules. Raises CallFailed."""
    first = await _asked(asker, a, b)
    if first.relation not in _ACTED_ON:
        return first
    second = await _asked(asker, b, a)
    if second.relation is first.relation:
        return first
    return PairJudgment(
        Relation.UNSURE,
        (f"{first.relation} in one order, {second.relation} in the other", *first.reasons, *second.reasons),
    )


async def _asked(asker: Asker, a: DatedText, b: DatedText) -> PairJudgment:
    asked = question(a, b, asker.secret, asker.chat.model.context)
    return await asker.ask(VERSION, asked, partial(read, a=a, b=b))


def question(a: DatedText, b: DatedText, secret: bytes, context: int) -> Question:
    """Build the question for two statements."""
    border = fence(secret, a.text, b.text)
    parts = [border.notice]
    for name, one in (("A", a), ("B", b)):
        parts.append(border.wrap("statement", one.text, f"{name}, {iso_date(one.at, 'date unknown')}"))
    parts.append(f"End of the data. What differs, and which relation is it? JSON only, one item. {border.notice}")
    return Question(SYSTEM, "\n\n".join(parts), _SCHEMA, min(400, answer_tokens(context)))


def read(reply: str, a: DatedText, b: DatedText) -> PairJudgment:
    """Parse the opinion in a reply and check it against the rules. Raises BadReply unless there is exactly one."""
    opinion = parsed_one(Opinion, reply)
    words = " ".join(redact(visible(opinion.difference)).text.split())[:_TOLD]
    reasons = (words,) if words else ()
    relation = opinion.relation
    if opinion.confidence == "low" and relation is not Relation.UNSURE:
        return PairJudgment(Relation.UNSURE, (f"{relation}, but with low confidence", *reasons))
    if relation is Relation.DUPLICATE:
        soft = (Guard.ORDER, Guard.MODALITY, Guard.QUANTITY, Guard.TENSE)
        hard = [str(one) for one in differences(a.text, b.text) if one.guard not in soft]
        if hard:
            return PairJudgment(Relation.UNSURE, ("called the same, though these differ", *hard, *reasons))
    return PairJudgment(relation, reasons)
