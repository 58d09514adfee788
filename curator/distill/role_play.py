"""Role play and fiction with the person as a character: what is said in a role is no fact of the person."""

import re
from dataclasses import dataclass

from curator.distill.clauses import forget_command, remember_command
from curator.distill.language import english

_ME = r"\b(?:i|i'm|i'll|(?:about|starring|featuring|with) me)\b"
_FICTION = re.compile(
    r"\b(?:write|tell|make up|create|continue|start|begin|give|imagine|compose)\b[^.!?\n]{0,60}"
    r"\b(?:story|tale|novel|novella|scene|chapter|fan ?fic\w*|screenplay|adventure|fable|script|song|poem|play|saga)\b"
    rf"[^.!?\n]{{0,80}}{_ME}"
)
"""A text to be made up, with the person in it."""
_PLAY = re.compile(
    r"(?:^|[.!?:;,\n-] ?|\b(?:and|so|ok|please|now) )"
    r"(?:(?:let's|lets|let us|(?:can|could|shall|should) we|i(?:'d| would) like to|i (?:want|wanna)(?: to)?|we could)"
    r" (?:do (?:a |some )?|start (?:a |some )?|try (?:a |some )?|continue (?:the |our )?|play (?:out )?)?"
    r"(?:(?:a |an |some |the )?(?:\w+ ){0,2}?role-? ?play\b|pretend\b"
    r"|(?:a |an )?(?:\w+ ){0,2}?(?:rpg|text adventure|d&d|dnd)\b)"
    r"|role-? ?play (?:as|with|that|this|a|an|where|time)\b"
    r"|i(?:'ll| will|'m going to) (?:play|be playing) (?:the |a |an )?[^.!?\n]{2,40}(?:,| and|;) you\b"
    r"|you (?:play|be|are|will be|will play|'ll be)[^.!?\n]{2,60}(?:,| and|;) i(?:'ll| will)? (?:play|be)\b)"
)
_END = re.compile(
    r"\b(?:(?:stop|end|quit|pause|leave|exit|finish|enough|done|no more)(?: of| with| from)?(?: the| this| our| that)?"
    r" (?:role-? ?play\w*|game|story|scene|pretending|adventure|rpg)|out of character|ooc|end (?:of )?scene"
    r"|back to (?:reality|real life|the real world)|in real life|irl|new topic"
    r"|(?:another|different|something) (?:else|topic|subject)|not in the (?:story|game))\b"
)
_AS = re.compile(
    r"(?:(?:and|but|so|ok|well),? )?as (?P<role>(?!an? )[^\W\d_]+(?: [^\W\d_]+){0,2}?),?"
    r" (?=(?:i|i'm|i've|i'd|i'll|my)\b)"
)
_NAME = re.compile(r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)+")
_TITLE = re.compile(
    r"(?:lead|head|manager|engineer|developer|director|officer|president|chair\w*|captain|teacher|nurse|parents?|assistant"
    r"|consultant|analyst|scientist|designer|student|owner|founder|member|citizen|resident|partner|admin\w*"
    r"|secretary|treasurer|coach|mother|father|master|mate|maid|man|woman|of|for|at|in|on)\b",
    re.IGNORECASE,
)
"""Jobs and roles in real life, which are no parts in a play: "as Team Lead I ..."."""


@dataclass(slots=True)
class Part:
    """The part that the person plays in a conversation, as far as it is read."""

    fiction: bool = False  # a text with the person in it was asked for
    playing: bool = False

    def read(self, low: str, text: str, start: int, end: int) -> bool:
        """Take in a sentence, which may begin or end a role play; return True if it is said in a role."""
        if _END.search(low, start, end):
            self.playing = self.fiction = False
            return False
        if forget_command(low, start, end) is not None or remember_command(low, start, end, english()) is not None:
            return False
        if self.playing or self._speaks_as(low, text, start, end):
            return True
        said = low[start:end]
        self.playing = _PLAY.search(said) is not None
        self.fiction = self.fiction or _FICTION.search(said) is not None
        return False

    def _speaks_as(self, low: str, text: str, start: int, end: int) -> bool:
        """Return whether a sentence names the role first: "As Red Mary I ..."; outside of fiction by its full name."""
        found = _AS.match(low, start, end)
        if not found:
            return False
        named = text[slice(*found.span("role"))]
        if _TITLE.search(named):
            return False
        return self.fiction or (_NAME.fullmatch(named) is not None and not named.isupper())
