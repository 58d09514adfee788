"""Requests to remember in coding sessions whose words speak of later sessions or of the assistant's own files.

What is to be kept follows a colon, a dash, "that" or a comma: "one for your notes: …", "put it in AGENTS.md, …".
"""

import re

_FILE = (
    r"(?:(?:claude|agents?|gemini|copilot-instructions|conventions|memory)\.md|\.?cursor ?rules?|copilot instructions"
    r"|your (?:project )?(?:memory|memories|memor(?:y|ies) file|notes?|notebook|rules(?: file)?|instructions?"
    r"|context file|knowledge base)|the (?:list of )?(?:learnings|lessons))"
)
_LATER = (
    r"(?:(?:the |our |my )?(?:next|future|later|coming)(?: few)? (?:time|sessions?|chats?|convos?|conversations?)"
    r"|(?:between|across) (?:all )?(?:the |our |my )?(?:sessions?|chats?|convos?|conversations?)|for later|long[- ]term"
    r"|from now on)"
)
_KEEP = (
    r"(?:add|put|chuck|stick|write|save|drop|throw|pop|shove|note|record|log|append|document|update|store|include|dump"
    r"|keep|commit|place|leave|jot|extend|mention|register|get)"
)
_WITH_LATER = (
    rf"(?:\b(?:remember|forget|note|know|remind|mind|keep|hang|hold|save|store|los(?:e|ing)|preserve|persist|takeaway"
    rf"|lesson|fyi|for|until|in|(?:not|n't) get lost) [^:]{{0,40}}?{_LATER})"
)
_MIND = (
    r"(?:your (?:brain|head|skull|mind|memory|notebook|notes|ears?)|mental note|(?:lose|losing|forget|forgetting)"
    r" (?:this|that|it)(?: one)?|(?:hang|hold) on ?to (?:this|that|it))"
)
_STATES = re.compile(
    r"\b(?:is|isn't|are|aren't|isnt|arent|was|were|has|have|had|can|can't|cannot|cant|must|should|needs?|only|never"
    r"|always|don't|dont|doesn't|doesnt|won't|wont|means?|goes|lives?|runs?|uses?|takes?|comes?|expects?|requires?"
    r"|wants?|not|no"
    r"|[a-z]{3,}(?<!ss)(?<!us)(?<!is)s (?:in|on|at|every|each|to|from|with|by|after|before|if|when|the|all|no|not|an?))"
    r"\b|(?:i|we|u|you)(?:'\w+)? \w"
)
"""The verb of a statement, or its subject."""
_SET_APART = re.compile(rf"(?:[^:]{{0,80}}?\b)?(?:{_WITH_LATER}|{_MIND}|{_FILE})\b[^:]{{0,50}}?(?:: ?| [-–—] )(?=\S)")
_IN_FILE = re.compile(
    rf"(?:[^:]{{0,60}}?\b)?{_KEEP} [^:]{{0,50}}?\b{_FILE}"
    r"(?: (?:too|as well|please|pls|for me|somewhere|at the (?:top|end|bottom)|file))*"
    r"(?:, (?:that )?|,? (?:(?:with|saying|stating|about) )?(?:(?:the |a )?(?:learning|fact|note|info|information|rule"
    r"|lesson|line|hint|reminder) )?that )(?=\S)"
)
_FOR_LATER = re.compile(
    rf"(?:[a-z' ]{{0,40}}\b)?(?:for|in|so|until|till|by) [a-z' ]{{0,30}}{_LATER}"
    r"(?: (?:please|pls|too|as well|with me|with you))*, (?=\S)"
)
_HASH = re.compile(r"# ?(?:remember|note|memory|memo)\b[:,]? ?(?:that )?(?=\S)")
"""A line that begins with "#", which some tools add to their memory."""
_CODE = re.compile(
    r"\b(?:comments?|docstrings?|readme|changelog|jira|ticket|issue|pr description|commit message|wiki|release notes"
    r"|todo|confluence|file system|disk|database|table|cache|localstorage|cookies?|state|variable)\b"
)
"""Words of a request that is about the work: "leave a note in the README: …"."""
_POINTS_BACK = re.compile(
    r"(?:[^,.:]{0,50}\b)?(?:hold|keep|have|hang|carry|take|retain|bear|preserve|save|store|note|remember) ?(?:on ?to )?"
    r"(?:this|that|it)(?: one| fact)?\b[^:]{0,30}"
    rf"\b(?:{_LATER}|in mind|fast|everything we|{_FILE})\b[^:,]{{0,30}}"
    r"|(?:[^,.:]{0,60}\b)?(?:can|could|would|will) (?:you|u|ya) (?:please |pls |just )?(?:hang|hold) on ?to"
    r" (?:this|that|it)\W*"
    rf"|(?:[^,.:]{{0,40}}\b)?{_KEEP} (?:this|that|it)(?: one)? (?:down )?(?:in|into|to|on) (?:the )?{_FILE}"
    r"[^:,]{0,20}"
)
_AT_HAND = re.compile(
    r"(?:what|why|how|where|who|which|is|are|was|do|does|did|can|could|should|would|will)\b"
    r"|.*(?:,| and|\bplease|\bpls)? (?:why|(?:fix|debug|check|look at) (?:it|this|that))[.!]*$"
    r"|.*\bneeds? (?:to fix|a (?:real )?fix)\b|.*\b(?:please|pls) (?:fix|debug|check|look)\b"
)
"""A question or a task instead of a statement."""
SHORTEST = 8
"""Minimum characters of a statement to remember."""


def requested_by_form(low: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of the statement that a sentence of a coding session asks to remember, by its form, or None."""
    if low[end - 1] == "?":
        return None
    if found := _HASH.match(low, start, end):
        return found.end(), end
    for form in (_SET_APART, _IN_FILE, _FOR_LATER):
        found = form.match(low, start, end)
        if found and not _CODE.search(low, start, found.end()) and '"' not in found[0]:
            body = found.end()
            stated = _STATES.search(low, body, end) is not None and _AT_HAND.match(low, body, end) is None
            if end - body >= SHORTEST and stated:
                return body, end
    return None


def points_back(low: str, start: int, end: int) -> bool:
    """Return True if a sentence of a coding session asks to remember the one before: "hold on to that for later"."""
    return _POINTS_BACK.fullmatch(low, start, end) is not None and _CODE.search(low, start, end) is None
