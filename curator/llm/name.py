"""Name a group of statements about one thing."""

from collections.abc import Sequence
from functools import partial

from curator.compare import Guard, differences
from curator.injection import flag_injection
from curator.llm.client import Asker, answer_tokens, data_tokens, tokens
from curator.llm.data_fence import fence, visible
from curator.llm.reply_parser import Name, parsed_one
from curator.models import BadReply, Question, items_schema
from curator.secrets import redact
from curator.text import plain_words

VERSION = "name/1"
MOST = 24
"""Statements shown to the model."""
WORDS, LONGEST = 3, 40
"""Maximum words and characters of a name."""

_FACTS = frozenset({Guard.NUMBER, Guard.UNIT, Guard.DATE, Guard.PERSON})

SYSTEM = f"""\
You name a group of statements that a person made, all about one thing, as one names a folder.
- name: one to {WORDS} words that say what the thing is, in the language of the statements and in small letters, with \
their own words where they fit. No sentence, no date, no name of a person or place that they do not have.
Answer with JSON only, one item. Example, of "I keep 19 beehives" and "My honey is sold at the fair":
{{"items": [{{"name": "beekeeping"}}]}}"""

_SCHEMA = items_schema({"name": {"type": "string"}})


async def name(asker: Asker, texts: Sequence[str]) -> str:
    """Return a name for statements, of which the first ones that fit are shown. Raises CallFailed."""
    room, shown = data_tokens(asker.chat.model.context), list[str]()
    for text in texts[:MOST]:
        room -= tokens(text)
        if shown and room < 0:
            break
        shown.append(text)
    border = fence(asker.secret, *shown)
    statements = [border.wrap("statement", text, str(number)) for number, text in enumerate(shown, 1)]
    last = f"End of the data. Name what the {len(shown)} statements are about. JSON only, one item. {border.notice}"
    user = "\n\n".join([border.notice, *statements, last])
    asked = Question(SYSTEM, user, _SCHEMA, min(100, answer_tokens(asker.chat.model.context)))
    return await asker.ask(VERSION, asked, partial(read, texts=shown))


def read(reply: str, texts: Sequence[str]) -> str:
    """Parse the name in a reply. Raises BadReply if it is no name, or says what the statements do not."""
    words = " ".join(visible(parsed_one(Name, reply).name).split())
    text = words.strip(" .\"'").casefold()  # capitals of a title tell no names
    if not plain_words(text) or len(text.split()) > WORDS or len(text) > LONGEST:
        raise BadReply(f"the name must have 1 to {WORDS} words")
    if redact(text).count or flag_injection(text):
        raise BadReply("the name has something in it that no statement has")
    for one in differences("\n".join(texts), text):
        if one.guard in _FACTS and one.b:
            raise BadReply(f"the name adds a {one.guard}")
    return text
