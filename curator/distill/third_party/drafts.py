"""Texts that an assistant writes or corrects for the person, and words of others that the person passes on.

Their content is not a statement of the person, and "add that I ..." is a request to change the text, not to remember.
"""

import re
from dataclasses import dataclass

from curator.distill.language import english
from curator.distill.statements.clauses import end_of_written
from curator.distill.third_party.forwarded import end_of_forwarded

_FIRST_PERSON = re.compile(r"\s*[\"“‘'(*-]*\s?(?:i|i'm|i've|my|we|we're|dear|hi|hello|to whom)\b")
_SELF = re.compile(r"(?:(?:ok|so|and|but|well),? )*(?:i|i'm|i've|we)\b")
_OF_WORD = re.compile(r"\b(?:use|using|say|saying|write|writing) the (?:words?|phrases?|terms?|expressions?) (?=\S)")
"""Words of an order about a certain word, which is in no text yet: "don't use the word 'sadly'"."""
_BELOW = re.compile(r"[ \t]*\n[ \t]*\n")
LONGEST_VERSE = 60
"""Maximum characters of a line of verse."""


@dataclass(slots=True)
class DraftState:
    """State of the text being written or corrected in a conversation, up to the current sentence."""

    begun: bool = False
    of_other: bool = False
    asked: bool = False  # a task asked for a text
    asked_here: bool = False  # a task of the current message asked for it

    def end_of_text(self, low: str, start: int, end: int) -> int | None:
        """Read a sentence; return the end of the text that it introduces or contains, or None.

        The text is the rest of the line or, if it begins on a later line, of the message.
        """
        if (passed := end_of_forwarded(low, start, end)) is not None:
            return passed
        written = end_of_written(low, start, end)
        mends = english().cues["mends"].search(low, start, end)
        said = None if _SELF.match(low, start, end) else english().cues["passed_on"].match(low, start, end)
        if english().cues["composes"].match(low, start, end):
            self.asked = self.asked_here = True
        self.begun = self.begun or written is not None or english().cues["drafting"].search(low, start, end) is not None
        self.of_other = self.of_other or bool(mends or said)
        if written is None and is_below(low, start, end):
            return len(low)
        if written is not None or not (mends or said):
            return written
        line = low.find("\n", end)
        if said or low.find(":", start, end - 1) >= 0 or (low[end - 1] != ":" and _FIRST_PERSON.match(low[end:line])):
            return line if line >= 0 else len(low)
        return len(low) if line >= 0 else None

    def addition(self, low: str, start: int, end: int) -> int | None:
        """Return the start of what a sentence asks to add to the text being written, or None."""
        found = english().cues["adds"].match(low, start, end) if self.begun or self.of_other else None
        return found.end() if found and low[end - 1] != "?" else None

    def is_instruction(self, low: str, start: int, end: int) -> bool:
        """Return True if an order, which does not say that it is permanent, is about the text that was asked for."""
        if self.asked_here:
            return True
        said = _OF_WORD.sub("", low[start:end])
        return self.asked and english().cues["for_this_text"].search(said) is not None


def is_below(low: str, start: int, end: int) -> bool:
    """Return True if a sentence that ends its paragraph announces a text below, by somebody else or in verse."""
    if not _BELOW.match(low, end):
        return False
    cues = english().cues
    sent, verse = (cues[name].match(low, start, end) is not None for name in ("sent_below", "verse"))
    if not (sent or verse):
        return False
    lines = [line.strip() for line in low[end:].split("\n") if line.strip()]
    plain = [line for line in lines if len(line) <= LONGEST_VERSE and line[-1] not in ".?:"]
    return bool(lines) and (sent or (len(lines) > 1 and 2 * len(plain) > len(lines)))
