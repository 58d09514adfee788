"""Checks of values next to words such as `password`, `key` or `token`."""

import re

from curator.secrets.detector import (
    MARK,
    is_expression,
    is_irregular,
    is_place,
    is_placeholder,
    is_random,
    is_words,
)
from curator.secrets.phrases import ABOUT, STOP

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MEASURE = re.compile(r"\d{1,4}(?:st|nd|rd|th|px|ms|kb|mb)?|v?\d+(?:\.\d+)+")
_COMPOUND = re.compile(r"[a-z]+(?:_[a-z]+)+\d?|[a-z]+(?:[A-Z][a-z]+)+\d?")
_IDENTIFIER = re.compile(rf"{_COMPOUND.pattern}|[a-z]{{1,12}}\d")
_CALL = re.compile(r"[\w\])>=]\(|[=:>,(][ \t]*\(")  # a call, a list of parameters; in prose a space stands before
_CLAUSE = re.compile(r"[ \t]*(?:$|[\r\n.,;!?)\]}'\"`”’»|/\\]|(?:and|und|but|y|et|e|is|please|thanks)\b)|[ \t]+[-–—(]")
_NEAR = 400  # characters examined of a line
_ENGLISH = frozenset("password passphrase passcode passwd pwd pw".split())
_NEXT_PAIR = re.compile(r"[;&,](?=[\w .-]{1,40}[=:]|$)")


def end_of_value(match: re.Match[str], value: str) -> str:
    """Return the value without trailing punctuation, a following pair and unmatched closing brackets."""
    if match["quote"]:
        return value
    cut = _NEXT_PAIR.search(value)
    value = value[: cut.start()] if cut else value
    trimmed = value.rstrip(".,;:!?")
    if len(value) - len(trimmed) > 1 or value[-1:] in ".,;:":
        value = trimmed
    before = match.string[max(match.start() - _NEAR, 0) : match.start()]
    for opened, closed in ("()", "[]", "{}"):
        while value.endswith(closed) and opened in before and value.count(closed) > value.count(opened):
            value = value[:-1]
    return value


def is_password(match: re.Match[str], whole: str) -> bool:
    """Check `password: hunter2`, `my password is swordfish`; not `password: string`, `the password is wrong`."""
    value = end_of_value(match, whole)
    core = value.rstrip(".,;:!?)")
    if len(core) < 4 or MARK in value or is_placeholder(core) or is_place(core):
        return False
    if " " in value:
        words = value.lower().split()
        # with a digit and in quotes, or a row of words that are not a sentence
        if match["quote"] and (any(map(str.isdigit, value)) or match["name"] == "passphrase"):
            return STOP.isdisjoint(words)
        return len(words) >= 3 and not any(word.strip(".,;:!?") in STOP or word in ABOUT for word in words)
    quoted, sign = bool(match["quote"]), match["sign"].strip()
    if not quoted and (
        is_expression(value) or _is_called(match) or value[0] == "(" or (value[0] == "[" and "(" in value)
    ):
        return False
    lower = core.lower()
    if not _WORD.fullmatch(core):  # not only letters
        if not any(c.isalnum() for c in core) or lower.strip("-_.!?*#") in ABOUT:
            return False
        if not quoted and _IDENTIFIER.fullmatch(core) and sign[:1] in ("=", ":"):
            return core[-1].isdigit() and not _in_code(match) and "_" not in core
        some = any(c.isdigit() for c in core) or core.count("-") >= 2 or core.count(".") >= 2
        return quoted or some or not is_words(core)
    if is_irregular(core):
        return True
    if lower in ABOUT or lower in STOP:
        return False
    if quoted or core.count("-") >= 2:
        return True
    ends = len(core) < len(whole) or match["sign"] == "=" or _CLAUSE.match(match.string, match.end("value")) is not None
    said = not sign or sign[0] not in ":=："
    return ends and (said or not _in_code(match))


def _in_code(match: re.Match[str]) -> bool:
    """Return True if a bare word after `=` or `:` is rather an identifier in code, judging by its line."""
    if match["sign"].strip() in ("==", "===", ":=", "=>"):
        return True
    text = match.string
    start = max(text.rfind("\n", max(match.start() - _NEAR, 0), match.start()) + 1, match.start() - _NEAR, 0)
    last = match.end("value")
    end = text.find("\n", last, last + _NEAR)
    line = text[last : end if end >= 0 else last + _NEAR].rstrip()
    before = text[start : match.start()]
    if _CALL.search(before) or "def " in before:
        return True
    aside = "(" in before  # as in prose: "the router (password: hunter2)"
    end_of_line = line or text[last - 1 : last]
    return end_of_line.endswith((";", "(", "{", "[", ",", "):")) or (not aside and end_of_line.endswith(")"))


def _is_called(match: re.Match[str]) -> bool:
    """Return True if the value is called or indexed, as in code."""
    return match.string[match.end("value") : match.end("value") + 1] in ("(", "[", "{")


def is_row_of_words(match: re.Match[str], value: str) -> bool:
    """Check an unquoted passphrase: words up to the end of the clause, few of them typical of a statement.

    At least two after `password:`, three after `the password is`, four if that word is of another language.
    """
    words = value.lower().split()
    said = match["sign"].strip()[:1] not in (":", "=", "：")
    least = (3 if said else 2) if match["name"] in _ENGLISH else 4
    if len(words) < least or words[0] in STOP or words[0].isdigit() or MARK in value or is_placeholder(value):
        return False
    common = sum(word in STOP or word in ABOUT or (said and word.endswith(("ing", "ed", "ly"))) for word in words)
    return common <= max(len(words) - 2, 0) // 2 and (len(words) >= 4 or not _in_code(match))


_QUALIFIER = re.compile(
    r"(?:api|auth|access|secret|private|service|account|client|encryption|signing|master|license|product|recovery"
    r"|activation|db|database|app|application|admin|server|subscription|storage|host|function|write|ingest|deploy|openai"
    r"|webhook|bot|session|shared)[ _.-]?$"
)
_PLAIN_KEY = re.compile(
    r"(?:public|cache|primary|foreign|sort|partition|ssh|pub|host|lookup|idempotency|object)[ _.-]?$"
)


def is_key(match: re.Match[str], whole: str) -> bool:
    """Check `api_key = 9f8e7d6c`: a random-looking key, token or secret."""
    if len(whole) < 8:  # too short to look random
        return False
    value = end_of_value(match, whole).rstrip(".,;:!?)")
    if match["name"] == "key":
        before = match.string[max(match.start() - 16, 0) : match.start()]
        if not _QUALIFIER.search(before) and (len(value) < 32 or _PLAIN_KEY.search(before)):
            return False
    code = not match["quote"] and (is_expression(value) or _is_called(match))
    if " " in value or code or is_placeholder(value) or is_place(value) or _IDENTIFIER.fullmatch(value):
        return False
    return is_random(value)


def is_strong(match: re.Match[str], whole: str) -> bool:
    """Check a value that is only near the word: it must look like a password by itself."""
    value = whole.strip(".,;:!?()[]\"'`*") or whole
    core = whole.rstrip(".,;:!?")
    if len(core) < 5 or is_placeholder(core) or is_place(core) or is_expression(core) or MARK in core:
        return False
    lower = value.lower()
    if lower in ABOUT or lower in STOP or _COMPOUND.fullmatch(value):
        return False
    mixed = any(map(str.isdigit, core)) and any(map(str.isalpha, core))
    return is_irregular(value) or (mixed and not _MEASURE.fullmatch(lower))


def is_marked(match: re.Match[str], whole: str) -> bool:
    """Check a value announced only by a short word: strong, with capitals or punctuation."""
    return is_strong(match, whole) and re.fullmatch(r"[a-z0-9_./-]+", whole.rstrip(".,;:!?)")) is None


def is_long_random(match: re.Match[str], whole: str) -> bool:
    """Check a value without a preceding sign: long and random."""
    return len(whole) >= 24 and is_random(whole) and not is_placeholder(whole) and not is_place(whole)


def is_given(match: re.Match[str], whole: str) -> bool:
    """Check a value called a password without a sign: strong, or a bare word at the end of its clause."""
    if is_strong(match, whole):
        return True
    value = whole.rstrip(".,;:!?)")
    lower = value.lower()
    bare = re.sub(r"[^A-Za-z]", "", value)
    if len(value) > 7 and bare != value and is_irregular(bare) and not is_expression(value):
        return not is_placeholder(value)
    if not (_WORD.fullmatch(value) or re.fullmatch(r"[A-Za-z]+(?:[.-][A-Za-z]+){2,}", value)) or len(value) < 6:
        return False
    return lower not in ABOUT and lower not in STOP and not is_placeholder(value) and value.isascii()
