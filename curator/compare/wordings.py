"""Wordings that decide the relation of two texts: one gives up, takes back, reaches or explains a thing."""

import re
from collections.abc import Iterator
from itertools import takewhile

from curator.compare.amounts import only_numbers_shared, unlike_amounts
from curator.compare.clauses import Mode, When, clauses, subject
from curator.compare.life_changes import both_over
from curator.compare.outcomes import begun, carried_out, confirmed, holder_acts
from curator.compare.statement import statements
from curator.text import fold, plain_words, stem, tokens, wordlists

_THING = r"[a-z][\w+#.-]{0,40}"
_PLACES = (
    "school|nursery|kindergarten|daycare|cr[eè]che|work|station|airport|club|practice|training|football|swimming|gym|home"
    "|house|place|gran[a-z]*|mum[a-z']*|mom[a-z']*|dad[a-z']*|parents|childminder|babysitter|vet|door|[a-z]+'s"
)
_TAKEN_THERE = rf" (?:[a-z'’]+ ){{1,3}}(?:off|to|home|(?:at|by|in) (?:the |a |his |her |their )?(?:{_PLACES}))\b"
"""The text after "drop" when somebody is taken somewhere: "I drop Juno at school"."""
_GIVEN_UP = re.compile(
    rf"\b(?:(?:replac(?:e|ed|ing)|swap(?:ped|ping)?|drop(?:ped|ping)?(?!{_TAKEN_THERE})"
    rf"|ditch(?:ed|ing)?|rid of|cancel(?:l?ed|l?ing)?"
    rf"|switch(?:ed|ing)? (?:away )?from|migrat(?:e|ed|ing) (?:away )?from|mov(?:e|ed|ing) (?:away )?(?:off|from)"
    rf"|phas(?:e|ed|ing) out|retiring|instead of|stop(?:ped)? (?:using|taking)|no longer (?:use|take)|done with"
    rf"|(?:am|is|are|was|he's|she's|it's|came|come|coming|went|wean(?:ed|ing)|got|gone|took [a-z]+|taken|taking [a-z]+)"
    rf" (?:him |her |me |them )?off) (?:the |our |my |his |her |all |all the )?(?P<left>{_THING})"
    rf"|(?:i|we|they|he|she|finally|just|have|has|had|are|am) (?:left|leaving)"
    rf" (?!(?:the|my|our|an?|his|her|work|home|school|town|bed) )(?P<quit>{_THING})"
    rf"|no more (?P<ended>{_THING})(?! (?:today|tonight|this|until|for now|than|then)\b)"
    rf"|(?:they|we|i|vet|doctor|gp|dr [a-z]+) stopped (?:(?:my|his|her|their) )?(?:[a-z]+s )?(?P<stopped>{_THING})"
    rf"|(?P<gone>{_THING}) (?:is|are|was|were|has been|have been) (?:all )?(?:gone|retired|dropped|replaced|removed"
    rf"|deprecated|out (?=use|so|we)|out$)"
    rf"|(?P<named>{_THING}) (?:is|was|has been|got) (?:being |getting )?renamed\b"
    rf"|(?:not|never) (?:use|run|install|add|suggest) (?P<denied>{_THING})"
    rf"(?= (?:[a-z]+ ){{0,4}}?(?:any ?more|any longer|now)\b)"
    rf"|(?:nobody|no one|none of us) uses? (?P<unused>{_THING}))"
)
"""A thing that is no longer in use."""
_USE = re.compile(r"\b(?:use|using|prefer|switch to)\b")
_STOPPED = re.compile(
    r"(?<!not )(?<!never )(?<!almost )(?<!nearly )"
    r"\b(?:[Ss]topped|[Ff]inished|[Tt]hrough|[Nn]o longer|[Dd]o(?: not|n['’]t))"
    r"(?: (?:buy|order|shop|work|deal|bank)(?:p?ing)?)? (?:with|from|at) (?:the )?"
    r"(?P<who>[A-Z][\w'’-]*(?: (?:& )?[A-Z][\w'’-]*)*)(?P<more> any ?more\b)?"
)
"""A firm by name with which somebody has no more to do."""
_CHOSE = re.compile(r"\b(?:decided|agreed|chose|opted|settled|standardi[sz]ed)\b(?= (?:to|on|for)\b)|\bwent with\b")
"""A decision that holds since."""
_WITH_THEM = re.compile(r"\bwith (?:them|it)\b")
_OTHERS = frozenset("he she they him her them his their it its he's she's they're".split())
_FIRST = frozenset("i we my our me us".split())
_REFUSED = re.compile(r"(?:do )?(?:use|run|install|add|suggest|have)\b")
_PLANS = re.compile(r"\b(?:plan\w*|want|going|thinking|hope|hoping|might|will|about) (?:to|of|about)\b")
_SUCCESSOR = re.compile(rf"\b(?:to|with|by|now on) (?:the )?(?P<other>{_THING})\b")
"""A thing that replaces another."""
_FEW = 2  # words after "use spaces, not"
_CALLED = frozenset({"called", "named", "name"})
_ENDS = (
    r"(?=$|[.,;:!?)\"]| (?:with|by|for|to|and|in|on|at|from|as|is|are|was|has|have|got|it|its|we|so|out|now|here|any"
    r"|again|everywhere|completely|entirely|altogether|since|because|last|this|today|yesterday)\b)"
)
"""The text after a name that is not part of a longer name."""
_TAKEN_BACK = re.compile(
    r"\b(?:conquered|(?:take|took|taking) (?:it|that|this) (?:all )?back|changed my mind about|(?:was|were) wrong about"
    r"|(?:come|came|coming) (?:a?round) (?:to|on)|warmed to|got(?:ten)? over (?:my|the) (?:fear|dislike|hatred)"
    r"|(?:fine|ok|okay|happy|comfortable|confident) (?:with|on|about|doing|driving|eating|using|taking)\b"
    r"(?=.*\b(?:now|again|these days|nowadays)\b))"
)
"""A dislike or refusal that no longer holds."""
_POLICY = re.compile(r"\b(?:always|every|all|use|uses|keep|must|we|our|prefer)\b")
_AVERSE = frozenset(map(stem, "scared afraid terrified fear avoid refuse".split()))
_LEAD = frozenset("please from now on and so but also again just".split())  # words before an order
_DO = frozenset({"do", "does", "did"})
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MEETS = re.compile(
    rf"\b(?P<what>[a-z]+) (?:is|are|meets?|moved to|has moved to|changed to) (?:now )?"
    rf"(?:on |every |each )?(?P<day>{_DAY})s?\b"
)
_ELSEWHEN = re.compile(r"\b(?:now|moved|changed|switched|from now on)\b")
_REACHED = re.compile(
    r"\b(?:went|gone|go(?:es)?|put|raised?|increased?|rose|risen|changed|lowered|reduced|cut|dropped|set|moved)\b"
    r"(?: [a-z'-]+){0,4}? (?:up |down )?to (?P<number>[$€£]?[0-9][\w.:]*)"
    r"|\brenamed (?:[\w-]+ )??(?:to|as) (?P<name>\w+)"
)
"""The value of something after a change."""
_FROM_NOW = re.compile(r"\bfrom now on\b")
_STOPS = re.compile(
    r"(?:(?:ok|okay|and|but|so|now) )*(?:(?:can|could|will|would) you|please)(?: please| just| now)* (?:stop|quit)\b"
)
"""A request to an assistant to stop something."""
_ORDERS = re.compile(
    r"\b(?:always|never|please|must|should|may|keep|avoid|stop|make sure|max|answers?"
    r"|(?:is|are) (?:fine|ok|okay|allowed))\b"
)
_BIDDING = frozenset(
    "do no not never always all every each only any keep give use put call write address answer explain edit".split()
)
_MOSTLY = 0.6
"""Minimum share of the words of a fact in a new order about it."""
_LEFT = re.compile(r"\b(?:sold|sell\w*|left|leav\w+|mov\w+|house|flat|home|apartment)\b", re.IGNORECASE)
"""Words that may say that somebody no longer lives in a place."""
_OVER = re.compile(r"\b(?:gone|wrong|over|outgr[eo]w\w*|cured|mistaken|false|not|no|never)\b")
"""Words that may say that an allergy is gone or was an error."""
_WITHIN = re.compile(
    r"\b(?:moved|changed|switched|swapped) (?P<part>[a-z]+) (?:at|in|within) (?:the )?(?P<place>[a-z]+)"
)
_BECAUSE = re.compile(
    r"\b(?:because of|due to|owing to|on account of|given) (?:my |the |his |her |our |a |an )?(?P<what>[^.;!?,]*)"
)


def given_up(a: str, b: str) -> str:
    """Return the thing that `a` uses and `b` says is no longer in use; empty without one."""
    named = left_behind(b, renamed=not _CALLED.isdisjoint(plain_words(a)), ended=False) - left_behind(a)
    named.update(word for one in clauses(b) if _USE.search(one.text) for word in one.against.split()[:_FEW])
    if not named:
        return ""
    used: set[str] = set()
    for clause in clauses(a):
        chosen = _CHOSE.search(clause.whole) is not None
        holds = clause.when is When.NOW and clause.mode in (Mode.FACT, Mode.MUST)
        if (holds or chosen) and not clause.ended:
            listed = clause.whole if clause.negative else clause.text  # up to a denial
            used.update(takewhile(lambda word: word not in wordlists().negations, listed.split()))
    if _WITH_THEM.search(a.lower()):  # "anything cheaper than Acme? I'm with them since May"
        used.update(word for one in clauses(a) for word in one.against.split()[:_FEW])
    ours, theirs, words = subject(a, plain_words(a)), subject(b, plain_words(b)), plain_words(b)
    # "my mother takes it", "they took her off it"; "… stopped mum's tablets"
    told = not _OTHERS.isdisjoint(words) or any(stem(word.removesuffix("s")) == ours for word in words)
    of_them = ours != "i" and told and theirs in ("i", *_OTHERS) and _FIRST.isdisjoint(words)
    named = {word for word in named if used.issuperset(word.split())}
    left = (word for word in sorted(named) if _counts(word) and word not in wordlists().people)
    return next((word for word in left if ours == theirs or of_them or (ours == word and theirs == "i")), "")


def left_behind(text: str, renamed: bool = True, ended: bool = True) -> set[str]:
    """Return the things that a text says are no longer in use, or have been renamed."""
    stopped = (found for found in _STOPPED.finditer(text) if found["more"] or found[0][:2].casefold() != "do")
    named = {
        found[found.lastgroup or 0]
        for found in _GIVEN_UP.finditer(" ".join(plain_words(text)))
        if (not found["named"] or renamed) and (not found["ended"] or ended)
    }
    left = {word for word in named if re.search(rf"(?<!\w){re.escape(word)}{_ENDS}", fold(text))}
    return left | {" ".join(plain_words(found["who"])) for found in stopped}


def both_left(a: str, b: str) -> bool:
    """Return True if both texts say the same thing is no longer in use; a plan and its outcome do not count."""
    if _PLANS.search(" ".join(plain_words(a))) is not None:
        return False
    both = [
        left_behind(text)
        | {word for one in clauses(text) if one.ended for word in one.text.split()}
        | {word for one in clauses(text) if one.negative and _REFUSED.match(one.text) for word in one.text.split()[:3]}
        for text in (a, b)
    ]
    common = {stem(word) for word in both[0] if _counts(word)} & {stem(word) for word in both[1] if _counts(word)}
    others = [{found["other"] for found in _SUCCESSOR.finditer(" ".join(plain_words(text)))} for text in (a, b)]
    return bool(common) and not (all(others) and others[0].isdisjoint(others[1]))


def ruled_out(a: str, b: str) -> str:
    """Return the thing that `a` orders or uses and `b` forbids in two words ("no squashing"); empty without one."""
    lists = wordlists()
    if _POLICY.search(" ".join(plain_words(a))) is None or any(one.negative for one in clauses(a)):
        return ""
    if not tokens(a).isdisjoint(lists.disliked | _AVERSE):
        return ""
    ours = {word for one in clauses(a) if one.when is When.NOW for word in one.text.split()}
    refused = (one.text for one in clauses(b) if one.negative and one.whole.startswith("no "))
    named = {stem(words): words for words in refused if " " not in words and _counts(words)}
    return next((named[stem(word)] for word in sorted(ours) if stem(word) in named), "")


def taken_back(a: str, b: str) -> str:
    """Return the refusal or dislike of `a` that `b` takes back; empty without one."""
    plain = " ".join(plain_words(b))
    if _TAKEN_BACK.search(plain) is None or any(one.negative for one in clauses(b)):
        return ""
    lists = wordlists()
    shunned = {
        word
        for clause in clauses(a)
        if clause.negative or not tokens(clause.whole).isdisjoint(lists.disliked | _AVERSE)
        for word in clause.text.split()
    }
    against = [clause.against.split() for clause in clauses(a)]  # "a podcast, not an audiobook I can't get on with"
    shunned |= {word for words in against if not lists.negations.isdisjoint(words) for word in words}
    return next((word for word in plain_words(b) if word in shunned and _counts(word)), "")


def _counts(word: str) -> bool:
    lists = wordlists()
    return word not in lists.empty and word not in lists.negations and stem(word) not in lists.light


def moved_event(a: str, b: str) -> str:
    """Return the event that `b` has moved from the weekday in `a` to another one; empty without one."""
    ours, theirs = _days(a), _days(b)
    if _ELSEWHEN.search(" ".join(plain_words(b))) is None:
        return ""
    return next((what for what in theirs if what in ours and ours[what].isdisjoint(theirs[what])), "")


def _days(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for match in _MEETS.finditer(" ".join(plain_words(text))):
        if _counts(match["what"]):
            found.setdefault(match["what"], set()).add(match["day"])
    return found


def reached_value(a: str, b: str) -> str:
    """Return the value that `a` states and `b` states as the result of a change; empty without one."""
    parts, known = clauses(a), plain_words(a)
    if any(one.negative or one.mode not in (Mode.FACT, Mode.MUST) for one in parts):
        return ""
    numbers = {word.strip("$€£") for word in known if word.strip("$€£")[:1].isdigit()}
    for found in _REACHED.finditer(" ".join(plain_words(b))):
        if found["number"]:
            if numbers == {found["number"].strip("$€£")}:
                return found["number"]
        elif _counts(found["name"]) and found["name"] in known:
            return found["name"]
    return ""


def refused_by_both(a: str, b: str) -> bool:
    """Return True if all that two texts share is a thing that both refuse: no heights, and scared of heights."""
    shared = {word for word in tokens(a) & tokens(b) if word not in wordlists().light}
    return bool(shared) and any(
        shared <= _refused(one, True) and shared <= _refused(other, False) for one, other in ((a, b), (b, a))
    )


def _refused(text: str, order: bool) -> frozenset[str]:
    """Return the stems of refused things; with `order`, in clauses without a subject, else avoided things as well."""
    lists, found = wordlists(), frozenset[str]()
    for one in clauses(text):
        listed = one.whole.split()
        before = set(takewhile(lambda word: word not in lists.negations, listed))
        denied = one.negative and not one.ended and (before <= _LEAD or not order)
        averse = not tokens(one.whole).isdisjoint(_AVERSE)
        if (denied and not averse) or (averse and not order and not one.negative):
            found |= tokens(one.text)
    return found


def differ_in_kind(a: str, b: str) -> bool:
    """Return True if two texts are about two kinds of a thing: unit tests need Docker, end-to-end tests do not."""
    lists = wordlists()
    ours, theirs = ([word for word in plain_words(text) if word not in lists.negations | _DO] for text in (a, b))
    apart = [at for at, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other]
    if len(ours) != len(theirs) or len(apart) != 1 or apart[0] + 1 >= len(ours):
        return False
    at = apart[0]
    named = all(_counts(words[at]) and words[at] not in lists.quantity for words in (ours, theirs))
    return named and _counts(ours[at + 1]) and all(word in lists.empty for word in ours[:at])


def is_place_only(a: str, b: str) -> bool:
    """Return True if all that the texts share is the place a person lives in, and one text does not call it home."""
    shared = tokens(a) & tokens(b)
    homes = [one for one in statements(a) if one.slot == "home" and not one.implied]
    if not shared or not homes or _LEFT.search(b) or any(one.slot == "home" for one in statements(b)):
        return False
    inside = re.search(rf"\b(?:in|at|near) (?:{'|'.join(map(re.escape, shared))})", b, re.IGNORECASE)
    return any(shared <= one.value and (inside is not None or not one.positive) for one in homes)


def unopposed(a: str, b: str) -> bool:
    """Return True if signs of a conflict do not apply to two texts, although one of them may be outdated.

    Both abandon or refuse the same thing, their amounts are of different kinds, or `b` is a new order, or asks an
    assistant to stop what is not in `a`.
    """
    return (
        refused_by_both(a, b)
        or both_left(a, b)
        or unlike_amounts(a, b)
        or only_numbers_shared(a, b)
        or is_new_order(a, b)
        or is_request_to_stop(a, b)
    )


def is_new_order(a: str, b: str) -> bool:
    """Return True if `b` is an order from now on, and `a` a fact with mostly other words."""
    fact, order = " ".join(plain_words(a)), " ".join(plain_words(b))
    if not _FROM_NOW.search(order) or not _orders(_FROM_NOW.sub("", order)) or _orders(fact) or _ORDERS.search(fact):
        return False
    ours = tokens(a)
    return len(ours & tokens(b)) < _MOSTLY * len(ours)


def is_request_to_stop(a: str, b: str) -> bool:
    """Return True if `b` asks an assistant to stop something, and `a` is a fact with mostly other words."""
    fact = " ".join(plain_words(a))
    if not _STOPS.match(" ".join(plain_words(b))) or _orders(fact) or _ORDERS.search(fact):
        return False
    ours = tokens(a)
    return len(ours & tokens(b)) < _MOSTLY * len(ours)


def begins_as_order(text: str) -> bool:
    """Return True if a text begins with a verb, or with a word that orders or forbids: "use uv", "no emojis"."""
    return _orders(" ".join(plain_words(text)))


def _orders(plain: str) -> bool:
    first = next((word for word in plain.split() if word not in _LEAD), "")
    return first in wordlists().verbs or first in _BIDDING


def reasons_both_hold(a: str, b: str) -> Iterator[str]:
    """Yield reasons why both texts hold, regardless of signs of a conflict; `b` is the later one."""
    if reached_value(a, b):
        yield "one tells how it came to what the other says"
    if confirmed(a, b):
        yield "one confirms the other"
    if both_over(a, b):
        yield "both say that it is over"
    if carried_out(a, b) or begun(a, b):
        yield "one announces what the other says has happened"
    if role := holder_acts(a, b) or holder_acts(b, a):
        yield f"one says who the {role} is, the other what they did"
    if is_place_only(a, b) or is_place_only(b, a):
        yield "both are about one place"
    if differ_in_kind(a, b):
        yield "each is about a kind of its own"
    plain = " ".join(plain_words(b))
    for found in _WITHIN.finditer(plain):
        if found["place"] in plain_words(a) and stem(found["part"]) not in tokens(a):
            yield "a change within the same place"
    for one, other in ((a, b), (b, a)):
        words = " ".join(plain_words(other))
        causes = (found["what"] for found in _BECAUSE.finditer(words) if _OVER.search(words) is None)
        if any("allerg" in cause and not tokens(cause).isdisjoint(tokens(one)) for cause in causes):
            yield "one is the reason for the other"
