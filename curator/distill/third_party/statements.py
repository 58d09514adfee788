"""Statements about others by name ("Ana told me she hates chess"), and fragments that go on about them."""

import re
from collections.abc import Iterable
from dataclasses import replace

from curator.distill.collector import MAX_TEXT, Collector
from curator.distill.filters import SCORED_ORDER
from curator.distill.forget.asides import EarlierMessage
from curator.distill.language import english
from curator.distill.statements.clauses import StatementSpan, sentences
from curator.safety.animals import is_animal, is_relative
from curator.safety.vocabulary import ANIMAL
from curator.secrets import MARK
from store.model import Kind

_LINK = r"(?:(?:and|but|so|also|oh|btw|well|today|yesterday|ok|plus|apparently),? )*"
_NOT_NAMED = (
    r"(?!(?:everyone|everybody|somebody|someone|nobody|who|it|you|we|people|work|school|this|that|there|what|god|google"
    r"|chatgpt|claude|gpt|copilot|siri|alexa|wikipedia|reddit|i|if|when|the|my|our|his|her|their|a|an)\b)"
)
_NAME = rf"(?P<name>{_NOT_NAMED}[a-z][a-zà-ÿ'’-]+(?: [a-z][a-zà-ÿ'’-]+)?)"
_TELLS = (
    r"(?:told|tells|said|says|mentioned|texted"
    r"|(?:announced|wrote|admitted|confessed|revealed|explained)(?= (?:to )?(?:me|us)\b))"
)
_STATE = (
    r"(?:(?:(?:really|now|still|also|never|no longer|always|actually) )?(?:hates?|loves?|likes?|dislikes?|prefers?"
    r"|eats?|drinks?|smokes?|plays?|speaks?|lives?|works?|studies|study|moved|stopped|started|quit|became|collects?"
    r"|believes?|sings?)\b|(?:does not|doesn't|do not|don't|can't|cannot|won't|will not) (?:really |ever )?(?:like|eat"
    r"|drink|smoke|play|speak|drive|swim|want (?:kids|children)|believe|work|live|stand|cook|fly)\b|gave up\b)"
)
_TOLD = re.compile(
    rf"{_LINK}{_NAME} (?:just |also |then |finally )?{_TELLS}(?: (?:me|us)| to (?:me|us))?(?: (?:today|yesterday"
    rf"|recently|last \w+))?(?: that)? (?:he|she|they) {_STATE}(?!.*\b(?:today|tonight|tomorrow|right now"
    rf"|this (?:morning"
    r"|afternoon|evening|week|time)|yesterday|my|you|your|me|it|this|that|them)\b)"
)
"""A lasting statement of somebody about themselves: "Ana told me that she moved to Porto"."""
_DOES = (
    r"(?:(?:does not|doesn't|can't|cannot|won't|no longer|never|still|also|now|just) )?(?:tells?|told|says?|said|eats?"
    r"|ate|hates?|loves?|likes?|plays?|wants?|prefers?|visit(?:s|ed)|moved|lives?|works?|studies|stopped|started|quit"
    r"|turned|speaks?|drinks?|smokes?|became|is (?:\d+|vegan|vegetarian|allergic|coeliac|celiac|diabetic|pregnant"
    r"|married|my|our))\b"
)
_OF_OTHER = re.compile(rf"{_LINK}(?:(?P<named>{_NAME} {_DOES})|(?:he|she|they)(?:'\w+)? |(?P<kin>(?=(?:my|our)\b)))")
_FRAGMENT = re.compile(
    r"(?:(?:and|but|so|also|now|then|just|only|still|already|again|apparently|currently) )*(?:back (?:to|on|in|at)\b"
    r"|no longer\b|not (?:eating|drinking|smoking|allowed|able|allergic|a )|(?:fully |strictly |mostly "
    r"|almost )?(?:vegan|vegetarian|pescatarian|allergic|coeliac|celiac|diabetic|pregnant|married|single|divorced"
    r"|retired|engaged|widowed|born|intolerant)\b|(?:eats?|hates?|loves?|likes?|plays?|lives?|works?|takes?|has|is|was"
    r"|does|doesn't|can't|moved|stopped|started|quit|turned|speaks?|drinks?|smokes?|studies|goes|went|gave|became"
    r"|wants?|prefers?|used to|eating|living|working|studying)\b)"
)
"""The start of a sentence without a subject that goes on about whoever the sentence before it is about."""
_CONDITION = re.compile(
    r"(?:(?:and|but|so|also|now|only|just|aged?) )*(?:\d{1,3}(?: years old)?(?: and|,| but) (?:never|not|no|already"
    r"|still|has|had|on|in|fit|ill|healthy|otherwise)\b"
    r"|(?:(?:early|late|mild|severe|acute|chronic|advanced|suspected|newly|stage|grade|type|class|end|bad|with|\d"
    r"|[ivx]{1,3}|one|two|three|four)[ -])*(?:diagnosed|diabetes|ckd|asthma|cancer|epilepsy|dementia|alzheimer's"
    r"|arthritis|copd|angina|gout|an(?:a)?emia|cataracts?|heart (?:failure|attack|murmur)"
    r"|(?:kidney|heart|liver) (?:disease|failure)|tia|stroke|high blood pressure|renal diet)\b"
    r"|never (?:been|had|smoked|drank|broken)\b|on (?:\w+ )?(?:\d+ ?mg|insulin|tablets|steroids|antibiotics"
    r"|blood thinners|statins?|[a-z]+(?:statin|pril|sartan|olol|grel|formin)|oxygen|dialysis|a (?:\w+ )?diet)\b)"
)
"""The start of a sentence without a subject on the age, illness or medicine of somebody."""
_SOMEBODY = re.compile(rf"\b(?:s?he|his|hers?|him|vets?|{ANIMAL})\b")
_ONLY_SHORT = 3
"""Maximum words of a sentence that says nothing of whom the next one is about: "knew it."."""
_SELF = re.compile(
    r"\b(?:i|i'm|im|i've|ive|i'd|i'll|me|my|mine|myself|we|we're|we've|our|us)\b"
    r"|\b(?:vegan|vegetarian|pescatarian|allergic|coeliac|celiac|diabetic|pregnant|intolerant) here\b"
)
_REST = re.compile(r"[^.!?\n]*")
"""The rest of a sentence after the piece that is read: "allergic to nuts, can I eat pesto?" is of the person."""
_DIED = re.compile(
    r"(?P<name>[a-zà-ÿ][\w'-]+) (?:has |just |sadly |has just )*(?:died|passed away|was put down|had to be put (?:down"
    r"|to sleep))(?: (?:today|yesterday|last \w+|this \w+|in \w+|on \w+))?[.!:( ]*"
)
_KNOWN = re.compile(
    r"(?:(?:and|but|so|oh|btw|well|ok|update|news|today|yesterday)[,:]? )*(?P<name>[a-zà-ÿ][a-zà-ÿ'-]+)"
    r"(?= (?!(?:and|or|says?|said|asks?|asked|tells?|told|wants?|wanted|will|would|is coming|is what|in|came)\b)[a-z'])"
)
_MOST_SEARCHED = 20_000
"""Maximum characters of an earlier message that are searched for who somebody is."""
_UNKEPT = ("quoted", "secret", "withheld", "retracted", "code")


def told_of_others(
    collector: Collector, start: int, end: int, earlier: Iterable[EarlierMessage]
) -> list[StatementSpan]:
    """Return a sentence as a statement if somebody, who is named, says it of themselves, or if it is news of them.

    Of a death and other news, one of the `earlier` messages of the chat must say who that is: "my son Tom" is in "Tom
    broke his wrist".
    """
    told = _TOLD.match(collector.low, start, end)
    family = replace(english().named("family"), sure=True)
    if told and collector.low[end - 1] != "?" and _is_name(collector.message.text[slice(*told.span("name"))]):
        return [StatementSpan(told.start("name"), end, family)]
    if news := news_of_known(collector, start, end, earlier):
        return [news]
    found = _DIED.fullmatch(collector.low, start, end)
    name = found["name"] if found else ""
    for text in [one.message.text for one in earlier] if name else ():
        in_brackets = re.search(rf"\b{ANIMAL} \({re.escape(name)}\b", text, re.IGNORECASE)
        if in_brackets or is_animal(name, text) or is_relative(name, text):
            return [StatementSpan(start, end, family)]
    return []


def news_of_known(
    collector: Collector, start: int, end: int, earlier: Iterable[EarlierMessage]
) -> StatementSpan | None:
    """Return a sentence as what it is with "my friend" in place of a name, if the chat says whose that is."""
    found = _KNOWN.match(collector.low, start, end)
    name = found["name"] if found else ""
    if (
        not found
        or collector.low[end - 1] == "?"
        or name in english().common | english().stopwords | english().date_words
    ):
        return None
    if not _is_name(collector.message.text[slice(*found.span("name"))]):
        return None
    who = re.compile(rf",? (?:is |called |named )?{re.escape(name)}\b(?!'s)")
    if not any(
        (named := who.match(place.string, place.end())) and one.message.text[named.end() - len(name)].isupper()
        for one in earlier
        for place in english().cues["relative"].finditer(one.low, 0, _MOST_SEARCHED)
    ):
        return None
    low = f"my friend{collector.low[found.end('name') : end]}"
    if english().cues["crumb"].fullmatch(low) or english().empty.match(low):
        return None
    family = english().family(low, 0, len(low), low)
    return StatementSpan(found.start("name"), end, family) if family and family.kind is Kind.RELATIONSHIP else None


def name_person(
    collector: Collector, before: tuple[int, int] | None, sentence: tuple[int, int], known: int, previous: str = ""
) -> None:
    """Join a fragment to the sentence before it, if that is about somebody else: "Juno eats fish. Back to it in May.".

    The fragment's candidates are those after the first `known`. They are dropped if the two cannot be joined, and if
    it tells of an age or illness beside a sentence about somebody, or after the message `previous` about one.
    """
    start, end = sentence
    ill = _CONDITION.match(collector.low, start, end) is not None
    if collector.language.strict or not (ill or (before and _FRAGMENT.match(collector.low, start, end))):
        return
    wrong = [
        one for one in collector.candidates[known:] if not (one.standing or one.always or one.rule == SCORED_ORDER)
    ]
    rest = _REST.match(collector.low, end) if collector.low[end - 1] not in ".!?" else None
    if not wrong or _SELF.search(collector.low, start, rest.end() if rest else end):
        return
    last = (
        collector.candidates[known - 1]
        if before and known and collector.candidates[known - 1].start >= before[0]
        else None
    )
    said = collector.low[slice(*before)] if before else ""
    of_pronoun = ill and _SOMEBODY.search(said) is not None and _SELF.search(said) is None
    told = before is not None and (is_of_other(collector, *before) or of_pronoun)
    if before is None or not told or (ill and last is None):
        if ill and is_beside_other(collector.low, before, start, end, previous):
            collector.candidates = [one for one in collector.candidates if one not in wrong]
            collector.refuse(start, end, "vague")
        return
    said = collector.message.text[before[0] : end]
    joins = len(said) <= MAX_TEXT and "\n\n" not in said and MARK not in said
    joins = joins and not any(
        one.start < before[1] and one.end > before[0] and one.reason in _UNKEPT for one in collector.refusals
    )
    collector.candidates = [one for one in collector.candidates if one not in wrong and one is not last]
    if joins:
        whole = replace(
            collector.widened(last or wrong[0], last.start if last else before[0], end), kind=Kind.RELATIONSHIP
        )
        collector.candidates.append(whole)
    else:
        collector.candidates += [last] if last else []
        collector.refuse(start, end, "vague")


def is_beside_other(low: str, before: tuple[int, int] | None, start: int, end: int, previous: str) -> bool:
    """Return True if the sentence before or after a fragment, or the message before it, is about somebody else."""
    after = next((low[end + first : end + last] for first, last, _ in sentences(low[end : end + MAX_TEXT])), "")
    said = low[slice(*before)] if before else ""
    opens = len(said.split()) <= _ONLY_SHORT and not low[: before[0] if before else start].strip()
    asked = (said, after, previous[-MAX_TEXT:] if opens else "")
    return any(_SOMEBODY.search(one) or english().cues["relative"].search(one) for one in asked)


def is_of_other(collector: Collector, start: int, end: int) -> bool:
    """Return True if the subject of a sentence is somebody else."""
    found = _OF_OTHER.match(collector.low, start, end)
    if found is None:
        return False
    if found["kin"] is not None:
        relative = english().cues["relative"].match(collector.low, found.end(), end)
        return relative is not None and collector.low[relative.end() : relative.end() + 2] != "'s"
    return found["named"] is None or _is_name(collector.message.text[slice(*found.span("name"))])


def _is_name(name: str) -> bool:
    """Return True if a text is probably the name of a person."""
    words = name.split()
    return all(word[0].isupper() for word in words) and name.lower() not in english().common | english().date_words
