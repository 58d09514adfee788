"""Safety facts in a letter that the person asks for in their own name: "write to the dentist that I have asthma"."""

import re

from curator import safety
from curator.distill.collector import Collector
from curator.distill.language import english
from curator.distill.statements.clauses import StatementSpan, clauses
from curator.distill.statements.in_questions import is_made_up
from curator.distill.third_party.close_people import health_of_others, with_person
from curator.distill.third_party.drafts import DraftState

_PAPER = (
    r"(?:(?:e-?)?mails?|letter|text(?: message)?|sms|dm|message|whatsapp|memo|note|reply|response|answer|statement"
    r"|request|form|list|card|heads-?up|line)"
)
_ASK = (
    r"(?:(?:please|pls|plz|hi|hey|hello|ok|okay|so|and|also|now|then|next|just|quickly|(?:can|could|would|will) you"
    r"(?: please)?|help me(?: to)?|i (?:need|want|have)(?: you)? to|i'd like(?: you)? to|i need|let's)[, ]+)*"
)
_MAKE = r"(?:write|draft|compose|create|make|prepare|send|type|do|give me|need|post)"
_WHOM = r"(?!(?:me|us|you|from|as|if|like|about)\b)[\w'’&-]"
_BODY = (
    r"(?:\s?:\s*(?:(?:hi|hello|dear|hey)\b[ \w]{0,30},\s*)?"
    r"|(?:,? (?:saying|stating|explaining|telling (?:them|him|her|it)|mentioning|that says|which says|to (?:say"
    r"|tell them|explain|let them know|inform them)|and (?:say|tell them|mention|explain)|that))(?: that)?\s)"
)
_LETTER = re.compile(
    rf"{_ASK}(?:(?:{_MAKE} (?:me )?(?:an? |the |another )?(?:[\w-]+ ){{0,3}}?{_PAPER}\b[^:.?!\n]{{0,90}}?"
    rf"|(?:write(?: back)?|reply|respond|e-?mail|mail|message|text|answer|tell|inform)(?: back)?(?: to)? {_WHOM}"
    rf"[^:.?!\n]{{0,60}}?){_BODY}"
    rf"|(?:tell|inform|warn|remind|notify) (?:the|my|our) [\w'’ -]{{2,40}}?\s(?=(?:i|i'm|i've|we|we're|we've)\b))"
)
FOR_NAMED = re.compile(
    r"\b[Ff]or (?!(?:Dr|Mr|Mrs|Ms|Miss|Mx|Prof|Sir|Madam|The|My|Our|A|An|I|HR|School|Work)\b)"
    r"(?!(?:[A-Z][\w'’-]+ ){0,3}(?:University|College|School|Hospital|Clinic|Hotel|Restaurant|Airlines|Airways|Bank"
    r"|Council|Insurance|Kommune|Ltd|Inc|GmbH)\b)(?P<name>[A-Z][a-z'’-]+)(?: [A-Z][a-z'’-]+)?"
    r"(?=\s?[:,?!.\n]|\s(?:saying|stating|explaining|telling|mentioning|that|which|to|about)\b)"
)
"""Somebody in whose name a letter is: "a letter for Anna: I can't eat nuts"."""
_NOT_OWN = re.compile(
    r"\b(?:down|memory|memories|yourself|your (?:notes?|list|files?|records?|profile|memory)|on record|in mind|remember"
    r"|log|diary|journal)\b|\bnote\b(?! (?:to|for) (?!me\b|self\b|later\b))"
    r"|\b(?:templates?|samples?|examples?|placeholders?|fictional|fake|funny|mock|practice|exercise|homework|essay|class"
    r"|lesson|quiz|worksheet|characters?|story|stories|novel|scene|script|poem|song|joke|prank|dialogue|monologue|speech"
    r"|screenplay|advert\w*|ad|slogan|caption|headline|blog|tweet|article|review|this|these|above|below|phishing|scam)\b"
    r"|\bfrom (?!me\b|us\b)|\bas (?:an?|if|though|my|the|our)\b|\bon behalf of\b"
    r"|\bin the (?:name|voice|words|style) of\b|\bby an?\b|'s (?:name|voice|words)\b|\bpretend|\bimagin|\bsuppos"
    r"|\bfor (?:(?:my|our|his|her|a|an|one of (?:my|our)) (?:[\w-]+ ){0,2}?(?:friend|neighbou?r|client|customer|patient"
    r"|student|pupil|colleague|co-?worker|flatmate|roommate|housemate|tenant|user|reader|member|guest)s?"
    r"|someone|somebody|people|anyone|anybody|everyone|him|her|them)\b"
    r"|\bfor (?:[\w'-]+ ){1,4}to (?:send|give|write|sign|hand|say|use|his|her|their)\b"
    r"|\b(?!(?:i|we)\b)\w+ (?:can|could|will|would|should|may|might) (?:send|give|sign|hand|use|post)\b"
    r"|\bfor (?:the|my|our|an?) (?:[\w'-]+ ){0,3}(?:apps?|sites?|websites?|buttons?|pages?|users?|bots?"
    r"|games?|films?|movies?)\b"
    r"|\b(?:bots?|faq|signed (?!(?:by )?(?:me|us)\b))"
    rf"|\b(?:{_MAKE}) (?:me )?(?!today)[\w-]+(?: [\w-]+){{0,2}}?['’]s (?:[\w-]+ ){{0,2}}?{_PAPER}\b"
    rf"|\b(?:reply|respond|answer)(?: back)?(?: to)? [^:]{{0,50}}\b(?:{_PAPER}s?|questions?|complaints?|comments?"
    r"|posts?|enquir(?:y|ies)|inquir(?:y|ies)|who (?:\w+ )?(?:wrote|said|says|asks|asked|writes))\s?:"
    r"|\b(?:reply|respond|answer)(?: back)?(?: to)? (?:(?:the|my|our|an?|one of (?:my|our)) )?(?:[\w-]+ )?"
    r"(?:customers?|clients?|patients?|students?|pupils?|users?|guests?|tenants?|readers?)\s?:"
    r"|\bfor (?:my|our) (?:[\w-]+ ){0,2}?(?:mum|mom|mother|dad|father|sister|brother|wife|husband|partner|gran\w*|nan"
    r"|uncle|aunt\w*|cousin|son|daughter)\b(?!'s)"
)
"""Words of a request for a made-up text, for one in the name of others, or for the assistant's notes."""


_ASKS = re.compile(
    r"\W*(?:can|could|would|will|should|shall|may|do|does|did|is|are|am|was|were|has|have|what|which|who|how|where|when|why)"
    r" (?!not\b)"
)
_SAFETY = (*safety.LASTING, "treatment")


def letter_body(low: str, start: int, end: int, text: str) -> int | None:
    """Return where the content of a letter begins that a sentence asks for in the person's name, or None.

    `text` is the same text in its original case, to recognise names.
    """
    found = _LETTER.match(low, start, end)
    if found is None or _NOT_OWN.search(low, start, found.end()) or is_made_up(low[start:end]):
        return None
    if FOR_NAMED.search(text, start, found.end()):
        return None
    return found.end()


def read_letter(
    collector: Collector, start: int, end: int, draft: DraftState | None, fiction: bool
) -> tuple[int, bool]:
    """Read a sentence; return the end of the letter that it asks for, or 0, and whether it states a safety fact.

    In a chat in which `fiction` or a text of others was asked for, it asks for no letter in the person's name.
    """
    body = (
        None if collector.language.strict or fiction else letter_body(collector.low, start, end, collector.message.text)
    )
    written = draft.end_of_text(collector.low, start, end) if body is not None and draft else None
    if body is None or (draft and draft.of_other):
        return 0, False
    states = keep_letter_facts(collector, body, end, body)
    if states:
        collector.refuse(start, body, "quoted")
    return written or end, states


def keep_letter_facts(collector: Collector, start: int, end: int, since: int = 0) -> bool:
    """Add the safety facts about people in a part of such a letter as candidates; return False if there are none.

    Of a fact about "her", the letter itself, which begins at `since`, must say who that is: she does not get it.
    """
    low, text, known = collector.low, collector.message.text, len(collector.candidates)
    said = low[start:end]
    if not said.strip() or not safety.states(said, _SAFETY) or is_made_up(said) or _ASKS.match(low, start, end):
        return False
    end -= said[-1] == "?"
    stated = [
        StatementSpan(part.start, part.end, part.family)
        for part in clauses(low, text, start, end, english())
        if part.family and not part.family.standing and safety.states(low[part.start : part.end], _SAFETY)
    ]
    found = list(with_person(low, text, stated, aside=True))
    others = health_of_others(low, text, start, end, found)
    collector.classified, collector.sorts = None, set()
    named = [one for one in [*found, *others] if one.subject is None or one.subject[0] >= since]
    for one in sorted(named, key=lambda one: one.start):
        collector.admit(one)
    collector.candidates[known:] = [one for one in collector.candidates[known:] if safety.states(one.text, _SAFETY)]
    return len(collector.candidates) > known
