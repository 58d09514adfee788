"""Role play and fiction with the person as a character: statements in a role are not facts about the person."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from curator import safety
from curator.distill.collector import Collector
from curator.distill.language import english
from curator.distill.requests.commands import forget_command, remember_command
from store.model import Refusal

_ME = r"\b(?:i|i'm|i'll|(?:about|starring|featuring|with) me)\b"
_FICTION = re.compile(
    r"\b(?:write|tell|make up|create|continue|start|begin|give|imagine|compose)\b[^.!?\n]{0,60}"
    r"\b(?:story|tale|novel|novella|scene|chapter|fan ?fic\w*|screenplay|adventure|fable|script|song|poem|play|saga)\b"
    rf"[^.!?\n]{{0,80}}{_ME}"
)
"""A request for fiction with the person in it."""
_PLAY = re.compile(
    r"(?:^|[.!?:;,\n-] ?|\b(?:and|so|ok|please|now) )"
    r"(?:(?:let's|lets|let us|(?:can|could|shall|should) we|i(?:'d| would) like to|i (?:want|wanna)(?: to)?|we could)"
    r" (?:do (?:a |some )?|start (?:a |some )?|try (?:a |some )?|continue (?:the |our )?|play (?:out )?)?"
    r"(?:(?:a |an |some |the )?(?:\w+ ){0,2}?role-? ?play\b|pretend\b"
    r"|(?:a |an )?(?:\w+ ){0,2}?(?:rpg|text adventure|d&d|dnd)\b)"
    r"|role-? ?play (?:as|with|that|this|a|an|where|time)\b"
    r"|(?:you )?play (?:my |the |an? )[^.!?,;\n]{2,60}(?:,| and|;| -) ?(?:and )?i(?:'m| am) (?:the|your|an?)\b"
    r"|(?:you )?play (?:the |an? )[\w' -]{2,40}? (?:who|whose)\b"
    r"|i(?:'ll| will|'m going to) (?:play|be playing) (?:the |a |an )?[^.!?\n]{2,40}(?:,| and|;) you\b"
    r"|you (?:play|be|are|will be|will play|'ll be)[^.!?\n]{2,60}(?:,| and|;) i(?:'ll| will|'m going to"
    r"|'m gonna)? (?:play|be)\b)"
)
_NOVICE = (
    r"(?:(?:absolute|complete|total|very|real|bit of an?) )*(?:beginner|novice|newbie|noob|idiot|dummy|child|kid"
    r"|toddler|baby|(?:five|six|seven|ten|\d)[- ]years?[- ]old|layman|layperson|alien|expert|professional|bit|little"
    r"|few|lot|tad)\b"
)
"""A level of explanation ("like I'm five"), after which the person speaks for themselves."""
_ROLE = rf"(?:an?|the|your|some|someone|somebody) (?!{_NOVICE})\w"
_SCENARIO = re.compile(
    r"(?:^|[.!?:;,\n-] ?|\b(?:and|so|ok|please|now) )(?:(?:let's|lets|let us|can you|could you|i want you to|we) )?"
    rf"(?:imagine|pretend)(?: for (?:a (?:moment|second|minute)|now)|,? please)?,?(?: that)? (?:i(?:'m| am| were| was)"
    rf"|we(?:'re| are)) "
    rf"(?:{_ROLE}|\d\d\b|in (?:my|your) (?:\d0s|thirties|forties|fifties|sixties|seventies)|called |named )"
    r"|\b(?:in|for) (?:this|the|our|my|a) (?:\w+ )?(?:scenario|exercise|role-? ?play|scene|simulation|drill),? "
    rf"(?:i(?:'m| am|'ll be| will be) (?:{_ROLE}|called|named)|my (?:name|character)\b)"
    r"|^(?:the |our )?scenario ?[:,-] (?:i'm|i am|you|my)\b"
)
"""An imagined person in place of the speaker."""
_CAST = re.compile(
    r"(?:^|[.!?:;,\n-] ?|\b(?:and|so|ok|please|now|then) )(?:(?:you )?(?:play|be|act as|act like|pretend to be"
    r"|take the (?:role|part) of)"
    r" (?:my|the|an?|his|her|\w+'s) [^.!?\n]{2,40}?(?:,| and| while|;|\.| -) ?(?:and )?(?:i'll|i will|i'm gonna"
    r"|i'm going to|i am going"
    r" to|me)(?: be| play| act| stay|\b as)\b"
    r"|(?:let's say |say |imagine |pretend |suppose |assume |here )?(?:that )?i(?:'m| am|'ll be| will be| play) (?:the"
    r"|your|an?) [^,.;!?\n]{2,40}"
    r"(?:,| and|;|,? while) (?:and )?(?:you'll be|you will be|you play|you be|(?:you're|you are) (?:the|my) (?!best"
    r"|worst|greatest|one\b|expert|only|man\b|boss\b(?! who)|ai\b|assistant|first|last|reason))"
    r"|(?:let's say |say |imagine |pretend |suppose |assume )(?:that )?you(?:'re| are| were) [^,.;!?\n]{2,40}(?:,| and"
    r"|;|,? while) (?:and )?"
    r"i(?:'m| am|'ll be| will be) (?:the|your(?! client| patient| student| pupil| customer)|an?)\b)"
)
"""Roles assigned to the assistant and to the person."""
_SCENE = re.compile(
    r"(?:(?:ok|okay|so|now|please|and|then)[, ]+)*(?:let's|lets|let us|can we|shall we|time to) (?:do|try|start|run"
    r"|practi[sc]e|act out"
    r"|improvise) (?:(?:a|an|another|the|this|one|some) )?(?:\w+ )?(?:scene|improv\w*|skit|sketch|drill|simulation"
    r"|dialogue)\b[^?\n]*"
)
_YOU_AND_I = re.compile(
    r"you(?:'re| are| be| play) [^.!?\n]{2,60}?(?:,| and|;) ?(?:and )?(?:i(?:'m| am| play| be)|i'll be|me as)\b"
)
"""Roles given in the sentence after the one that begins a scene."""
_OTHER_PART = re.compile(
    r"(?:(?:ok|okay|so|now|please|you|let's say|and|then|hi|hello)[, ]+)*(?:play|be|act as|act like|pretend to be"
    r"|take the (?:role|part)"
    r" of|are|'re|will be) (?:my|the|an?) [^.!?\n]{2,40}[.!]*"
)
_OWN_PART = re.compile(
    r"(?:and |then )?(?:i'll|i will|i'm gonna|i'm going to) (?:be|play)\b|(?:and )?i(?:'m| am) (?:the|your)\b"
)
_EXPERT = (
    r"(?:doctor|dr|gp|physician|surgeon|nurse|paramedic|medic|psychiatrist|dentist|pharmacist|midwife|vet|lawyer|solicitor"
    r"|attorney|judge|police officer|detective|priest|dispatcher|receptionist)"
)
"""People whom one tells of a case, whom few assistants are asked to be in earnest when they are asked for a line."""
_OF_EXPERT = re.compile(rf"\b{_EXPERT}\b")
_MY_EXPERT = re.compile(
    rf"(?:^|[,;:.!?–—-] ?|\b(?:and|so|now) )(?:(?:now|so|ok|and|then),? )*(?:(?:let's )?(?:imagine|pretend|say"
    rf"|suppose|assume)"
    rf"(?: that)? )?(?:you are|you're|you play|you be|be) (?:my|the|an?) (?:[\w-]+ ){{0,2}}?{_EXPERT}\b"
    r"(?=\s?[.!,;:–—-]*\s*(?:(?:ok|so|now|and)[, ]+)*(?:go|begin|start|action|your turn|what now|what do you (?:do"
    r"|say|ask)|$))"
)
"""A sentence whose end casts the assistant: "I am 80 and have chest pain, you are my doctor, go"."""
_CASTS = re.compile(
    r"(?:(?:ok|okay|so|now|please|and|then|hi|hello)[, ]+)*(?:(?:(?:let's )?(?:imagine|pretend|say|suppose"
    r"|assume)(?: that)? )"
    r"?(?:you're|you are|you were|you be)|act (?:as|like)|play|be|pretend to be|imagine being)"
    r" (?:if you (?:were|are) )?(?:my|the|an?) [^.!?\n,;]{2,40}[.!]*"
)
"""A sentence that only casts the assistant: "imagine you're my doctor"."""
_YOUR_MOVE = re.compile(
    r"(?:[.!?\n,;:–—-]\s*|^\s*)(?:(?:so|ok|okay|and|now|then)[, ]+)*(?:what now|what do you (?:ask|say|do|reply"
    r"|answer|tell me)"
    r"(?: me| to me| first| next| now| then)*|how do you (?:react|respond|reply|begin|start|greet me|open)"
    r"(?: to me| to that| first)?|(?:it's )?your (?:turn|move|line)|go(?: ahead)?|action|begin|start|you start"
    r"|start the (?:scene|consultation|exam|interview|conversation|call))\s?[.!?…]*\s*$"
)
"""The end of a message that waits for the part of the assistant: "what do you ask?"."""
_CASE = re.compile(
    r"\W*(?:hi,? |hello,? )?(?:doctor,? |doc,? )?(?:i'm|i am|im) (?:an? )?\d{1,2}\b[^.!?\n]{0,40}?\b(?:and|with|have"
    r"|had|having)\b"
    r"[^.!?\n]{0,40}?\b(?:pains?|aches?|fever|cough|rash|dizz\w+|nausea|vomit\w*|bleed\w*|numb\w*|short of breath"
    r"|breathless"
    r"|palpitations|cramps|swelling|headache|sore throat|diarrh\w+|fell|fainted|collapsed)\b"
)
"""A case for the doctor that the assistant plays: an age and a complaint of the moment."""
_IMAGINED = re.compile(r"\b(?:imagine|imagining|pretend|suppose|assume|let's say)\b")
_ACTION = re.compile(
    r"\b(?:go(?: ahead)?|action|begin|you start|start(?: the \w+)?|your (?:turn|move|line)|what now"
    r"|what do you (?:do|ask)(?: me| first| next| now| then)*)\s?[.!?…]*\s*$"
)
"""The end of a message that only a play has: "you're a doctor. I'm diabetic. Go!"."""
_PART = re.compile(
    r"\bi(?:'m| am|m) (?:(?:your|the|some|someone|(?:an?|one of your) (?:\w+ )?(?:patients?|clients?|defendant|suspect"
    r"|witness|victim|caller|customer)|called|named)\b|(?-i:[A-Z][a-z]+)\b)|\b(?:my name is|name's)\b",
    re.IGNORECASE,
)
"""The person as somebody: "I'm your patient Bob"."""
_REST = 2_000
"""Characters read after a sentence that casts the assistant; the whole message for each would take quadratic time."""
_MEDIC = re.compile(r"\b(?:doctor|dr|gp|physician|surgeon|nurse|paramedic|medic|pharmacist|dispatcher)\b")
_THANKS = re.compile(
    r"(?:(?:ok|okay|great|perfect|cool|nice|good|right),? )*(?:thanks|thank you|thx|cheers|that(?:'s| was) (?:very "
    r"|really )?(?:helpful|useful|great|good|fun))\b"
)
_LEAD = (
    r"(?:(?:ok|okay|so|now|right|alright|well|hey|and|please|thanks|anyway|wait|phew|lol|haha|sorry|let's|but)[,.! ]+)*"
)
_OVER = re.compile(
    rf"{_LEAD}(?:(?:stop|end|quit|pause|leave|exit|finish|enough|done|no more)(?: of| with| from)?(?: the| this| our"
    rf"| that)?"
    r" (?:role-? ?play\w*|playing|acting|pretending|scene|play|charade)\b|(?:stop[,. ]+)?(?:i'm |going |stepping "
    r"|step |speaking )?"
    r"(?:now )?out of character(?! (?:for|that|of))\b|(?:stop[,. ]+)?ooc\b|end (?:of )?scene\b"
    r"|(?:that|this|it|all (?:of )?(?:that|this)) was (?:all |just |only )*(?:a |the )?(?:role-? ?play\w*|pretend\b"
    r"|make-believe|in character"
    r"|(?:my|a|the) character\b|play-?acting|made up for the)|none of (?:that|this|it) (?:was|is) (?:real|true"
    r"|about me|me)\b|i was (?:just |only )?in character\b)"
)
"""The end of a role play, which may not have been announced."""
_OPENS = re.compile(
    r"\b(?:you(?:'re| are|'ll be| will be| play| be) (?:my|the|an?)|play(?:ing)?\b|pretend|imagine|act (?:as|like)"
    r"|be my|role|character|scene|scenario|i(?:'m|'ll be| am| will be) (?:the|your)\b)|\*[^*\n]{3,80}\*"
)
"""Words that may begin a role play."""
UNDONE = 2
"""Number of messages taken back at the end of a role play without a known start: the last one and the one before."""
_END = re.compile(
    r"\b(?:(?:stop|end|quit|pause|leave|exit|finish|enough|done|no more)(?: of| with| from)?(?: the| this| our| that)?"
    r" (?:role-? ?play\w*|game|story|scene|pretending|adventure|rpg)|out of character|ooc|end (?:of )?scene"
    r"|^(?:ok(?:ay)?[,. ]+)?(?:and )?cut[.!]|back to (?:reality|real life|the real world)|in real life|irl"
    r"|new topic|(?:for|speaking as|as) (?:the real me"
    r"|myself)\b|none of (?:that|this) was (?:real|true)|stop (?:playing|acting)|(?:that|this) was (?:just |only "
    r"|all )*(?:pretend|play)"
    r"|(?:another|different|something) (?:else|topic|subject)|not in the (?:story|game))\b"
)
_AS = re.compile(
    r"(?:(?:and|but|so|ok|well),? )?as (?P<role>(?!an? )[^\W\d_]+(?: [^\W\d_]+){0,2}?),?"
    r" (?=(?:i|i'm|i've|i'd|i'll|my)\b)"
)
_NAME = re.compile(r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)+")
_TITLE = re.compile(
    r"(?:lead|head|manager|engineer|developer|director|officer|president|chair\w*|captain|teacher|nurse|parents?"
    r"|assistant|consultant|analyst|scientist|designer|student|owner|founder|member|citizen|resident|partner|admin\w*"
    r"|secretary|treasurer|coach|mother|father|master|mate|maid|man|woman|of|for|at|in|on)\b",
    re.IGNORECASE,
)
"""Jobs and roles in real life, which are not role play: "as Team Lead I ..."."""


@dataclass(slots=True)
class RolePlay:
    """State of the role that the person plays in a conversation, up to the current sentence."""

    fiction: bool = False  # a text with the person in it was asked for
    playing: bool = False
    scenario: int = 0  # messages left that speak for an imagined person
    scene: bool = False  # the previous sentence began a scene
    cast: bool = False  # the previous sentence gave the assistant a role
    undone: int | None = None  # offset in the current message of the end of a role play whose start was not found

    def read(self, low: str, text: str, start: int, end: int) -> bool:
        """Read a sentence, which may begin or end a role play; return True if it is said in a role."""
        over = _OVER.match(low, start, end) is not None
        playing = self.playing or self.scenario > 0
        if over or _END.search(low, start, end) or (self.scenario and _THANKS.match(low, start, end)):
            self.undone = start if over and not playing else self.undone
            self.playing, self.fiction, self.scenario = False, False, 0
            return False
        if forget_command(low, start, end) is not None or remember_command(low, start, end, english()) is not None:
            return False
        if playing or self._speaks_as(low, text, start, end):
            return True
        said = low[start:end]
        cast = _CAST.search(said) is not None or (self.cast and _OWN_PART.match(said) is not None)
        cast = cast or (self.scene and _YOU_AND_I.match(said) is not None)
        self.scene = _SCENE.fullmatch(said) is not None
        self.cast = _OTHER_PART.fullmatch(said) is not None
        cast_here = not cast and _MY_EXPERT.search(said) is not None and not _is_own(low, text, start, end, start)
        scenario = not cast and _SCENARIO.search(said) is not None
        if not (cast or scenario) and _CASTS.fullmatch(said) is not None and _OF_EXPERT.search(said) is not None:
            case = _MEDIC.search(said) is not None and _CASE.match(low, end) is not None
            case = case and not safety.states(
                low[end : end + _REST], (*safety.LASTING, "treatment")
            )  # more than a case needs
            moves = _YOUR_MOVE.search(low, end) is not None and not _is_own(low, text, start, end, end)
            if case or moves:  # the rest of the message is said in a part
                self.scenario = 1
        if scenario:  # with a question it ends with this message, else the next message continues it
            self.scenario = 1 if "?" in low[start:] else 2
        self.playing = cast or _PLAY.search(said) is not None
        self.fiction = self.fiction or _FICTION.search(said) is not None
        return cast or cast_here or scenario

    def end_message(self) -> None:
        """Update the state at the end of a message."""
        self.scenario = max(0, self.scenario - 1)

    def _speaks_as(self, low: str, text: str, start: int, end: int) -> bool:
        """Return True if a sentence opens with the role ("As Red Mary I ..."); outside fiction it needs a full name."""
        found = _AS.match(low, start, end)
        if not found:
            return False
        named = text[slice(*found.span("role"))]
        if _TITLE.search(named):
            return False
        return self.fiction or (_NAME.fullmatch(named) is not None and not named.isupper())


def _is_own(low: str, text: str, start: int, end: int, told: int) -> bool:
    """Return True if the rest of a message, from `told`, states a lasting safety fact with no sign of a play.

    `start` and `end` are those of the sentence that casts the assistant. Who asks a doctor "what do you say?" and has
    an allergy has it, unless the doctor is imagined, or the speaker is somebody or only a case.
    """
    stop = told + _REST
    return (
        safety.states(low[told:stop], (*safety.LASTING, "treatment"))
        and not _IMAGINED.search(low, start, end)
        and not _ACTION.search(low, max(told, len(low) - _REST))
        and not _CASE.match(low, told)
        and not _PART.search(text, told, stop)
    )


def refuse_role_play(played: Sequence[Collector], stop: int) -> None:
    """Refuse the candidates of a role play whose start was not found, except requests to remember.

    `played` are the messages up to the one that ends it, at the offset `stop`.
    """
    ends = [*(len(collector.low) for collector in played[:-1]), stop]
    begun = [at for at, collector in enumerate(played) if _OPENS.search(collector.low, 0, ends[at])]
    first = begun[-1] if begun else max(0, len(played) - UNDONE)
    for collector, end in zip(played[first:], ends[first:], strict=True):
        taken = [one for one in collector.candidates if one.start < end and not one.always]
        collector.refusals += [
            Refusal(one.message, one.start, one.end, "quoted", one.kind, one.confidence) for one in taken
        ]
        collector.candidates = [one for one in collector.candidates if one not in taken]
