"""Texts written or corrected for somebody else: a colleague's CV, a letter in a neighbour's name, rules for a workshop.

What such a text says in the first person is not about the person, and its orders are not for the assistant.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from curator.distill.candidate import REQUESTED
from curator.distill.collector import Collector
from curator.distill.filters import SCORED_ORDER
from curator.distill.mask import lower
from curator.distill.statements.clauses import sentences
from store.model import Refusal

Span = tuple[int, int]
_LINK = r"[^\w\n]*(?:(?:and|but|so|also|because|since|btw|plus|then|ok|hi|hello|hey)\b[,! ]*)*"
_SELF = re.compile(rf"{_LINK}(?:i|i'm|im|i've|ive|i'd|i'll|my|we|we're|we've|our)\b")
"""The start of a sentence in the first person."""
_ADD = r"(?:(?:add|mention|say|put|include)(?: in| a (?:line|bit))?(?: that)?[: ]+)?"
_OF_OTHER = re.compile(rf"{_LINK}{_ADD}(?:he|she|they|hes|shes|theyre|his|her|their)\b")
"""The start of a sentence about somebody named elsewhere, or of a request to write it."""
_VOICED = (
    r"(?:cv|r[ée]sum[ée]|cover(?:ing)? letter|application|(?:[\w-]+ )?statement|profile|bio|biography|testimonial"
    r"|spotlight"
    r"|self-?assessment)"
)
"""Texts in which somebody speaks of themselves."""
_PAPER = (
    rf"(?:{_VOICED}|letter|blurb|intro(?:duction)?|review|speech|toast|vows|story|history|message|e-?mail|essay"
    rf"|post|ad|advert"
    r"|listing|paragraph|text|words|summary|report|poem|article|draft|form)"
)
_TRIBUTE = (
    r"(?:eulogy|obituary|obit|tribute|best man(?:'s)? \w+|(?:retirement|leaving|farewell)(?: do| speech| words"
    r"| party| card)"
    r"|reference(?: letter)?(?= for| time|,|\.|:)|letter of (?:reference|recommendation)|recommendation letter"
    r"|nomination|appraisal)"
)
"""Texts about somebody."""
_RULES = (
    r"(?:(?:sign|poster|notice|handbook|manual|(?:(?:meeting|committee|society|council|club|board|agm|our"
    r"|the) (?:\w+ )?)minute|newsletter|leaflet|flyer|guideline|checklist|sop|memo|bulletin"
    r"|briefing|toolbox talk|(?:welcome|info) pack|(?:induction|fact|info\w*|instruction|crib|safety|training)"
    r" (?:sheet|card|booklet|poster|sign))s?|(?:house |safety |club |ground |workshop |pool |camp |studio "
    r"|kitchen )?rules)"
)
"""Texts that tell other people what to do."""
_KIN = (
    r"(?:wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?|ex|mum|mom|mother|dad|father|parents?|sons?"
    r"|daughters?|kids?"
    r"|child|children|brothers?|sisters?|siblings?|grand(?:ma|pa|dad|mother|father|son|daughter)|gran|nan|uncle"
    r"|aunt\w*|cousin"
    r"|nephew|niece)(?:[- ]in[- ]law)?"
)
_PERSON = (
    rf"(?:{_KIN}|friends?|mates?|flatmates?|roommates?|housemates?|neighbou?rs?|clients?|customers?|students?"
    rf"|pupils?|members?"
    r"|colleagues?|co-?workers?|boss|employees?|applicants?|candidates?|tenants?|patients?|residents?|guests?"
    r"|volunteers?|apprentices?|trainees?|interns?|guys?|lads?|girls?|boys?|blokes?|workers?|staff|crew|drivers?"
    r"|nurses?|carers?|caretakers?|assistants?|cleaners?|players?|team-?mates?|lady|man|woman|someone|somebody)"
)
_IT = r"(?:this|that|it|these|those|them|the (?:above|below|following)|below|above|everything)"
_THE = r"(?:(?:the|his|her|their|our|an?|my|your) )?"
_GIVEN = rf"(?:{_IT}\b|{_THE}(?:[\w'-]+ ){{0,4}}?{_PAPER}\b)"
_TEXT_WORK = (
    r"(?:tid(?:y|ied|ying)|clean(?:ed)?|proof-?read(?:ing)?|spell-?check|polish|shorten|trim|punch|re-?write|re-?word"
    r"|re-?phrase|edit|bullet|condense|smarten|type)"
)
_WORK = r"(?:check|fix|improve|correct|format|look|go|sort|read|finish|cut|turn|put|help|translate|change|update|redo)"
_EDIT = re.compile(
    rf"\b{_TEXT_WORK}(?: up| over| out| down)?(?: {_GIVEN}|(?=\s*(?:[:.,!?\n]|$)))"
    rf"|\b{_WORK}(?: with| over| through| at| in| into| up)* (?:{_GIVEN}[^.?!:\n]{{0,40}}?"
    r"\b(?:typos?|grammar|spelling|wording|sends?|(?:third|first) person|order|english|words|professional)"
    rf"|{_THE}(?:[\w'-]+ ){{0,3}}?(?:typos?|grammar|spelling|wording|{_VOICED})\b)"
    rf"|\b(?:look|go|read) (?:over|through) {_IT}|\b(?:check|fix|correct) {_IT} (?:for|before|so)\b"
    r"|\bcut (?:it |this |that )?(?:down )?to \d+"
    r"|\b(?:make|get|need|needs|want|have) (?:it|this|that|them|the (?:above|below)) (?:to )?(?:be )?(?:a bit "
    r"|much |way )*(?:less|more"
    r"|sound|look|read|fit|(?:in|into) (?:the )?(?:third|first) person|shorter|longer|better|\w+er\b)"
    r"|\bneeds? to (?:be|sound|look|read) (?:in )?(?:proper |better |more |less )*(?:english|professional|formal"
    r"|shorter|polite)"
)
"""A request to work on a text that is given."""
_FROM = re.compile(
    r"\b(?:this|the (?:above|below|following))(?: is| was| came| comes|'s)"
    rf" (?:from|by|for) (?:my|our|the|an?|one of (?:my|our|the)) (?:[\w-]+ ){{0,2}}?{_PERSON}\b"
    rf"|\b(?:came|came in|sent in|arrived) from (?:an?|one|my|our|the) {_PERSON}|\bdictated\b"
)
"""Words that say that a text is somebody else's."""
_AS = re.compile(
    r"\b(?:like|as)(?: if| though)?,? (?:it'?s |it is |it were |it was )?(?:coming |written |said )?from (?!me\b"
    r"|us\b|my (?:own|point))"
    r"|\b(?:writ(?:e|ing|ten)|sign(?:ed|ing)?|speak(?:ing)?)(?: (?:it|this|that))? as (?:if (?:you(?:'re| are"
    r"| were)|by) )?"
    rf"(?:mr|mrs|ms|dr|him|her|(?:my|our|the|an?|his|her) (?:[\w-]+ ){{0,2}}?{_PERSON})\b"
    r"|\bin (?:her|his|their|(?:my|our) [\w']+'s?) (?:own )?(?:voice|name|words)\b|\bon behalf of (?!me\b"
    r"|my (?:self|own)|us\b)"
    rf"|\b(?:letter|{_VOICED}) from (?:(?:my|our|the|an?) (?:[\w-]+ ){{0,2}}?)?{_PERSON}\b"
)
"""Words that ask for a text in somebody else's voice."""
_OTHER = re.compile(
    r"\b(?:he|she|they|hes|shes|he's|she's|they're|he'll|she'll|his|her|him|their)\b"
    r"|\b(?:one|two|three|some|all|both|a couple|another) of (?:my|our|the|his|her) \w"
    rf"|\b(?:for|from|of|by) (?:my|our|the|an?|one) (?:[\w-]+ ){{0,2}}?{_PERSON}\b|\b{_PERSON}'s? (?:own |hinge "
    rf"|[\w-]+ ){{0,2}}?{_PAPER}\b"
    rf"|\b(?!(?:it|that|what|here|there|let|who|how|today)'s)[\w-]{{2,20}}'s (?:[\w-]+ ){{0,2}}?{_PAPER}\b"
)
_OWN = re.compile(
    rf"\bmy (?!{_PERSON}\b)(?:(?!{_PERSON}\b)[\w-]+ ){{0,3}}?{_PAPER}\b|\b(?:mine|myself|about me|of me|my own)\b"
    r"|\b(?:it's|its|is|this is|that's) (?:about |all )?me\b|\bi(?:'ve| have)? (?:wrote|written|typed|drafted)\b"
)
"""Words that say that a text is the person's."""
_NEXT = re.compile(r"[^:\n]{0,30}?\b(?:next|another|last|other)(?: one)?:\s")
_MAKES = re.compile(
    r"\b(?:writ(?:e|ing)|draft(?:ing)?|mak(?:e|ing)|creat(?:e|ing)|need|help|typ(?:e|ing)|put(?:ting)?|prepar(?:e|ing)"
    r"|design(?:ing)?|word(?:ing)?|finish(?:ing)?)(?: (?!you\b|i\b|we\b)[\w'’-]+){0,5} $"
)
_FOR_ASSISTANT = re.compile(
    r"\b(?:from now on|from here on|in (?:the )?future|going forward|henceforth|by default|when(?:ever)? (?:i"
    r"|you) (?:ask|say|write|answer)"
    r"|your (?:answers|replies|responses|texts|messages)|(?:answer|reply to|talk to|speak to|tell|ask|give|show"
    r"|call|remind) me"
    r"|recommend|suggest|propose|you (?:make|write|do|say)"
    r"|(?:can|could|will|would) you (?:please )?stop|(?:stop|enough) with (?:the|your|all|those|these)"
    r"|i(?:'d| would)? (?:want|like|prefer|need) you|my (?:e-?mails|answers|letters|messages|texts|name))\b"
)
"""Words of an order that is for the assistant, although a text that tells others what to do is being written."""
_ASIDE = re.compile(
    rf"{_LINK}(?:(?:can|could|would|will) you\b|(?:please|pls) \w|make (?:it|this)|keep (?:it|his|her|their)\b"
    rf"|tidy\b|the above\b"
    r"|(?:what do|any) (?:you|thoughts)|thoughts\?|is (?:this|that|it) |thanks|about \d|under \d|max \d|(?:she|he"
    r"|they) (?:said|says|wants?|asked)\b)"
)
"""The start of a line in which the person speaks again."""
ABOUT = 3
"""Messages for which a text about somebody, or with rules for others, is taken to be worked on."""
_ENDS = frozenset(".!\"”'")
_COLON = re.compile(r":\s+(?=\S)")
_ASKS = re.compile(r"(?:what|which|why|when|where|who|how|is|are|do|does|did|should)\b")
_TRIBUTES = re.compile(rf"\b{_TRIBUTE}")
_OF_KIN = re.compile(rf"\b(?:my|our) (?:own |late |dear |beloved )?{_KIN}(?!'s)\b")
_RULE_TEXT = re.compile(
    rf"(?<!\bi )(?<!\bto )(?<!\bwe )(?<!\byou )(?<!\bof )\b{_RULES}\b|\b(?:typ|writ)(?:e"
    rf"|ing) (?:up )?(?:\S+ ){{0,4}}recipes?\b|(?:\b(?:my|our) )?\b{_PERSON}'s (?:\S+ ){{0,3}}recipes?\b"
)
_ANY_RULES = re.compile(r"(?:(?:house |ground )?rules|(?:guideline|checklist|manual|memo|sop)s?)")
"""Texts that may as well tell the assistant what to do: those that stand alone as a heading are for it."""
_FOR_PEOPLE = re.compile(rf"\s+for (?:[\w'-]+ ){{0,3}}?{_PERSON}\b")
_TOLD = re.compile(
    r"\b(?:remember|memori[sz]e|(?:do not|don't|dont|never) forget|in mind|memory|your notes?|follow\w*|obey|apply"
    r"|stick to|according to)\b"
)
"""Words before the name of a text that it is for the assistant: "remember when writing the newsletter: ..."."""
_FOR_YOU = re.compile(
    r"\b(?:(?:for|to) (?:you|this (?:chat|assistant|conversation))|my (?:house |own |writing )?rules)\b"
)
_NOUNS = re.compile(r"(?:(?!(?:i|we|he|she|they|it|there|this|that)\b)[\w'’-]+ ){0,3}")
_AFTER_NOUN = re.compile(r"s?\s*(?:$|[:.,\n]|(?:for|blurb|text|please|pls|entry|item|copy)\b)")
_SELF_OR_OURS = re.compile(r"\b(?:i|i'm|im|i've|i'll|i'd|my|me|our)\b")
_CONTINUES = re.compile(r"[^\w\n]*(?:(?:and|also|plus|oh|add|put in)\b[,: ]*)+")
_HEADING = re.compile(
    rf"(?:(?:this is |here's |here is |heres )?(?:his|her|their|(?:(?:my"
    rf"|our) )?(?:[\w-]+ ){{0,2}}?[\w-]+'s) (?:[\w-]+ ){{0,2}}?{_VOICED}\b"
    rf"|(?:[\w-]+ )?{_VOICED} (?:for|from) (?:my|our|an?|the|one of) (?:[\w-]+ ){{0,3}}?{_PERSON}\b)"
)
_DRAFT = re.compile(
    rf"\b(?:write|draft|compose|do|make)(?: me)? (?:an? |the )?(?:[\w-]+ ){{0,3}}?{_VOICED} for (?:my|our|an?|one of) "
)


_MOST_ANNOUNCING = 1_000
"""Characters read at each end of a sentence that may announce a text."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int
    end: int
    text: str
    opens: bool  # begins a line
    line: int
    ended: bool  # with a full stop or the like

    @property
    def of_self(self) -> bool:
        return _SELF.match(self.text) is not None


@dataclass(slots=True)
class OthersTexts:
    """State of the texts for others in a conversation, up to the current message."""

    waiting: bool = False  # a text of somebody else was announced and comes in the next message
    voiced: bool = False  # a text in the first person of somebody else was worked on
    about: int = 0  # messages left in which a text about somebody is being written
    orders_from: int | None = None
    """Offset in the current message from which orders are for others; -1 if an earlier message had such a text."""
    ruling: int = 0  # messages left in which such a text is being written

    def spans(self, low: str, following: str = "") -> list[Span]:
        """Return the spans of a message that are words of others or about them; `following` is the person's next one.

        `low` and `following` are in lower case.
        """
        said: list[_Sentence] = []
        for start, end, _ in sentences(low):
            line = low.find("\n", start, end)
            announced = line >= 0 and (_announces(low[start:line]) or _is_rules(low[start:line]))
            for first, last in [(start, line), (line + 1, end)] if announced else [(start, end)]:
                first += len(low[first:last]) - len(low[first:last].lstrip())
                before = low[low.rfind("\n", 0, first) + 1 : first]
                said.append(
                    _Sentence(
                        first,
                        last,
                        low[first:last],
                        not before.strip(" -*•\"“'\t"),
                        low.count("\n", 0, first),
                        low[last - 1] in _ENDS,
                    )
                )
        if not said:
            return []
        found = self._voice(low, said) or self._pasted(said, following)
        self.voiced = self.voiced or bool(found)
        rules = next((one for one in said if _is_rules(one.text)), None)
        if rules:
            colon = _COLON.search(rules.text)
            self.orders_from = rules.start + colon.end() if colon else rules.end
            self.ruling = ABOUT
        elif self.orders_from is not None:
            self.ruling -= 1
            self.orders_from = -1 if self.ruling else None
        return merged(found + self._about(said))

    def _voice(self, low: str, said: list[_Sentence]) -> list[Span]:
        """Return the spans of a text in somebody else's first person after the request that announces it."""
        waiting, self.waiting = self.waiting, False
        if waiting and _is_profile(block := _block(said, 0, False)):
            self.waiting = len(block) == len(said)  # the next one may be of somebody else
            return _spans(block)
        if self.voiced and (lead := _NEXT.match(low)) and _SELF.match(low, lead.end()):
            return [(lead.end(), len(low))]
        found: list[Span] = []
        for at, one in enumerate(said):
            if (found and one.start < found[-1][1]) or one.of_self or not _announces(one.text):
                continue
            before = said[at - 1].text if at and said[at - 1].line == one.line else ""
            after = said[at + 1].text if at + 1 < len(said) and _OF_OTHER.match(said[at + 1].text) else ""
            around = f"{before} {one.text} {after}"
            voice = _AS.search(one.text) is not None or _FROM.search(one.text) is not None
            of_other = voice or _OTHER.search(around) is not None
            if not voice and (_OWN.search(around) or not of_other):
                continue
            colon = _COLON.search(one.text)
            if colon and _SELF.match(one.text, colon.end()):
                found += [(one.start + colon.end(), one.end), *_spans(_block(said, at + 1, True))]
                continue
            first, skipped = at + 1, 0
            while first < len(said) and not said[first].of_self and skipped < 2:
                if _OF_OTHER.match(said[first].text) or said[first].text.endswith(":"):
                    first += 1
                elif said[first].line == one.line and not said[first].text.endswith("?"):
                    first, skipped = first + 1, skipped + 1
                else:
                    break
            if first == len(said):
                self.waiting = at + 1 == len(said) or _OF_OTHER.match(said[at + 1].text) is not None
                continue
            inline = said[first].line == one.line
            block = _block(said, first, inline)
            enough = voice or sum(each.of_self for each in block) > 1
            if (inline and of_other and block and enough) or _is_profile(block):
                found += _spans(block)
        return found

    def _pasted(self, said: list[_Sentence], following: str) -> list[Span]:
        """Return the span of a text in the first person that stands before the request to work on it."""
        size = next((at for at, one in enumerate(said) if not one.of_self), len(said))
        if size < 2 or (size < len(said) and not said[size].opens) or not said[size - 1].ended:
            return []
        request = " ".join(one.text for one in said[size : size + 2]) if size < len(said) else following[:300]
        named = _FROM.search(request) is not None
        if not (named or _EDIT.search(request)) or _OWN.search(f"{said[0].text} {request}"):
            return []
        return [(said[0].start, said[size - 1].end)] if named or _OTHER.search(request) else []

    def _about(self, said: list[_Sentence]) -> list[Span]:
        """Return the sentences about the subject of a text about somebody: "he couldn't swim"."""
        here = next(
            (
                at
                for at, one in enumerate(said)
                if _TRIBUTES.search(one.text) and not _OF_KIN.search(one.text) and not _ASKS.match(one.text)
            ),
            None,
        )
        self.about = ABOUT if here is not None else max(0, self.about - 1)
        if not self.about:
            return []
        first = here + 1 if here is not None else 0
        found = [
            (one.start, one.end) for one in said[first:] if _OF_OTHER.match(one.text) and not one.text.endswith("?")
        ]
        if here is not None:
            found += [
                (said[here].start + colon.end(), said[here].end)
                for colon in _COLON.finditer(said[here].text)
                if _OF_OTHER.match(said[here].text, colon.end())
            ]
        return found


def merged(spans: Sequence[Span]) -> list[Span]:
    """Return spans in order, those that overlap as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _spans(block: Sequence[_Sentence]) -> list[Span]:
    return [(one.start, one.end) for one in block]


def _announces(text: str) -> bool:
    """Return True if a sentence asks to work on a text, or names one of somebody else as a heading."""
    if _ASKS.match(text) and text.endswith("?"):
        return False
    if len(text) > 2 * _MOST_ANNOUNCING:
        text = f"{text[:_MOST_ANNOUNCING]} {text[-_MOST_ANNOUNCING:]}"
    return any(one.search(text) for one in (_EDIT, _AS, _FROM, _DRAFT)) or _HEADING.match(text) is not None


def _is_profile(block: Sequence[_Sentence]) -> bool:
    """Return True if most sentences of a text are in the first person, and it is written as texts are."""
    own = sum(one.of_self for one in block)
    return own > 1 and 2 * own >= len(block) and block[0].opens and sum(one.ended for one in block) * 2 > len(block)


def _block(said: Sequence[_Sentence], first: int, inline: bool) -> list[_Sentence]:
    """Return the sentences of a text that begins with the sentence `first`.

    A text within a line ends with it, or where the person speaks of its author ("she can't hold a pen"); one that
    begins a line ends before a line of the person.
    """
    found: list[_Sentence] = []
    for one in said[first:]:
        own = one.opens or inline
        if inline and (one.line != said[first].line or _OF_OTHER.match(one.text)):
            break
        if own and (_ASIDE.match(one.text) or one.text.endswith("?") or (not one.of_self and _announces(one.text))):
            break
        found.append(one)
    return found


def _is_rules(text: str) -> bool:
    """Return True if a sentence says that a text that tells others what to do is being written."""
    found = _RULE_TEXT.search(text)
    if not found or _ASKS.match(text) or _FOR_YOU.search(text):
        return False
    before, after = text[: found.start()], text[found.end() :]
    vague = _ANY_RULES.fullmatch(found[0]) is not None and _FOR_PEOPLE.match(after) is None
    if _TOLD.search(before) or (vague and before == "writing "):
        return False
    heading = not vague and _NOUNS.fullmatch(before) is not None and _AFTER_NOUN.match(after) is not None
    return heading or _MAKES.search(before) is not None or _EDIT.search(text) is not None


def drop_orders_for_others(collector: Collector, first: int) -> None:
    """Refuse the orders of a message that are part of a text for others, which begins at the offset `first`.

    With -1, an earlier message had the text: then only what continues it ("and always ...") is refused, and no other
    order is given with every prompt.
    """
    for one in list(collector.candidates):
        asked = one.importance == REQUESTED and not _SELF_OR_OURS.search(lower(one.quote))
        line = collector.low[collector.low.rfind("\n", 0, one.start) + 1 : one.end]
        if one.start < first or not (one.standing or one.rule == SCORED_ORDER or asked) or _FOR_ASSISTANT.search(line):
            continue
        collector.candidates.remove(one)
        if first >= 0 or _CONTINUES.match(line):
            collector.refusals.append(Refusal(one.message, one.start, one.end, "quoted", one.kind, one.confidence))
        else:
            collector.candidates.append(replace(one, always=False))
    collector.candidates.sort(key=lambda one: (one.start, one.end))
