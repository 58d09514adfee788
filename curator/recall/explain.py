"""Explanations of scores and omissions in words."""

from collections.abc import Iterable, Mapping

from curator.recall.types import Hit, OmissionKind, OmissionReason, Preset

SUMS: Mapping[Preset, str] = {
    Preset.CURATOR: "The score is the sum of its parts. Parts are relative to the average candidate: "
    "+ raises the memory, - lowers it.",
    Preset.YOCORE: "The score is the sum of its parts, each 1 / (60 + the place in that search).",
    Preset.HYBRID: "The score is the sum of its parts: 0.6 for similarity, 0.2 for words, 0.2 for age, at most.",
    Preset.LYNKR: "The score is the sum of its parts: 0.3 for age, 0.4 for importance, 0.3 for words, at most.",
    Preset.YAK: "The score is the product of its parts.",
    Preset.YAK_ADDITIVE: "The score is the sum of its parts.",
    Preset.YAK_LOG: "The score is the sum of its parts, which are logarithms: 0 is a factor of 1.",
}
"""Formula of each preset."""
PARTS: Mapping[str, str] = {
    "text": "words it shares with the question",
    "context": "words it or the messages around it share with the question",
    "spelling": "letters it shares with the question",
    "meaning": "similarity in meaning",
    "vector": "similarity in meaning",
    "cosine": "similarity in meaning; 1 is identical",
    "conversation": "how well its whole conversation matches",
    "replies": "a reply to a similar question",
    "length": "its length; very short texts rank lower",
    "tells": "it gives a time, as the question asks",
    "dated": "close to the date in the question",
    "person": "about somebody named in the question",
    "validated": "you validated or pinned it",
    "tier": "the core tier counts more, the low one less",
    "gravity": "its tier: core 2, medium 1, low one half",
    "importance": "its importance",
    "warmth": "how useful it was in past recalls",
    "age": "its age; some kinds never fade",
    "decay": "its age; some kinds never fade",
    "recency": "how new it is",
}
"""Meaning of each part of a score."""
_WHY = {
    OmissionKind.DUPLICATE: "it says the same and ranks higher",
    OmissionKind.SUPERSEDED: "a newer memory replaces it",
    OmissionKind.UNRELATED: "too little in common with the prompt, regardless of its score",
    OmissionKind.LIMIT: "beyond the number of results asked for",
    OmissionKind.BUDGET: "no room left in the block",
    OmissionKind.ASKED: "you asked for it in a chat: forget it, or validate it",
    OmissionKind.FLAGGED: "in quarantine, not validated",
    OmissionKind.NOT_VALIDATED: "only validated memories are included",
    OmissionKind.NEVER: "you set it to never",
    OmissionKind.EXPIRED: "past its end date",
    OmissionKind.REJECTED: "you rejected it",
    OmissionKind.SCOPE: "belongs to another scope",
}
SAFETY = "first, regardless of its score: a safety fact about this subject"
"""Explanation of a safety fact that is recalled for the subject of the prompt."""
STATED = "regardless of its score: it answers what is asked about you"
"""Explanation of a memory that states an attribute that the prompt asks for."""
_NAMES = {OmissionKind.UNRELATED: "not similar", OmissionKind.WEAK: "far below the best"}
"""Names of reasons whose values are not plain English in themselves."""
_BEFORE_OTHER = {OmissionKind.DUPLICATE: "of", OmissionKind.SUPERSEDED: "by"}
_WAYS = {"text": "its words", "context": "the words around it", "vector": "meaning", "spelling": "its letters"}
_SHOWN = 0.0005  # minimum absolute value of a part to be shown


def explain_score(hit: Hit) -> str:
    """Return a score with its parts, and the memory's rank in each search."""
    how = (", ", " × ")[hit.product].join(parts(hit))
    return f"score {hit.score:.3f} (higher is better): {how} · {positions(hit)}"


def parts(hit: Hit) -> list[str]:
    """Return the significant parts of a score, each with its value."""
    shown = "{} {:.3f}" if hit.product else "{} {:+.3f}"
    significant = [shown.format(name, hit.parts[name]) for name in _significant_parts(hit)]
    return significant or ["no part differs from the others"]


def _significant_parts(hit: Hit) -> list[str]:
    """Return the names of the significant parts; those of a sum largest first."""
    if hit.product:
        return list(hit.parts)
    some = [name for name, value in hit.parts.items() if abs(value) >= _SHOWN]
    return sorted(some, key=lambda name: -abs(hit.parts[name]))


def positions(hit: Hit) -> str:
    """Return the memory's rank in each search that found it."""
    found = [f"found as {', '.join(f'no. {rank} by {_WAYS[way]}' for way, rank in hit.ranks.items())}"]
    return " · ".join((found if hit.ranks else []) + ([SAFETY] if hit.safety else [STATED] if hit.stated else []))


def legend(preset: Preset, hits: Iterable[Hit]) -> tuple[str, dict[str, str]]:
    """Return the formula of a preset, and the meaning of each part of these hits."""
    names = dict.fromkeys(name for hit in hits for name in _significant_parts(hit))
    return SUMS[preset], {name: PARTS[name] for name in names}


def omission_code(reason: OmissionReason) -> str:
    """Return the reason for omitting a memory as `--json` has it."""
    if reason.other is None or reason.kind not in _BEFORE_OTHER:
        return reason.kind.value
    return f"{reason.kind.value} {_BEFORE_OTHER[reason.kind]} {reason.other}"


def omission_label(reason: OmissionReason) -> str:
    """Return the reason for omitting a memory, in a word or two."""
    return _NAMES.get(reason.kind) or omission_code(reason)


def explain_omission(reason: OmissionReason) -> str:
    """Return the reason for omitting a memory from hits or block, with its meaning."""
    label, means = omission_label(reason), _WHY.get(reason.kind)
    return f"{label}: {means}" if means else label
