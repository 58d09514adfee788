"""Names of members, which they choose themselves: cleaned, and told apart where two look alike."""

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
    """Return a name as it is shown, also to models: on one line, not too long, without secrets and orders."""
    plain = redact(" ".join(replace_invisible(storable(name[: 10 * _LENGTH])).split())).text
    plain = _SUFFIX.sub("", plain)[:_LENGTH].strip()
    return plain if plain and flag_injection(plain) is None else "somebody"


def checked_name(name: str) -> str:
    """Return a name to be called by. Raises ValueError if it has characters that control the output, or are unseen."""
    if replace_invisible(storable(name)) != name or not name.isprintable():
        raise ValueError("a name cannot have control or invisible characters; choose another one")
    return clean_name(name)


def skeleton(name: str) -> str:
    """Return what names that look alike have in common; what is in brackets at the end does not count."""
    whole = unicodedata.normalize("NFKC", replace_invisible(name).translate(_ALIKE))
    start = next((at for at, char in enumerate(whole) if at and unicodedata.category(char) == "Ps"), len(whole))
    latin = unicodedata.normalize("NFKD", whole[:start]).translate(_ALIKE).casefold().translate(_DIGITS)
    letters = "".join(char for char in latin if char.isalnum())
    return letters.replace("rn", "m").replace("vv", "w") or whole.casefold()


def told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Return names by public key, of which those that look like another one's have the beginning of the key."""
    alike = Counter(map(skeleton, names.values()))
    return {key: f"{name} ({key[:_KEY]})" if alike[skeleton(name)] > 1 else name for key, name in names.items()}
