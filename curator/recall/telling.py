"""Why a memory was found, in words."""

from curator.recall.search import Hit


def explained(hit: Hit) -> str:
    """What a score is made of, and the places in the searches that found it."""
    sign, shown = (" × ", "{:.3f}") if hit.product else ("  ", "{:+.3f}")
    told = (f"{name} {shown.format(value)}" for name, value in hit.parts.items() if hit.product or abs(value) >= 0.0005)
    parts = sign.join(told) or "nothing tells it from the others"
    ranks = ", ".join(f"{way} {rank}" for way, rank in hit.ranks.items())
    return f"{parts}  ·  place by {ranks}"
