"""Idioms, jokes and denials that use the words of safety facts without stating one."""

import re

from curator.safety.allergens import names_allergen
from curator.safety.vocabulary import plain_text

_TO_READ = (
    r"(?:recipes?|menus?|e-?mails?|newsletters?|articles?|books?|films?|movies?|podcasts?|videos?|lists?|forms?"
    r"|manuals?"
    r"|instructions|contracts?|sentences?|passwords?|apps?|websites?|alarms?|alarm clocks|meetings?|calls?)"
    r"(?: (?:with|of|in) (?:(?:more than|over|at least|about|too many|so many) )*(?:\d+|ten|twelve|twenty|fifty"
    r"|a hundred|a"
    r" dozen|many) [\w-]+| (?:over|above|longer than|before|after) \d+(?: ?[\w:-]+)?| without (?:pictures|prices|photos"
    r"|agendas?|an agenda|an end))?"
)
"""What one reads or hears, with its length, number or time: "recipes with 14 ingredients"."""
_OTHERWISE = re.compile(
    r"(?:can't|cannot|must not) have (?:(?:an?|any|back-to-back|big|early|evening|late|long|many|more|morning|my|new"
    r"|our|other|phone|the|too|two|video) ){0,3}(?:access|animals?|appointments?|calls?|cats?|children|dates?"
    r"|deadlines?|dogs?|duplicates?|errors?|events?|friends|guests?|holidays?|it both ways|jobs?|kids|meetings?"
    r"|pets?|phones?|plans|quiet|secrets|side effects|silence|time|vacations?|visitors?)\b"
    r"|\btone-deaf\b|\bdeaf ears\b"
    r"|\b(?:he|she|they|you|boss|bosses|manager|team|clients?|customers?|teacher|landlord|wife|husband|partner"
    r"|girlfriend"
    r"|boyfriend|mom|mum|mother|dad|father|parents|sister|brother|kids|deadlines?|meetings?|commute|traffic|suspense"
    r"|puns?|jokes?|homework|job|boredom|curiosity|mondays?) (?:(?:literally|really|just|probably) )?"
    r"(?:could|can|would) kill me\b"
    r"|\b(?:nearly|almost) died from (?:laugh|embarrass|boredom|shame|shock|cringe)"
    r"|\ballerg(?:ic|y|ies) to (?:(?:(?:all|any|the|these|your|my|early|hard|more|small|long|corporate|bad) )*"
    r"(?:boilerplate|bs|bullshit|bureaucracy|buzzwords|chores|clich[eé]s|commitment|complexity|conflict|criticism"
    r"|deadlines|delays?|drama|effort|emails?|emojis?|excuses|failure|fluff|hassle|homework|housework|hype|ironing"
    r"|jargon|java|javascript|lateness|losing|magic|management|meetings?|mess|mondays?|mornings?|noise|nonsense"
    r"|optimism|paperwork|php|politics|powerpoint|praise|queues|rules|sarcasm|smalltalk|speak|spreadsheets|stupidity"
    r"|talk|waiting|waking up|winter|work|working|adulting|authority|capitalism|cardio|change"
    r"|compliments|crowds|excel|feelings|fun|inboxes|instagram|jira|linkedin|love|money|monday mornings|relationships"
    rf"|responsibility|school|silence|small talk|studying|taxes|technology|tiktok|twitter|{_TO_READ})"
    r"(?:(?:, | and | or |, and )(?:to )?(?:(?:all|any|the|your|my) )?)?)+"
    r"(?= ?(?:$|[.;:!?)]|,? ?(?:me|us|innit|mate|tbh|ngl|honestly|honest|i am|so i am|i swear|like|though|tho|clearly"
    r"|obviously|apparently) ?(?:$|[.;:!?)])"
    r"|,? ?(?:lol|lmao|ha(?:ha)*h?|hehe)\b|[\u2600-\u27bf\U0001f300-\U0001faff]"
    r"|,? ?(?:but|so|before|please|keep"
    r"|and (?:i|i'm|my|married|proud))\b))"
    r"|\b(?:proceeds|profits?|money|funds?|pounds|raised?|raising|in aid|donat\w+|fundrais\w+|collect\w+|sponsor\w*)\b"
    r"(?: [\w'-]+){0,3}? (?:to|for|of) (?:[\w'-]+ ){1,4}?(?:research(?: uk)?|uk|charit(?:y|ies)|foundation|society"
    r"|trust|association|appeal)\b"
    r"|(?<!\bi )(?<!\bi've )(?<!\bwe )\b(?:lost|broke|broken|damaged|wrecked|dropped|stole|mislaid|ruined|bent)"
    r" (?:my|our) (?!own\b)\w+(?:'?s|') (?:wheelchair|hearing aids?|crutches|white cane|prosthesis)\b"
    r"|\bnot (?:\w+ )?allergic to anything\b(?! (?:but|except|other|else|apart|besides))"
    r"|(?:\bno|\bnot have any|n't have any|\bwithout) (?:known |food |drug )*allergies\b"
    r"(?! (?:but|except|other|apart|besides))"
)
"""Things that one cannot have but does not eat; sayings; jokes about what is not a substance; charities; what befell
somebody's wheelchair; denials of allergies.
"""
_TO_PERSON = re.compile(
    r"\ballerg(?:ic|y|ies) to (?:(?:my|our|his|her|their|your|this|the|that|all|other|most|some|stupid|rude|annoying"
    r"|small|loud|old|new|crazy|horrible) ){0,3}(?:(?:mother|father|sister|brother|son|daughter)s?-in-law|in-laws"
    r"|(?:ex(?:-(?:boss|wife|husband|boyfriend|girlfriend))?|boss(?:es)?|managers?|ceo|supervisors?|colleagues?"
    r"|co-?workers?"
    r"|landlord|landlady|neighbou?rs?|teachers?|professors?|clients?|customers?|recruiters?|lawyers?|politicians?"
    r"|people"
    r"|humans?|humanity|idiots?|morons?|fools?|liars?|men|women|kids|children|teenagers|toddlers|husband|wife|boyfriend"
    r"|girlfriend|fianc[eé]e?|mother|father|mum|mom|dad|parents?|brothers?|sisters?|cousins?|uncle|aunt|relatives"
    r"|family"
    r"|roommates?|flatmates?|housemates?|you|myself|everyone|everybody|company|team|job))(?![\w'’-])"
    r"(?= *(?:$|[^\w\s'’-]|(?:who|that|which|with|at|in|on|when|every|this|and|but|so|or|lol|lmao|haha\w*|sorry|tbh|ngl"
    r"|honestly|again|before|after|right|today|now|because|these|like|already)\b))",
    re.IGNORECASE,
)
"""An allergy to somebody, which is a joke; one to a shampoo for kids is not."""
_FIRST_NAMES = (
    "adele amanda andrew anthony ashley boris brian britney celine charles daniel david donald ed ellen elon emily emma"
    " eric gordon hillary james jason jeff jennifer jessica joe julia justin kanye karen kevin kim kylie laura linda"
    " lisa mariah matthew melissa michelle miley nancy nicole nigel oprah peter piers richard robert ryan sandra sarah"
    " simon stephen steve susan taylor thomas tim william"
)
"""First names of people, but those of what is sold: "Jack Daniels", "Mary Kay"."""
_TO_NAMED = re.compile(
    r"\ballergic to (?-i:(?=[A-Z]))(?:"
    + "|".join(_FIRST_NAMES.split())
    + r") (?-i:[A-Z][\w'’-]+)(?=\s?(?:[^\w\s'’/&-]|$)"
    r"|\s(?:at|in|on|when|every|this|and|but|so|lol|lmao|haha\w*|sorry|tbh|ngl|honestly|again)\b)",
    re.IGNORECASE,
)
"""An allergy to somebody by name: a joke if the text is marked as one."""
_ON_PAPER = re.compile(
    r"\ballerg(?:ic|y|ies) to (?:[\w'’-]+ ){1,4}?(?:on|in|at) (?:(?:my|our|the|any|all|your|their|other|every) ){0,2}"
    r"(?:logos?|posters?|slides?|websites?|covers?|designs?|labels?|fonts?|headlines?|titles?|e-?mails?|code|commits?"
    r"|meetings?|reports?|docs|documents?|essays?|texts?|writing|songs?|films?|movies|music|lyrics|poems?|photos?"
    r"|powerpoints?|presentations?|spreadsheets?|tweets|captions?|names?)\b",
    re.IGNORECASE,
)
"""An allergy to what is in a text or picture: a joke if the text is marked as one."""
_TO_DOING = re.compile(
    r"\ballerg(?:ic|y|ies) to (?:(?:all|the|any|early|even|ever|just|not|the (?:idea|thought|concept) of) ){0,3}"
    r"(?!(?:ingest|eat|drink|touch|wear|tak|us|breath|inhal|smell|handl|pett|swallow|chew|tast|hav)ing (?!to\b))"
    r"(?:(?:be|wak|do|go|gett|hav|talk|sitt|stay|leav|work|think|pay|try|see|hear|say|mak|com)ing"
    r" (?!(?:machines?|near|around|close|next|exposed|by|with|in|under|among)\b)\w"
    r"|[a-z]{2,}ing (?:a|an|the|my|our|your|his|her|their|any|anything|people|up|out|down|off|away|before|after|at|on"
    r"|for|without|to|about|early|late|alone|more than)\b)[^.;:!?\n]*",
    re.IGNORECASE,
)
"""An allergy to an activity, which is a joke: "being awake before noon"; not one to what one eats or wears."""
_ACTIVITY = re.compile(
    r"\ballerg(?:ic|y|ies) to (?!(?:herr|pudd|dress|ic|season|stuff|frost|dumpl|coat|th|noth|anyth|everyth|someth|bedd"
    r"|cloth|pip|w|r|k|str|spr)ing\b)[a-z]{2,}ing(?=\s?(?:[^\w\s'’-]|$)|\s(?:lol|lmao|ha|haha\w*|hehe|tbh|ngl|jk)\b)",
    re.IGNORECASE,
)
"""The same in a word: a joke if the text is marked as one."""
_SURROUNDINGS = re.compile(
    r"\b(?:sun\w*|uv|heat|hot|cold|ice|snow|rain|water|chlorin\w*|pools?|sea|outside|outdoors|spring|summer|fields?|woods?"
    r"|forests?|hay|barns?|stables?|dust\w*|smok\w*|sweat\w*|exercis\w*|stung|bitten|chemicals?|paints?|glues?|dyes?)\b",
    re.IGNORECASE,
)
"""Things that activities bring one near to, which one may be allergic to."""
_JOKING = re.compile(
    r"\bi swear\b|\b(?:lol|lmao|rofl|hehe|ha(?=[.!]*$)|haha\w*|jk|kidding|sorry|ngl)\b|\btime of (?:the )?year\b"
    r"|[;:]-?[)DP](?!\w)|\^\^"
    r"|[\U0001f600-\U0001f606\U0001f609\U0001f61c\U0001f61d\U0001f643\U0001f644\U0001f605\U0001f923\U0001f92a]",
    re.IGNORECASE,
)
_EARNEST = re.compile(
    r"\b(?:really|seriously|for real|no joke|not (?:joking|kidding)|epipens?|hives|rash\w*|itch\w*|swell\w*|swollen"
    r"|react\w*|anaphyla\w*|hospital|sever\w*|diagnosed|tested|intoleran\w*|asthma|breath\w*)\b",
    re.IGNORECASE,
)
"""Words of a text that tells of a true allergy, whatever it is to."""
_IF_NAMED = re.compile(
    r"\b(?:(?:will kill|kills|(?:nearly|almost) killed) me|react(?:s|ed)? badly to|(?:go(?:es)?|went) into shock"
    r"|up in (?:the er|a&e)|face (?:blows|blew|puffs) up)(?!\w)"
)
"""Phrases that state a fact only if the text names an allergen, unlike "the stairs nearly killed me"."""


def without_jokes(text: str) -> str:
    """Return a text without allergies to people, signs and activities: "allergic to my boss", "... to being on time".

    One that also names an allergen, or tells of a reaction, is left as it is: a true allergy is worse to miss.
    """
    joking = _JOKING.search(text) is not None
    named = joking and (_TO_NAMED.search(text) or _ON_PAPER.search(text))
    done = _SURROUNDINGS.search(text) is None and (_TO_DOING.search(text) or (joking and _ACTIVITY.search(text)))
    if not (named or done or _TO_PERSON.search(text)) or _EARNEST.search(text):
        return text
    if names_allergen(plain_text(text)):
        return text
    if done:
        text = _TO_DOING.sub("", _ACTIVITY.sub("", text) if joking else text)
    return _TO_PERSON.sub("", _ON_PAPER.sub("", _TO_NAMED.sub("", text)) if named else text)


def without_idioms(plain: str) -> str:
    """Return a text in lower case without idioms, denials and jokes about what is not a substance."""
    plain = _OTHERWISE.sub("", plain)
    if _IF_NAMED.search(plain) is None or names_allergen(plain):
        return plain
    return _IF_NAMED.sub("", plain)
