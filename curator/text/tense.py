"""Tense of the clause around a date: past or future."""

import re

DATED_THING = (
    "exams?|finals|interview|wedding|flight|trip|surgery|operation|op|appointment|deadline|party|holiday|marathon|race"
    "|concert|birthday|funeral|graduation|due date|viva|defen[cs]e|scan|move"
)
_PAST = (
    r"left(?! (?:eye|ear|knee|hip|hand|arm|leg|foot|shoulder|wrist|ankle|elbow|side|breast|lung|kidney)\b)"
    r"|was|were|had|did|didn't|went|got|bought|came|took|made|met|saw|sat|ran|won|lost|began|became|broke|built"
    r"|chose"
    r"|drove|fell|felt|flew|forgot|found|gave|heard|kept|led|paid|quit|rode|said|sold|sent|slept|spoke|spent|taught"
    r"|told|thought|woke|wore|wrote|been|gone|done|(?!need|feed|speed|breed|seed|married|excited|tired"
    r"|interested|used to|based)[a-z]{2,}ed"
)
_FUTURE = (
    r"will|'ll|won't|going to|gonna|due|planning|plan to|have to|need to|must|want to|hope to|hoping to|about to"
    r"|deadline|(?:is|are|am|'m|'re|'s) [a-z]+ing|(?:is|are|'s|'re|am|'m) (?:booked|scheduled|planned|set|supposed"
    r"|expected|back|off|due|away|out|on|in|at|for)|is|are|starts?|begins?|leaves?|ends|expires?|arrives?|opens|closes"
    r"|fly|move|flies|moves|comes|goes|lands|departs|travels|graduates|retires"
    r"|(?:have|(?:have|'ve|ive|weve) got) (?:an?|my|another|the|our) [a-z' -]{3,40}?|get married|marry|retire"
    rf"|got (?:an?|my|another|the|our) [a-z' -]{{0,30}}?(?:{DATED_THING})"
    r"|graduate|finish|turns? \d+|promised to|agreed to|decided to|signed up|booked|scheduled|registered|enrolled"
)
_OFTEN = r"(?: (?:not|also|only|already|finally|probably|hopefully|then|now|next|soon|just|both|all))*"
_MADE = (
    r"done|replaced|removed|pulled|extracted|fixed|repaired|serviced|installed|fitted|painted|cleaned|checked|scanned"
    r"|tested|examined|operated|treated|taken|cut|delivered|collected"
)
_TO_BE_DONE = (
    rf"(?:(?:is|are|am|'s|'re|'m){_OFTEN} )?(?:(?:(?:will|'ll|won't|shall|going to|gonna|due to|about to|(?:has|have"
    rf"|needs?|is|are|am|'s|'re|'m|ought) to){_OFTEN}"
    rf" (?:be|get)|(?:must|can|may|should|might|could){_OFTEN} (?:be|get)|(?:is|are|am|'s|'re"
    rf"|'m){_OFTEN} being){_OFTEN}"
    r" (?:done|gone|been|taken|given|cut|put|set|sent|paid|sold|built|made|held|[a-z]{2,}ed)"
    rf"|(?:have|has|gets?|having|getting) (?:(?:my|our|his|her|their|the|an?|[a-z]+'s)(?: (?!(?:i|we|you|s?he|they|it"
    rf"|that|which|who)\b)[\w'-]+){{1,3}}|it|them) (?:{_MADE}))"
)
"""A passive of what is ahead, whose participle is no past: "will be done", "has his knee done"."""
_TENSE = re.compile(
    rf"(?:(?<![\w'])|(?=')|(?<=[a-z])(?='))(?:(?P<ahead>{_TO_BE_DONE}|{_FUTURE})|(?P<past>{_PAST}))(?![\w'])",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"(?:\b(?:will|won't|shall|gonna|due|plan(?:s|ned|ning)? (?:to|on)"
    r"|(?:about|going|decided|agreed|promised|hop(?:e|ing)|wants?|aim(?:ing)?) to|starting|next year"
    r"|(?:i|we) (?:need|want)|looking for|book (?:me|us|an?|the)|moving)|'ll"
    r"|(?:is|are|am|'s|'re|'m) (?:booked|scheduled|planned|set|supposed|expected))(?![\w'])",
    re.IGNORECASE,
)
"""Words of what is not yet so, unlike the present tense: "from May I will be in Rome"."""
_SENTENCE = re.compile(r"[;.!?]\s")
_CLAUSE = re.compile(r"[,;:.!?()]\s|\s(?:and|but|so|because|then|while|wait,? no|no,? wait)\s")
RESCHEDULED = (
    r"\b(?:moved|pushed|put|postponed|rescheduled|shifted|delayed|brought|changed)(?: (?:back|forward|out|off|up))?"
)
"""A participle that says nothing of the tense of a date right after it: "the meeting moved to 21 Oct"."""
REACH = 400
"""Maximum characters on either side of a date that tell how it is meant, so that long texts take linear time."""
_PLANNED = re.compile(
    r"\W*(?:(?:and|also|so|then|but|now|finally|probably|hopefully|news|update)[,:]? )*"
    r"(?:starting|beginning|moving|leaving|quitting|launching|opening|joining|retiring|travelling|traveling|flying"
    r"|going"
    r"|getting|graduating|switching|taking|running|finishing|returning|visiting|arriving|defending|selling|buying)\b",
    re.IGNORECASE,
)
"""The start of a clause about a plan, without its subject: "starting as a consultant on 1 July"."""


def clause_around(text: str, offset: int) -> tuple[int, int]:
    """Return the start and end of the clause around an offset, at most 400 characters away."""
    start, end = max(0, offset - REACH), min(len(text), offset + REACH)
    first = max((one.end() for one in _CLAUSE.finditer(text, start, offset)), default=start)
    after = _CLAUSE.search(text, offset, end)
    return first, after.start() if after else end


def tense(text: str, offset: int) -> int:
    """Return the tense around an offset: -1 past, 1 future, 0 if neither is certain."""
    first, last = clause_around(text, offset)
    cues = [*_TENSE.finditer(text, first, offset)]
    cue = cues[-1] if cues else _TENSE.search(text, offset, last)
    if cue is None and _PLANNED.match(text, first, offset):
        return 1
    return 0 if cue is None else 1 if cue["ahead"] else -1


def says_ahead(text: str, offset: int) -> bool:
    """Return True if a sentence says from the clause at an offset on that something is not yet so."""
    first, _ = clause_around(text, offset)
    stop = _SENTENCE.search(text, offset, offset + REACH)
    return _AHEAD.search(text, first, stop.start() if stop else min(len(text), offset + REACH)) is not None
