import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.text import content_key, content_keys

SAME = [
    ("I prefer tea.", "i  prefer\n tea"),
    ("I don't eat meat", "I do not eat meat."),
    ("I don’t eat meat", "I don't eat meat"),
    ("I can't swim", "I cannot swim"),
    ("I'm vegan", "I am vegan!"),
    ("My rent is $1,500", "my rent is $1500"),
    ("50% of my time", "50 % of my time"),
    ("I love **dark** chocolate", "I love dark chocolate"),
    ("ｆｕｌｌ width", "full width"),
    ("well-being matters", "well being matters"),
    ("- I like tea", "I like tea"),
    ("“I like tea”", "I like tea"),
    ("Cafe\u0301 Central", "Café Central"),
    ("zero\u200bwidth", "zerowidth"),
]
OTHER = [
    ("I eat meat", "I do not eat meat"),
    ("I have 3 cats", "I have 4 cats"),
    ("It costs 3.5 euros", "It costs 35 euros"),
    ("It is -5 degrees", "It is 5 degrees"),
    ("I live in Rome", "I live in Oslo"),
    ("a few friends", "few friends"),
    ("I like tea", "I like tea?"),
    ("10² metres", "102 metres"),
    ("3½ hours", "31/2 hours"),
    ("I write C", "I write C#"),
    ("I write C", "I write C++"),
    ("tea over coffee", "coffee over tea"),
    ("👍", "👎"),
    ("!!!", "..."),
    ("2*3*4", "234"),
    ("my parents' house", "my parent's house"),
    ("meet at 10:30", "meet at 1030"),
    ("I wake at 7 am", "I wake at 7 pm"),
    ("version 1.2.3", "version 12.3"),
    ("我喜欢茶", "我不喜欢茶"),
    ("¿Vivo?", "Vivo"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_writings_of_one_statement_share_a_key(a: str, b: str) -> None:
    assert content_key(a) == content_key(b)


@pytest.mark.parametrize(("a", "b"), OTHER)
def test_another_statement_has_another_key(a: str, b: str) -> None:
    assert content_key(a) != content_key(b)


def test_key_does_not_show_the_text() -> None:
    key = content_key("My password hint is marmalade")
    assert len(key) == 32
    assert int(key, 16) >= 0


@given(st.text(max_size=200))
def test_any_text_has_a_key_that_spacing_does_not_change(text: str) -> None:
    assert content_key(text) == content_key(f"  {text}\n")


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_numbers_decide(a: int, b: int) -> None:
    assert (content_key(f"I owe {a} euros") == content_key(f"I owe {b} euros")) is (a == b)


_PIECES = (
    "tea I'm can't 5 % 5\u00a0% ½ -3 1,000 it's well-known *so* **so it is** (a b). – é́ ？ ＊x＊ .. ﬁ \u200b ß ٣".split(
        " "
    )
)


@given(st.lists(st.sampled_from(_PIECES) | st.text(max_size=3), max_size=12), st.data())
def test_the_keys_of_many_parts_are_those_of_each(pieces: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([" ", "  ", "\n", ""])).join(pieces)
    middle = data.draw(st.integers(0, len(text)))
    begins = data.draw(st.sets(st.integers(0, middle), min_size=1))
    ends = data.draw(st.sets(st.integers(middle, len(text)), min_size=1))
    assert content_keys(text, begins, ends) == {content_key(text[begin:end]) for begin in begins for end in ends}
