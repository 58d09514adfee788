"""Score how much the following reply used each recalled memory, 0-1.

A model must quote the reply's words that show the use; a high score without such words is ignored.
"""

from collections.abc import Sequence
from functools import partial

from curator.llm.client import TRIES, Asker, answer_tokens, data_tokens
from curator.llm.data_fence import fence
from curator.llm.quote_locator import locate
from curator.llm.reply_parser import Rating, parsed
from curator.models import BadReply, Question, items_schema

VERSION = "score/1"
MOST = 8
"""Memories per call."""

_HEARD = 6_000
_UNSHOWN = 3
"""Highest score (1-5) without words of the reply; neither warms nor cools the memory."""

SYSTEM = """\
You judge how useful notes were for an assistant's reply. For each numbered note:
- number: the note's number.
- words: up to ten words copied exactly from the reply that use what the note says; empty if there are none.
- score: 5 the reply rests on the note; 4 it uses the note; 3 it touches on the note, or you cannot tell; 2 the \
note has to do with the subject but was not used; 1 the note has nothing to do with it, or the reply says otherwise.
Answer for every number exactly once, with JSON only. Example, where the reply says "Two frames of brood are plenty \
for a lighthouse hive" and note 1 is "I keep beehives behind the lighthouse":
{"items": [{"number": 1, "words": "plenty for a lighthouse hive", "score": 4}]}"""


async def score(asker: Asker, turn: str, memories: Sequence[str]) -> list[float]:
    """Return the scores of at most 8 memories for the assistant turn that followed, in the order of `memories`.

    Above 0.7 a memory was used, below 0.3 it was not. Memories that the model leaves out are asked for again on their
    own. Raises CallFailed if some never get a score, ValueError for more than 8 memories.
    """
    if len(memories) > MOST:
        raise ValueError(f"at most {MOST} memories are scored at once, these are {len(memories)}")
    found: dict[int, int] = {}
    for _ in range(TRIES):
        missing = [index for index in range(len(memories)) if index not in found]
        if not missing:
            break
        asked = question(turn, [memories[index] for index in missing], asker.secret, asker.chat.model.context)
        given = await asker.ask(VERSION, asked, partial(read, turn=turn, among=len(missing)))
        found |= {missing[number - 1]: points for number, points in given.items()}
    else:
        if len(found) < len(memories):
            raise BadReply(f"{asker.chat.model.name} left out {len(memories) - len(found)} of {len(memories)} notes")
    return [(found[index] - 1) / 4 for index in range(len(memories))]


def question(turn: str, memories: Sequence[str], secret: bytes, context: int) -> Question:
    """Build the question; a long turn is reduced to its beginning and end."""
    most = min(_HEARD, data_tokens(context))  # characters: a third of the room is left to the memories
    heard = turn if len(turn) <= most else f"{turn[: most // 2]}\n[…]\n{turn[-most // 2 :]}"
    border = fence(secret, heard, *memories)
    notes = [border.wrap("note", memory, str(number)) for number, memory in enumerate(memories, 1)]
    last = f"End of the data. Give words and score for every note from 1 to {len(memories)}. JSON only. {border.notice}"
    parts = [border.notice, border.wrap("reply", heard), *notes, last]
    fields = {
        "number": {"type": "integer", "enum": list(range(1, len(memories) + 1))},
        "words": {"type": "string"},
        "score": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
    }
    schema = items_schema(fields, len(memories))
    return Question(SYSTEM, "\n\n".join(parts), schema, answer_tokens(context))


def read(reply: str, turn: str, among: int) -> dict[int, int]:
    """Parse the scores, 1-5, per memory; conflicting scores are dropped. Raises BadReply if no memory has any."""
    found: dict[int, int] = {}
    twice: set[int] = set()
    for rating in parsed(Rating, reply):
        if not 1 <= rating.number <= among:
            continue
        shown = rating.score <= _UNSHOWN or locate(rating.words, turn) is not None
        points = rating.score if shown else _UNSHOWN
        if found.setdefault(rating.number, points) != points:
            twice.add(rating.number)
    given = {number: points for number, points in found.items() if number not in twice}
    if not given:
        raise BadReply(f"it has no score for the numbers 1 to {among}")
    return given
