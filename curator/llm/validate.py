"""Validate a proposed memory against the person's own words. Refusals are reason codes.

A passage that addresses a model is flagged; such memories are quarantined.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from curator.compare import Guard, differences
from curator.distill.language import english, is_english
from curator.distill.mask import OPAQUE, lower
from curator.distill.requests.commands import forget_command, remember_command
from curator.distill.statements.atoms import without_fillers
from curator.distill.statements.clauses import ClauseSpan, clauses, end_of_written, sentences
from curator.injection import flag_injection
from curator.llm.chunks import Turn
from curator.llm.data_fence import neutral, visible
from curator.llm.relative_dates import checked
from curator.secrets import MARK, redact
from curator.text import plain_words, stem, tokens, worded
from store.model import Channel

SHORTEST, LONGEST = 8, 500
"""Minimum bytes and maximum characters of a memory's text."""
NEAR = 300
"""Characters around a sentence in which numbers and names count as said."""
SAID, QUOTED = 1 / 2, 1 / 3
"""Minimum share of a text's words that must occur nearby, and in the quoted sentences."""

_TURNED = frozenset({Guard.NEGATION, Guard.POLARITY, Guard.DIRECTION, Guard.TENSE})
_LOSABLE = frozenset({Guard.PERSON, Guard.MODALITY, Guard.QUANTITY})
_MEANS = frozenset("he she they his her their him them going will want try trying let must".split())
"""Words that a rewording may drop: the name replaces them, or another verb does."""
_LASTING = frozenset({Guard.NUMBER, Guard.UNIT, Guard.NAME, Guard.DATE})
_SUBJECT = re.compile(
    r"\W{0,4}(?P<name>[^\W\d_][\w'’-]{1,40}?)(?:['’]s)?\s+(?:[a-z]{2,20}(?:s|ed|n't)|had|did|will|would|can|can't|never|always|and)\b"
)
_OTHERS = frozenset("he she they you people someone somebody everyone everybody one it".split())
_OWNED = frozenset("my our the a an his her their your".split())
_SELF = frozenset("i we".split())


@dataclass(frozen=True, slots=True)
class QuotedPassage:
    """A quoted passage with its sentences, as offsets in its turn."""

    turn: Turn
    start: int
    end: int
    first: int
    last: int
    english: bool

    @property
    def sentence(self) -> str:
        """The whole sentences."""
        return self.turn.text[self.first : self.last]

    @property
    def near(self) -> str:
        """The person's own words in and around the sentences, without pasted or quoted text."""
        return self.turn.said[max(0, self.first - NEAR) : self.last + NEAR]

    @property
    def requested(self) -> bool:
        """True if the person asked to remember this."""
        return remember_command(self.turn.low, self.first, self.last, english()) is not None


def quoted_passage(turn: Turn, start: int, end: int) -> QuotedPassage:
    """Return a passage of an own turn with the sentences around it."""
    spans = [(a, b) for a, b, _ in sentences(turn.low) if a < end and b > start] or [(start, end)]
    first, last = min(start, spans[0][0]), max(end, spans[-1][1])
    return QuotedPassage(turn, start, end, first, last, is_english(turn.low[first:last]))


def refuse_quote(passage: QuotedPassage) -> str | None:
    """Return the reason why a passage is no evidence (not the person's own words, or no statement), or None."""
    turn, start, end = passage.turn, passage.start, passage.end
    for gap in turn.gaps:
        if gap.start < end and gap.end > start and turn.text[max(gap.start, start) : min(gap.end, end)].strip():
            return gap.reason
    if MARK in passage.sentence:
        return "secret"
    if turn.channel is not Channel.SPOKEN:
        return None
    read = zip(turn.low[start:end], lower(turn.text[start:end]), strict=True)
    within_marks = all(blank == OPAQUE for blank, char in read if char.isalnum()) and OPAQUE in turn.low[start:end]
    if within_marks:
        return "code" if turn.text[:start].count("`") % 2 else "quoted"
    if forget_command(turn.low, passage.first, passage.last) is not None:
        return "do_not_remember"
    before = (span for span in sentences(turn.low) if span[0] <= start)
    is_written = any((end_of_written(turn.low, first, last) or 0) > start for first, last, _ in before)
    if is_written or english().cues["performed"].search(turn.low, passage.first, passage.last):
        return "quoted"
    sorts = {part.sort for part in _clauses(passage)} if passage.english and not passage.requested else set()
    return next((sort for sort in ("hypothetical", "question", "transient") if sorts == {sort}), None)


def refuse_text(text: str, passage: QuotedPassage) -> str | None:
    """Return the reason why a text, as returned by `wording`, differs in meaning from the passage, or None."""
    if len(text) > LONGEST:
        return "wordy"
    if len(text.encode()) < SHORTEST or (len(text.split()) < 2 and passage.english):
        return "too_short"
    if MARK in text or redact(text).count:
        return "secret"
    if "?" in text:
        return "question"
    if not passage.english:
        return None
    text, dated = checked(text, passage.near, passage.turn.at)
    counted, near = tokens(text), tokens(passage.near)
    added = any(one.b for one in differences(passage.near, text) if one.guard in (*_LASTING, Guard.PERSON))
    subject = _subject(text)
    if len(counted & near) < SAID * len(counted) or added or (subject is not None and subject not in near):
        return "not_said"
    if len(counted & tokens(passage.sentence)) < QUOTED * len(counted):
        return "not_said"
    return _turned(text, passage, dated)


def wording(text: str, passage: QuotedPassage) -> str:
    """Return the memory's text: the model's, or the person's sentence in a language without rules."""
    return " ".join(visible(text).split()) if passage.english else worded(passage.sentence)


def parted(passage: QuotedPassage, text: str) -> list[tuple[QuotedPassage, str]]:
    """Return the sentences of a text that only repeats its passage, without fillers and requests, as the rules do.

    Small models quote a whole turn: "Hi! I live in Rome with my dog. What should I cook?". Any other text is returned
    as it is.
    """
    turn, start, end = passage.turn, passage.start, passage.end
    if turn.channel is not Channel.SPOKEN or not passage.english or not repeats(text, turn.text[start:end]):
        return [(passage, text)]
    found: list[tuple[QuotedPassage, str]] = []
    for first, last, _ in sentences(turn.low):
        if first < end and last > start:
            span = without_fillers(turn.low, max(first, start), min(last, end), order=False)
            found.append((quoted_passage(turn, *span), worded(turn.text[slice(*span)])))
    if len(found) > 1 or any(not repeats(text, words) for _, words in found):
        return found
    return [(passage, text)]


def repeats(text: str, quote: str) -> bool:
    """Return True if a text has the words of its quote, all and in their order."""
    return plain_words(text) == plain_words(quote)


def hedged(passage: QuotedPassage) -> bool:
    """Return True if the person expressed doubt."""
    cue = english().cues["hedge"] if passage.english else None
    return bool(cue and any(cue.search(passage.turn.low, part.begin, part.end) for part in _clauses(passage)))


def _clauses(passage: QuotedPassage) -> list[ClauseSpan]:
    turn = passage.turn
    found: list[ClauseSpan] = []
    for start, end, _ in sentences(turn.low):
        if start < passage.end and end > passage.start:
            parts = clauses(turn.low, turn.text, start, end, english())
            if turn.low[end - 1] == "?" and parts and not any(part.sort == "question" for part in parts):
                parts[-1] = replace(parts[-1], sort="question")
            parts[:1] = [replace(part, begin=start) for part in parts[:1]]  # its opener may be "I think"
            found += [part for part in parts if part.begin < passage.end and part.end > passage.start]
    return found


def _subject(text: str) -> str | None:
    """Return the stem of a text's first word if it looks like the subject's name."""
    found = _SUBJECT.match(text)
    if not found or not found["name"][0].isupper() or found["name"].lower() in english().stopwords | english().common:
        return None
    return stem(found["name"].lower()) if found["name"].lower() != "user" else None


def _turned(text: str, passage: QuotedPassage, dated: bool) -> str | None:
    """Return "turned" or "lost" if the text contradicts or cuts the shortest run of clauses with most of its words."""
    spans = [(part.start, part.end) for part in _clauses(passage)]
    piece = shortest_run(text, spans, passage.turn.text) if spans else passage.sentence
    found = differences(piece, text)
    for one in found:
        gone = set(one.a.split(", ")) - {""}
        matters = bool(gone - _MEANS) or bool(gone and not one.b and one.guard is not Guard.PERSON)
        if one.guard in _TURNED or (one.guard in _LOSABLE and matters):
            return "turned"
    if any(one.guard is Guard.QUANTITY and one.b for one in differences(passage.near, text)):
        return "turned"
    if _about_another(piece, text):
        return "turned"
    losses = [one for one in found if one.guard in _LASTING and one.a]
    return "lost" if any(one.guard is not Guard.DATE or not dated for one in losses) else None


def shortest_run(text: str, spans: Sequence[tuple[int, int]], whole: str) -> str:
    """Return the shortest run of adjacent spans of `whole` with all the words of `text` that occur in any span."""
    wanted = tokens(text)
    shared = [tokens(whole[start:end]) & wanted for start, end in spans]
    missing = len(frozenset[str]().union(*shared))
    counts: Counter[str] = Counter()
    best, first = (spans[0][0], spans[-1][1]), 0
    for last, words in enumerate(shared):
        missing -= sum(not counts[word] for word in words)
        counts.update(words)
        while not missing and first <= last:
            best = min(best, (spans[first][0], spans[last][1]), key=lambda run: run[1] - run[0])
            counts.subtract(shared[first])
            missing += sum(not counts[word] for word in shared[first])
            first += 1
    return whole[slice(*best)]


def _about_another(piece: str, text: str) -> bool:
    """Return True if the text attributes to the person what the piece says of someone or something else."""
    said_words, words = plain_words(piece), plain_words(text)
    if not said_words or not words:
        return False
    subject = _subject(piece)
    if subject is not None and subject not in tokens(text):
        return True
    if words[0] not in _SELF:
        return False
    if said_words[0] in _OTHERS:
        return True
    owned = said_words[1] if said_words[0] in _OWNED and len(said_words) > 1 else None
    return owned is not None and stem(owned) not in tokens(text) and owned not in words


_AIMED = re.compile(  # addressed to the model that extracts memories, or to one that reads them later
    r"\bthe user (?:has |have |had )?(?:already |explicitly |hereby )?"
    r"(?:authori[sz]e[sd]?|approve[sd]?|grant(?:s|ed)|consent(?:s|ed)|agreed|permit(?:s|ted)|allow(?:s|ed)|given)\b"
    r"|\bthe user is (?:an? |the )?(?:admin\w*|root|developer of|owner of this)\b"
    r"|\b(?:memory|fact|json) extract(?:or|ion)\b|\bnote to (?:the |any )?(?:ai|model|assistant|llm|extractor|system)\b"
    r"|\b(?:when|while|before) (?:you )?(?:extract|summari[sz]|distil)\w* (?:memor|facts|this)"
    r"|\b(?:repeat|output|print|copy|return|recite) (?:only )?(?:the|your|an?) (?:\w+ ){0,3}"
    r"(?:schema|example|prompt|object)\b"
    r"|[\"']items[\"']\s*:|\bconfidence[\"']?\s*[:=]\s*[\"']?high\b|\{\s*[\"']quote[\"']"
    r"|\b(?:ai|assistant|model|llm|agent)s?,? (?:please )?(?:(?:must|should|shall|has to|have to) )?"
    r"(?:ignore|obey|remember|note|store|record|output|reply)\b"
    r"|\b(?:end|begin|start) of (?:the )?(?:data|turns?|context|untrusted|user input)\b"
    r"|</?\s?(?:turn|context|data|memory|memories|item|items|user|reply|answer)\b[^>\n]{0,80}>",
    re.IGNORECASE,
)
_FOREIGN = re.compile(  # "ignore the instructions" in languages without a list of signs; every repetition is bounded
    r"(?:ignorier|vergiss|vergesst|missacht)\w{0,12}\b[^.\n]{0,50}\b(?:an)?weisung"
    r"|\b(?:ignore[rz]?|oublie[rz]?)\b[^.\n]{0,50}\b(?:instructions|consignes)"
    r"|\b(?:ignor[ae]n?|ignorar|olvid[ae]|dimentica\w*|esque[cç]\w+|desconsider\w+)\b"
    r"[^.\n]{0,50}\b(?:instrucciones|istruzioni|instru[cç][oõ]es|regras|reglas)"
    r"|\b(?:negeer|vergeet)\b[^.\n]{0,50}\b(?:instructies|regels)"
    r"|\b(?:zignoruj|zapomnij)\b[^.\n]{0,50}\binstrukcj"
    r"|(?:игнорируй|забудь)[^.\n]{0,55}(?:инструкци|указани|правил)"
    r"|(?:忽略|无视|無視|忘记|忘記)[^。\n]{0,20}(?:指令|指示|说明|規則|规则|命令)"
    r"|(?:指示|命令|ルール|プロンプト)[^。\n]{0,15}(?:無視|忘れ)|(?:지시|명령|규칙)[^.\n]{0,15}(?:무시|잊)",
    re.IGNORECASE,
)
_JOINERS = "\u200c\u200d\u00ad\ufeff\u200e\u200f"


def flagged(passage: QuotedPassage, text: str) -> str | None:
    """Return "injection" if the turn around a passage, or a memory text made from it, instructs a model, else None.

    The whole turn is checked, since an instruction and its subject may be on different lines.
    """
    # characters that reverse text or spell invisible letters; joiners are legitimate
    hidden = any(
        char > "\x7f" and char not in _JOINERS and unicodedata.category(char) == "Cf" for char in passage.sentence
    )
    return "injection" if hidden or _orders(passage.turn.said) or _orders(text) else None


def _orders(text: str) -> bool:
    """Return True if a text gives instructions, with or without its invisible characters."""
    plain = unicodedata.normalize("NFKC", neutral(text))
    return any(flag_injection(one) or _AIMED.search(one) or _FOREIGN.search(one) for one in ({text, plain}))
