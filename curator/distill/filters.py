"""Gates between statements and candidates, each with a reason code."""

import re

from curator import safety
from curator.distill.language import Family, english, is_english, score_only_session_types, session_patterns
from curator.distill.scores.coding_sessions import scale
from curator.distill.statements.clauses import ClauseSpan
from curator.distill.surprise import Signals, signals
from store.model import Kind

SHORTEST = 8
ORDER_TOLERANCE = 1.5
"""Tolerance for orders below the score at which a statement of a session is doubtful."""
SCORED_ORDER = "told order"
"""Family of orders recognised by score alone."""
SCORED_ORDER_TOLERANCE = 0.5
"""The same tolerance for orders recognised by score alone."""
OPEN_ORDERS = ("asked order", "standing order")
"""Families of orders that explicitly say they last: their score, fitted on other words, is ignored."""
_CHANGED = re.compile(r",? now(?=[.!]*$)|(?<=\bis) now(?= )|(?<=\bare) now(?= )|(?<='re) now(?= )")
"""A "now" of a lasting change: "the db is SQLite now", "we're now on Postgres"."""
_NOW = re.compile(r"(?:(?:from|since|as of|starting) )?\b(?:now|today|instead|as well|too|again)\b")
"""The time of a change, removed before the check for transient words: the new state lasts."""
_STATED = re.compile(r"^(?:[\w./&-]+ ){1,5}(?:is|are|lives?|goes|sits?|belongs?|comes?|runs|happens?|ships|uses) ")
_FEELING = re.compile(
    r"(?:and |but |so )?(?:(?:i'm|i am|we're|we are|(?:my|our) (?:[\w-]+ ){0,2}[\w-]+ (?:is|are)) (?:(?:so|really|very"
    r"|super|all|too|still|just|pretty|quite) )*(?:excited|thrilled|stoked|tired|exhausted|hungry|sleepy)"
    r"|(?:i|we) (?:(?:really|just|so) )*(?:love|like|adore) (?:all the|how|the way))\b"
    r"(?!.*\b(?:always|often|every|usually|whenever|constantly|all the time)\b)"
)
"""A feeling of the moment, or a reaction to what somebody said or showed."""
_AT_IT = re.compile(r"(?:my|our) (?:[\w'-]+ ){1,3}?(?:is|are) (?:\w+ )?\w+ing (?:it|this|that|them)[.!]*")
"""A momentary action on something just mentioned: "my aunt is reading it"."""
_SPOUSE = (
    r"(?:(?:[\w-]+ ){0,2}(?:partner|boyfriend|girlfriend|fianc[eé]e?|husband|wife|spouse|friend|sweetheart|love"
    r"|soulmate|man|woman|guy|girl|boy|person|ex|boss|colleague|coworker|neighbou?r|teacher|cousin|bandmate|roommate"
    r"|flatmate)\b"
    r"|one\b)"
)
_LAUGH = (
    r"(?:[,.! –—-]+(?:ha(?:ha)*h?|hehe|lol|lmao|jk|just kidding)\b|\s?[;:]-?[)pd](?!\w)"
    r"|\s?[\U0001f600-\U0001f64f\U0001f923\U0001f92a])"
)
_LAUGHTER = re.compile(_LAUGH)
_CREATURE = (
    r"(?:goblins?|gremlins?|monsters?|demons?|devils?|gnomes?|aliens?|zombies?|vampires?|trolls?|savages?|werewol(?:f"
    r"|ves)"
    r"|dinosaurs?|unicorns?|hobbits?|ogres?|dragons?|raccoons?|terrorists?|tornado(?:es)?|hurricanes?|sloths?)"
)
_JOKE = re.compile(
    r"\bi(?:'m| am) (?:basically|practically|pretty much|virtually|as good as) (?:an?|the) [^,;:.!?]{2,40} (?:now"
    r"|already|at this point|lol|haha)\b"
    r"|\bmy blood (?:type|group) is (?!(?:(?:type|group|probably|actually|still|very|quite|rare|common"
    r"|an?(?= \w)(?! (?:and|but|so|by|if|in)\b)|known:?) ?)*"
    r"(?:(?:ab|a|b|o|0|zero|null)(?: ?(?:[+−-]|pos\b|neg\b|positive|negative|rh)|(?![\w'-])(?! \w)"
    r"|(?= (?:and|but|so|by|if|in|btw)\b))"
    r"|unknown|listed|recorded|written|rare|common|not\b|needed|on (?:my|the|file)|in (?:my|the)|$|[.,;!]))"
    r"|\bmy (?:star|zodiac|sun|rising|moon) ?sign is (?!(?:an? |actually |in |on the |probably |still )*(?:aries"
    r"|taurus|gemini|cancer|leo|virgo|libra|scorpio|sagittarius|capricorn|aquarius|pisces|ophiuchus|cusp|unknown|not\b|the\b))"
    r"|\ballergic to \w|\bi owe (?:you|ya|u)\b"
    r"|\bmarried to (?:my|the|this|that) (?:\w+ )?(?:sofa|couch|bed|job|work|career|phone|laptop"
    r"|computer|kettle|oven|kitchen|garden|gym|sea|army|books?|library|shop)\b"
    r"|\b(?:basically|practically|pretty much|virtually|as good as|literally) married to"
    rf" (?:my|the|this|that) (?!{_SPOUSE})"
    rf"|\bmarried to (?:my|the|this|that) (?!{_SPOUSE})[^,;.!?\n]{{2,40}}?{_LAUGH}"
    r"|\b(?:(?:my|our) (?:[\w-]+ ){1,3}?(?:is|are|was|were)|i(?:'m| am)) (?:(?:actually|basically|literally|really|just"
    r"|like|being|total|totally|complete|absolute|proper|real|little|tiny|an?|all|both|pure|half|part) )*"
    rf"{_CREATURE}(?:{_LAUGH}|[\s.!?…]*$|,? (?:at|before|after|until|when|today|tonight|again|these days|i swear)\b)"
)
"""Jokes: what somebody "basically is now", an allergy to something that is not a substance, a marriage to a thing, a
debt to the assistant, children that are goblins, a blood type or star sign that is none.
"""
_OF_KIN = re.compile(r"\b(?:that|it)(?:'s| was| is) (?:just |only |actually |really )?(?=(?:my|our) [\w-]+)")
"""Words that point only at what was said before them in the sentence: "I'm not diabetic, that was my mum"."""
_DECLARED = re.compile(
    r"(?:(?:it's|it is|its|that's|this is) (?:now |all |finally )*(?:decided|settled|official|confirmed|fixed|booked"
    r"|certain|sure)(?: now)?\s?[,:;–—-]{1,2} )"
)
"""An opening whose "it" is what follows: "it's decided, operation of the knee on 14 January"."""
_NONE_OF = re.compile(
    r"no (?!(?:more|one|problem|worries|thanks?|thx|need|idea|way|rush|matter|longer|doubt|wonder|i|it|it's|not|that"
    r"|that's"
    r"|this|you|we|he|she|they|but|and|so|nope|forget|please|pls|sorry|wait|actually|really|just|never|worry|luck|the"
    r"|my"
    r"|your)\b)[a-z]"
)
"""The start of a ban: "no meetings on fridays"."""
FEW = 8
"""Maximum words of a greeting or confirmation."""


def without_statement(low: str, start: int, end: int, parts: list[ClauseSpan]) -> str:
    """Return the reason for refusing a sentence in which no pattern found a statement."""
    words = len(low[start:end].split())
    for reason in ("greeting", "confirmation"):
        if words <= FEW and english().cues[reason].match(low, start, end) and not _NONE_OF.match(low, start, end):
            return reason
    if words < 3:
        return "too_short"
    sort = next((part.sort for part in parts if part.sort and part.sort != "fact"), None)
    return sort or ("no_pattern" if is_english(low[start:end]) else "language")


def is_joke(said: str, low: str, after: str) -> bool:
    """Return True if a statement, with the laughter in the text after it, is a joke and states no safety fact."""
    heard = _LAUGHTER.match(after)
    laughter = heard[0] if heard else ""
    return _JOKE.search(low + laughter) is not None and not safety.states(said + laughter)


def refuse_in_session(family: Family, said: str, low: str, found: Signals) -> str | None:
    """Return the reason for refusing a statement of a coding session, or None. Most are about the current work."""
    cues = session_patterns().cues
    if len(said) < SHORTEST or found.words < 2:
        return "too_short"
    by_score = family.name == SCORED_ORDER or family in score_only_session_types().families
    for_good = cues["for_good"].search(low)
    if not family.change and cues["once"].search(low) and ("this once" in low or not for_good):
        return "routine"
    task = cues["one_off"].match(low) and not for_good
    if by_score and (task or cues["observed"].match(low)):
        return "routine"
    if not family.standing or _STATED.search(low):
        said, low = _CHANGED.sub("", said), _CHANGED.sub("", low)
    if family.sure:
        low = _NOW.sub("", low) if family.change else low
        return "transient" if cues["moment"].search(low) else None
    if family.kind is Kind.RELATIONSHIP or family.name == "session liking":
        return None if found.telling else "vague"
    if family.name in OPEN_ORDERS and found.words >= 4:
        return None
    lacking = SCORED_ORDER_TOLERANCE if family.name == SCORED_ORDER else ORDER_TOLERANCE if family.standing else 0
    about_person = family.kind is Kind.IDENTITY and not family.change  # an allergy scores like a passing remark
    if not about_person and scale().score(said) < scale().doubtful - lacking:
        return "transient"
    if family in score_only_session_types().families:
        return None if found.telling + found.names + found.numbers else "vague"
    if family.standing:
        if cues["at_hand"].search(low):
            return "transient"
    elif cues["workaround"].search(low) or (not family.change and cues["passing"].search(low)):
        return "transient"
    pointer = cues["pointing"].search(low, len("this"))  # "this is a library" names the project
    if pointer and family.kind is not Kind.IDENTITY and not signals(said[: pointer.start()]).telling:
        return "vague"
    if family.number and not found.names + found.numbers:
        return "generic"
    return None if found.telling + found.dates + found.names else "vague"


def refuse(family: Family, said: str, low: str, found: Signals, is_item: bool) -> str | None:
    """Return the reason for refusing a statement, or None.

    `low` is `said` in lower case with foreign parts masked, `found` its signals; `is_item` is True for a list item.
    """
    cues = english().cues
    if (len(said) < SHORTEST and not (family.kind is Kind.IDENTITY and found.numbers)) or found.words < 2:
        return "too_short"
    if cues["crumb"].fullmatch(low):
        return "too_short"
    if family.item and not is_item:
        return "no_pattern"
    if family.number and not (found.numbers or found.dates):
        return "generic"
    if not family.standing and cues["reported"].match(low) and not safety.states(said, tuple(safety.FACTS)):
        return "quoted"
    if not family.standing and (cues["routine"].search(low) or cues["workaround"].search(low)):
        return "routine"
    if family.standing and found.words >= 4:
        return None  # an order may refer to something outside it
    if _FEELING.match(low):
        return "transient"
    if _AT_IT.fullmatch(low):
        return "vague"
    pointer = cues["pointing"].search(_OF_KIN.sub("", _DECLARED.sub("", low)))
    if pointer and not family.sure and not (family.strong and found.telling >= 3):
        before = signals(said[: pointer.start()])
        if before.telling < 3 and not before.names + before.numbers:
            return "vague"  # `it` or `this` refers to something outside the statement
    ours = bool(cues["ours"].search(low))
    weight = found.telling + found.dates + ours
    if family.strong:
        return None if weight else "vague"
    # a passing curiosity or request, or an exercise
    passing = cues["curious"].match(low) or cues["assurance"].match(low) or (cues["wish"].match(low) and not ours)
    if (cues["exercise"].match(low) and not ours) or (passing and not found.specifics):
        return "generic"
    return "vague" if weight + found.names < 2 or (not found.specifics and weight < 4) else None
