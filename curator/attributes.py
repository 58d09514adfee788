"""Attributes that prompts ask a person for in other words than they stated them: home, job, family, pets, habits.

"Update my CV" shares no word with "I became head of design at Voss", nor much meaning for an embedding model. Like
`curator.safety` this needs the standard library only, since a hook that must not wait reads it. English only.
"""

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from curator.apostrophes import respell

_JOBS = (
    "accountant actor administrator analyst apprentice architect artist assistant baker barista biologist builder"
    " carer carpenter cashier ceo chef chemist cleaner coach consultant contractor cook cto dentist designer developer"
    " director doctor driver economist editor electrician engineer farmer firefighter founder freelancer gardener"
    " hairdresser head illustrator intern journalist judge lawyer lead lecturer librarian manager mechanic midwife"
    " musician nurse optician painter paramedic pharmacist photographer physicist physiotherapist pilot plumber"
    " policeman potter professor programmer psychologist receptionist researcher scientist secretary solicitor"
    " specialist student supervisor surgeon surveyor teacher technician therapist trainee translator tutor vet waiter"
    " waitress welder writer"
)
_RELATIVES = (
    "wife husband partner fiance fiancé fiancée boyfriend girlfriend son sons daughter daughters kid kids child"
    " children baby twins mother mum mom father dad parents brother brothers sister sisters grandmother grandfather"
    " grandparents grandson granddaughter aunt uncle cousin niece nephew"
)
_ANIMALS = (
    "dog dogs puppy cat cats kitten kittens rabbit rabbits horse pony parrot budgie hamster tortoise goats hens"
    " chickens terrier labrador spaniel poodle goldfish"
)
TOOLS = frozenset(
    "python javascript typescript rust golang java kotlin swift ruby rails php perl bash zsh powershell sql postgres"
    " postgresql mysql sqlite docker kubernetes terraform ansible react vue svelte angular django flask fastapi numpy"
    " pandas polars latex markdown html css tailwind excel git vim neovim emacs vscode".split()
)
"""Languages and tools of which a prompt for a script or page asks what the person uses."""
_USES = re.compile(
    r"\b(?:i|we)(?:'m| am| are| only| always| now| mostly| usually)* (?:us(?:e|es|ing)|prefer|write|work with|like)\b"
)
_WORD = re.compile(r"\w+")
_HOMES = "flat apartment house home cottage place studio room bungalow condo"
_JOB, _RELATIVE, _ANIMAL, _HOME = (
    f"(?:{'|'.join(listed.split())})" for listed in (_JOBS, _RELATIVES, _ANIMALS, _HOMES)
)
_WRITE = r"\b(?:update|write|improve|review|draft|polish|create|make|shorten|tailor|proofread) (?:me )?"
_RESUMED = r"(?! (?:button|command|endpoint|function|handler|method|feature|token))"
_CODE = (
    r"(?! (?:scheduler|queue|runner|config\w*|ids?|scripts?|files?|fields?|columns?|servers?|table|binding|logo|logs?"
    r"|api|key|class|component|element|handler|validation|code|builder|state|data|function|tests?|exit\w*|fail\w*|crash\w*"
    r"|hangs|pipeline|library|score|link|page|homework|notes|lab|exam|joints?|axle|boot|in (?:ci|jenkins|kubernetes"
    r"|airflow|gitlab|react|django|html|vue)|with (?:react|django|html|vue|selenium|playwright)"
    r"|is (?:killed|stuck|queued|pending|failing))\b)"
)
"""The text before a word that belongs to a program or a school, not to the person: "my job queue", "my name server"."""
_WEB = r"(?:web|login|signup|sign-up|react|html|django|search|contact)"
_AUDIENCE = r"(?:team|class|group|audience|colleagues|company|clients?|board|readers|panel|recruiter|speaker|meeting)"
_CV = rf"(?:cv|curriculum vitae|résumé|bio|biography)\b{_CODE}"
_DOCUMENT = (
    rf"(?:\b(?:my|your) (?:\w+ ){{0,2}}(?:{_CV}|resume\b{_RESUMED})|\bcover(?:ing)? letter\b"
    rf"|{_WRITE}(?:(?:an?|the|my) )?(?:\w+ ){{0,2}}{_CV}(?! (?:of|about|for) (?!me\b|myself\b))"
    rf"|{_WRITE}(?:a|my) (?:\w+ )?resume\b{_RESUMED}"
    rf"|\bintroduce (?:myself|me(?! to (?!(?:\w+ ){{1,4}}{_AUDIENCE}\b)))\b"
    rf"|(?<!create an )(?<!build an )(?<!make an )(?<!design an )\bapplication form\b{_CODE}"
    rf"|\b(?:fill (?:in|out)|complete) (?:this|the|an?|my) (?:(?!{_WEB}\b)\w+ ){{0,3}}form\b{_CODE})"
)
"""Prompts for a document about the person, which says who they are, where they live and what they do."""
_SPOUSE = r"(?:partner|wife|husband|girlfriend|boyfriend|fianc[ée]e?|spouse)"
_INTRODUCED = (
    r"^\W*(?:(?:hi|hello|hey)\W+)?i(?:'m| am) (?!\w+(?:ed|ing)\b|(?:an?|in|at|on|from|not|so|just|now|single"
    r"|married|vegan|vegetarian)\b)[^\W\d][\w-]*(?: [^\W\d][\w-]*)?,"
    r" (?:\d\d(?=\W*$|[,.;:)!]\D| and\b| years? old\b| yo\b)|living in\b)"
)
""""I'm Ana, 41" and "I'm Ana, living in Porto", and not "I'm tired, 41 emails today": a name has no capital here."""
_WE = r"\b(?:i|we|\w+ and i)(?:'ve|'re|'m| have| are| am)?(?: (?:now|still|just|recently|finally|currently|only|both))*"
_NO_PLACE = (
    rf"(?:using|(?:{'|'.join(sorted(TOOLS))}|github|gitlab|jira|linear|notion|slack|teams|zoom|gmail|linux|macos|windows"
    r"|android|ios|aws|azure|uv|poetry|npm|pnpm|yarn)\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|tomorrow\b"
    r"|next (?:week|month)\b|(?:the|an?) (?:\w+ ){0,2}(?:plan|tier|version|branch|framework|library|model)\b"
    r"|[\w+#.-]+ v?\d{1,2}(?:\.\d+)*\b(?! (?:years?|months?|weeks?|days?)\b)|v?\d+(?:[.:]\d+)?\W*$)"
)
"""What follows "moved to" and is no place: a tool, a version, a day, a plan."""
_LET = re.compile(r"\brent(?:ed|ing|s)? (?:\w+ )?out\b|\blet out\b|\b(?:my|our|with|to) tenants?\b")
"""Words of a statement about a home that others live in."""
_LACK = r"\b(?:don't|dont|do not|doesn't|never|no longer|can't|cant|cannot|won't|stopped|quit|gave up|given up)"


class Attribute(NamedTuple):
    """The pattern of prompts that ask for an attribute, that of statements of it, and words one of which these have."""

    asked: str
    stated: str
    roots: str


ATTRIBUTES = {
    "home": Attribute(
        r"\bwhere (?:do|am|are) (?:i|we) (?:live|living|based)\b|\bmy (?:home )?address\b|\b(?:near|close to"
        r"|around) me\b"
        r"|\bnear (?:us|my (?:home|house|place|flat))\b|\b(?:my|our) (?:city|town|area|neighbou?rhood"
        r"|time ?zone|postcode)\b"
        rf"|{_DOCUMENT}"
        r"|\bwhat (?:city|town|country) (?:do|am) i\b|\bwhere(?:'s| is) (?:my|our) (?:home|house|flat|apartment)\b"
        r"|^(?:what's |what is |how's )?the weather(?: like)?(?: today| tomorrow| this \w+)?\W*$",
        rf"(?:{_WE}|^\W*(?:now )?(?=living)) ?(?:live|living|based|settled)(?: \w+){{0,3}}? (?:in|at|near|on|outside)\b"
        rf"|{_WE} (?:moved|moving|relocated)(?: back| house| away)?(?: from \w+)? to (?!{_NO_PLACE})"
        rf"|{_WE} (?:got|bought|rent|rented|renting|have|own) (?:an?|our|my|the) (?:\w+ ){{0,2}}?{_HOME} (?:in"
        rf"|near|at|on)\b"
        rf"|\b(?:my|our) (?:new |current )?(?:address|hometown|{_HOME}) is\b",
        f"live living based settled moved moving relocated address hometown {_HOMES}",
    ),
    "job": Attribute(
        r"\bwhat do i do(?: for (?:work|a living)| professionally| at work)|^what do i do\W*$"
        r"|\bwhere do i work\b|\bwhom? do i work for\b"
        r"|\bmy (?:current |own |new )?(?:job|profession|occupation|role|job title|employer|company|career)\b"
        rf"{_CODE}"
        r"|\blinkedin (?:bio|profile|summary|headline|about)|\bmy linkedin\b|\bjob (?:application|interview)\b"
        rf"|\bwho am i\b|{_DOCUMENT}",
        r"\bi(?:'m| am|'ve been| have been| was| became|'ve become| work as| got)\b"
        rf"(?:(?!\bmy\b)[^.;:!?,]){{0,40}}?\b{_JOB}\b"
        rf"|{_WE} works? (?:at|for|as) (?!home|night|weekend|the (?:weekend|moment)|\w+ (?:hours|days))"
        r"|(?:\bi(?:'m| am|'ve)?(?: just| now)? |^\W*(?=starting|joining))(?:start(?:ing|ed)?|join(?:ing|ed)?)"
        r" (?:at|as|with) (?!\d|the (?:gym|weekend))"
        r"|\bi do \w+ days? a week (?:for|at)\b|\bi (?:freelance|consult)\b|\bi (?:quit|left|lost) my job\b"
        r"|\bmy (?:job|employer|company|role|profession|day job|job title|boss|manager) is\b"
        r"|\bi(?:'ve| have|'m| am| was| got| just)* (?:promoted|employed|self-employed|hired|freelance|freelancing)\b"
        r"|\bi (?:run|own|founded) (?:an?|my|our|the) (?:\w+ ){0,3}(?:company|business|shop|practice|studio"
        r"|agency|firm)\b"
        r"|\bi (?:teach|studied|graduated)\b",
        "work job start join week freelance consult starting started joining joined employer company role profession"
        " promoted employed hired"
        f" freelance freelancing business shop practice studio agency firm teach studied graduated {_JOBS}",
    ),
    "name": Attribute(
        rf"\bmy (?:full |first |last )?name\b{_CODE}|\bwho am i\b|{_DOCUMENT}",
        r"\bmy (?:full |first |last )?name(?:'s| is)\b|\b(?:call me|i go by|i'm called|i am called)\b"
        rf"|{_INTRODUCED}",
        "name call called go i'm im am living",
    ),
    "age": Attribute(
        rf"\bhow old am i\b|\bmy (?:age|birthday)\b{_CODE}|\bwhen was i born\b|{_DOCUMENT}",
        r"\bmy birthday\b|\bi was born\b|\bi(?:'m| am) \d\d(?: years old)?(?:[.,;]|$| and\b)|\bi turned \d\d\b",
        "birthday born turned years",
    ),
    "studies": Attribute(
        _DOCUMENT,
        r"\bi(?:'ve)? (?:have|hold|did|got|finished) (?:an?|my|two) (?:\w+ ){0,2}(?:phd|doctorate|master'?s?"
        r"|bachelor'?s?|degree|msc|bsc|mba|diploma)\b"
        r"(?! (?:key|bedroom|plan|list|file|copy|class|party|pad|celsius|fahrenheit|branch|switch)\b)"
        r"|\bi (?:also |can )?speak (?!up\b|out\b|to\b|with\b|for\b|at\b|about\b|in\b|of\b|no\b|\w+ly\b|fast\b)\w+"
        r"|\bi (?:studied|graduated)\b",
        "phd doctorate master masters bachelor bachelors degree msc bsc mba diploma speak studied graduated",
    ),
    "partner": Attribute(
        rf"\bwho(?:'s| is) my {_SPOUSE}\b(?! (?:in|for|api)\b)|\bmy {_SPOUSE}(?:'s)? name\b"
        r"|\b(?:tell me (?:something |more |all )?about|what do you (?:know|remember) (?:about|of)|describe)"
        rf" my {_SPOUSE}\b(?!'s| (?:api|program|company|\w+ing)\b)"
        r"|\bam i (?:married|single|engaged)\b"
        r"|\bwho am i (?:married to|with|dating)\b",
        rf"\b(?:my|our) {_SPOUSE}\b|\b\w+ and i (?:got |are |have |just |finally )*(?:engaged|married|split up|broke up"
        r"|separated|divorced|a couple)\b|\b(?:married|engaged) to\b|\bi(?:'m| am) (?:single|engaged|divorced"
        r"|widowed)\b"
        r"|\bwe(?:'re| are)? (?:getting |got )?(?:married|engaged)\b",
        "partner wife husband girlfriend boyfriend fiance fiancé fiancée spouse engaged married split broke separated"
        " divorced couple single widowed",
    ),
    "family": Attribute(
        r"\b(?:who|what)(?:'s| is| are)?(?: in)? (?:my|our) (?:family|household)\b|\bmy (?:relatives|siblings|spouse)\b"
        r"|\bdo (?:i|we) have (?:any )?(?:siblings|brothers|sisters)\b|\bam i married\b"
        r"|\bwho do i live with\b",
        rf"^\W*(?:my|our) {_RELATIVE}\b|\bi have (?:an?|\w+) (?:\w+ )?{_RELATIVE}\b|\bmarried to\b",
        f"married {_RELATIVES}",
    ),
    "children": Attribute(
        r"\bdo (?:i|we) have (?:any )?(?:kids|children)\b|\b(?:how old|who) are (?:my|our) (?:kids|children)\b",
        r"\b(?:my|our) (?:\w+ )?(?:son|daughter|kid|child|bab(?:y|ies)|twin)(?:s|ren)?\b"
        r"|\bi have (?:an?|\w+) (?:kid|son|child|daught)",
        "son sons daughter daughters kid kids child children baby babies twins",
    ),
    "pets": Attribute(
        r"\b(?:my|our|any|have|keep) (?:pets?|animals)\b|\bpet ?-?(?:sitter|insurance|food)\b|\bthe vet\b",
        rf"\b(?:my|our) (?:\w+ )?{_ANIMAL}\b|\b(?:have|has|got|adopted|own) (?:an?|two|three|\w+) (?:\w+ )?{_ANIMAL}\b",
        _ANIMALS,
    ),
    "alcohol": Attribute(
        r"\b(?:wines?|whiske?y|beers?|cocktails?|gin|rum|vodka|champagne|prosecco|pubs?|aperitif|brewery|wine ?bar)\b",
        rf"{_LACK}(?: \w+)? (?:drink(?:ing)?(?: any| alcohol|[.,;]|$)|alcohol|wine|beer)"
        r"|\b(?:i'm|i am|we're|we are|i've been) (?:\w+ )?(?:sober|teetotal)\b|\bteetotall?er\b|\bno alcohol\b"
        r"|\brecovering alcoholic\b",
        "drink drinking alcohol alcoholic wine beer sober teetotal teetotaller teetotaler",
    ),
    "travel": Attribute(
        r"\b(?:trips?|holidays?|vacations?|flights?|fly|travel|getaway|itinerary|honeymoon|road ?trip|hotels?)\b",
        r"\b(?:afraid|scared|terrified|fear) of (?:flying|planes|heights|lifts|the sea)\b"
        r"|\bhates? (?:flying|planes)\b"
        rf"|{_LACK} (?:do|take|use|like) (?:lifts?|elevators?|heights|planes)\b"
        rf"|{_LACK} (?:fly|flying|drive|driving)\b(?! \w+ ?(?:golf|drones?))|\b(?:no"
        rf"|without a) (?:driving )?licen[cs]e\b"
        r"|\b(?:car|motion|travel|sea)[ -]?sick(?:ness)?\b|\b(?:we|i) (?:only |always )?(?:take|travel by"
        r"|go by) (?:the )?trains?\b",
        "lift lifts elevator elevators heights planes"
        " afraid scared terrified fear hate hates fly flying drive driving licence license carsick seasick"
        " sickness train"
        " trains",
    ),
}

_GENRES = (
    "fantasy thriller thrillers crime romance romances sci-fi fiction nonfiction non-fiction novel novels memoir"
    " memoirs poetry biography biographies mystery mysteries murder audiobook audiobooks book books kindle"
)
_DEVICES = (
    "iphone android pixel galaxy samsung macbook imac mac ipad chromebook thinkpad laptop windows ubuntu debian fedora"
    " linux macos kindle printer"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DAY = r"(?:mon|tue|tues|wed|weds|thu|thur|thurs|fri|sat|sun)(?:s|day|days|sday|sdays|nesday|rsday|ursday)?"
_WEEKDAYS = " ".join(f"{day}day {day}days" for day in "mon tues wednes thurs fri satur sun".split())
_SUMS = "savings saving isa pension mortgage salary earn income owe debt debts loan rent budget"
_DRUGS = "medication medications medicine tablets tablet patches patch inhaler insulin mg hrt prescribed"
TOPICS = {
    "reading": Attribute(
        r"\b(?:recommend|suggest|what|which|find|give|next)\b.{0,200}\b(?:books?|novels?|audiobooks?|to read)\b"
        r"|\bbook (?:recommendations?|suggestions?)\b",
        r"\b(?:love|like|enjoy|prefer|adore|hate|dislike|read|reading|(?:can't|cant|cannot)"
        r" (?:stand|bear|get (?:on|into)|be doing))\b"
        rf".*\b(?:{'|'.join(_GENRES.split())})\b",
        _GENRES,
    ),
    "fitness": Attribute(
        r"\b(?:exercise|fitness|workout|training|gym|running) (?:plan|routine|programme|program|schedule|ideas?)\b"
        r"|\bget (?:fit|fitter|in shape)\b|\bkeep fit\b|\bmy (?:workouts?|fitness|steps)\b",
        r"\bsteps? (?:goal|count|target)\b|\b\d[\d,.]*k? steps\b"
        rf"|{_WE} (?:go |go to )?(?:swim|run|cycle|jog|row|climb)s?\b"
        r"|\b(?:knees?|back|hip|shoulder|ankle) (?:is|are|was|hurts?|aches?|gives?)\b"
        r"|\bmy (?:knees?|back|hip|shoulder|ankles?)\b",
        "step steps swim run cycle jog row climb knee knees back hip shoulder ankle ankles",
    ),
    "eating": Attribute(
        r"\b(?:cook|recipes?|dinner|lunch|supper|meals?|menu|meal plan)\b",
        rf"{_LACK}(?: \w+)? eat(?:ing)?\b(?! out)"
        r"|\b(?:gave|given|giving) up (?:meat|dairy|sugar|gluten|bread|carbs|fish)\b",
        "eat eating gave given giving",
    ),
    "medicine": Attribute(
        r"\b(?:am i|do i|i'm|i am|my|i) .{0,200}\b(?:medications?|medicines?|meds|prescriptions?|tablets|pills)\b",
        rf"(?:{_WE}|\bput me|\bgave me|\bconditions) ?(?:on|take|taking)?\b"
        rf".*\b(?:{'|'.join(_DRUGS.split())}|metformin|statins?)\b",
        f"{_DRUGS} metformin statin statins",
    ),
    "emails": Attribute(
        r"\b(?:draft|write|send|reply|answer|compose)\b.{0,200}\b(?:e-?mails?|letters?)\b|\be-?mail (?:to|for|about)\b",
        r"\b(?:always|never|want|like|prefer|keep|sign|start|end|hate)\b.*\be-?mails?\b"
        r"|\be-?mails?\b.*\b(?:under|short|brief|formal|always|never|signed?|tone)\b"
        r"|\bsign (?:everything|off|with|as|them|it) (?!up\b)|\bexclamation marks?\b",
        "email emails e-mail e-mails mail mails sign exclamation",
    ),
    "week": Attribute(
        r"\b(?:which|what) (?:days?|evenings?|nights?|weeknights?|weekdays?|time)\b.{0,60}\b(?:i|we|me|us|my)\b"
        r"|\b(?:am|are) (?:i|we) (?:free|available|busy)\b|\bwhen (?:can|could|should) (?:i|we)\b"
        r"|\b(?:plan|schedule|organi[sz]e) my (?:\w+ ){0,3}(?:week|days?|month|route|diary|calendar)\b"
        r"|\bmy (?:schedule|diary|calendar|timetable)\b|\bfit in(?:to)? my (?:week|day)\b",
        rf"\b(?:every |each |second |other |third ){_WEEKDAY}\b|\b{_WEEKDAY}s\b"
        rf"|\b{_DAY}(?: ?(?:-|–|/|&|to|and|,) ?{_DAY})+(?!\w)"
        r"|\b(?:no|never any) (?:\w+ )?(?:meetings?|calls?|appointments?) (?:before|after|on|in)\b"
        r"|\bon[- ]call every\b|\bevery (?:second|other|third|fourth) week(?:end)?\b"
        r"|\b(?:drop|pick|take|bring|fetch|collect)s? (?:[\w'’]+ ){1,4}?(?:school|nursery|kindergarten|daycare|practice"
        r"|training)\b.*\b(?:at|by|before) \d",
        f"{_WEEKDAYS} mon tue tues wed thu thur thurs fri sat sun meetings meeting calls appointments call weekend week"
        " school nursery kindergarten daycare practice training",
    ),
    "money": Attribute(
        r"\bafford\b|\b(?:i|we|my|our)\b.{0,60}\bretire(?:ment)?\b|\bsave up\b|\bmoney together\b"
        r"|\b(?:my|our) (?:\w+ )?(?:budget|savings|finances|pension|mortgage|salary|income|money)\b",
        rf"(?=.*(?:\d|\b(?:i|my|we|our)\b)).*\b(?:{'|'.join(_SUMS.split())})\b",
        _SUMS,
    ),
    "devices": Attribute(
        r"\bmy (?:\w+ )?(?:phone|mobile|laptop|computer|pc|mac|tablet|desktop)\b",
        r"\b(?:i|i've|ive|i'm|my|we|our)\b(?:(?!\bsell\b).)*"
        rf"\b(?:{'|'.join(_DEVICES.split())})\b",
        _DEVICES,
    ),
    "car": Attribute(
        r"\bby car\b|\bdrive (?:there|to)\b|\broad ?trip\b|\bmy car\b|\bpetrol\b|\bwithout charging\b",
        r"\b(?:electric|petrol|diesel|hybrid|first|new|used|our|my) (?:car|van|camper)\b"
        r"|\b(?:bought|drive|got|have|sold|for) (?:\w+ ){0,4}?(?:electric|diesel|petrol|hybrid)\b|\bmotorways?\b",
        "electric petrol diesel hybrid car van camper motorway motorways",
    ),
    "garden": Attribute(
        r"\b(?:what|when|which)\b.{0,60}\b(?:plant|sow|grow)\b|\bmy (?:garden|allotment|balcony|greenhouse)\b",
        r"\b(?:i|i've|ive|my|we|our|got|have)\b.{0,60}\b(?:plot|allotment|garden|balcony|greenhouse|raised beds?)\b",
        "plot allotment garden balcony greenhouse raised",
    ),
}
"""Subjects of prompts, and what the person says of their habits in these: unlike the words that ask for an attribute,
those of a subject are also what the answer may contain.
"""
ONE_AT_A_TIME = ("home", "job", "name", "age", "partner", "studies")
"""Attributes whose newest statements come first, however similar others are to the prompt."""
_ALL = ATTRIBUTES | TOPICS
_OF_SELF = re.compile(
    r"(?:so |and |hey,? |ok,? |btw,? )?"
    r"(?:(?:what(?:'s|s)?|where|who(?:'s|s)?|when|which|how|do|does|did|am|is|are|have|has|was|were)\b"
    r".*\b(?:i|i'm|my|me|we|our|us)\b|(?:my|our) (?:\w+ ){0,2}\w+\W*$)",
    re.IGNORECASE,
)


def asked_of_self(query: str) -> tuple[str, ...]:
    """Return the attributes that a question of the person about themselves asks for, without tools."""
    return tuple(name for name in asked(query) if name not in TOOLS) if is_of_self(query) else ()


def asked(prompt: str) -> tuple[str, ...]:
    """Return the attributes that a prompt asks for, and the tools that it names; none for most prompts."""
    plain = _plain(prompt)
    tools = sorted(TOOLS.intersection(_WORD.findall(plain)))
    return (*(name for name, attribute in _ALL.items() if _pattern(attribute.asked).search(plain)), *tools)


def is_of_self(query: str) -> bool:
    """Return True for a question of the person about themselves."""
    return _OF_SELF.match(query) is not None


def without_asked(prompt: str) -> str:
    """Return a prompt without the words that ask for attributes: "live" is not what its answer must contain."""
    plain = _plain(prompt)
    for attribute in ATTRIBUTES.values():
        plain = _pattern(attribute.asked).sub(" ", plain)
    return plain


def states(text: str, attributes: tuple[str, ...]) -> bool:
    """Return True for a statement of one of these attributes, or of the use of one of these tools."""
    plain = _plain(text)
    tools = TOOLS.intersection(attributes)
    if tools and not tools.isdisjoint(_WORD.findall(plain)) and _USES.search(plain):
        return True
    return any(
        _pattern(_ALL[name].stated).search(plain) is not None and not (name == "home" and _LET.search(plain))
        for name in attributes
        if name not in TOOLS
    )


def states_slot(text: str, name: str) -> bool:
    """Return True for a statement of an attribute of which a person has one at a time: the newest one counts."""
    return name in ONE_AT_A_TIME and states(text, (name,))


def ranks_of_stated(statements: Sequence[tuple[str, int]], names: tuple[str, ...]) -> list[int]:
    """Return the ranks of statements, each a text and when it was said, of attributes that a prompt asks for.

    The newest statement of each attribute of which there is one at a time comes first, then the second newest of each,
    and so on. Other attributes follow with one rank.
    """
    ranks = [len(statements)] * len(statements)
    for name in names:
        stated = [place for place, (text, _) in enumerate(statements) if states_slot(text, name)]
        for rank, place in enumerate(sorted(stated, key=lambda place: -statements[place][1])):
            ranks[place] = min(rank, ranks[place])
    return ranks


def roots_of(attributes: tuple[str, ...]) -> list[str]:
    """Return words one of which is in every statement of these attributes."""
    return sorted({word for name in attributes for word in (name if name in TOOLS else _ALL[name].roots).split()})


@functools.cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source)


def _plain(text: str) -> str:
    return respell(text.casefold().replace("’", "'")).text
