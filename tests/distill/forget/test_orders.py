"""Orders not to mention or keep something, told from requests to forget what was said."""

import pytest

from curator.distill.candidate import Distilled
from curator.distill.rules import distil
from store.model import Conversation, Message, Role


def read(*said: str) -> Distilled:
    """Read the messages of a chat by rules alone."""
    messages = [Message(id=n, conversation=1, ordinal=n, role=Role.USER, text=text) for n, text in enumerate(said, 1)]
    return distil(Conversation(id=1, source="chatgpt", messages=len(messages)), messages, confidence=0.0)


CAT = "our cat pierogi is 11. pierogi died last night. 12 years. kuba wont come out of his room"


def test_an_order_not_to_mention_somebody_means_no_statement_of_somebody_else() -> None:
    found = read(CAT, "please dont mention her again unless i do")
    assert found.forget_requests == ()
    assert not any("mention" in one.text for one in found.candidates), "nobody knows who that is"
    last = found.refusals[-1]
    assert (last.message, last.start, last.reason) == (2, 0, "no_pattern")


@pytest.mark.parametrize(
    "order",
    ["Please dont mention pierogi again unless i do", "Please never mention Pierogi again"],
)
def test_with_a_name_it_is_an_order(order: str) -> None:
    found = read(CAT, order)
    assert found.forget_requests == () and found.candidates[-1].text == order


@pytest.mark.parametrize(
    ("said", "query"),
    [
        (["I've had IVF", "Dont mention the IVF again unless I do. actually just delete it"], "the IVF"),
        (["I like Maureen", "Don't mention Maureen ever again. Remove her from your memory"], "Maureen"),
        (["I drink monster cans", "dont bring up the monster cans again, I know"], "the monster cans"),
        (["Nuno and me are done. Don't bring him up again please"], "Nuno and me are done"),
        (["I hate my boss", "don't mention my boss again"], "my boss"),
        (["Anna left me. He was at work", "don't ever bring her up again"], "Anna left me"),
    ],
)
def test_what_also_asks_to_forget_is_a_request(said: list[str], query: str) -> None:
    assert [one.query for one in read(*said).forget_requests] == [query]


@pytest.mark.parametrize(
    "order",
    [
        "dont keep anything about patients ever, confidentiality",
        "Never store anything about my patients",
    ],
)
def test_never_to_keep_anything_about_a_group_is_a_request_and_an_order(order: str) -> None:
    found = read("One of my patients is a man of 63 with a fistula, he lives in Otley", order)
    assert [one.query.removeprefix("my ") for one in found.forget_requests] == ["patients"]
    assert found.candidates[-1].text.casefold() == order.casefold()


@pytest.mark.parametrize("request_text", ["Forget everything about my patients", "don't keep anything about my debts"])
def test_without_ever_or_about_a_secret_it_is_a_request_alone(request_text: str) -> None:
    found = read("I have debts. My patients are old", request_text)
    assert len(found.forget_requests) == 1
    assert not any(one.message == 2 for one in found.candidates)
