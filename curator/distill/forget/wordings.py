"""Wordings of requests to forget in passing: "lose the bit about my rent", "you never heard that".

The verbs of these requests are those of editing a text. A wording is a request for sure only if it names the memory of
the assistant, what was told to it, or a reason of privacy.
"""

import re
from dataclasses import dataclass

_YOU = r"(?:you|u|ya)"
_NOT = r"(?:don't|do not|didn't|did not|never|mustn't|must not|shouldn't|should not|needn't|need not)"
_I_WANT = (
    rf"i (?:want|need|beg) {_YOU} to|i(?:'d| would) (?:like|love|want) {_YOU} to"
    rf"|i(?:'d| would) (?:rather|sooner|prefer)(?: it)?(?: that| if)? {_YOU}(?:'d)?"
    rf"|i(?:'d| would) (?:be (?:happier|grateful|glad|happy)|appreciate it) if {_YOU}(?:'d| would| could)?"
)
_OPENING = (
    r"(?:(?:please|pls|plz|kindly|just|now|also|and|so|but|then|actually|ok|okay|oh|omg|oops|ngl|tbh|lol|haha|hey|hm+"
    r"|no|nah|wait|jk|sorry|well|right|yeah|yes|btw|by the way|anyway|maybe|perhaps|on second thoughts?|go ahead and"
    rf"|feel free to|let's|(?:can|could|would|will) {_YOU}|{_YOU} (?:can|may|might|could|should|must)(?: as well)?"
    rf"|would {_YOU} mind|{_I_WANT})[,:.…]* )*"
)
_START = r"(?:^|[,;:.…!?()–—-]\s*|\s(?=(?:so|and|but|then|actually|please|pls|just)\b))"
_EDIT = (
    r"(?:delet(?:e|ing)|eras(?:e|ing)|remov(?:e|ing)|wip(?:e|ing)|scrub(?:bing)?|scrap(?:ping)?|scratch(?:ing)?"
    r"|strik(?:e|ing)|drop(?:ping)?|los(?:e|ing)|clear(?:ing)?(?: out)?|dump(?:ing)?|bin(?:ning)?|ditch|chuck|toss"
    r"|trash|purge|get(?:ting)? rid of|take back|disregard|discard|let go of)"
)
_FORGET = r"(?:forget(?:ting)?|forgot|un-?(?:remember|know|learn|hear|say))(?: all)?(?: about)?"
_KEEP = r"(?:remember|keep|store|save|retain|hold(?: on ?to)?|hang on ?to|cling to|memori[sz]e|record|log)"
_UNWANTED = (
    rf"(?:{_NOT}(?: {_YOU})?|not|(?:there's |there is )?no (?:need|reason|call)(?: for {_YOU})? to"
    rf"|{_YOU} (?:(?:don't|do not) (?:need|have) to|needn't)|i (?:don't|do not|no longer|never) want {_YOU} to"
    rf"|i wish {_YOU} (?:didn't|did not|wouldn't))(?: (?:ever|even|just|also))*"
)
_NO_BUSINESS = (
    rf"(?:(?:{_I_WANT}) (?:didn't|did not|don't)|i (?:don't|do not|no longer|never) want {_YOU} to"
    rf"|{_YOU} (?:don't|do not) need to|i want {_YOU} to stop) (?:know(?:ing)?|hav(?:e|ing))(?: about)?"
)
_VERB = re.compile(
    rf"{_START}(?P<asks>{_OPENING}(?:(?P<forget>{_FORGET})|(?P<edit>{_EDIT})|(?P<keep>{_NO_BUSINESS}"
    rf"|{_UNWANTED} {_KEEP}"
    r"|(?:stop|quit) (?:remembering|knowing|storing|keeping|saving|holding on to))"
    rf"|(?P<raise>{_UNWANTED} (?:bring(?: up)?|raise|mention|go on about)|(?:stop|quit) (?:bringing up|mentioning))"
    rf"|(?P<move>(?:take|get|keep|leave|put|pull|let)|i (?:want|need)))\b(?: that(?= (?:i|i'm|i've|we|my"
    rf"|our)\b))?)(?:\s|$)"
)
_SILENCE = re.compile(
    rf"{_OPENING}(?:{_UNWANTED} (?:bring(?: up)?|raise|mention|go on about|talk (?:to me )?about|speak of)"
    r"|(?:stop|quit) (?:bringing up|mentioning|talking about|going on about))\b"
)
"""An order not to speak of something."""
_DELETES = re.compile(
    r"\b(?:forget|delete|erase|remove|scrap)(?: about)? (?:it|that|this|him|her|them|everything|all)\b"
)
_OF_PRONOUN = re.compile(
    r"\b(?:bring(?:ing)?|raise|mention(?:ing)?|about|of) (?:him|her|them|it|that|this)(?: up)?"
    r"(?= (?:again|ever|any ?more|any longer|unless|please|pls|to (?:me|us)|too|either|from now|for)\b"
    r"|\s?[,.!;…–—-]|\s*$)"
)
"""An order not to speak of what only a pronoun names."""
_OF_MEMORY = re.compile(r"\b(?:remember\w*|know\w*|hav(?:e|ing)|memori[sz]e|hold\w*(?: on ?to)?|hang on ?to|cling to)$")
"""Verbs of keeping that are not also of files, receipts and calls."""
_NEVER_SAID = re.compile(
    rf"{_START}(?P<asks>{_OPENING}(?:{_YOU} (?:never|didn't|did not) (?:hear|heard) (?:that|this|it)\b(?! from)"
    rf"|out with it\b"
    r"|pretend(?: like| that)? i (?:never|didn't|did not|hadn't|had not)(?: ever)?(?: (?:say|said|mention(?:ed)?|told"
    r"|tell)\b"
    r"|(?=\s?(?:$|[.,!;])))|forget (?:that )?i(?:'ve)?(?: ever| even)? (?:said|told|mentioned)\b))"
    r"(?: (?:you|u|it|that|this|so|anything)\b)*(?: (?:about|of|that)\b)?\s?"
)
_PASSIVE = re.compile(
    r"\s(?<!right )(?:(?:wants?|needs?) (?:forgetting|deleting|removing|erasing|wiping)"
    r"|(?:(?:can|could|should|must|has to|need(?:s|ed)? to|wants? to|i'd like (?:it )?to)(?: now)? be|to be)"
    r" (?:forgotten|deleted|removed|erased|wiped|scrubbed)|(?P<weak>(?:can|should|must) (?:now )?go)"
    r"|(?:must|should|may|can) ?(?:not|n't) be (?:kept|stored|saved|remembered|retained|in your|on your)"
    r"|(?:is|are|was|were|does|do|that|it) ?(?:not|n't) (?:to be (?:kept|stored|saved|remembered)|(?:go"
    r"|belong) in (?:your|ur)"
    r"|for (?:your (?:records?|notes|memory)|keeping)|(?:need|needs) (?:to be (?:kept|remembered)|remembering|keeping)"
    r"|(?:something|anything|a thing) (?:i (?:want|wanted)(?: \w+)? (?:saved|stored|kept|known|remembered)"
    r"|(?:a machine|you|an ai) (?:should|needs? to) (?:know|keep|have|remember)))"
    r"|not for keeping|stays? out of your|needs (?:remembering|keeping))\b"
)
_OF_REMEMBERING = re.compile(r"\b(?:forg|remember|known?\b|your\b|ur\b|an ai\b|a machine\b)")
_GONE = re.compile(
    r"(?:i (?:want|need) )(?:it|that|this|them|him|her|all of (?:it|that))(?: all)? (?:gone|forgotten|deleted|wiped"
    r"|erased)\b|i (?:never|don't|do not) want to (?:read|see|hear)(?: about| of)? (?:that|his|her|their|this) name\b"
)
_KNOWN = (
    rf"(?:what|whatever|everything|anything|all)(?: it is)?(?: that)? {_YOU}(?:'ve| have| may have)?"
    r"(?: (?:got|know|have|hold|keep|kept|remember|stored?|saved?))+(?: (?:on (?:file|record)|saved|stored))?"
)
_MEMORY = re.compile(
    r"(?:^|\s)(?:from|out of|off(?: of)?|in|for|on)(?: all)?(?: of)? (?:(?:your|ur) (?:own "
    r"|long[- ]term )?(?:memor(?:y|ies)"
    rf"|notes?|records?|data|storage|brain|head|list|mind)|{_KNOWN}|whatever (?:you|u) remember)"
    r"(?: (?:of|about|on) (?:me|us))?\b"
)
"""Names of the store of memories, which no other text is called."""
_ANSWERS = (
    r"(?:(?:all|any|some) of )?(?:what|whatever|everything|anything|all|(?:the|that|those|any|all that) (?:bits?"
    r"|things?|parts?|stuff|facts?|points?|story))"
)
TOLD = re.compile(
    rf"(?:(?P<what>{_ANSWERS})(?: that| which)? )?\b(?:i(?:'ve| have|'d| had)?|me to|(?:shouldn't"
    rf"|should not) have)(?: (?:ever|even|just|once|already|only))*"
    r" (?:said|say|told|tell|mentioned|mention|gave|wrote|shared|typed|brought up)\b(?: to)?(?: (?:you|u))?"
    r"(?: (?:here|before|earlier|once|above|ages ago|(?:a |some |\w+ )?(?:while|days?|weeks?|months?) (?:ago|back)"
    r"|last (?:week|time|month)|in (?:an?other|some other) (?:chat|conversation)))*(?P<about>,? (?:about|re|on|of"
    r"|regarding|concerning|with)\b:?| that(?= \w))?\s?"
)
_ALL_KNOWN = re.compile(rf"{_KNOWN} (?:about|on|of|regarding|to do with)\s")
_ALL_ABOUT = re.compile(r"(?:(?:any|every|no)thing|all|all (?:that|the) stuff) (?:about|on|regarding|to do with)\s")
_BIT = re.compile(
    r"(?:all )?(?:of )?(?:the|that|this|those) (?:whole )?(?:bits?|things?|parts?|stuff|facts?|points?|story|business)"
    r"(?: (?:about|on|with|of|re|where|concerning)(?: (?:the fact )?that(?= i\b))?| that)\s"
)
_NAMED = re.compile(
    r"(?:the|that|those|my|our) (?:whole )?(?P<name>[\w'’ -]{2,40}?) (?:thing|stuff|bit|part|business|figure|story)\b"
)
_GIVEN = re.compile(
    r"(?:the|that|those|my) (?P<name>[\w'’ -]{2,30}?) (?:that |which )?i(?:'ve| have)?(?: just)? (?:gave|told|given"
    r"|mentioned)\b(?: (?:you|u)\b)?"
)
_POINTER = re.compile(
    r"(?:(?:that|this|it|them|those|him|her|any of (?:it|that)|all of (?:it|that|this))(?: one| bit| part| thing)?"
    r"|(?P<last>(?:(?:that|the|my) )?(?:very )?(?:last|previous) (?:one|thing|bit|part|remark|message|comment"
    r"|statement))(?: i said| you saved)?)"
    r"(?: (?:about (?:him|her|them|it)|as [\w ]{2,20}|up|too|out|go|again|gone|either|down)\b)?$"
)
_EDITED = (
    r"(?:paragraphs?|sentences?|lines?|words?|slides?|rows?|columns?|tables?|steps?|clauses?|sections?|commas?"
    r"|intro\w*|titles?"
    r"|headings?|headers?|charts?|drafts?|versions?|files?|lists?|letters?|e-?mails?|mails?|cvs?|résumés?|resumes?"
    r"|pages?|texts?|quotes?"
    r"|plans?|decks?|posts?|postings?|listings?|forms?|code|apps?|templates?|newsletters?|cards?|messages?|reports?"
    r"|thesis|essays?"
    r"|chapters?|recipes?|menus?|schedules?|readme|repos?|branch|functions?|modules?|scripts?|questions?|spaces?"
    r"|images?|photos?|pictures?"
    r"|poems?|verses?|stor(?:y|ies)|speech|agendas?|invoices?|summary|bio|profile|examples?|ideas?|options?|limits?"
    r"|formatting|diagrams?"
    r"|links?|snippets?|prompts?|answers?|disclaimers?|statistics)"
)
_OF_TEXT = re.compile(
    rf"^(?:the|that|this|those|these|your|my|every|all|any)(?: [\w'-]+){{0,2}} {_EDITED}(?: i (?:sent|gave"
    rf"|wrote))?(?:$|[ ,.;:])(?!thing|stuff|business)"
    rf"|\b(?:from|off|out of|in|into|to|at|for|on|with) (?:the|my|this|our|his|her|their|every"
    rf"|an?)(?: [\w'-]+){{0,3}}? {_EDITED}\b"
    r"|(?:\band|\bthen|,) (?:add|use|put|replace|write|start|make|insert|rerun|renumber|focus|lead|give)\b|\binstead\b"
)
"""A part of a text at hand, or a place in one."""
REASON = re.compile(
    r"\b(?:private|privacy|confidential|secret|embarrass\w+|ashamed|nda|lawyers?|if (?:this|it|that) (?:leaks"
    r"|gets out)|kill me|(?:nobody|no one)'s (?:business|affair)|(?:rather|sooner|prefer) (?:you|u) (?:didn't|did not)"
    r"|(?:none of|not) your business|hers? to tell|his to tell|mine to (?:share|tell)|between (?:us|me|her|him|them)\b"
    r"|(?:don't|do not|never|not|no longer|isn't) (?:really )?(?:like|want|need|something) (?:(?:you|to|it|that|this"
    r"|him|her|i want|for it) )*"
    r"(?:\w+ )?(?:be reminded|reminded|read|see|hear|have|know|be a thing|stored?|saved?|kept|written down|recorded"
    r"|remembered|coming up|popping up"
    r"|thrown|following|around|anywhere|to be what)|(?:pop(?:s|ping)?|com(?:es?|ing)) up|thrown back|hate seeing"
    r"|(?:shouldn't|should not) have"
    r"|wrong of me|slip of the tongue|by mistake|share this (?:laptop|account|computer|phone)|uses this|reading this"
    r"|over my shoulder"
    r"|reads? (?:this|these|my|it|that)|(?:will|might|can|could) (?:see|read) (?:it|this|that|these)|can't have that"
    r"|be on here|mustn't find out"
    r"|(?:not|isn't|n't) proud|(?:bring(?:ing)?|brought) (?:it|him|her|that) up|you never heard|in trouble|my hide"
    r"|(?:he|she)'s a minor)\b"
)
"""Reasons for a request, and other words that nobody writes of a text at hand."""
_AFTER_OBJECT = re.compile(
    r"\s?(?:[,;:.!?()–—…]|\s-\s|\b(?:because|cause|cos|coz|since|so that|as (?:i|it|he|she|they|we)\b|and (?:i|it|you"
    r"|don't|never|that|keep)\b"
    r"|but|though|before (?:i|you|he|she|we)\b|unless|if (?:you|possible)\b|(?:don't|do not) (?:store|save|keep)))"
)
_TAIL = re.compile(
    r"\s(?:please|pls|plz|thanks|thx|ok|okay|lol|haha|now|again|any ?more|any longer|from now on|altogether"
    r"|completely|entirely|for good"
    r"|for ?ever|ever|earlier|before|too|as well|anyway|either|then|yet|already|for me|at all|asap|immediately"
    r"|properly)$"
)
_EVERMORE = re.compile(r"\b(?:again|ever|any ?more|from now on|always|in future|unless i do|i know)\b")
_OUT_OF_IT = re.compile(r"\s(?:out of|off) (?:it|this|that|things|there|everything)\b")
_PARTED = re.compile(
    r"\b(?:i|we)(?:'ve| have)?(?: just)? (?:(?:no longer|don't) own|sold|gave (?:it|them|him|her) away)\b"
)
"""The reason to forget a thing that one had."""
_MOVED = re.compile(r"(?P<what>.+?)\s(?:out|off|go|gone)$")
_BESIDE = re.compile(r"\s?[,–—-]\s?(?P<name>(?:the|my|our|about|what) [^,;:.–—]{3,60})(?=[,;:.–—]|$)")
"""Apposition that names what a pronoun refers to: "delete that bit, the card debt"."""
_OF_ANOTHER = re.compile(r"(?:i|you|we)\b.*\b(?:him|her|it|them)\b")
_DROPPED = re.compile(r"(?:^|\. )(?:forget|drop) (?:it|that)\b[.!]*(?: |$)")
OPENING = re.compile(_OPENING)
_OURS = re.compile(r"\b(?:i|i'm|i've|my|we|our)\b")
_RAISED = re.compile(r"\bup$")


@dataclass(frozen=True, slots=True)
class RequestWording:
    """A request in a sentence: its start, and the span to forget, or None if it points at what was said before.

    `sure` is False if the wording alone may also be about a text at hand; `told` is True if it says that the thing was
    told; `named` if it says that the thing is to be forgotten in the passive: "it needs forgetting".
    """

    start: int
    body: tuple[int, int] | None
    sure: bool
    told: bool = False
    named: bool = False


def asks_silence(low: str, near: str, after: str) -> bool:
    """Return True if a lower-case sentence only orders not to speak of something, and does not ask to forget it.

    `near` has the sentences around it; `after` is the next one, which may ask: "don't mention him. Delete that".
    """
    found = _SILENCE.match(low)
    if (
        not found
        or _MEMORY.search(low)
        or _DELETES.search(low)
        or any(REASON.search(said) for said in (low[found.end() :], near))
    ):
        return False
    later = find_wording(after, "")
    return not (_DROPPED.search(near) or (later and not _SILENCE.match(after)))


def points_at_subject(low: str) -> bool:
    """Return True if a lower-case order not to speak of something names it by a pronoun only."""
    return _OF_PRONOUN.search(low) is not None


def find_wording(low: str, near: str) -> RequestWording | None:
    """Return the request to forget in a lower-case sentence, or None; `near` has the sentences around it."""
    low, end = low.rstrip(" .!?…"), len(low.rstrip(" .!?…"))
    sentence = _Sentence(low)
    around = bool(REASON.search(near) or _DROPPED.search(near))
    if said := _NEVER_SAID.search(low):
        body = _trimmed(low, said.end(), _end_of_object(low, said.end(), end))
        return RequestWording(said.start("asks"), body or sentence.topic(said.start("asks")), sure=True, told=True)
    at = 0
    while found := _VERB.search(low, at):
        if one := sentence.of_verb(found, around):
            return one
        at = max(found.start("asks"), at + 1)
    if gone := _GONE.search(low):
        return RequestWording(gone.start(), sentence.topic(gone.start()), around or REASON.search(low) is not None)
    for found in _PASSIVE.finditer(low):
        topic = sentence.topic(found.start())
        body = None if topic is None or _POINTER.fullmatch(low[slice(*topic)]) else topic
        told = bool(TOLD.search(low[: found.start()]) or _ALL_KNOWN.search(low[: found.start()]))
        if not (told or _MEMORY.search(low) or _OF_REMEMBERING.search(found[0])):
            continue  # "my wisdom teeth need to be removed"
        if not _OF_TEXT.search(low) and (told or not found["weak"]):
            return RequestWording(0, body, sure=True, told=told, named=True)
    return None


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence in lower case, without the marks at its end."""

    low: str

    def of_verb(self, found: re.Match[str], private: bool) -> RequestWording | None:
        """Return the request of a match of `_VERB`, or None; `private` if the sentences around it give a reason."""
        low = self.low
        first, asks, end = found.end(), found.start("asks"), len(low)
        private = private or any(REASON.search(part) for part in (low[:asks], low[first:]))
        last = _end_of_object(low, first, end)
        memory = _MEMORY.search(low, max(first - 1, 0), end)
        rest = low[first:end]
        out = _OUT_OF_IT.search(low, first, last)
        if memory and found["move"] and not memory[0].lstrip().startswith(("from", "out", "off")):
            return None  # "keep it in your memory"
        if memory:
            last = min(last, memory.start())
        elif _OF_TEXT.search(rest):
            return None
        kept_out = None
        if found["move"]:
            moved = _MOVED.fullmatch(low, first, last)
            kept_out = out and _EVERMORE.search(low, out.end(), end)
            if (
                not memory
                and not kept_out
                and not (moved and _POINTER.match(moved["what"]) and "take" in found["move"])
            ):
                return None
            last = out.start() if kept_out and out else moved.end("what") if moved else last
        span = _trimmed(low, first, last)
        said = low[slice(*span)] if span else ""
        if found["raise"]:
            if not (_EVERMORE.search(rest) or found["raise"].startswith(("stop", "quit"))):
                return None
            span = _trimmed(low, first, span[1] - 3) if span and _RAISED.search(said) else span
            said = low[slice(*span)] if span else ""
        of_memory = bool(found["keep"] and _OF_MEMORY.search(found["keep"]))
        wanted = bool(memory or private or of_memory or found["raise"])
        if kept_out and span:
            return RequestWording(asks, span, private)
        if pointer := _POINTER.fullmatch(said) if said else None:
            if beside := _BESIDE.match(low, last):
                return RequestWording(asks, beside.span("name"), wanted)
            topic = None if pointer["last"] else self.topic(asks)
            is_told = bool(TOLD.search(low[:asks]) or _ALL_KNOWN.search(low[:asks]))
            named = topic is not None and (
                is_told or any(one.search(low[:asks]) for one in (_NAMED, _GIVEN, _ALL_ABOUT, _BIT))
            )
            return RequestWording(asks, topic, bool(wanted or named or pointer["last"] or found["keep"]), is_told)
        if span is None:
            return RequestWording(asks, self.topic(asks), wanted) if wanted else None
        if (told := TOLD.match(low, *span)) and (told["what"] or told["about"]):
            body = _trimmed(low, told.end(), span[1])
            return RequestWording(asks, body, sure=body is not None or private, told=True)
        for pattern in (_ALL_KNOWN, _ALL_ABOUT, _BIT):
            if bit := pattern.match(low, *span):
                return RequestWording(
                    asks, _trimmed(low, bit.end(), span[1]), wanted or pattern is _ALL_KNOWN, pattern is _ALL_KNOWN
                )
        parted = found["forget"] is not None and _PARTED.search(low, span[1]) is not None
        for pattern in (_GIVEN, _NAMED):
            if named_one := pattern.match(low, *span):
                return RequestWording(asks, named_one.span("name"), wanted or parted)
        clear = bool(found["forget"] and _OURS.search(said))
        if wanted or clear or found["forget"] or low[span[0] - 5 : span[0]] == "that ":
            return RequestWording(asks, span, bool(memory or private or clear or parted))
        return None

    def topic(self, end: int) -> tuple[int, int] | None:
        """Return the thing that a sentence names before it asks to forget it: "my debts, lose that"."""
        low = self.low
        opening = OPENING.match(low, 0, end)
        first = opening.end() if opening else 0
        for pattern in (TOLD, _ALL_KNOWN, _ALL_ABOUT, _BIT, _NAMED, _GIVEN):
            if found := pattern.search(low, first, end):
                named = pattern in (_NAMED, _GIVEN)
                span = found.span("name") if named else (found.end(), _end_of_object(low, found.end(), end))
                if body := _trimmed(low, *span):
                    return body
        body = _trimmed(low, first, _end_of_object(low, first, end))
        return None if body and _OF_ANOTHER.match(low, *body) else body


def _end_of_object(low: str, first: int, end: int) -> int:
    after = _AFTER_OBJECT.search(low, first, end)
    return after.start() if after else end


def _trimmed(low: str, first: int, last: int) -> tuple[int, int] | None:
    """Return a span without courtesy and adverbs at its end, or None if nothing is left."""
    said = low[first:last].rstrip(" .!?…")
    while tail := _TAIL.search(f" {said}"):
        said = said[: max(tail.start() - 1, 0)].rstrip()
    lead = len(said) - len(said.lstrip(" ,:"))
    return (first + lead, first + len(said)) if said.strip(" ,:") else None
