"""Detection of forgotten memories in other words, by the duplicate rules and never by similarity alone.

A duplicate by those rules is refused on every way in. A similar text that differs in no number, name, date or negation
is quarantined for review if a machine adds it.
"""

import re
from collections.abc import Callable
from enum import StrEnum
from itertools import takewhile
from typing import TYPE_CHECKING

from curator.injection.disguise import LOOKALIKES
from store import Forgotten, Store, Tokenizer
from store.model import LIKE_FORGOTTEN, Relation, Review
from store.record.asides import core

if TYPE_CHECKING:
    from curator.compare import PairPredictor, Verdict
    from curator.models import Embedder

_ALIKE = 0.7
"""Minimum likeness of a possible match; measured by tests/bench/forgotten.py."""
RETOLD = 0.4
"""Minimum cosine of a free retelling."""
_WEIGHTS = {"cosine": 11.4, "repeat": 7.9, "shared": 1.8, "of shorter": -11.2}
_THRESHOLD, _OTHER_END = 6.1, 5.3
"""Weights that tell a retelling from another statement on the same topic, the threshold, and its increase where both
begin alike and end differently. Shared words name the topic and raise the cosine, so the larger their share of the
shorter text, the lower the score. Fitted on `paraphrases.tsv` against other statements of the same people; measured by
tests/bench/forgotten.py.
"""
_WEIGHTS_CLASSIFIED = {"cosine": 8.9, "repeat": 5.1, "shared": 1.8, "of shorter": -9.3, "both": -0.39}
_THRESHOLD_CLASSIFIED, _OTHER_END_CLASSIFIED = 5.15, 3.8
"""The same with a classifier; "both" are the log odds that both texts may be true of different things."""
_DECIDED = 1.8
"""Score beyond which a prediction (3 ms) would change one result in a hundred, so that it is not asked for."""
_MOST_SHARED = 4
_ONE_FORM = 0.5
"""Minimum share of common words of two sentences of the same form, where another value is another statement."""
_WORD, _LATIN = re.compile(r"\w+"), re.compile("[A-Za-z]")
_EDGE = re.compile(r"(?<=\s)(?=\S)|(?<=\S)(?=\s)")
_AROUND, _MOST_AROUND = 320, 12
"""Characters before and after a quote, and words on each side, that an earlier version may have kept with it."""
_SHARED = 0.75  # minimum share of common words of texts to compare, without vectors


class MatchCertainty(StrEnum):
    """Certainty of a match with a forgotten memory."""

    SAME = "same"
    ALIKE = "alike"


def match_texts(
    old: str,
    new: str,
    verdict: "Verdict",
    cosine: float = 0.0,
    classifier: "Callable[[], PairPredictor | None]" = lambda: None,
) -> MatchCertainty | None:
    """Match `new` with the forgotten text `old`, by the verdict of the rules on the two; None if they differ.

    With their cosine, a free retelling is alike too; omit it for rejected memories, since junk resembles much that is
    none. `classifier` returns the classifier of pairs, if there is one; it is called only if its result can matter.
    """
    from curator.compare import Guard, differences, relate
    from curator.text import tokens

    plain = without_lookalikes(new)
    if plain != new:
        verdict = relate(old, plain)
    if verdict.relation is Relation.DUPLICATE:
        return MatchCertainty.SAME
    likely = verdict.relation is Relation.UNSURE and verdict.duplicate_score >= _ALIKE
    if not likely and cosine < RETOLD:
        return None
    found = differences(old, new)
    soft = {Guard.ORDER, Guard.QUANTITY, Guard.MODALITY, Guard.TENSE}
    if likely and {one.guard for one in found} <= soft:
        return MatchCertainty.ALIKE
    if cosine < RETOLD or not is_retelling(old, new, verdict, cosine, classifier):
        return None
    said, again = tokens(old), tokens(new)
    of_one_form = len(said & again) >= _ONE_FORM * max(1, min(len(said), len(again)))
    opposed, values = {Guard.NEGATION, Guard.POLARITY}, {Guard.NUMBER, Guard.DATE, Guard.UNIT, Guard.NAME}
    other = any(one.guard in opposed or (one.guard in values and one.a and one.b) for one in found)
    of_another_day = any(one.guard is Guard.DATE and one.a and one.b and not one.narrower for one in found)
    return None if (of_one_form and other) or (of_another_day and not said & again) else MatchCertainty.ALIKE


def is_retelling(
    old: str, new: str, verdict: "Verdict", cosine: float, classifier: "Callable[[], PairPredictor | None]"
) -> bool:
    """Return True if `new` restates `old` in other words, by cosine, shared words and a classifier's prediction."""
    from curator.compare import log_odds
    from curator.text import Language, language, tokens

    said, again = tokens(old), tokens(new)
    shared, other_end = len(said & again), ends_otherwise(old, new)
    features = {
        "cosine": cosine,
        "repeat": verdict.repeat_score,
        "shared": min(shared, _MOST_SHARED),
        "of shorter": shared / max(1, min(len(said), len(again))),
    }
    predict = None if Language.OTHER in (language(old), language(new)) else classifier()
    if predict is None:
        return sum(_WEIGHTS[name] * value for name, value in features.items()) >= _THRESHOLD + _OTHER_END * other_end
    threshold = _THRESHOLD_CLASSIFIED + _OTHER_END_CLASSIFIED * other_end
    score = sum(_WEIGHTS_CLASSIFIED[name] * value for name, value in features.items()) - threshold
    if abs(score) < _DECIDED:
        score += _WEIGHTS_CLASSIFIED["both"] * log_odds(predict(old, new).both)
    return score >= 0


def tells_retellings(embedder: "Embedder") -> bool:
    """Return True if free retellings can be detected by an embedder's cosines: the weights hold for one model only."""
    return embedder.fingerprint.provider == "minilm"


def ends_otherwise(old: str, new: str) -> bool:
    """Return True if two sentences begin alike and end differently: another value in the same statement."""
    from curator.text import plain_words, tokens

    pairs = zip(a := plain_words(old), b := plain_words(new), strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    ends = tokens(" ".join(a[common:])), tokens(" ".join(b[common:]))
    return common > 1 and all(ends) and not ends[0] & ends[1]


def without_lookalikes(text: str) -> str:
    """Replace letters of other scripts in Latin words by the Latin letters they resemble."""
    if text.isascii():
        return text
    return _WORD.sub(lambda word: word[0].translate(LOOKALIKES) if _LATIN.search(word[0]) else word[0], text)


def like_forgotten_flag(store: Store, memory: int) -> str:
    """Return the flag of a possible match of a forgotten or rejected memory."""
    done = "rejected" if store.get(memory).review is Review.REJECTED else "forgot"
    return f"{LIKE_FORGOTTEN}{memory}, which you {done}"


def find_forgotten(store: Store, text: str) -> int | None:
    """Return the forgotten memory that a text repeats, judging by words; the most similar one of several.

    Purged memories have no words left; they are matched by content key alone.
    """
    from curator.compare import relate
    from curator.text import content_key
    from curator.text.dates import without_dates

    plain = without_lookalikes(text)
    bare = core(plain)
    for other in {plain, without_dates(plain), bare, without_dates(bare)} - {text, ""}:
        if purged := store.tombstones.matching(content_key(other)):
            return purged
    text = bare or plain
    best: tuple[float, int] | None = None
    for memory, old in store.tombstones.like(text, tokenizer(), _SHARED).items():
        verdict = relate(old, text)
        if verdict.relation is Relation.DUPLICATE:
            best = max(best or (0.0, 0), (verdict.duplicate_score, memory))
    return None if best is None else best[1]


def keys_around(text: str, start: int, end: int) -> set[str]:
    """Return the content keys of what `text[start:end]` is a part of: the same words and some beside them, of its line.

    Versions of the distiller cut statements at different places, and a purged memory has only its content key left.
    A statement has up to 196, in a millisecond: make them before the record is locked.
    """
    from curator.text import content_keys

    first = max(text.rfind("\n", 0, start) + 1, start - _AROUND)
    line_end = text.find("\n", end)
    last = min(line_end if line_end >= 0 else len(text), end + _AROUND)
    begins = [first, *(edge.start() for edge in _EDGE.finditer(text, first, start) if text[edge.start()].strip())]
    ends = [edge.start() for edge in _EDGE.finditer(text, end, last) if text[edge.start() - 1].strip()]
    return content_keys(text, {first, start, *begins[-_MOST_AROUND:]}, {last, end, *ends[:_MOST_AROUND]})


def index_forgotten(store: Store) -> None:
    """Index newly forgotten memories. Call it before a command, so that the index survives if that is refused."""
    if store.tombstones.any():
        store.tombstones.update_index(tokenizer())


def refuse_forgotten(store: Store, text: str) -> None:
    """Raise Forgotten if a text repeats a forgotten memory, judging by words."""
    memory = find_forgotten(store, text) if store.tombstones.any() else None
    if memory is not None:
        raise Forgotten(memory)


def tokenizer() -> Tokenizer:
    """Return the tokenizer for comparing forgotten texts."""
    from curator.text import TOKENS, tokens
    from curator.text.dates import without_dates

    return Tokenizer(f"{TOKENS} without dates", lambda text: tokens(without_dates(text)))
