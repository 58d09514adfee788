"""Messages of other people quoted in running text: "my sister wrote: hi, we have sold the house"."""

import re

from curator.distill.language import english

_LETTER = r"(?:messages?|texts?|e-?mails?|mail|letter|note|reply|answer|dm|post|voicemail|comment|sms|whatsapp)"
_WORD = r"(?!(?:i|i've|i'd|we|we've|you|you've|always|never|remember|that|which|if|when|because)\b)[\w'’-]+"
_WHO = (
    r"(?!(?:me|myself|us|it|this|what|who|nobody|everyone|everybody|people|and|but|now|then|here|there|today|tomorrow"
    r"|next|mon|tues|wednes|thurs|fri|satur|sun|january|february|march|april|may|june|july|august|september|october|november"
    r"|december)(?:day)?\b)"
    rf"(?:my |our |the |his |her |their )?{_WORD}(?: {_WORD}){{0,3}}?"
)
_BESIDES = (
    r"(?: (?:me|us|him|her|them|back|to (?:me|us)|this|the following|here|just|today|yesterday|now|again|last (?:night"
    r"|week)|this (?:morning|afternoon|evening)|(?:on|via|by) (?:whatsapp|e-?mail|text|facebook|signal)))*"
)
_MARK = r"\s?(?::|->|=>|→|--|–|—| - )\s{1,2}"
_GREETING = (
    r"[\"“‘'(*]?(?:(?:hi|hey|hello|hiya|dear|good (?:morning|evening|afternoon|day)|morning)\b[^.!?\n]{0,30}?[,!.:;–-]"
    r"|(?:team|all|folks|guys|everyone|both|darling|sweetheart|honey|love|dear|sis|bro|mate|boss|mum|mom|dad)[,!])"
)
_VOICE = (
    rf"(?:{_GREETING}|[\"“‘'(*]?(?:i|i'm|i've|i'll|i'd|im|we|we're|we've|my|our|sorry|thanks|thank you|hope|no thanks"
    rf"|your"
    r"|you|please|can you|could you|just|unfortunately|sad|good news|bad news|hi|hey|hello|dear)\b)"
)
_WROTE = rf"(?:wrote|writes|texted|texts|e-?mailed|messaged|sent|replied|posted|answered|put){_BESIDES}"
_SAID_HERE = r"(?:says|said)(?: (?:to )?(?:me|us))? (?:this|the following)"
_OPENER = (
    r"(?:(?:ok|so|and|but|anyway|right|well|look|see|also|hi|hey|hmm|forwarding|fyi|just now|today|yesterday)[, ]+)*"
)
_LEADS = re.compile(
    rf"{_OPENER}(?:(?:this is |here(?:'s| is) |that's |look )?what {_WHO} (?:just )?(?:{_WROTE}|said|says)"
    rf"|(?:{_WHO}) (?:(?:just|then|also|has|now|finally) )*(?:{_WROTE}|{_SAID_HERE})"
    rf"|(?:this is |here(?:'s| is|,)? |got |i got |i received |received )?(?:an?other |an? |the |this |his "
    rf"|her )?(?:\w+ )?{_LETTER}"
    rf" (?:i got |i received |that came )?(?:from|of) {_WHO}{_BESIDES}"
    rf"|{_WHO}(?:'s|s') {_LETTER}(?: (?:is|was|says|said|reads|goes))?|(?:i )?(?:just )?got this from {_WHO}{_BESIDES}"
    rf"|from (?:my|our) {_WHO}|(?:it|(?:the |her |his |their ){_LETTER}) (?:says|reads|goes)"
    rf"|(?:how|what) (?:should|would|do|can|could) (?:i|you) (?:answer|reply|respond|say)(?: to)? (?:this|that|the|her"
    rf"|his)"
    rf"(?: {_LETTER})?){_MARK}(?={_VOICE})"
)
"""Words before a message that begins in the same sentence."""
_ARROW = re.compile(
    rf"{_OPENER}(?:this is |here(?:'s| is) |that's |look )?what {_WHO} (?:just )?(?:{_WROTE}|said|says)\s?(?:->|=>|→"
    rf"|:)\s"
)
"""The same, but explicit enough for the message to begin with any words."""
_ANNOUNCES = re.compile(
    rf"{_OPENER}(?:(?:look |this is |here(?:'s| is) )?what {_WHO} (?:just )?{_WROTE}"
    rf"|{_WHO} (?:(?:just|then|also|has|now) )*(?:(?:wrote|texted|e-?mailed|messaged|sent|replied|posted)(?: (?:me|us"
    rf"|back))*"
    rf" (?:this|the following){_BESIDES})|(?:i )?(?:just )?(?:got|received) (?:this"
    rf"|the following)(?: {_LETTER})? (?:from|off) {_WHO}"
    rf"{_BESIDES}|(?:this is |here(?:'s| is) |i got |got )?(?:an? |the |this )?{_LETTER} from {_WHO}{_BESIDES}"
    rf"|(?:how|what) (?:should|would|do|can|could) (?:i|you) (?:answer|reply|respond|say)(?: back)?(?: to)? (?:this"
    rf"|that|her|him|them)"
    rf"(?: {_LETTER})?)"
)
"""A sentence that announces a message after it."""
_ASIDE = re.compile(
    r"[\s,;(–-]*(?:what do you think|what do you make of (?:it|this)|(?:any )?thoughts|opinions?|ideas?|(?:what"
    r"|how) (?:do|should|would"
    r"|can|could) (?:i|you) [^.?!:\n]{1,40}|is (?:this|that) [^.?!:\n]{1,30}|help(?: me)?(?: (?:reply"
    r"|answer))?(?: please)?)?[\s.?!:)]*"
)
_GREETS = re.compile(_GREETING)
_FOLLOWING = re.compile(r"\b(?:sent|wrote|texted|messaged|e-?mailed|posted)(?: (?:me|us))? the following$")
_ASKS = re.compile(r"what do (?:you think|i)|thoughts|how (?:do|should|would) (?:i|you)|what should i|opinion|help")
_OWN_AGAIN = re.compile(
    r"(?:please|pls|(?:can|could|would|will) you|what (?:do|should|would|can) (?:i|you)|how (?:do|should|would"
    r"|can) (?:i|you)|should i"
    r"|help me|any (?:ideas|thoughts)|thoughts|draft|reply|write (?:a|me|back)|is (?:this|that)|do you think|translate"
    r"|summari[sz]e|thanks in advance|that's (?:it|all)|end of (?:the )?(?:mail|message|e-?mail|letter))\b"
)
"""The start of a line after the message in which the person speaks again."""


_PIECE = (
    rf"(?:{_LETTER}|reviews?|articles?|statements?|stor(?:y|ies)|adverts?|ads?|poems?|lyrics|speech|instructions"
    r"|announcements?|notices?|testimonials?|recipes?|offers?|text messages?)"
)
_SOMEBODY = (
    r"(?!my (?:own|blog|site|website|notebooks?|notes|phone|laptop|app|head|memory|channel|drafts?|diary|journal|cv"
    rf"|profile|side)\b){_WHO}"
)
_PASSES_ON = (
    r"(?:(?:just|always|now|has|had|already) )*(?:sends?|sent|writes?|wrote|written|gave|gives|given|shared?|shares"
    r"|forwarded|forwards|posted|posts|passed|texted|e-?mailed|uses|left|published|printed|put)"
)
_PASSED_ON = re.compile(
    rf"{_OPENER}(?:(?:look|see|voil[aà]|this is|that's|it's|here(?:'s| is| are| comes| goes|,)?|below(?: is)?) )?"
    rf"(?:from (?P<kin>{_SOMEBODY})|(?:(?:the|an?|another|this|that|his|her|their|some|these) )?"
    r"(?:(?!(?:my|our|me|your|for|to|remember|note)\b)[\w'’-]+ ){0,2}?"
    rf"(?:(?P<piece>{_PIECE})(?: (?:i (?:just )?(?:got|received)|that came|received))? (?:(?:from|by) {_SOMEBODY}"
    rf"|of (?P<of>{_SOMEBODY})|(?:that |which )?{_SOMEBODY} {_PASSES_ON})|{_SOMEBODY}(?:'s|s') {_PIECE})){_BESIDES}"
    r"(?P<tail>,? (?:what|how) (?:do|should|would|can|could) (?:i|you) [^.?!:\n]{1,40})?"
)
"""A line that announces a text of somebody else below: "Here a recipe my sister sends:", "the mail of the school:"."""
LONGEST_ANNOUNCEMENT = 120
"""Maximum characters of a line that announces a text."""
_OWN_END = re.compile(r"(?:i|i'm|i've|my|we|our)\b[^.!?\n]{1,140}(?:[.!?]\s[^.!?\n]{1,140}){0,2}[.!?]?$")
_ASKED = re.compile(
    r"(?:please|pls|(?:can|could|would|will|do|should|is|are|does) (?:you|i|we|it|this|that|he|she|they|there)|what|how"
    r"|which|who|any|draft|reply|write|translate|summari[sz]e|shorten|rewrite|proofread|help|check|thanks|thank you"
    r"|explain|make|give|find|calculate|tell me|answer)\b"
)
_OWN_VOICE = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|we|we're|we've|we'll|our)\b")
_SENTENCE_END = re.compile(r"[.!?…](?=\s|$)|\n")
LONGEST_GREETING = 30
"""Maximum characters of a line that is a greeting: "hi both,"."""


def end_of_forwarded(low: str, start: int, end: int) -> int | None:
    """Return the end of somebody else's message that `low[start:end]` contains or announces, or None.

    If it begins in the first person ("sorry, my son is ill"), it extends to the end of its line; after a greeting, to a
    line with a request or to the end of the text. Otherwise only its first sentence belongs to it.
    """
    if lead := _LEADS.match(low, start, end) or _ARROW.match(low, start, end):
        return _end_of_letter(low, end, lead.end())
    found = _ANNOUNCES.match(low, start, end)
    if not found or (low[found.end() : end].strip(" ,.?!:") and not _ASIDE.fullmatch(low, found.end(), end)):
        return None
    aside = _ASIDE.match(low, found.end())
    body = aside.end() if aside else end
    greets = _GREETS.match(low, body) is not None
    asked = _ASKS.search(low, found.end(), body) is not None and "got this" in low[start : found.end()]
    if body >= len(low) or not (greets or asked or _FOLLOWING.search(low[start:end].rstrip(" .:!"))):
        return None
    return _end_of_letter(low, max(body, end), body)


def end_of_passed_on(low: str, start: int) -> int | None:
    """Return the end of a text of somebody else below the line from `start`, which announces it, or None.

    It ends before the last lines with a request, and before a last paragraph that is a few sentences of the person.
    """
    line = low.find("\n", start)
    said = low[start:line].rstrip(" .:?!…–—-") if 0 < line - start <= LONGEST_ANNOUNCEMENT else ""
    found = _PASSED_ON.fullmatch(said) if said else None
    below = low[line:].strip()
    if not found or not below or not (found["tail"] or low[line - 1] == ":" or low.startswith("\n\n", line)):
        return None
    of_kin = found["kin"] or (found["of"] if (found["piece"] or "").startswith("recipe") else None)
    if of_kin and not english().cues["relative"].match(of_kin):
        return None
    end = line + len(low[line:].rstrip())
    first = line + len(low[line:]) - len(low[line:].lstrip())
    while (last := low.rfind("\n", first, end) + 1) and is_own_again(low[last:end].strip()):
        end = first + len(low[first:last].rstrip())
    if (last := low.rfind("\n\n", first, end) + 1) and _OWN_END.fullmatch(low[last:end].strip()):
        end = last
    return end


def is_own_again(line: str) -> bool:
    """Return True for a line after somebody else's text in which the person speaks again."""
    return line.endswith("?") or any(_ASKED.match(said) for said in re.split(r"(?<=[.!?])\s+", line))


def _end_of_letter(low: str, end: int, body: int) -> int:
    """Return the end of a message that begins at `body`; `end` is the end of the current sentence."""
    greets = _GREETS.match(low, body) is not None
    body += len(low[body:]) - len(low[body:].lstrip())
    line = low.find("\n", body)
    greeting = greets and 0 <= line - body <= LONGEST_GREETING and not _SENTENCE_END.search(low, body, line)
    stop = _SENTENCE_END.search(low, body)
    if not greeting and not _OWN_VOICE.search(low, body, stop.start() if stop else len(low)):
        return max(end, stop.end() if stop else len(low))
    line = low.find("\n", max(body, end))
    while greets and line >= 0 and not _OWN_AGAIN.match(low[line:].lstrip()[:60]):
        line = low.find("\n", line + 1)
    return line if line >= 0 else len(low)
