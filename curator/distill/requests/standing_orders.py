"""Detection of instructions to the assistant that apply to every prompt.

A false positive appears in every block, so an uncertain instruction is not treated as one: it is recalled only where it
is relevant.
"""

import re

from curator.distill.scores.features import has_lasting_word, marks
from curator.distill.statements.clauses import is_task
from curator.text import lower

_TOKEN = re.compile(r"[a-z]+(?:['-][a-z]+)*|[^\w\s]|\S+")
_SPOKEN_OF = r"(?:chats?|conversations?|messages?|answers?|repl(?:y|ies)|responses?|e-?mails?|letters?|texts?|drafts?)"
_WORD = re.compile(
    r"\b(?:always|never|ever|anymore|any more|(?:every|each|any) ?time|whenever|when (?:i|we|my|someone|somebody)"
    r"|when you (?:answer|reply|write|talk|speak|explain|quote|cite|address|suggest|recommend|plan|draft|translate)"
    r"|if (?:i|you|we) (?:ask|say|tell|write|mention|send|paste|share|want|sound|seem|make|forget|use|type|am)"
    r"|from (?:now|here|today|this point)(?: on)?|starting (?:now|today)|going forwards?|moving forward"
    r"|henceforth|in (?:the )?future|for future reference|by default|as a (?:standing )?rule|in general|at all times"
    r"|under (?:no|any) circumstances|no matter (?:what|how|where)|without exception|no exceptions"
    r"|even (?:if|when) i (?:beg|ask|insist|plead|say)"
    r"|unless (?:i|we|you|told|asked|otherwise)|without (?:my|asking)|until i (?:say|tell)|for good|permanently"
    r"|everywhere"
    rf"|(?:in|for|to|of|with|under) (?:all|every|each|any)(?: of)?(?: (?:my|your|our|the))? {_SPOKEN_OF}"
    rf"|every (?:single )?{_SPOKEN_OF}|(?:before|after) (?:each|every|any|you)|every (?:commit|push|pull request)"
    r"|in (?:this|our|the) (?:project|repo|repository|codebase))\b"
)
_MANNER = re.compile(
    r"\byour (?:answers|replies|responses|explanations|messages)\b"
    r"|\b(?:stop|quit) (?:call|address|apologi[sz]|thank|prais|flatter|remind|lectur|repeat|end|start|begin|say)"
    r"\w*ing\b|^call me \w"
    r"|^(?:please )?no more (?:[\w'-]+ ){0,2}?(?:plans|tips|advice|suggestions|disclaimers|warnings|emojis?|reminders"
    r"|jokes|lectures|apologies|compliments|pep talks|summaries|links|tables|bullet points|exclamation marks|puns)"
    r"(?: please| thanks?| thank you)?[.!]*$"
    r"|\b(?:stop|quit|enough) with (?:the|your|all|those|these) (?:(?!(?:that|which|and|or|if|when|until|to|for|in"
    r"|on)\b)"
    r"[\w'-]+ ){0,6}?[\w'-]+(?: (?:now|please|already))*"
    r"(?=(?:(?:,| [-–—]) (?:it's|its|that's|thats|i've had) enough\b.*)?[.!]*$)"
)
"""Orders about everything the assistant writes, which need no word like "always"."""
_HAND = re.compile(
    r"\b(?:these|this (?!project|repo|codebase)|here\b(?! on)|today(?! on)|tonight|for now|right now|just now|this once"
    r"|the (?:next|following|first|second|last) (?!name)|below|above)\b"
)
"""References to the current text or moment."""
_LEAD = re.compile(
    r"(?:from (?:now|here|today|this point)(?: on(?:wards?)?)?(?: out)?|going forwards?|moving forward|henceforth"
    r"|in (?:the )?future|for future reference|by default|as a (?:standing )?rule|in general|at all times"
    r"|under (?:no|any) circumstances|starting (?:now|today)|for good)[,:]? "
)
_ASIDE = frozenset(
    "if when whenever once every each any anytime unless in for by as on with at until after before while given"
    " since because considering to".split()
)
"""Words that begin a phrase before the order itself."""
_ORDER_AFTER = re.compile(
    r"(?:,| [-–—]|:) (?:then )?(?=\S)| (?=(?:always|never|just|please|only|don't|do not|(?:answer|reply|write|use) )\b)"
    r"|(?<! i)(?<! we)(?<!you)(?<!hey)(?<! to)(?<! me)(?<!can)(?<!'t)"
    r" (?=(?:make|give|keep|put|add|show|sign|convert) (?:them|it|me|us|everything|my)\b)"
)
_OWN_HABIT = re.compile(r".*\b(?:i|we)(?: (?:always|never|just|only|don't|do not|also))* ")
"""Text before a verb whose subject is the person: "when I drive I never ..."."""
_WISHED = re.compile(r"(?:(?:always|never|just|only|don't|do not) )*(?:want|need|like|love|prefer|expect|hate)\b")
_ASKING = re.compile(
    r"(?:what|what's|why|how|where|who|whose|which|(?:do|does|did|is|are|am|was|were|has|have|had|should|shall|may"
    r"|might"
    r"|can|could|will|would|must) (?!you\b|not\b))"
    r"|(?:do|does|did|are|were|have) you\b|would you (?:always|ever|never)\b"
)
_UNMARKED = re.compile(
    r"(?:what|how|where|who|when|why|which)(?: \w+){0,2}? (?:should|can|could|shall|do|does|did|would|will|is|are|am)"
    r" (?:i|we|you|it|they|he|she)\b"
    r"|(?:why|how|where|when|who) (?:does|do|did|is|are|was|were|has|have|isn't|aren't|doesn't|don't) (?!not\b)\S+ \S"
    r"|how come \S|whats \S"
    r"|what(?:'s| (?:is|are|was|were)) (?:the|an?|some|any|my|our|your|his|her|their|there|good|nice|common|typical)\b"
    r"(?!.*\b(?:is|are|was|were) (?:that|to|the|an?|not|how|what|why)\b)"
)
_HOW = re.compile(
    r"\b(?:how (?:to|do|does|can|could|should|i|it|we)|why (?:i|do|is|it|we|the)|(?:what|where) (?:to|do|is))\b"
)
_ALL = re.compile(
    r"\b(?:all|every|each|any) (?:of )?(?:my|your|our|the)\b"
    r"|\bthat's (?:how|what|the way) i (?:like|want|prefer|need)\b"
)
_TO_YOU = re.compile(
    r"(?:you|i expect you|i trust you) (?:should|must|may|can|need to|have to|ought to|are to|shall|will|never|always"
    r"|don't|do not|needn't|shouldn't|can't|cannot|mustn't)\b"
)
_WISH = re.compile(
    r"i(?:'d| would|'ll| will)?(?: really| also| much| just| strongly)*(?: always| never)?"
    r" (?:want|like|need|love|prefer|expect|appreciate|rather|insist)(?: it)?(?: if| that| when)? (?:you|your)\b"
    r"|i(?:'d| would) (?:prefer|like|appreciate) (?:that you|it if you)\b"
    r"|it (?:would|'d) (?:be (?:great|nice|good|best|better)|help)(?: me)? if you\b"
)
_WISH_FOR = re.compile(
    r"i(?:'d| would|'ll)?(?: really| always| only| just)? (?:want|like|need|prefer|rather have|expect) (?!to\b)"
)
"""A wish about answers, checked if a pattern found an order."""
_OF_ANSWERS = re.compile(
    rf"(?:every|each|all)(?: of)?(?: your| the)? (?:[\w-]+ )?{_SPOKEN_OF} (?:to me |you (?:write|send|give me) )?"
    r"(?:must|should|shall|has to|have to|needs? to|gets?|ends?|starts?|begins?)\b"
)
_OWN_ACT = re.compile(
    r"(?:if|when) [^,]+, (?:without [^,]+, )?(?:then )?"
    r"(?:i|we)(?:'(?:ll|d|m|re|ve))?(?! (?:(?:will|would|can|do|don't|really|also|always|never|just|much|only"
    r"|usually|still|generally|normally|typically|mostly|mainly|often|actually|strongly|simply) )*"
    r"(?:want|need|like|love|prefer|expect|insist|mean|appreciate|hate|trust|rather|should|must)\b) "
)
"""A condition followed by an action of the person, not by a wish."""
_FRAGMENT = re.compile(
    r"of (?:this|that|these|those|it|them)\b(?!.*(?:,|\b(?:always|never)\b))"
    r"|(?:after|before|with|since|because|until|than|under|during|at"
    r"|from) (?!.*(?:,|\b(?:you|your|please|always|never"
    r"|don't|not|no|only|use|write|answer|reply|call|keep|give|make|add|put|show|avoid|stop|prefer|want|like|need|every"
    r"|any|all|each|instead|unless|must|should|now|on)\b))"
    r"|(?:19|20)\d\d [\w-]+[.!]*$|(?:i )?need (?:them|it|this|these|those)\b"
)
"""A fragment or momentary need: "after everything I said", "2016 petrol", "need them free"."""
_FOR_OTHERS = re.compile(
    r"\b(?:in|for|with) (?:all|any|every) (?:of )?(?:the )?(?:others?|other (?:ones?|chats?|conversations?))\b"
)
"""References to other chats besides this one."""
_LABEL = re.compile(
    rf"(?:(?:all |any )?(?:your )?{_SPOKEN_OF} (?:to|for) me|(?:all )?your {_SPOKEN_OF}"
    rf"|(?:[\w-]+ ){{0,3}}rules? (?:for|in) (?:all|every|any|your)(?: (?:my|your|our|the))? {_SPOKEN_OF}): ?(?=\S)"
)
"""The label of an order: "answers to me: …"."""
_STATED_FIRST = re.compile(
    r"(?:,|;|:| [-–—]) (?:(?:so|and|please|just) )*(?P<order>(?:(?:from now on|in future),? )?(?:always"
    r"|never(?: ever)?|don't ever|do not ever)"
    r" (?:(?:give|show|tell|send|offer|ask|remind|address|quote|bother) (?:me|us|any)\b(?! (?:of|from)\b)|suggest"
    r"|recommend|propose"
    r"|(?:put|use|write|include|add|mention|reveal|expose|translate|convert|answer|reply|respond|assume|quote|cite"
    r"|commit"
    r"|push|log|hard-?code|print|format|default|call (?:me|it|them))(?= [\w'-]+\b)(?! (?:my|mine|myself)\b)).*)"
)
"""An order after a statement that is its reason: "I work in metric, never give me pounds"."""
_OF_OTHERS = re.compile(
    r"\b(?:says?|said|tells?|told|asks?|asked|motto|rule (?:is|was)|taught|saying|goes|shouted|wrote|written|heard|read"
    r"|advice|quote|sign|label|slogan)\b|^(?:he|she|they)\b|^my (?:\w+ )?(?:boss|mum|mom|mother|dad|father|wife|husband"
    r"|partner|teacher|coach|doctor)\b"
)
"""Words of a statement after which an order is somebody else's."""
_ELLIPSIS = re.compile(
    r"(?:i|i've|i'm|we|we're|we've)\b.*(?:,|;|:| [-–—]) (?:(?:always|never)(?: ever)?) (?:use|write|add|put|push"
    r"|commit|log|print|answer|reply"
    r"|respond|assume|mention|call|quote|cite|read|suggest|recommend|include)\b"
)
"""A habit whose subject is said once: "I'm a purist, never use a mouse"."""
_ABOUT_THINGS = re.compile(r"(?:my|our|the|it|it's|this|these|those)\b")
_WRITTEN = re.compile(
    r"\b(?:real|tests?|docs?|code|names?|files?|examples?|commits?|emails?|texts?|letters?|prices?|units?|logs?"
    r"|comments?"
    r"|branch\w*|types?|typed|sql|main|prod\w*|data|formats?|dates?|words?|sentences?|terms?|english|euros?|figures?"
    r"|numbers?|tables?|secrets?|keys?|metric|suggest\w*|recommend\w*|propose)\b"
)
"""Words of an order about what the assistant writes, unlike "the oven runs hot, always use foil"."""
_WITH_ME = re.compile(
    r"\b(?:(?:to|for|with) (?:me|us)|me|please|pls|your"
    r"|(?:answers?|repl(?:y|ies))(?! (?:(?:the|an?|any|to|unknown|private|work|strange) )*(?:[\w-]+ )?(?:phones?|calls?"
    r"|callers?|doors?|doorbells?|bells?|intercom|mobile|landline|numbers?|knocks?|late|days later)\b))\b"
)
"""Words of an order about what the assistant says to the person, who may answer the phone or the door."""
_EVERYTHING = re.compile(
    r"(?:please )?(?:answer|reply to|respond to|write|say|explain|give me|tell me) everything"
    r" (?:back )?(?:in|with|without|as|like)\b(?!.*\b(?:this|these|that|above|below)\b)"
)
"""An order about all answers, which needs no other word: "answer everything in English"."""
_UNWANTED = re.compile(
    r"i (?:(?:do not|don't|dont) (?:ever )?|never (?:ever )?)want (?:to (?:see|read|get|hear) )?"
    r"(?:(?:an?|any|more|your) )*(?:emojis?|emoticons?|smileys?|bullets?|bullet[- ]points?|bulleted|lists|disclaimers?"
    r"|exclamation|headings?|headers|tables|summar(?:y|ies)|small ?talk|jargon|apolog(?:y|ies)|flattery|praise"
    r"|filler|hashtags?|markdown|bold|sign-offs?|em[- ]dash(?:es)?|greetings?)\b"
)
"""A wish to leave something out of answers."""
_SAYING = re.compile(r"never (?:say never|mind)\b|call me (?:crazy|old-fashioned|naive|mad|stupid|silly|paranoid)\b")
_ABOUT_THAT = re.compile(
    r"(?:(?:and|so|please|just|never|always|do not|don'?t|stop|quit|keep),? ){0,3}"
    r"(?:(?:do|doing|use|using|say|saying|write|skip|drop|avoid) )?(?:that|this|it|them)\b"
    r"(?= (?:again|ever|for good|for ever|always|please|from|every)\b|[,.!;]|$)"
)
_OF_IT = re.compile(
    r"\b(?:for|in|of|on|about|into|inside|from) (?:it|them|that one|this one)\b"
    r"(?= (?:again|ever|any ?more|now|from now|from here|please|pls|always|too|either|anyway|any longer)\b"
    r"|\s?[,.!;]|\s*$)"
)
"""The thing that an order is for, at its end."""
_NAMES_IT = re.compile(
    r"\b(?:when\w*|if|unless|every|each|any(?:thing)?|after|before|once|while|until|as soon|where\w*|whatever)\b"
    r"|[,:;]| - |\b(?:and|but|or|so|then)\b"
)
"""Words before "it" in whose clause the thing is named: "when I send code, look for errors in it"."""
_ONE_THING = re.compile(
    r"\b(?:in|for|on|with|of) (?:this|that|these|those) (?!(?:new )?(?:projects?|repos?|repositor(?:y|ies)|codebase"
    r"|chats?|conversations?|session|thread|case|way|regard|account|app|topic|kind|sort|reason|point|day|respect|matter"
    r"|house(?:hold)?|home|family|team|office|company|country|world|year|machine|computer|laptop|phone|language)\b)\w"
)
_FULL_NAME = re.compile(
    r"(?:(?:ok|so|just|now|you can|well),? )*call me (?!(?:mr|mrs|ms|miss|mx|dr|doctor|prof\w*|captain|coach|chef"
    r"|sir|madam|lady|lord|uncle"
    r"|aunt\w*|by|on|at|when|if|in|only|simply|just|either|or|plain|instead)\b)[\w'-]+ (?!please|instead|now|always"
    r"|or|and|not|from)[\w'-]+[.!]*"
)
"""Mostly a joke ("call me Sherlock Holmes"): to be addressed by both names is rarely wanted."""
_NO_VERB = re.compile(r"(?:ing|ed|[^su]s)$")
_TASK = re.compile(
    r"(?:please )?(?:write|draft|compose|create|make|build|generate|design|tell) (?:me |us )?(?:an?|the|this) "
)
_ADVICE = re.compile(r"you (?:should|must|have to|need to|can) (?:always|never)\b(?!.*\b(?:you|your|me|my|i|us|our)\b)")
_NO = re.compile(r"no (?:more )?(?!longer|problem|worries|idea|need|way|one|doubt|wonder|matter|rush)[\w-]+")
_REQUEST = re.compile(
    r"\b(?:remember|rmbr?|remeber|memori[sz]e|remind yourself|mind(?! the)|forget|note|store"
    r"|save(?! (?:me|us|some|time|money|space)\b)"
    r"|keep(?! (?:it|this|that|them|things|the \w+|your \w+|everything)"
    r" (?!in (?:mind|memory)|safe|somewhere|on file|for|noted|stored|saved|handy|with you|there)\w)"
    r"|retain|register(?! my)|(?:record|log)(?! (?:my|the|a|today's) )|file|pin|jot|hold on to|hang on to"
    r"|your (?:memory|notes)|add(?! (?:an?|the|some|one|two|more) )|put(?! (?:together|the|an?|everything|all) )"
    r"|write(?! (?:(?:me|us|an?|the|some|everything) |(?:it|this|that) (?:in|as|for|like|so)\b(?! (?:your|my)\b)))"
    r"|update (?:your|what)|make (?:a )?note|take (?:a )?note)\b"
)
_NO_REQUEST = re.compile(
    r"(?:fyi|heads up|psa|reminder|a reminder|(?:just )?so (?:that )?(?:you|it)|for (?:the|your|future|later|next)"
    r"|in case|if |you (?:have|need|must|should|ought|might|may)\b|it's |it is |that's |something|one |a thing|here's"
    r"|i(?!(?: want| need|'d like| would like) you to)\b|let it|given|since|because)"
)
_REQUIRES = re.compile(
    r"\b(?:what|how|where|when|if) (?:happens?|do|does|can|could|should) (?:i|we)\b|\bi'd like to know\b"
)


def is_standing_order(text: str, asked: bool, by_score: bool) -> bool:
    """Return True for an order or clear wish to the assistant with a word such as "always" or "from now on".

    Questions, conditions about the person's own actions, and habits of the person do not count. `asked` means that a
    question mark follows the text, `by_score` that no order pattern matched it.
    """
    low = _bare(text)
    others = _FOR_OTHERS.search(low) is not None
    unwanted = _UNWANTED.match(low) is not None and any(one.search(low) for one in (_WORD, _MANNER))
    if (unwanted or _LABEL.match(low) or _EVERYTHING.match(low)) and not (asked or _HAND.search(low)):
        return True
    after = None if asked else _STATED_FIRST.search(low)
    if after and (_WITH_ME.search(after["order"]) or not _ELLIPSIS.match(low)):
        before, order = low[: after.start()], after["order"]
        household = _ABOUT_THINGS.match(low) and not (_WITH_ME.search(order) or _WRITTEN.search(order))
        if not (
            household or _OF_OTHERS.search(before) or _HAND.search(low) or _ASKING.match(low) or is_for_one_thing(low)
        ):
            return True
    if by_score and not (has_lasting_word(text) or others):
        return False
    if not (others or _WORD.search(low) or (_MANNER.search(low) and not _HAND.search(low))):
        return False
    if (
        any(one.match(low) for one in (_SAYING, _ADVICE))
        or _FULL_NAME.fullmatch(low)
        or (is_for_one_thing(low) and not others)
        or _ASKING.match(low)
        or _HOW.search(low)
        or _REQUIRES.search(low)
    ):
        return False
    if asked and not re.match(r"(?:can|could|would|will) you\b", low):
        return False
    main = _main(low)
    if _TASK.match(main):
        return False
    if any(one.match(main) for one in (_TO_YOU, _WISH, _OF_ANSWERS, _NO)) or (not by_score and _WISH_FOR.match(main)):
        return True
    return _begins_with_verb(main)


def begins_as_order(text: str) -> bool:
    """Return True if the main clause of a lower-case text begins like an order: "use tabs", "no emojis"."""
    main = _main(_bare(text))
    return _NO.match(main) is not None or _begins_with_verb(main)


def says_for_good(text: str) -> bool:
    """Return True if an order or wish has words that it applies beyond the current text."""
    low = lower(text).replace("’", "'")
    return _WORD.search(low) is not None or _ALL.search(low) is not None or has_lasting_word(text)


def is_for_one_thing(text: str) -> bool:
    """Return True if an order names the one text or thing that it is for: "in this book never use the word very"."""
    return _ONE_THING.search(lower(text).replace("’", "'")) is not None


def is_about_that(low: str) -> bool:
    """Return True if only another sentence tells what a lower-case order is about: "quit that", "no rust for it"."""
    if _ABOUT_THAT.match(low) is not None:
        return True
    found = _OF_IT.search(low)
    return found is not None and _NAMES_IT.search(low[: found.start()]) is None


def is_passing_task(text: str) -> bool:
    """Return True if a sentence gives a task without a word such as "always"."""
    low = lower(text).replace("’", "'")
    return is_task(low, 0, len(low)) and not (_WORD.search(low) or has_lasting_word(text))


def is_own_act(text: str) -> bool:
    """Return True if a text states an action of the person on a condition: "if I get stuck, I'll ask"."""
    return _OWN_ACT.match(_bare(text)) is not None


def is_fragment(low: str) -> bool:
    """Return True if a lower-case sentence of a chat cannot be an order by its form, whatever its score."""
    return _FRAGMENT.match(_bare(low)) is not None


def is_question(text: str) -> bool:
    """Return True if the main clause of a lower-case text asks a question."""
    low = _bare(text)
    return any(_ASKING.match(part) for part in (low, _main(low)))


def asks_unmarked(low: str) -> bool:
    """Return True for a question without its mark, also after a colon: `for monday: what time should I leave`."""
    return _UNMARKED.match(_bare(low.rpartition(": ")[2])) is not None


def asks_to_remember(before: str, after: str, said: str, asked: bool) -> bool:
    """Return True if a request asks the assistant to remember a statement.

    `before` and `after` are the words around the statement `said`. "FYI" and "so you know" are not requests.
    """
    before, after, low = map(_bare, (before, after, said))
    if asked and not re.match(r"(?:\w+,? ){0,3}?(?:can|could|would|will) you\b", before):
        return False
    requests = (part for part in (before, after) if _REQUEST.search(part) and not _NO_REQUEST.match(part))
    return any(requests) and not (_ASKING.match(low) or _REQUIRES.search(low))


def _begins_with_verb(main: str) -> bool:
    """Return True if a clause begins with what may be a verb, after polite phrases."""
    tokens = _TOKEN.findall(main.replace("do not ", "don't "))
    _, at, _ = marks().begin(tokens)
    verb = tokens[at] if at < len(tokens) else ""
    return verb[:1].isalpha() and verb not in marks().closed | _ASIDE and _NO_VERB.search(verb) is None


def _bare(text: str) -> str:
    """Return a text in lower case, with straight apostrophes and without its openers: "well, ok, so"."""
    low = lower(text).replace("’", "'").strip()
    words = list(_TOKEN.finditer(low))
    first = next((word for word in words if word[0] not in marks().openers or word[0] == "no"), None)
    return low[first.start() :] if first else low


def _main(low: str) -> str:
    """Return the main clause, without the conditions and adverbs before it."""
    for _ in range(3):
        if lead := _LEAD.match(low):
            low = _bare(low[lead.end() :])
        elif low.split(" ", 1)[0] in _ASIDE and (after := _order_after(low)):
            low = _bare(low[after:])
        else:
            break
    return low


def _order_after(low: str) -> int | None:
    """Return the start of the order after the condition that begins a text, or None."""
    starts = (found.end() for found in _ORDER_AFTER.finditer(low))
    return next((at for at in starts if _WISHED.match(low, at) or not _OWN_HABIT.fullmatch(low, 0, at)), None)
