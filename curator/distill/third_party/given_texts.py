"""Texts that the person gives the assistant to work on: "translate this: ...", "summarise this email: Hi Jo, ..."."""

import re

from curator.distill.language import english, is_english
from curator.distill.other_languages import LATIN, is_likelier_other, language_of, languages_in
from curator.distill.third_party.own_letters import FOR_NAMED

_THIS = (
    r"(?:this|that|it|these|those|the(?: following| above)?|an?|my|our|his|her|their|your|some|one|from|into|to|in|for)"
)
_WORK = (
    r"(?:translat(?:e|ion)|tl;?dr|proof-?read|spell-?check|summari[sz]e|paraphrase|rephrase|reword|rewrite|shorten"
    r"|polish"
    r"|correct(?! me\b)|edit|transcribe)"
)
_READ = r"(?:explain|check|read|improve|review|analy[sz]e|fix|sort|classify|reply to|respond to|answer|interpret)"
_ASK = (
    r"(?:what(?:'s| is| does| do| did| would)|how (?:do|should|would|can|could) (?:i|you|we)|(?:how|what) to"
    r"|why (?:does|did)|is (?:this|that|it)|who wrote|which language)"
)
_LETTER = (
    r"(?:(?:e-?)?mails?|letters?|messages?|texts?|notes?|repl(?:y|ies)|answers?|reviews?|posts?|comments?|sentences?"
    r"|phrases?"
    r"|paragraphs?|quotes?|lines?|poems?|songs?|lyrics|adverts?|ads?|articles?|requests?|feedback|questions?)"
)
_SAID = r"(?:wrote|writes|said|says|sent|asked|asks|replied|texted|posted|messaged|e-?mailed|commented|left)"
_SPEAKER = r"(?!(?:i|we|you|please|always|never|remember|note|and|but|so)\b)"
_LEAD = re.compile(
    r"(?:(?:please|pls|hi|hey|hello|ok|okay|so|and|now|also|then|next|(?:can|could|would|will) (?:you|we)(?: please)?"
    r"|help me(?: to)?|i (?:need|want) (?:you )?to|i'd like you to|i need an?|quick)[, ]+)*"
    rf"(?:{_WORK}\b[^:.?!\n]{{0,80}}?|(?!(?:answer|explain) in\b){_READ} {_THIS}\b[^:.?!\n]{{0,80}}?"
    rf"|{_ASK} [^:.?!\n]{{0,80}}?"
    rf"|(?:this|the|an?|my|our|another)? ?(?:[\w'-]+ ){{0,3}}?{_LETTER} (?:from|of|by) [^:.?!\n]{{1,60}}?"
    rf"|{_SPEAKER}(?:[\w'-]+ ){{1,4}}?{_SAID}(?: (?:me|us|back|this|the following|in \w+|today|yesterday))*)"
    r"(?:\s?:\s*|\s(?=[\"“”„«'‘(](?=\w)))"
)
"""The words before a text that the person did not write, or gives to be worked on, up to a colon or quotation mark."""
_ANNOUNCES = re.compile(
    r"(?:(?:please|pls|hi|hey|hello|ok|okay|so|and|(?:can|could|would|will) you(?: please)?)[, ]+)*"
    rf"(?:{_WORK}|(?:reply|respond) to|answer|explain) (?:this|the following)\b[^:.?!\n]{{0,40}}[?.:!]*"
    r"|what does (?:this|the following)(?: \w+)? (?:mean|say)[?:]*"
)
"""A sentence that only announces the text after it."""
_READS = re.compile(
    r"\b(?:summari[sz]e|summary|tl;?dr|translat(?:e|ion)|reply to|respond to|answer|explain|interpret|classify"
    r"|analy[sz]e"
    r"|transcribe|what (?:does|did|do)|who wrote|which language|is (?:this|that))\b"
)
"""Work on a text that is rarely the person's own, unlike "proofread"."""
_NAMED = re.compile(
    rf"\b(?:this|that|these|those|the|an?|another|following|above)\b(?: [\w'-]+){{0,2}}? {_LETTER}\b"
    rf"|\b{_LETTER} (?:from|of|by)\b"
)
_UNNAMED = re.compile(r"\b(?:this|that|it|the following|the above)\b|\b(?:summari[sz]e|tl;?dr)\s?:")
_OWN = re.compile(
    rf"\b(?:my|our|mine)(?: own)? (?:[\w-]+ ){{0,2}}?(?:{_LETTER}|draft|history|notes?|day|week|life|situation|case"
    r"|symptoms?|story|background|profile|cv|r[ée]sum[ée]|condition|health|diet)\b(?!'s| from)"
    r"|\bfor (?:my|our|the|an?) (?:doctor|gp|dentist|vet|school|teacher|boss|landlord|[\w-]+ist|nurse|hospital"
    r"|clinic|restaurant|waiter|waitress|chef|kitchen|hotel|hostel|airline|pharmacy)\b"
    r"|\b(?:this|the|another)(?: [\w-]+)? questions?\b(?! (?:from|of|by)\b)"
    r"|\b(?:from|of|by) (?:me|us|myself)\b|\b(?:i|we)(?:'ve| have)? (?:wrote|written|typed|drafted|sent)\b"
)
"""Words that say that a text is the person's."""
_GREETS = re.compile(
    r"[\"“‘'(*]*(?:(?:hi|hello|hey|hiya|dear|good (?:morning|afternoon|evening|day)|greetings)\b"
    r" (?!(?:chatgpt|claude|gemini|gpt|copilot|assistant|ai)\b)[^.!?,:;\n]{1,40}?\s?[,.!:;–-]|to whom it may concern\b)"
)
_NAME = r"(?!(?:i|we|you|my|our|the)\b)(?:[^\W\d_]\. ){0,2}[^\W\d_][\w'’-]*(?: [^\W\d_](?:\.|[\w'’-]*)){0,2}"
_SIGNED = re.compile(
    r"(?:[.!?,)]|\n)\s{0,9}(?:(?:all the|with)? ?(?:best|kind(?:est)?|warm(?:est)?|friendly) ?(?:regards|wishes)?"
    r"|regards|yours(?: (?:sincerely|faithfully|truly))?|sincerely|(?P<thanks>many thanks|thanks|thank you|cheers)|love"
    r"|take care"
    rf"|x{{1,9}})\s?(?P<comma>,)?[!.–-]*\s{{1,9}}(?P<name>{_NAME})"
    r"(?:(?(comma)(?<=\w)[.!](?= \w)|(?!))|[.!\"”'’) ]*(?=\n|$))"
)
"""The end of a letter with the name of its author."""
_MENDS = r"(?:proof-?read|spell-?check|correct|check|fix|edit|improve|polish|review|look (?:over|at|through)|go over)"
_WORKS_ON = re.compile(
    rf"\b(?:{_WORK}|{_READ}|{_MENDS}|help (?:me )?with)\b[^.?!:\n]{{0,60}}?"
    rf"\b(?:this|that|it|these|those|{_LETTER})\b"
)
_MENDS_FOR = re.compile(rf"\b{_MENDS}\b(?: \w+){{1,4}}? for ")
_BY_NAME = re.compile(r"(?<!\bto )(?<!\bas )(?<!\bi'm )(?<!\bi am )(?<!\bis )(?<!\bit )\b([^\W\d_]{2,})\b")
"""A word that may name the author of a text, unlike "to callum" and "I'm callum"."""
_BEGINS = re.compile(r"[^\w\n]*(?:i|i'm|i've|i'd|im|ive|my|we|we're|we've|our)\b")
_COLON = re.compile(r":\s")
_SPEAKS = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|im|my|we|we're|we've|our)\b")
_PARAGRAPH = re.compile(r"\S.*?(?=\n[ \t]*\n|\Z)", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+")
_MARK = re.compile(r":|\s[\"“”„«'‘(]")


def end_of_given(low: str, plain: str, start: int, end: int, text: str = "") -> int | None:
    """Return the end of a text that the sentence `low[start:end]` gives or announces, or None.

    The text is a letter, or in another language than the request, as far as that can be told. If it begins in the line
    of the sentence, it is the rest of it; else the next paragraphs, up to one in English. `plain` is `low` without
    accents, `text` in its original case; without it, texts for somebody named are not recognised.
    """
    if text and (ending := end_of_anothers(low, text, start, end)) is not None:
        return ending
    line = low.find("\n", start)
    line = max(len(low) if line < 0 else line, end)
    marked = _MARK.search(low, start, end) is not None
    first = _WORD.match(low, start, end) if marked else None
    may_be_other = first is not None and first[0] not in english().stopwords | english().common
    if may_be_other and any(language_of(code).cues["performed"].match(plain, start, end) for code in LATIN):
        return line if low[end - 1] != ":" else len(low)
    lead = _LEAD.match(low, start, end) if marked else None
    if lead is None and not _ANNOUNCES.fullmatch(low, start, end):
        return None
    body = lead.end() if lead else end
    if (letter := end_of_letter(low, start, body)) is not None:
        return letter
    if low[body:line].strip(" \"'“”„«»‘’("):
        return line if _is_other(low[body:line], plain[body:line]) else None
    last: int | None = None
    for found in _PARAGRAPH.finditer(low, line):
        if not _is_other(found[0], plain[slice(*found.span())]):
            break
        last = found.end()
    return last


def end_of_letter(low: str, start: int, body: int) -> int | None:
    """Return the end of a letter of somebody else that begins at `body`, after the request from `start`, or None.

    It ends with the name of its author, or else with its line.
    """
    request = low[start:body]
    named = _NAMED.search(request) is not None
    if not _READS.search(request) or _OWN.search(request) or not (named or _UNNAMED.search(request)):
        return None
    body += len(low[body:]) - len(low[body:].lstrip())
    same_line = "\n" not in low[start:body]
    greets = _GREETS.match(low, body) is not None
    signed = next((one for one in _SIGNED.finditer(low, body) if greets or not one["thanks"]), None)
    line = low.find("\n", body)
    line = line if line >= 0 else len(low)
    if signed and (greets or signed.end() <= line):
        return signed.end()
    if greets or (named and same_line and _SPEAKS.search(low, body, line)):
        return line
    return None


def end_of_anothers(low: str, text: str, start: int, end: int) -> int | None:
    """Return the end of a text to work on that is for somebody named in the sentence `low[start:end]`, or None.

    That is a text signed with the name, or an unsigned one in the first person: "proofread this for Anna: I am deaf".
    A letter to the one named is the person's. `text` is `low` in its original case.
    """
    colon = _COLON.search(low, start, end)
    body = colon.end() if colon else end
    request = low[start:body]
    if _OWN.search(request) or not _WORKS_ON.search(request):
        return None
    body += len(low[body:]) - len(low[body:].lstrip())
    greeting = _GREETS.match(low, body)
    signed = next((one for one in _SIGNED.finditer(low, body) if greeting or not one["thanks"]), None)
    if signed:
        author = signed["name"].split()[0]
        words = {*_BY_NAME.findall(request)} - english().stopwords
        return signed.end() if author in words else None
    named = FOR_NAMED.search(text, start, body)
    if named is None or not _MENDS_FOR.search(request) or not (greeting or _BEGINS.match(low, body)):
        return None
    if greeting and named["name"].lower() in greeting[0]:
        return None
    ending = len(low) if greeting and "\n" in low[start:body] else low.find("\n", body)
    return ending if ending >= 0 else len(low)


def _is_other(low: str, plain: str) -> bool:
    """Return True if a text is in another language than English; a text of a few words may not tell."""
    return not is_english(low) or (bool(languages_in(plain)) and is_likelier_other(plain))
