"""Display names of members: cleaned, and disambiguated where two look alike."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping

from curator.injection import flag_injection
from curator.secrets import redact
from store.sanitize import replace_invisible, storable

_LENGTH = 40  # characters
_KEY = 10  # hexadecimal digits of a key
_SUFFIX = re.compile(rf"( \([0-9a-f]{{{_KEY}}}\))+$")
_ALIKE = str.maketrans(
    "АаВвСсЕеНнһІіЈјКкӏМмОоРрЅѕТтУуХхѵԁԛԝгзьпбΑαΒβΓγΕεΖΗηΙιΚκΜΝνΟοΡρσςΤτΥυΧχϲϹωıɑɡɩłŁđøØſ",
    "AaBbCcEeHhhIiJjKklMmOoPpSsTtYyXxvdqwr3bn6AaBbryEeZHnIiKkMNvOoPpooTtYuXxcCwiagilLdoOs",
)
"""Cyrillic, Greek and rarer Latin letters, and the Latin letters that they look like (after Unicode's UTS 39)."""
_DIGITS = str.maketrans("i1|0", "lllo")


def clean_name(name: str) -> str:
    """Return a name that is safe to show, also to models: one line, limited length, no secrets or instructions."""
    plain = redact(" ".join(replace_invisible(storable(name[: 10 * _LENGTH])).split())).text
    plain = _SUFFIX.sub("", plain)[:_LENGTH].strip()
    return plain if plain and flag_injection(plain) is None else "somebody"


def checked_name(name: str) -> str:
    """Return a cleaned name. Raises ValueError for control or invisible characters."""
    if replace_invisible(storable(name)) != name or not name.isprintable():
        raise ValueError("a name cannot have control or invisible characters; choose another one")
    return clean_name(name)


def skeleton(name: str) -> str:
    """Return a key that is equal for names that look alike, without a bracketed suffix."""
    whole = unicodedata.normalize("NFKC", replace_invisible(name).translate(_ALIKE))
    start = next((at for at, char in enumerate(whole) if at and unicodedata.category(char) == "Ps"), len(whole))
    latin = unicodedata.normalize("NFKD", whole[:start]).translate(_ALIKE).casefold().translate(_DIGITS)
    letters = "".join(char for char in latin if char.isalnum())
    return letters.replace("rn", "m").replace("vv", "w") or whole.casefold()


def disambiguated(names: Mapping[str, str]) -> dict[str, str]:
    """Return names by public key, with the beginning of the key appended, once, to those that look alike."""
    plain = {key: _SUFFIX.sub("", name) for key, name in names.items()}
    alike = Counter(map(skeleton, plain.values()))
    return {key: f"{name} ({key[:_KEY]})" if alike[skeleton(name)] > 1 else name for key, name in plain.items()}
