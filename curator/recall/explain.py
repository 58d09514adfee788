"""Why a memory was found, or was left out, in words."""

from collections.abc import Iterable, Mapping

from curator.recall.preset_names import Preset
from curator.recall.search import Hit

SUMS: Mapping[Preset, str] = {
    Preset.CURATOR: "The score is the sum of its parts. A part counts from the average of all that was looked at: "
    "+ speaks for the memory, - against it.",
    Preset.YOCORE: "The score is the sum of its parts, each 1 / (60 + the place in that search).",
    Preset.HYBRID: "The score is the sum of its parts: 0.6 for meaning, 0.2 for words, 0.2 for age, at most.",
    Preset.LYNKR: "The score is the sum of its parts: 0.3 for age, 0.4 for importance, 0.3 for words, at most.",
    Preset.YAK: "The score is the product of its parts.",
    Preset.YAK_ADDITIVE: "The score is the sum of its parts.",
    Preset.YAK_LOG: "The score is the sum of its parts, which are logarithms: 0 is a factor of 1.",
}
"""How the parts become the score."""
PARTS: Mapping[str, str] = {
    "text": "the words it shares with the question",
    "context": "words shared with the question by it or what was said around it",
    "spelling": "the letters it shares with the question",
    "meaning": "how near it is in meaning",
    "vector": "how near it is in meaning",
    "cosine": "how near it is in meaning; 1 is the same",
    "conversation": "how well the conversation it is from answers as a whole",
    "replies": "said in reply to a question like this one",
    "length": "its length: very short texts say little",
    "asks": "it is a question itself",
    "tells": "it says when, which is what was asked",
    "dated": "said about the time that the question names",
    "person": "about somebody whom the question names",
    "validated": "you validated or pinned it",
    "tier": "the core tier counts more, the low one less",
    "gravity": "its tier: core 2, medium 1, low one half",
    "importance": "how much hangs on it, by whoever noted it",
    "warmth": "whether it was of use before",
    "age": "what time has taken from it; some kinds never fade",
    "decay": "what time has left of it",
    "recency": "how new it is",
}
"""What each part of a score looks at."""
_WHY = {
    "duplicate of": "that says the same, and ranks higher",
    "superseded by": "that has taken its place",
    "floor": "it is not near enough to the prompt, in words or in meaning",
    "floor (weak)": "its score is too far below the best",
    "limit": "it comes after all that was asked for",
    "budget": "the block has no room left for it",
    "flagged": "it is in quarantine, and not validated",
    "not validated": "only what you validated is given",
    "expired": "its time is over",
    "rejected": "you rejected it",
    "scope": "it holds elsewhere",
}
_SHOWN = 0.0005  # of a part that is added


def explained(hit: Hit) -> str:
    """What a score is made of, and the places in the searches that found it."""
    return f"{places(hit)}  ·  {('  ', ' × ')[hit.product].join(parts(hit))}"


def parts(hit: Hit) -> list[str]:
    """The parts of a score that bear on it, each with its number."""
    shown = "{} {:.3f}" if hit.product else "{} {:+.3f}"
    told = [shown.format(name, hit.parts[name]) for name in telling(hit)]
    return told or ["nothing tells it from the others"]


def telling(hit: Hit) -> list[str]:
    """The names of the parts that bear on a score; of a sum the weightiest first."""
    if hit.product:
        return list(hit.parts)
    some = [name for name, value in hit.parts.items() if abs(value) >= _SHOWN]
    return sorted(some, key=lambda name: -abs(hit.parts[name]))


def places(hit: Hit) -> str:
    """In which searches it was found, and at which place."""
    return "place by " + ", ".join(f"{way} {rank}" for way, rank in hit.ranks.items())


def legend(preset: Preset, hits: Iterable[Hit]) -> tuple[str, dict[str, str]]:
    """How the parts of these hits become their scores, and what each of the parts looks at."""
    names = dict.fromkeys(name for hit in hits for name in telling(hit))
    return SUMS[preset], {name: PARTS[name] for name in names}


def why(reason: str) -> str:
    """A reason for which something is no hit, or not in the block, with what it means."""
    first, _, other = reason.rpartition(" ")
    if first.endswith(" by") and not first.startswith("superseded"):
        return f"by {other} it would be number {first.removesuffix(' by')}"
    means = _WHY.get(reason) or _WHY.get(first)
    return f"{reason}: {means}" if means else reason
