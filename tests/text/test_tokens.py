from hypothesis import given
from hypothesis import strategies as st

from curator.text import first_person, jaccard, tokens


def test_inflections_are_one_token() -> None:
    assert tokens("I hike") == tokens("hiking") == tokens("hiked") == tokens("hikes")
    assert tokens("two cities") == tokens("2 city")


def test_empty_words_do_not_count_unless_there_is_nothing_else() -> None:
    assert tokens("I am in the garden") == tokens("garden")
    assert tokens("I am") != frozenset()


def test_chinese_is_cut_into_pairs() -> None:
    assert tokens("我喜欢茶") == {"我喜", "喜欢", "欢茶"}
    assert "py" not in tokens("用python写")
    assert "python" in tokens("用python写")


def test_overlap_of_nothing_is_nothing() -> None:
    assert jaccard(frozenset(), frozenset()) == 0.0
    assert jaccard(tokens("green tea"), tokens("black tea")) == 1 / 3


def test_the_user_speaks_in_the_first_person() -> None:
    assert first_person("user prefers tea") == "i prefer tea"
    assert first_person("the user has two dogs") == "i have two dogs"
    assert first_person("user's name is ada") == "my name is ada"
    assert first_person("the user always carries a pen") == "i always carry a pen"
    assert first_person("each user prefers tea") == "each user prefers tea"


@given(st.text(max_size=300))
def test_any_text_has_tokens_that_overlap_with_themselves(text: str) -> None:
    found = tokens(text)
    assert jaccard(found, found) in (0.0, 1.0)
