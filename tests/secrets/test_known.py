"""Known secrets are found in a text as a regular expression of all of them finds them."""

import re
from collections.abc import Collection

from hypothesis import given, settings
from hypothesis import strategies as st

from curator.secrets.known import replacer
from effort import share, thorough

LETTERS = "aAbBiIıİkK\u212asSſßẞﬅﬆ\u0390\u1fd3-."


def covered(match: str) -> str:
    return f"<{len(match)}>"


def by_regular_expression(values: Collection[str], text: str) -> str:
    known = re.compile("|".join(map(re.escape, sorted(values, key=len, reverse=True))) or r"(?!)", re.IGNORECASE)
    return known.sub(lambda match: covered(match[0]), text)


@thorough
@settings(max_examples=share(2_000), deadline=None)
@given(st.sets(st.text(LETTERS, min_size=1, max_size=5), max_size=6), st.text(LETTERS, max_size=40))
def test_the_same_is_replaced_as_by_a_regular_expression(values: set[str], text: str) -> None:
    assert replacer(values)(text, covered) == by_regular_expression(values, text)


@thorough
def test_every_letter_is_found_in_either_case() -> None:
    letters = [char for char in map(chr, range(0x1F000)) if not char.lower() == char.upper() == char.casefold()]
    text, rare = "".join(letters), "ıİſßẞﬅﬆ\u0390\u1fd3\u03b0\u1fe3\u212a\u212bµθϴ"
    for value in (*rare, *letters[::40]):
        assert replacer({value})(text, covered) == by_regular_expression({value}, text), value


def test_the_longest_of_several_is_replaced() -> None:
    replace = replacer({"hunter22", "hunter22-old", "22-older"})
    assert replace("HUNTER22, Hunter22-Older and hunter22-ol", covered) == "<8>, <12>er and <8>-ol"
