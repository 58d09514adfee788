"""Memories that share a word with a request to forget, but are orders or are about something else, are in doubt."""

from dataclasses import replace

import pytest

from curator.distill.forget.match import Certainty, match_text, parse_request
from curator.distill.forget.subjects import ORDER
from curator.services.forget_requests import match_requests
from factories import conversation, memory, quote
from store import Store

ROISIN = "My new boss is called Roisin, she asked me to always copy her on anything i send to the home patients"


def match(request: str, text: str) -> tuple[Certainty, str]:
    """Match a request with a memory of a chat about something else."""
    return match_text(parse_request(request), text, ["Talk"])


@pytest.mark.parametrize(
    ("request_text", "said", "why"),
    [
        ("patients", "All my patient leaflets must be reading age 11 and font 14, trust policy", ORDER),
        ("patients", "Always answer patients in plain English", ORDER),
        ("clients", "Client emails must be short", ORDER),
        ("my number", "Numbers always with two decimals", ORDER),
        ("patients", ROISIN, "mentions patients in passing"),
        ("my patients", "Ill be visiting patients at home all over west yorkshire", "mentions patients in passing"),
        ("anything about patients", "Patient letters go out on Fridays", "mentions patients in passing"),
        ("patients", "I work with patients with kidney disease", "mentions patients in passing"),
    ],
)
def test_an_order_or_a_passing_mention_is_in_doubt(request_text: str, said: str, why: str) -> None:
    assert match(request_text, said) == (Certainty.DOUBTFUL, why)


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("patients", "One of my patients a man of 63 with a fistula keeps cramping, he lives in otley"),
        ("patients", "I have a patient who is allergic to heparin"),
        ("patients", "Two of my patients live in Otley"),
        ("patients", "My patient Tom is 63"),
        ("patients", "Patients often hate the machine"),
        ("my colleagues", "I hate my colleagues"),
        ("anything about my clients", "My biggest client is the Hotel Palace"),
        ("Roisin", ROISIN),
        ("the bullet points", "Never use bullet points"),
        ("weights in grams", "Weights always in grams please never cups, i dont even own cups"),
        ("the order about leaflets", "The order: my leaflets must be short"),
        ("my drinking", "Never drink alcohol"),
        ("my rent", "Rent must be paid on the 1st"),
    ],
)
def test_what_a_request_names_is_meant(request_text: str, said: str) -> None:
    assert match(request_text, said)[0] is Certainty.SURE


def test_the_order_never_to_keep_anything_is_not_what_to_forget(store: Store) -> None:
    text = "Dont keep anything about patients ever"
    with store.command("import") as writer:
        store.raw.put_conversation(writer, replace(conversation("x", text), title="Talk"))
        message = store.raw.find_identity(writer, "chatgpt:x:0")
        store.admit(writer, memory(text, evidence=(quote(text, text, message=message),)))
        store.forget_requests.put(writer, [(message, 25, 33)])
    (found,) = match_requests(store, [one.words for one in store.forget_requests.page()])
    assert found.sure == () and [one.why for one in found.doubtful] == [ORDER]
