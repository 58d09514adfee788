"""How surprising a candidate is beside what is known already: whether it is worth keeping."""

from collections.abc import Iterable

from curator.compare import Verdict
from curator.distill.language import languages
from curator.distill.specificity import signals
from store.model import Surprise


def surprise(text: str, nearest: Iterable[Verdict], previous_cosine: float | None = None) -> Surprise:
    """The five parts of the surprise of `text`, each 0-1; `Surprise.total` weighs them.

    `nearest` are the verdicts of the candidate against the live memories nearest to it; `previous_cosine` is the
    cosine of its embedding with that of the turns before it (their mean), None at the start of a conversation.

    - novelty: 1 - the highest duplicate score
    - contradiction: the highest conflict score
    - specificity: see `specificity`
    - emphasis: see `emphasis`
    - switch: 1 - `previous_cosine`; 0 where nothing came before
    """
    verdicts = tuple(nearest)
    return Surprise(
        novelty=_share(1.0 - max((verdict.duplicate_score for verdict in verdicts), default=0.0)),
        contradiction=_share(max((verdict.conflict_score for verdict in verdicts), default=0.0)),
        specificity=specificity(text),
        emphasis=emphasis(text),
        switch=0.0 if previous_cosine is None else _share(1.0 - previous_cosine),
    )


def specificity(text: str) -> float:
    """Names, numbers, dates and rare words over all words that are not stop words, at most 1."""
    english = languages()["en"]
    found = signals(text, english)
    weighty = max(1, sum(1 for word in text.lower().split() if word.strip(".,;:!?\"'()") not in english.stopwords))
    return _share((found.specifics + found.rare) / weighty)


def emphasis(text: str) -> float:
    """A third for each emphatic cue of the language file (`always`, `never`, `important`, `!`), at most 1.

    A telling word that is said again counts as a cue.
    """
    english = languages()["en"]
    low = text.lower()
    words = [word for word in low.replace(",", " ").replace(".", " ").split() if word not in english.stopwords]
    cues = len(english.cues["emphasis"].findall(low)) + (len(words) - len(set(words)) if len(words) < 60 else 0)
    return _share(cues / 3)


def _share(value: float) -> float:
    return round(min(1.0, max(0.0, value)), 4)
