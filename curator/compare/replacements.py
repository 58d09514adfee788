"""Wordings by which a later text replaces, lifts, breaks or corrects an earlier one."""

import re
from collections.abc import Iterator

from curator.compare.clauses import NOT_YET, TITLES, Mode, When, clauses, subject
from curator.compare.data import values
from curator.compare.life_changes import ended
from curator.compare.traits import content
from curator.text import fold, plain_words, stem, wordlists

MOST = 500
"""Maximum characters of a text that are searched for a wording."""
_ROLES = (
    r"accountant|bookkeeper|solicitor|lawyer|attorney|notary|dentist|doctor|gp|physio|therapist|psychiatrist|consultant"
    r"|surgeon|midwife|vet|landlord|landlady|manager|boss|supervisor|mentor|coach|trainer|tutor|teacher|instructor"
    r"|cleaner|nanny|childminder|hairdresser|barber|mechanic|plumber|electrician|gardener|agent|broker|adviser|advisor"
    r"|supplier|provider|insurer|bank|reviewer|editor|publisher|maintainer|owner|teacher|carer"
)
_HOLDERS = frozenset(_ROLES.split("|"))
_ROLE = rf"(?P<kind>(?:(?!new|old|former|first)[a-z-]+ ){{0,2}}?)(?P<role>{_ROLES})\b"
_HAS = re.compile(rf"\b(?:(?:my|our|his|her|their|as the|[a-z]+'s) {_ROLE}|^(?:the )?(?P<is>{_ROLES}) is\b)")
_HAS_NEW = re.compile(
    rf"\b(?:new {_ROLE.replace('kind', 'kind1').replace('role', 'role1')}"
    rf"|(?:changed|switched|swapped|moved) (?:my |our )?{_ROLE.replace('kind', 'kind2').replace('role', 'role2')}"
    rf"|(?:my|our) {_ROLE.replace('kind', 'kind3').replace('role', 'role3')} is (?:[a-z]+ ){{1,3}}?now\b)"
)
"""Somebody's person or firm in a role, and the one that takes over the role."""
_AFTER = 3  # words after a role that may name who it is
_PRONOUNS = frozenset("he she they him her them his their he's she's they're it its it's".split())

_WHAT = r"(?P<what>[^,.;:!?()]+?)"
_END = r"(?=$|[,.;:!?()])"
_REST = r"[^,.;:!?()]*"
_NO_MORE = r"(?: any ?more| any longer| now| from now on| after all)"
_LIFTED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<!not )(?<!never )\b(?:forget|ignore|scrap|drop|disregard|undo|lift)(?: about)?"
        rf" (?:what i (?:said|told you|asked(?: you)?(?: for)?)(?: about)?|the|that|my|those) {_WHAT}{_END}",
        rf"\bno (?:more )?need (?:to|for) {_WHAT}(?:{_NO_MORE}|{_END})",
        r"\b(?:stop|quit|enough|no more|drop|cut out|leave out|done)"
        r"(?: (?:of|with|doing|giving me|adding|using|ending|writing))*"
        rf" (?:the|that|this|those|these|your) {_WHAT}(?:{_NO_MORE}|{_END})",
        rf"(?P<about>{_REST})\b(?:do|does) not (?:have|need) to {_WHAT}{_NO_MORE}",
        rf"\b(?:may|can|could) {_WHAT} again\b",
        rf"\b(?:rule|limit|ban|freeze|order|restriction)s?(?: (?:on|about|for|with))? {_WHAT} (?:is|are|has been"
        r"|have been) (?:gone|lifted|off|over|dead|dropped)\b",
    )
)
"""An order that no longer applies."""
_ALLOWED = re.compile(
    r"(?:^|[,.;:!?] )(?:(?:and|but|so|actually) )?(?P<what>[^,.;:!?()]+?) (?:is|are) (?:all )?(?:ok|okay|fine|allowed"
    r"|welcome|free|alright|right) (?:again|now|by me|with me|from now on|after all)\b"
)
"""A thing that was forbidden and is now allowed."""
_ORDERED = re.compile(
    r"^(?:(?:please|and|so|just|from now on) )*(?:always|never|only|no|not|do not|stop|quit|avoid|keep|use|ask|tell"
    r"|show|explain|write|give|answer|call|put|run|send|end|start|begin|close|finish|add|include|sign|reply|respond|make"
    r"|teach)\b|\b(?:max|maximum|at most|limit)\b"
)
_SAID = re.compile(r"\bwhat i\b|\d")
_REFUSED = re.compile(r"\b(?:never|no|not|stop|quit|avoid)\b")
_GENERIC = frozenset(
    map(stem, "limit rule order thing bit request instruction part said say use give make do point again".split())
)

_NOT = re.compile(
    r"^(?P<before>.*?),? (?:and |but )?not (?:the |an? |my |our |in |on |at |from |called )*(?P<wrong>[^,.;:!?()]+)"
)
_NEW_WORDS = 2  # maximum words of a correction that the other text lacks: the right value

_DECIDED = re.compile(
    r"\b(?:decided on|settled on|settled for|(?:gone|going|go|went) (?:for|with)|make it|made it|going to be"
    r"|(?:changed|raised|upped|moved|lowered|cut|put) (?:it|that|this) (?:up |down )?to)\b"
)
_DECIDING = frozenset(
    map(stem, "decided settled gone going make made raised upped changed end final finally think instead".split())
)
_AIMS = re.compile(r"\b(?:want|aim|goal|plan|planned|planning|thinking|hope|hoping|target|charge|ask|asking)\b")
_NUMBER = re.compile(r"(?<![\w.,])[$€£]?(\d+(?:[.,]\d+)*)(?:g|kg|mg|ml|km|cm|k|%)?(?![\w])")

_USES = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|with|in|on|to|have|has|got|get|bought|adopt(?:ed)?|runs?|added|takes?|taking|post|order)\b"
)
_SOMETIMES = re.compile(
    r"\b(?:on [a-z]+days?|at (?:night|work|home)|during|when|while|after|before|except|unless|until|for [a-z]+|this"
    r" [a-z]*(?:week|month|year|morning|evening)|today|yet|enough|much|many|more)\b"
)
_TOOK_UP = re.compile(r"\b(?:got|ported|moved|switched|migrated|added|adopted|started)\b")
_DOES = r"(?: (?:is|are|was) (?:in|back|set up)\b| (?:builds|runs|does|handles|classes|everywhere|manages|is used)\b)"
_FOR_NOW = re.compile(
    r"\b(?:(?:only|just) (?:for|in|until|till)|for (?:now|the moment|a while|a bit|today)|today|tonight"
    r"|(?:this|that|next) (?:week|weekend|time|once))\b"
)
_NO_MORE_OF = re.compile(
    r"\b(?:no more|stopped|quit|quitting|gave up|given up|giving up|packed in|done with) (?P<what>[a-z]{2,30}ing)\b"
    r"(?=\s*(?:$|[,.;:!?)–-])| (?:for (?:me|us|good)|since|because|at all|altogether|any ?more)\b)"
    r"|(?<!the )(?<!my )(?<!this )\b(?P<over>[a-z]{2,30}ing)(?:'s| is) (?:over|out|done|finished|off)"
    r" (?:for (?:me|us|good)|the table)\b"
)
"""An activity that somebody has given up."""
_TOLD = re.compile(r"^(?:the|my) [a-z]+ (?:says|said|thinks|reckons|told me)(?: that)?,? ")
_HABIT = re.compile(
    r"\b(?:i|we)(?: (?:still|usually|mostly|mainly|often|always|like to|love to|try to))* (?P<verb>[a-z]+)"
    r"(?= (?:[0-9]|once|twice|every|each|most|on|at|in|to|with|about|a (?:lot|bit|couple)|for|before|after|by|there"
    r"|here|along|round|daily|weekly|regularly|outdoors)\b|$)"
    r"|\b(?:(?:i|we) (?:go|do|like|love|enjoy)|(?:am|are) into) (?P<doing>[a-z]{2,30}ing)\b"
)
"""An activity that somebody does regularly."""
_THING = r"(?:the |our |my |an? |that )?(?P<{}>[a-z][\w-]{{1,40}})"
_ENDS = (
    r"(?=\s*(?:$|[,.;:!?)])| (?:now|then|for|because|since|after|this|next|in|at|so|and|any ?more|trip|plan|idea)\b)"
)
_CALLED_OFF = re.compile(
    rf"\bno (?:money|time|budget|leave|room|chance)(?: left)? (?:for|of) {_THING.format('cost')}{_ENDS}"
    rf"|\b(?:can't|cannot) (?:afford|manage) {_THING.format('afford')}{_ENDS}"
    r"|\b(?:call(?:ed|ing) off|scrap(?:ped|ping)|shelv(?:ed|ing)|cancel(?:l?ed|l?ing))"
    rf" {_THING.format('dropped')}{_ENDS}"
    rf"|\b{_THING.format('off')}(?: (?:trip|plan|idea|visit|tour|holiday))?(?:(?:'s| is| are)(?: all| now| definitely)*"
    r" (?:off(?: the (?:table|cards))?|cancell?ed|shelved)"
    r"|(?: isn't| is not| aren't| are not) (?:happening|going ahead))"
    r"(?=\s*(?:$|[,.;:!?)])| (?:now|then|for good|because|since|after all|this)\b)"
)
"""A plan that comes to nothing."""
_BUYS = re.compile(
    r"\b(?:I|[Ww]e)(?: [a-z]+){0,2}? (?:buy|order|source)(?P<what>(?: [a-z][\w-]*){0,4}?) (?:from|at) (?:the )?"
    r"(?P<who>[A-Z][\w'’.-]*(?: (?:& )?[A-Z][\w'’.-]*)*)"
)
"""A supplier by name, and what is bought there."""
_NOW = re.compile(r"\b(?:now|nowadays|these days|from now on|instead|any ?more)\b", re.IGNORECASE)
_ELSEWHERE = frozenset(map(stem, "other another elsewhere private personal side".split()))


def replacing(a: str, b: str) -> Iterator[tuple[str, bool]]:
    """Yield the reasons why `b`, the later text, opposes `a`, each with True if something has changed."""
    if (supplier := new_supplier(a, b)) is not None:
        yield f"bought somewhere else now: {supplier[0]}", supplier[1]
    if role := new_holder(a, b):
        yield f"there is a new {role}", True
    if order := lifted(a, b):
        yield f"an order holds no more: {order}", True
    if number := decided_number(a, b):
        yield f"another number was decided on: {number}", True
    if thing := breaks_ban(a, b):
        yield f"one uses what the other rules out: {thing}", True
    if activity := ended_activity(a, b):
        yield f"one has given up what the other does: {activity}", False
    if plan := called_off(a, b):
        yield f"a plan is off: {plan}", False
    if over := ended(a, b):
        yield over, True
    if wrong := corrected(a, b):
        yield f"one corrects the other: not {wrong}", False


def new_holder(a: str, b: str) -> str:
    """Return the role ("accountant") that `a` and `b` give to different people; empty without one."""
    ours, theirs = " ".join(plain_words(a)), " ".join(plain_words(b))
    known = {found["role"] or found["is"]: found["kind"] or "" for found in _HAS.finditer(ours)}
    known_people = {stem(word) for word in wordlists().people - _PRONOUNS - _HOLDERS}
    people = [{stem(word) for word in text.replace("'s", "").split()} & known_people for text in (ours, theirs)]
    mentioned = not people[1] and not _PRONOUNS.isdisjoint(theirs.split())  # "her new teacher"
    if people[0] != people[1] and not mentioned:
        return ""
    for found in _HAS_NEW.finditer(theirs):
        number = next(number for number in "123" if found[f"role{number}"])
        role, kinds = found[f"role{number}"], {*(found[f"kind{number}"] or "").split()}
        named = [word for word in theirs[found.end() :].split()[:_AFTER] if word not in TITLES]
        same = not content(" ".join(named)).keys().isdisjoint(content(ours))
        if role in known and not same and (not kinds or not known[role] or not kinds.isdisjoint(known[role].split())):
            return role
    return ""


def new_supplier(a: str, b: str) -> tuple[str, bool] | None:
    """Return the supplier where `b` buys now what `a` buys from another one, and True if `b` names what that is."""
    now = _NOW.search(b[:MOST]) is not None and not any(one.negative for one in clauses(a))
    for found in _BUYS.finditer(b[:MOST]) if now else ():
        for former in _BUYS.finditer(a[:MOST]):
            ours, theirs = _content(former["what"]), _content(found["what"])
            if (ours & theirs or not theirs) and _content(former["who"]).isdisjoint(_content(found["who"])):
                return found["who"], bool(theirs)
    return None


def buys(text: str) -> bool:
    """Return True if a text names a supplier."""
    return _BUYS.search(text[:MOST]) is not None


def lifted(a: str, b: str) -> str:
    """Return the order of `a` that `b` says no longer applies; empty without one."""
    ours, theirs = " ".join(plain_words(a)), _read(b).replace("n't", " not")
    if not any(_ORDERED.search(one.whole) for one in clauses(a)):
        return ""
    known = content(ours).keys()
    for pattern in (*_LIFTED, _ALLOWED):
        for found in pattern.finditer(theirs):
            if pattern is _ALLOWED and _REFUSED.search(ours) is None:
                continue
            if pattern is _LIFTED[0] and not (_SAID.search(found[0]) or content(found["what"]).keys() & _GENERIC):
                continue
            said = " ".join(filter(None, (found.groupdict().get("about"), found["what"])))
            if (stems := content(said).keys() - _GENERIC) and stems <= known:
                return found["what"].strip()
    return ""


def decided_number(a: str, b: str) -> str:
    """Return the number that `b` decides on instead of the one that `a` plans or sets; empty without one."""
    whose = subject(b, plain_words(b))
    if _DECIDED.search(_read(b)) is None or (whose not in _PRONOUNS and whose != subject(a, plain_words(a))):
        return ""
    ours, theirs = (_NUMBER.findall(_read(text)) for text in (a, b))
    if len(ours) != 1 or len(theirs) != 1 or ours == theirs or len(ours[0]) - len(theirs[0]) not in (-1, 0, 1):
        return ""
    rest = {word for word in _content(b) if not word[:1].isdigit()} - _DECIDING - _PRONOUNS - wordlists().months.keys()
    planned = any(one.mode in NOT_YET for one in clauses(a)) or _AIMS.search(_read(a)) is not None
    return theirs[0] if planned and rest <= _content(a) else ""


def breaks_ban(a: str, b: str) -> str:
    """Return the thing that `b` uses though `a` forbids its kind (no ORM; SQLAlchemy); empty without one."""
    if (
        subject(a, plain_words(a)) != subject(b, plain_words(b))
        or not _ELSEWHERE.isdisjoint(_content(b))
        or ("at work" in b.lower())
    ):
        return ""
    refused = [one.text for one in clauses(a) if one.negative and not one.ended and not _SOMETIMES.search(one.whole)]
    banned = {stem(word) for text in refused for word in _named(text).split()}
    kinds = values().kinds
    for clause in clauses(b):
        plain = _named(clause.text)
        if (
            clause.negative
            or clause.mode not in (Mode.FACT, Mode.MUST)
            or (clause.when is When.PAST and _TOOK_UP.search(plain) is None)
        ):
            continue
        for word in plain.split():
            if banned.isdisjoint(kinds.get(stem(word), ())):
                continue  # before the pattern of a word is compiled
            if _USES.search(plain.split(word)[0]) or re.search(re.escape(word) + _DOES, plain):
                return word
    return ""


def ended_activity(a: str, b: str) -> str:
    """Return the activity that `a` does regularly and `b` has given up ("no more running"); empty without one."""
    told = _TOLD.sub("", _read(b))
    if subject(a, plain_words(a)) != subject(told, plain_words(told)):
        return ""
    if _FOR_NOW.search(told):
        return ""
    ended = {stem(word): word for found in _NO_MORE_OF.finditer(told) if (word := found["what"] or found["over"])}
    parts = (one for one in clauses(a) if ended and not one.negative and one.mode is Mode.FACT and one.when is When.NOW)
    done = (stem(found["verb"] or found["doing"]) for one in parts for found in _HABIT.finditer(one.whole))
    return next((ended[word] for word in done if word in ended), "")


def called_off(a: str, b: str) -> str:
    """Return the plan or wish of `a` that `b` says will not happen ("Lisbon is off"); empty without one."""
    if subject(b, plain_words(b)) not in (subject(a, plain_words(a)), stem("they")):
        return ""
    told = _read(b)
    if _FOR_NOW.search(told):
        return ""
    found = {found[found.lastgroup or 0] for found in _CALLED_OFF.finditer(told)}
    off = {stem(word): word for word in found if content(word)}
    parts = (one for one in clauses(a) if off and not one.negative)
    planned = (one.whole for one in parts if one.mode in NOT_YET or _AIMS.search(one.whole))
    return next((off[word] for text in planned for word in content(text) if word in off), "")


def _named(text: str) -> str:
    return values().same.sub(lambda found: values().plain[found[0]], text)


def corrected(a: str, b: str) -> str:
    """Return the value of `a` that `b` corrects ("from Sopot, not Gdańsk"); empty without one."""
    found = _NOT.search(_read(b))
    if found is None:
        return ""
    wrong = _content(found["wrong"])
    affirmed = [one.text for one in clauses(a) if not one.negative and one.mode in (Mode.FACT, Mode.MUST, Mode.PLAN)]
    before = plain_words(found["before"])
    others = _content(found["before"]) - wrong
    if not wrong or not wrong <= _content(" ".join(affirmed)) or not others or len(others - _content(a)) > _NEW_WORDS:
        return ""
    if not before or (before[-1] in wordlists().empty and not before[-1][:1].isdigit()):
        return ""  # a plain denial
    who = subject(a, plain_words(a)), subject(b, plain_words(b))
    pronoun = before[0] in _PRONOUNS or before[0] in ("from", "in", "on", "at", "no", "called")
    shared = others & _content(a)
    same = who[0] == who[1] or plain_words(a)[0] == before[0] or (pronoun and who[1] in ("i", "he", "she", "they"))
    return found["wrong"].strip() if same and (shared or pronoun) else ""


def _read(text: str) -> str:
    """Return the folded start of a text, to bound the run time."""
    return fold(text)[:MOST]


def _content(text: str) -> frozenset[str]:
    """Return the content stems of a text, with numbers without units: 200g is 200."""
    return frozenset(
        _NUMBER.sub(lambda found: found[1], one) for one in content(" ".join(plain_words(text))) if one not in TITLES
    )
