"""Explanation of a verdict: its reasons, the steps of the rules, and descriptions of conflict features."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from curator.compare.data import weights
from curator.compare.pair import TextPair
from store.model import Relation

_WORDS = {
    "change": "a change is mentioned",
    "lately": "one says it is recent",
    "denied": "one denies what the other says",
    "felt": "one likes what the other dislikes",
    "opposites": "opposite words",
    "left behind": "one has been given up",
    "turned round": "the other way round",
    "numbers": "different numbers",
    "dates": "different dates",
    "measure": "different amounts of one thing",
    "no exception": "one allows no exception",
    "slot by meaning": "one follows from the other's opposite",
    "rivals": "one replaces the other",
    "over": "one is about the past",
    "past by now": "a date that has passed",
}
"""Descriptions of features, shown to people."""
_MIN_SHOWN = 0.05  # minimum contribution to the log odds of a feature that is shown


@dataclass(frozen=True, slots=True)
class Explanation:
    """Reasons of a verdict for people, and the steps of the rules with their weights."""

    compared: tuple[str, ...] = ()  # both texts (the earlier first, if known), then their similarity
    differences: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    path: tuple[str, ...] = ()


def same_words(texts: tuple[str, str], but: str = "") -> Explanation:
    """Return the explanation for texts with the same words; `but` names an exception, such as dates."""
    return Explanation(
        texts,
        (but or ("none" if texts[0] == texts[1] else "none but case, punctuation and spelling"),),
        (but or "the same words",),
        (f"word for word: {but or 'the same'}",),
    )


def explained(pair: TextPair, texts: tuple[str, str], relation: Relation, why: str) -> Explanation:
    """Return the explanation of a verdict."""
    replaced, read = pair.replaced, pair.prediction
    alike = f"{pair.overlap:.0%} of words shared"
    alike += "" if pair.cosine is None else f", {max(pair.cosine, 0.0):.0%} similar"
    found = dict.fromkeys(one.why for one in pair.slot_findings)
    turned = _as_written(pair.features.turned, texts)
    said = (why, _WORDS["change"] if turned else "")
    new = {name: words for name, words in _WORDS.items() if not any(words in one for one in said)}
    weighed = {words: weights()["conflict"].get(name, 0.0) * pair.features.by_name[name] for name, words in new.items()}
    signs = sorted((words for words, weight in weighed.items() if weight >= _MIN_SHOWN), key=lambda one: -weighed[one])
    return Explanation(
        (*texts, alike, *found),
        (*map(str, pair.guards), *([f"words: {replaced[0]} / {replaced[1]}"] if replaced else []))
        or ("no name, number, date or negation",),
        (
            why,
            *([f"a change is mentioned: {turned}"] if turned else []),
            *([f"speaks for a conflict: {', '.join(signs)}"] if signs else []),
            *([read.words] if read is not None else []),
        ),
        steps(pair, relation, why),
    )


def _as_written(words: str, texts: tuple[str, str]) -> str:
    """Return lower-case words as one of the texts has them, if it does."""
    found = (re.search(re.escape(words), text, re.IGNORECASE) for text in texts)
    return next((one[0] for one in found if one), words)


def strongest_features(features: Mapping[str, float]) -> list[str]:
    """Return descriptions of the two strongest features for a conflict."""
    table = weights()["conflict"]
    weighty = sorted((-table.get(name, 0.0) * features[name], words) for name, words in _WORDS.items())
    return [words for weight, words in weighty if weight < 0][:2] or ["both are about the same thing"]


def weighted_features(features: Mapping[str, float]) -> list[str]:
    """Return the features with their contributions to the log odds of a conflict, largest first."""
    table = weights()["conflict"]
    weighty = ((name, table.get(name, 0.0) * value) for name, value in features.items() if value)
    ordered = sorted(weighty, key=lambda sign: -abs(sign[1]))
    return [f"{name} {weight:+.2f}" for name, weight in ordered if abs(weight) >= _MIN_SHOWN]


def reasons(pair: TextPair, texts: tuple[str, str], why: str) -> tuple[str, ...]:
    """Return the deciding rule, then the differences, then the similarity."""
    turned, replaced = _as_written(pair.features.turned, texts), pair.replaced
    return (
        why,
        *([f"a change is mentioned: {turned}"] if turned else []),
        *map(str, pair.guards),
        f"{pair.overlap:.0%} of words shared",
        *([f"cosine {pair.cosine:.2f}"] if pair.cosine is not None else []),
        *([f"words replaced: {replaced[0]} / {replaced[1]}"] if replaced else []),
    )


def steps(pair: TextPair, relation: Relation, why: str) -> tuple[str, ...]:
    """Return the steps that led to a verdict."""
    limits, excluded = weights()["thresholds"], pair.excluded is not None
    return (
        *(f"{one.kind.value} ({one.slot}): {one.why}" for one in pair.slot_findings),
        *weighted_features(pair.features.by_name),
        *([] if pair.prediction is None else [pair.prediction.step]),
        f"chance of a conflict {pair.chance:.2f}, shown from {pair.least('conflict'):.2f}",
        *([f"such values: shown from {limits['values read']:.2f}"] if excluded else []),
        *([f"by signs alone {pair.chance_by_features:.2f}, shown from {limits['conflict']:.2f}"] if excluded else []),
        f"chance of a repetition {pair.repeats:.2f}, shown from {pair.least('repeat'):.2f}",
        *([f"said {pair.gap:.0f} days apart"] if pair.gap is not None else []),
        f"{relation.value}: {why}",
    )
