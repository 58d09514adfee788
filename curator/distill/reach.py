"""Sentences that only say where the one before holds: "any repo", "goes for everything you write for me"."""

import re
from dataclasses import replace

from curator.distill.collector import Collector

_PLACES = (
    r"(?:(?:all|any|every|each)(?: of)?(?: (?:my|our|the|other|single|new))* "
    r"(?:projects?|repos?|repositor(?:y|ies)|code ?bases?|sessions?|work|languages?|code)"
    r"|(?:everything|anything|all|whatever) (?:that )?(?:i|you|we) (?:ever )?(?:write|do|work on|build|make|code|send)"
    r"(?: (?:in|for|with|on|to) (?:\w+ ?){1,3})?|everywhere(?: else)?|wherever i work|whatever the project)"
)
_ONLY = r"(?:not (?:just|only)(?: for| in)? (?:this|here|this one|(?:this|the) (?:repo|project|one|file)))"
_REACH = re.compile(
    r"(?:(?:and|also|btw|oh|ok|please|yes|but|so|same|i mean|i meant|meaning|that|this|it|which|rule|the same)[, ]+)*"
    r"(?:(?:goes|applies|apply|holds|counts|is valid|is true|is meant|is)[, ]+)?(?:(?:also|too|the same)[, ]+)*"
    rf"(?:(?:for|to|in|across|on|with|of) )?(?:{_PLACES}|{_ONLY})"
    r"(?:,? (?:too|as well|please|pls|btw|for me|of mine|from now on|always"
    rf"|{_ONLY}|(?:and )?(?:the )?same (?:in|for|goes for) [\w -]{{2,30}}))*[.! ]*"
)
_COMPLAINT = re.compile(
    r"you(?:'re)? (?:always |keep |still )*(?:do|did|doing|mak(?:e|ing)|made) (?:this|that|it|the same)(?: mistake)?"
    rf" (?:in |on |across |for )?{_PLACES}\b.*"
)
_PARTS = re.compile(
    r"(?:everything|all of (?:it|them)|the whole (?:thing|lot))(?:[,:]| -)(?: (?:and )?[\w./-]+,?){1,8}[.!]*"
)
"""What a task is to be done with: "everything, CI, Docker"."""


def is_reach(low: str, start: int, end: int) -> bool:
    """Return True for a sentence that says where another one holds."""
    return any(one.fullmatch(low, start, end) for one in (_REACH, _COMPLAINT))


def is_parts(low: str, start: int, end: int) -> bool:
    """Return True for a sentence that only lists the parts of a task."""
    return _PARTS.fullmatch(low, start, end) is not None


def hold_everywhere(kept: Collector, sentence: tuple[int, int], before: list[tuple[int, int]]) -> None:
    """Let what the last sentence before with a memory says hold everywhere; `before` are those of the message.

    The sentence itself is refused: it says nothing alone.
    """
    last = kept.candidates[-1].start if kept.candidates else None
    named = next((span for span in reversed(before) if last is not None and span[0] <= last < span[1]), None)
    if named:
        kept.candidates = [
            replace(one, everywhere=True) if named[0] <= one.start < named[1] else one for one in kept.candidates
        ]
    kept.refuse(*sentence, "vague")
