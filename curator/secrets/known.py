"""Search of texts for many known secrets at once, ignoring case."""

from collections.abc import Callable, Collection

_ALIKE = str.maketrans({"ı": "i", "\u1fd3": "\u0390", "\u1fe3": "\u03b0", "\ufb06": "\ufb05"})
"""Characters that a regular expression takes for others when it ignores case, though neither is the other's case."""


def replacer(values: Collection[str]) -> Callable[[str, Callable[[str], str]], str]:
    """Return a function that replaces each of these values in a text by what a function makes of its occurrence.

    It finds what a regular expression of all of them, longest first, finds ignoring case, but in a time that does not
    depend on their number: 0.02 s instead of 3 s for 130 kB and 2,000 values.
    """
    known = {_folded(value) for value in values}
    shortest = min(map(len, known), default=0)
    lengths: dict[str, list[int]] = {}  # by the beginnings of the values, longest first
    for length, begin in sorted({(len(value), value[:shortest]) for value in known}, reverse=True):
        lengths.setdefault(begin, []).append(length)

    def replace(text: str, replacement: Callable[[str], str]) -> str:
        folded, parts, done = _folded(text), list[str](), 0
        for start in [at for at in range(len(text) - shortest + 1) if folded[at : at + shortest] in lengths]:
            here = lengths[folded[start : start + shortest]] if start >= done else []
            length = next((length for length in here if folded[start : start + length] in known), 0)
            if length:
                parts += (text[done:start], replacement(text[start : start + length]))
                done = start + length
        return "".join((*parts, text[done:]))

    return replace


def _folded(text: str) -> str:
    """Return a text in which characters that differ in case only are equal, at the same length."""
    if text.isascii():
        return text.lower()
    text = text.translate(_ALIKE)
    return text.translate(
        {ord(char): low if len(low := char.casefold()) == 1 else char.lower()[0] for char in set(text)}
    )
