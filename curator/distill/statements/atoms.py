"""Splitting of compound statements into atomic ones, without the fillers and requests around them.

A part has its own subject, or takes that of the first part where this is safe: "I'm 44 and live in Rome" gives "I'm 44"
and "I live in Rome". Dependent parts stay together: conditions, contrasts, reasons, reported speech, and references
back.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from curator import safety
from curator.distill.language import Family, Language, english
from curator.distill.statements.clauses import OF_THAT
from curator.distill.statements.joint_subjects import within_joint_subject
from curator.distill.surprise import signals
from curator.safety.allergens import names_allergen

_SEPARATOR = re.compile(r"(?:[,;]\s{1,2}(?:and |plus )?|\s(?:and|plus)\s|\s[-–—]{1,2}\s|\)\s(?:and )?)(?:also |then )?")
_BOUND = re.compile(  # the text before and after these must stay together
    r"\b(?:if|unless|when(?:ever)?|whether|as (?:long|soon|far|if)|than|rather|instead|not only|either|neither|both"
    r"|because|(?:al)?though|while|until|except|besides|depending|otherwise|between|versus|vs"
    r"|said|says?|told|tells?|think|thinks|thought|hope|wish|believe|know that|heard|guess|dream(?:t|ed)?)\b"
)
_BACK = re.compile(  # references back that the cue `pointing` does not find
    r"\b(?:there|here|then|too|either|as well|same|such|else|again|otherwise|also|the others?|another|each other)\b"
    r"|\b(?:this|that|the other|which) one\b|^(?:i|we)\b.*\b(?:he|she|him|her|his|their)\b"
)
_NAMED = re.compile(r"(i|we)(?=['\s])")
_SINGULAR = re.compile(
    r"(?:my|our) (?:[\w'-]+ ){1,3}?(?:is|isn't|has|hasn't|was|wasn't|turned|turns|loves|likes|hates|lives|works)\b"
)
"""A subject that the verb after "and" does not share: "my son is 5 and suggest a gift"."""
_BEING = re.compile(r"(?:i'm|we're|i am|we are)(?! (?:not|no longer|never)\b)(?=\s)")
_SHARED = (
    r"\b(?:can|could|will|would|shall|should|must|may|might|let|let's|help|make|see|watch|\w+'ll|\w+'d|who|which|that"
    r"|where)\b(?!')|\b(?:wants?|need|like|love|hate|plan|planning|try|trying|going|hope|hoping|decided|used|able|supposed|prefer|start"
    r"|started|promised|intend|learning|ready|about|how|have|got|happy|used) to\b"
)
_SHARING = re.compile(_SHARED)
"""Words whose object may include the imperative after them: "I want to cook and plan three dinners"."""
_GOVERNED = re.compile(rf"{_SHARED}|\b(?:not|never|no longer|cannot|\w+n't)\b")
"""Words that may govern a verb after them."""
_STATE = re.compile(
    r"(?:live (?:in|at|near|with|on|alone|outside)|work (?:at|for|in|as|from|on|with|part|full|remotely|nights)"
    r"|(?:have|own|drive|need|want) (?:an?|no|my|our|two|three|four|five|six|seven|eight|nine|ten|\d+|several|some)"
    r"|(?:teach|speak|prefer|hate|do|collect|sing|sell|eat|grow|brew|bake)"
    r" (?!(?:for|in|at|on|of|with|and|or|to|from|by|not|as|is|are|was)\b)\w+"
    r"|(?:study|play|use|love|like|drink|run|coach) (?:an?|the|my|our|two|\d+|\w+ing)"
    r"|study [a-z]+ (?:at|in)|take \d+|grew up in|was born in)\b"
)
_QUALITY = re.compile(
    r"(?:allergic to|(?:lactose|gluten)[ -]intolerant|intolerant to|married|divorced|engaged|widowed|retired|vegan"
    r"|vegetarian|pescatarian|coeliac|celiac|diabetic|asthmatic|dyslexic|autistic|colou?r-?blind|left-handed|pregnant"
    r"|based in|(?:originally )?from|fluent in|an? (?:mother|father|mum|mom|dad|parent) of|\d{1,2}(?: years old)?$)\b"
)
_ANOTHER = re.compile(
    r"(?:[A-Z][\w-]+|(?:my|our) (?:[\w-]+ ){0,2}?[\w-]+)(?:'s| is| has| can't eat| can't have| doesn't eat)"
    r"(?= (?:an? )?(?:\w+ )?(?:allerg\w+|intoleran\w+|vegetarian|vegan|pescatarian|coeliac|celiac|diabet\w+|asthma\w*"
    r"|epilep\w+|pregnant|deaf|blind)\b)"
)
"""The subject of a safety fact about another person, which becomes a memory of its own."""
_DENIED = re.compile(r"((?:i|we)(?:'m| am|'re| are)?) (?:not|no longer|don't|do not)(?: an?\b)?")
_FILLER = re.compile(
    r"(?:(?:(?:so|yeah|yep|yes|well|ok|okay|hm+|um+|uh+|oh|ah|kinda|sorta|i mean|you know|honestly|tbh|btw|fyi|lol"
    r"|haha+|anyway|hey|hi|hello|last one|quick (?:note|context|update|one|thing)"
    r"|and|but|plus|also"
    r"|(?:(?:a )?(?:bit|little|few things|some background|facts?) )?about (?:me|myself)|note to self|fun fact"
    r"|for the record|by the way|basically|(?:just )?so you know)"
    r"(?:\s?[,:;.…–—-]{1,3}|(?=\s))|(?:like|right|actually|look|listen),)\s{1,2})+"
)
_LATE = re.compile(
    r"(?:,?\s(?:btw|lol|tbh|haha+|fyi|imo|thanks|thank you|thx|ty|cheers|by the way"
    r"|(?:just )?so you know))+[\s.!]{0,5}$"
)
_LAUGH = re.compile(r"\b(?:lol|haha+)\b")
_PLEASE = re.compile(r",?\s(?:please|pls|plz)[\s.!]{0,5}$")
_INNER = re.compile(  # "like" only before an age: "like 40 minutes" means "about 40 minutes"
    r",? (?:u+m+|u+h+|erm+|hm+m),?(?=\s)|, (?:like|you know|i mean),(?=\s)"
    r"|,? (?:btw|by the way|tbh|lol|haha+|fyi|imo)(?=,)| \((?:btw|by the way|tbh|lol|haha+|fyi)\)"
    r"|(?<![,;]) (?:btw|lol|tbh|haha+|fyi)(?=\s)"
    r"|(?:(?<=\bi'm)|(?<=\bi am)) like(?= \d{1,2}(?: years old|,|\.|$| and\b))"
)
_ASKED = (
    r"(?:add|suggest|write|give|show|make|help|tell|find|plan|recommend|create|explain|split|delete|draft|list|remind|quiz"
    r"|send|check|fix|update|put|keep in mind|pick|choose|compare|calculate|convert|translate|summari[sz]e)\b"
)
_BEFORE = re.compile(
    rf"(?:(?:please|maybe|just|now) )*(?:{_ASKED}|need an? |(?:i'd|i would) like (?:an?|some) |(?:i'm )?looking for )"
    r"[^;]*?(?:[,;.]|\s[-–—])\s{1,2}(?:and |as |since )?(?=(?:i|we)['\s])"
)
_AFTER = re.compile(
    rf",?\s(?:so|then)\s(?:please |maybe |just |now )*{_ASKED}.*|,?\s(?:and |so )?(?:can|could|would|will) you\b.*"
    rf"|,?\s(?:and )?(?:please|pls) (?:just )?{_ASKED}.*|,\s{_ASKED}.*\splease\b.*"
    r"|,?\s(?:so|then)\s(?:please |maybe |ideally |preferably |just )*(?:something|anything|somewhere|nothing|places?"
    r"|dishes|recipes?|options?|ideas?)\b(?!.*\b(?:i|we|my|our|he|she|they|it|is|are|was|were|has|have|had|happen\w*|went)\b).*"
)
_GIVE = re.compile(  # an order that shares no subject: "I'm vegetarian and suggest three dinners"
    r"(?:(?:,|\s[-–—])\s(?:and )?|\sand\s)(?:now |just |also |maybe )*"
    r"(?:(?:give|show|tell|help|find|make|write|send|get|plan) me"
    r"|explain|come up with|(?:suggest|recommend|propose|plan)"
    r"(?= (?:me|us|an?|some|the|two|three|four|five|six|ten|\d+)\b))"
    r"(?!.*\b(?:my|our|each|every|daily|weekly|per|(?<!for )an? (?:day|week|month|year)|for a living|at work|clients"
    r"|patients|customers|students|readers|users|people)\b)\b.*"
)
_FEELS = re.compile(
    r"\b(?:i'm|am|turned) \d\d\b(?: (?:today|yesterday|now|years old|last \w+|this \w+|on \w+))?"
    r"(?P<feels>,? (?:and|but) (?:i )?(?:already |still )?feel(?:ing)? (?:like )?(?:i'm )?(?:an? )?\d{1,3}\b"
    r"(?: (?:lol|haha+))?[\s.!]*$)"
)
"""A felt age after the real one: "I turned 38 yesterday and feel 60"."""
_LASTING = re.compile(
    r"\b(?:always|never|don't|do not|no more|from now on|going forward|every time|whenever|anymore)\b"
)
_LIST_LEAD = re.compile(
    r"(?:(?:an?|the|some|few|couple|of|these|this|following|things?|facts?|dates?|details|bits|stuff|for|about|me|us|my"
    r"|later) ?){1,8}: "
)
_LISTED = re.compile(r"[,;]\s{1,2}(?:(?:and|oh|also|plus) ){0,2}|\s(?:and|plus)\s(?:also )?")
_WHOLE = re.compile(
    r"(?!(?:this|that|these|those|who|which|what|there|not|if|when|so|but|or|please|maybe|[\w']+s is)\b)"
    r"(?!.*\b(?:he|she|it|they|him|his|her|its|their|them)\b)"
    r"(?:(?:i|we)(?:'\w+)? |(?:[\w'-]+ ){1,4}?(?:is|isn't|are|aren't|has|have|was|were|goes|go|expires?|ends?|starts?"
    r"|runs?|opens?|closes|lives?|works?|likes?|loves?|hates?|needs?|takes?|can't|doesn't|costs?|comes?|falls) )\S+"
)
"""A list part that is a statement with its own subject."""
_TAIL = re.compile(
    r"(?:i|we) [\w']+[.!]*$|(?:i'm|im|i am|we're|we are|it's|it is) (?:(?:also|still|just"
    r"|probably) )?(?:[a-z]+ing(?: \w+)?"
    r"|the (?:\w+ )?[\w-]+|(?:at|on|in|by|near|with) (?:[\w'-]+ ){0,2}[\w'-]+)[.!]*$"
)
"""A statement that says little without the one before it: "I'm the witness", "I'm paying", "I drive"."""
_BECAUSE = re.compile(r"(?:i|we|my|our)\b.*\b(?:never|not|no longer|no|can't|cannot|\w+n't|hate|avoid|stopped|quit)\b")
_CAUSE = re.compile(r"(?!i\b|we\b)(?:(?:my|our|the) )?(?:[\w'-]+ ){1,3}?(?:was|were|had|died|used to|drank|got)\b")
"""A statement of the past right after one of what somebody does not do gives its reason: "my dad was an alcoholic"."""
FEWEST = 3
"""Minimum words of a part whose subject the next part shares, unless it has a number."""


@dataclass(frozen=True, slots=True)
class StatementPart:
    """A part of a statement, from `start` to `end`; `subject` is the span of a subject shared with an earlier part."""

    start: int
    end: int
    family: Family | None
    subject: tuple[int, int] | None = None
    fillers: tuple[tuple[int, int], ...] = ()  # spans that `words` omits

    def words(self, text: str) -> str:
        """Return the shared subject and the words of the part, without fillers."""
        edges = [self.start, *(place for span in self.fillers for place in span), self.end]
        said = "".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
        joint = "" if said.startswith(("'", "’")) else " "
        return f"{text[slice(*self.subject)]}{joint}{said}" if self.subject else said

    @property
    def first(self) -> int:
        """Start of the quote, which includes the subject."""
        return self.subject[0] if self.subject else self.start


def without_fillers(low: str, start: int, end: int, order: bool) -> tuple[int, int]:
    """Return the span of a statement without fillers; unless it is an order, without one-off requests too."""
    if not order and (asked := _BEFORE.match(low, start, end)) and not _LASTING.search(asked[0]):
        start = asked.end()
    if filler := _FILLER.match(low, start, end):
        start = filler.end()
    if not order and (asked := _AFTER.search(low, start, end)) and not _LASTING.search(asked[0]):
        end = asked.start()
    if (
        not order
        and (asked := _GIVE.search(low, start, end))
        and (_NAMED.match(low, start, end) or _SINGULAR.match(low, start, end))
        and not _SHARING.search(low, start, asked.start())
        and not _LASTING.search(asked[0])
    ):
        end = asked.start()
    if not order and (feels := _FEELS.search(low, start, end)):
        end = feels.start("feels")
    if not order and (please := _PLEASE.search(low, start, end)):
        end = please.start()
    return start, before_filler(low, start, end)


def before_filler(low: str, start: int, end: int) -> int:
    """Return the end of a text before a trailing filler ("…, btw"), which may mark an allergy as a joke ("…, lol")."""
    late = _LATE.search(low, start, end)
    if late and _LAUGH.search(late[0]) and "allergic to " in low[start:end] and not names_allergen(low[start:end]):
        return end
    return late.start() if late else end


def facts_listed(low: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans of the facts listed in `low[start:end]`, or the whole span if it is not a list.

    Each fact has its own subject. If one of them is not a whole statement, the list is not split.
    """
    if lead := _LIST_LEAD.match(low, start, end):
        start = lead.end()
    separators = [] if _BOUND.search(low, start, end) else [*_LISTED.finditer(low, start, end)]
    starts, stops = [start, *(one.end() for one in separators)], [*(one.start() for one in separators), end]
    parts = list(zip(starts, stops, strict=True))
    return joined_tails(low, parts) if all(is_whole(low, *part) for part in parts) else [(start, end)]


def joined_tails(low: str, parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans of statements with each that leans on the one before joined to it."""
    joined = parts[:1]
    for start, end in parts[1:]:
        if leans_on(low, joined[-1], (start, end)):
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return joined


def leans_on(low: str, before: tuple[int, int], span: tuple[int, int]) -> bool:
    """Return True for a statement after another that says little, or something else, without it."""
    if OF_THAT.match(low[slice(*span)]):
        return True
    if low[before[1] : span[0]].strip() not in (",", "-", "–", "—") or safety.states(low[slice(*span)]):
        return False
    reason = _CAUSE.match(low, *span) and _BECAUSE.match(low, *before)
    return reason is not None or _TAIL.match(low, *span) is not None


def is_whole(low: str, start: int, end: int) -> bool:
    """Return True if a part is a statement with its own subject."""
    return _WHOLE.match(low, start, end) is not None


def without_inner_fillers(low: str, part: StatementPart) -> StatementPart:
    """Return an English part with `fillers` set to the spans of the fillers inside it."""
    return replace(part, fillers=tuple(found.span() for found in _INNER.finditer(low, part.start, part.end)))


def parts_of(
    low: str, text: str, start: int, end: int, family: Family | None, language: Language
) -> Iterator[StatementPart]:
    """Yield the parts of a statement that stand alone, in order; the whole if there is only one.

    `low` is the text in lower case. The first part gets `family` if it is the only one or matches no family itself.
    """
    subjects = english().cues["subject"]
    named, being = _NAMED.match(low, start, end), _BEING.match(low, start, end)
    at, subject, kind = start, None, family
    separators = [] if _BOUND.search(low, start, end) else [*_SEPARATOR.finditer(low, start, end)]
    within = within_joint_subject(text, start, end, separators)
    separators = [one for one in separators if one.end() not in within]
    for found in separators:
        place = found.end()
        if place < at or low.count("(", start, found.start() + 1) > low.count(")", start, found.start() + 1):
            continue
        left = StatementPart(at, found.start() + found[0].startswith(")"), kind, subject)
        whose, own = None, bool(subjects.match(low, place, end))
        if not own and named and _STATE.match(low, place, end) and not _GOVERNED.search(low, at, found.start()):
            whose = named.span(1)
        elif not own and being and _QUALITY.match(low, place, end):
            whose = being.span()
        another = not own and not whose and _ANOTHER.match(text, place, end)
        if not (own or whose or another):
            continue
        after = (one for one in separators if one.start() >= place)
        later = next((one.start() for one in after if subjects.match(low, one.end(), end)), end)
        right = StatementPart(
            place, later, family_of(StatementPart(place, later, None, whose).words(text), language), whose
        )
        if whose and not right.family:
            right = replace(right, family=english().named("habit"))
        elif another:
            right = replace(right, family=right.family or english().named("family"))
        first = family_of(left.words(text), language) if subject is None else kind
        if right.family and first and _stands_alone(left, text) and _stands_alone(right, text):
            yield StatementPart(left.start, left.end, first, subject)
            at, subject, kind = place, whose, right.family
    yield StatementPart(at, end, kind, subject)


def family_of(words: str, language: Language) -> Family | None:
    """Return the family of a whole statement, affirmed or negated."""
    low = words.lower().replace("’", "'")
    found = None if english().empty.match(low) else language.family(low, 0, len(low), words)
    if found is None and (denied := _DENIED.match(low)):
        plain = denied[1] + words[denied.end() :]
        found = language.family(plain.lower(), 0, len(plain), plain)
    return found


def _stands_alone(part: StatementPart, text: str) -> bool:
    words = part.words(text)
    low, found = words.lower().replace("’", "'"), signals(words)
    if _BACK.search(low) or OF_THAT.match(low) or english().cues["pointing"].search(low):
        return False
    return found.telling + found.names + found.numbers > 0 and (
        found.words >= FEWEST or found.numbers > 0 or "'m " in low
    )
