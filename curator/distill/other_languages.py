"""Sentences in languages other than English: requests, standing instructions, statements about oneself.

Each language has a file in `languages/` in the format of `en.toml`, with far fewer patterns. They are matched against
the text in lower case, without accents and with ASCII punctuation, as many people type it.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from curator.distill.language import CLEARLY, EMPTY, Family, Language, compiled, english_share
from curator.distill.statements.clauses import after_opener, clauses, statements
from curator.text import read_toml
from store.model import Kind

LATIN = ("de", "fr", "es", "pt", "it", "nl", "pl")
CODES = (*LATIN, "ja", "zh", "ko")
"""Supported languages besides English."""

_WORD = re.compile(r"[^\W\d_]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af]")
_OPTIONAL = (*EMPTY, "lead_in", "performed", "hedge", "not_remember", "forget_after", "withhold", "task_after")
_OF_OTHERS = ("family", "health of family", "health of others")
"""Families whose subject may share a verb after a comma: "mi hijo vive en Madrid, busca trabajo"."""
SHORTEST = 8
"""Minimum length of a statement; a Chinese, Japanese or Korean character counts twice."""
_LIKELIEST = 3
"""Number of languages tried for a sentence: those with the most frequent words in it."""


@dataclass(frozen=True, slots=True)
class ParsedClause:
    """The meaning of a part of a sentence: `sort` is "remember", "forget", "fact", or the reason for refusing it."""

    start: int
    end: int
    sort: str
    family: Family | None = None
    hedged: bool = False


@cache
def language_of(code: str) -> Language:
    """Return the patterns of a language; families have the kind and weights of the English family of the same name."""
    data = read_toml("curator.distill", f"languages/{code}.toml")
    known = {row["name"]: row for row in read_toml("curator.distill", "languages/en.toml")["family"]}
    plain = {"common": "", "abbreviations": "", "date_words": "", "dates": "(?!)", "emphasis": "(?!)"}
    return compiled(
        plain
        | data
        | {
            "clauses": dict.fromkeys(_OPTIONAL, "(?!)") | data["clauses"],
            "family": [known[row["name"]] | {"starts": ["*"], "capital": False} | row for row in data["family"]],
        }
    )


@cache
def languages_by_word() -> Mapping[str, tuple[str, ...]]:
    """Return the languages of each frequent word of languages in Latin script; words are without accents."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for code in LATIN:
        stopwords = read_toml("curator.distill", f"languages/{code}.toml")["stopwords"]
        for word in sorted({unaccented(word) for word in stopwords.split()}):
            found[word].append(code)
    return {word: tuple(codes) for word, codes in found.items()}


def unaccented(low: str) -> str:
    """Return text without accents and with ASCII punctuation, at the same length."""
    if low.isascii():
        return low
    bases = {char: unicodedata.normalize("NFKD", char)[0] for char in set(low) if char > "\x7f"}
    ascii_bases = {ord(char): base for char, base in bases.items() if base.isascii()}
    return low.translate({ord("ł"): "l", ord("ø"): "o"} | ascii_bases)


def is_likelier_other(plain: str) -> bool:
    """Return True if a sentence has more frequent words of another language than of English: "no uses emojis"."""
    words = _WORD.findall(plain)
    count = Counter(code for word in words for code in languages_by_word().get(word, ()))
    return max(count.values(), default=0) > english_share(plain) * len(words)


def languages_in(plain: str, around: str = "") -> list[str]:
    """Return the possible languages of a sentence, likeliest first; none if it is English or unknown.

    `around` is the surrounding text, which decides if the sentence alone does not.
    """
    words = _WORD.findall(plain)
    if not plain.isascii():
        latin = sum(len(word) for word in words if word.isascii())
        kana, han, hangul = (len(script.findall(plain)) for script in (_KANA, _HAN, _HANGUL))
        if 2 * (kana + han + hangul) > latin:
            return ["ko"] if hangul > kana + han else ["ja"] if kana or _KANA.search(around) else ["zh"] if han else []
    count = Counter(code for word in words for code in languages_by_word().get(word, ()))
    share = english_share(plain)
    if not count and around and share < CLEARLY:
        return _languages_around(around)
    least = share * len(words) if share >= CLEARLY else 1
    return [code for code, number in count.most_common(_LIKELIEST) if number >= least]


@lru_cache(maxsize=4)  # asked about the same message for each of its sentences without a frequent word
def _languages_around(text: str) -> list[str]:
    return languages_in(text)


def read(plain: str, text: str, start: int, end: int, language: Language) -> list[ParsedClause]:
    """Return the parsed clauses of `text[start:end]`, empty if not understood; `plain` is the text `unaccented`."""
    cues = language.cues
    first = after_opener(plain, start, end, language)
    asked = plain[end - 1] == "?"
    wanted = not asked or bool(cues["asked"].match(plain, first, end))
    stop = end - 1 if asked else end
    if wanted and (found := _command(plain, first, stop, language, "forget")):
        return [ParsedClause(*found, "forget")]
    if wanted and (found := _command(plain, first, stop, language, "remember")):
        return [ParsedClause(*found, "remember", language.family(plain, *found, text))]
    if cues["performed"].search(plain, start, end):
        return [ParsedClause(start, end, "quoted")]
    parts = clauses(plain, text, start, end, language)
    if asked and parts and not any(part.sort == "question" for part in parts):
        parts[-1] = replace(parts[-1], sort="question", family=None)
    hedged = bool(cues["hedge"].search(plain, start, end))
    spoken: list[ParsedClause] = []
    for one in statements(parts):
        family, sort = one.family, "fact"
        if family.standing and cues["at_hand"].match(plain, one.start, one.end):
            sort = "transient"
        elif (
            family.kind is Kind.PREFERENCE
            and not family.standing
            and cues["pointing"].search(plain, one.start, one.end)
        ):
            sort = "vague"
        stop = one.end
        if not family.standing and family.name not in _OF_OTHERS:
            task = cues["task_after"].search(plain, one.start + SHORTEST, one.end)
            stop = task.start() if task else one.end
        if long_enough(plain[one.start : stop]):
            spoken.append(ParsedClause(one.start, stop, sort, family, hedged))
            if stop < one.end:
                spoken.append(
                    ParsedClause(
                        stop + len(plain[stop : one.end]) - len(plain[stop : one.end].lstrip(",; –—-")),
                        one.end,
                        "question",
                    )
                )
    return spoken


def _command(plain: str, start: int, end: int, language: Language, name: str) -> tuple[int, int] | None:
    """Return the span of the text that a sentence asks to remember or to forget, or None.

    The request precedes that text or, as always in Japanese and Korean, follows it.
    """
    cues = language.cues
    if cues[f"not_{name}"].match(plain, start, end):
        return None
    if (after := cues[f"{name}_after"].search(plain, start, end)) and after.start() > start:
        span = start, after.start()
    elif found := cues[name].match(plain, start, end):
        body = found.start("body") if "body" in found.re.groupindex and found["body"] else found.end()
        span = body, end
    else:
        return None
    return span if long_enough(plain[slice(*span)]) else None


def long_enough(plain: str) -> bool:
    """Return True if a text has at least two words and `SHORTEST` characters."""
    wide = len(_WIDE.findall(plain))
    return len(plain) + wide >= SHORTEST and (wide > 0 or len(plain.split()) > 1)


def family_of(plain: str, text: str) -> Family | None:
    """Return the family that matches a sentence in any of the languages, or None."""
    found = (language_of(code).family(plain, 0, len(plain), text) for code in languages_in(plain))
    return next((family for family in found if family), None)
