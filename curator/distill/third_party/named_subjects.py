"""The one name that the sentences before a pronoun are about, with or without a capital: "graham lost his licence"."""

import re

from curator.distill.language import english
from curator.distill.statements.clauses import sentences

_STRONG = (
    r"(?:says?|said|tells?|told|texted|rang|phoned|wants?|wanted|hates?|loves?|likes?|prefers?|thinks|thought|promised"
    r"|asked|plays|eats|drinks|sings|cried|wears)\b"
)
"""Verbs whose subject is a person or an animal."""
_WEAK = (
    r"(?:is|was|has|had|got|gets|lost|started|starts|went|goes|came|comes|moved|moves|dropped|passed|failed|left|turned"
    r"|turns|needs|takes|took|broke|works|worked|lives|studies|can't|cannot|won't|doesn't|didn't)\b"
)
"""Verbs that things have, too: their subject counts if a pronoun for somebody follows in the sentence."""
_SUBJECT = re.compile(
    r"(?:^|[,;] |\b(?:and|but|so|because|since|when|while) )(?:(?:and|but|so|oh|ok|btw|today|yesterday|apparently),? )*"
    r"(?P<name>[a-zà-ÿ][a-zà-ÿ-]{2,})(?: (?:just|also|always|still|now|never|finally|already|really))?"
    rf" (?:(?P<strong>{_STRONG})|{_WEAK})"
)
_NO_NAME = re.compile(
    r".*(?:ing|tion|sion|ment|ness|ity|'s|ance|ence|age|ics)$|(?:who|what|which|that|there|this|these|those|nobody"
    r"|someone|somebody|everyone|everybody|anyone|people|work|school|uni|dinner|lunch|breakfast|food|weather|traffic"
    r"|life|home|house|car|kitchen|surgery|hospital|insulin|coffee|money|christmas|easter|summer|winter|spring|autumn"
    r"|football|music|choir|doctors?|vets?|nurse|results?|everything|something|nothing|half|most|both|all|one)$"
)
_ROLE = re.compile(
    r"(?:(?:so|and|but|ok) )?(?P<who>gp|doctor|dentist|consultant|surgeon|physio|boss|manager|landlord|landlady)"
    r" (?:has |just )*(?:put|gave|prescribed|changed|increased|raised|lowered|upped|referred|wants|says|said|told"
    r"|switched|moved|thinks)\b"
)
_OTHERS = re.compile(
    r"(?<!\bam )(?<!'m )(?<!\bas )\b(?:an?|another|the|his|her|their|my|our|\w+'s) (?:[\w-]+ ){0,2}?(?:friends?"
    r"|mates?|boss|manager|colleagues?|kids?|baby|man|woman|boys?|girls?|guys?|lady|ladies|child|children|twins|parents|couple"
    r"|neighbou?rs?|teacher|nurse|doctor|coach)\b"
)
_BESIDE = re.compile(r"\b(?:with|met|saw|told|asked|called|rang|visited|married|and) (?P<name>[a-zà-ÿ]{3,})\b")
_BY_PRONOUN = {
    she: re.compile(rf"\b{she}\b|\b(?:lost|broke|passed|failed|dropped|left|started) {her}\b")
    for she, her in (("she", "her"), ("he", "his"))
}
"""Pronouns after a name by which that is somebody; "manchester is her first choice" is about a place."""
_LONGEST = 1_000
"""Maximum characters before a pronoun that are read."""
FEWEST, MOST = 2, 4
"""Sentences read before the pronoun in its message, and of the message before it."""


def subject_before(low: str, text: str, start: int, before: tuple[str, str], pronoun: str) -> str | None:
    """Return the one name that the sentences before "he" or "she" are about; None if it is not certain.

    `before` is the previous message, in lower case and as written, which is read if the pronoun opens its message.
    """
    opens = not low[:start].strip()
    said, written = before if opens else (low[:start], text[:start])
    spans = [(first, last) for first, last, _ in sentences(said[:_LONGEST])]
    if len(said) > _LONGEST or not spans or (opens and len(spans) > MOST):
        return None
    names: dict[str, str] = {}
    usual = english().common | english().stopwords | english().date_words
    for first, last in spans if opens else spans[-FEWEST:]:
        sentence, typed = said[first:last], written[first:last]
        if english().cues["relative"].search(sentence) or _OTHERS.search(sentence):
            return None
        if role := _ROLE.match(sentence):
            names[role["who"]] = f"my {typed[slice(*role.span('who'))]}"
        for one in _SUBJECT.finditer(sentence):
            if one["name"] in usual or _NO_NAME.fullmatch(one["name"]):
                continue
            certain = one["strong"] or _BY_PRONOUN[pronoun].search(sentence, one.end("name"))
            if not certain and one["name"] not in names:
                return None  # somebody else, or a thing
            names[one["name"]] = typed[slice(*one.span("name"))]
        for one in _BESIDE.finditer(sentence):
            capital = typed[one.start("name")].isupper()
            if one["name"] not in usual | names.keys() and (capital or not one[0].startswith("and")):
                return None
    return next(iter(names.values())) if len(names) == 1 else None
