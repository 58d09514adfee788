from dataclasses import replace
from time import process_time

import pytest

from curator.distill.candidate import Distilled
from curator.distill.language import english
from curator.distill.rules import distil
from curator.distill.third_party.forwarded import end_of_forwarded
from factories import CHAT, TURN


def read(*texts: str) -> Distilled:
    return distil(CHAT, [replace(TURN, id=TURN.id + at, text=text) for at, text in enumerate(texts)])


def kept_texts(*texts: str) -> list[str]:
    return [candidate.text for candidate in read(*texts).candidates]


@pytest.mark.parametrize(
    "text",
    [
        "could you tidy up my nephew's cv\n\nI am a keen 17 year old. I live in Hereford. I enjoy netball.",
        "please proofread this for my neighbour: I have worked as a plumber for 12 years. I live in Kent.",
        "translate for Ana's cousin: I am vegetarian and I have two brothers",
        "he said put: I am 84 and have a pacemaker. I live alone at number 31.",
        "Bea's sister asked me to send you this, here goes: I'm allergic to nuts and I work at a bakery in Telford.",
        "quick question from my flatmate: I'm type 1 diabetic, can I eat mango?",
    ],
)
def test_words_of_somebody_else_are_none_of_the_persons(text: str) -> None:
    assert kept_texts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Which exercise is best for my knee? I have arthritis.",
        "can you check this for my mum's birthday party. I have arthritis.",
        "I told my boss everything. I have arthritis.",
        "Can you improve my CV? I have arthritis.",
    ],
)
def test_a_task_for_somebody_else_hides_nothing_of_the_person(text: str) -> None:
    assert "I have arthritis" in " ".join(kept_texts(text))


@pytest.mark.parametrize(
    "text",
    [
        "whats wrong with this verse\n\nI'm a ferryman's daughter\nI live by the water\nI don't eat meat on sundays",
        "does this scan\n\nI have two sons and neither of them sings\nMy daughter keeps a dozen golden rings",
        "bo texted me this what does he mean\n\nim allergic to cats and i hate surprises. i moved to bray",
        "how do i reply to this\n\nhey, im vegan now, also i moved to bray",
        "got this from our landlord\n\nHi, I live abroad now. I am allergic to dogs",
    ],
)
def test_verse_and_messages_of_others_below_their_lead_are_not_the_persons(text: str) -> None:
    assert kept_texts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "bo texted, he comes in june\n\nI have a cat and I live in Bray",
        "need a poem for my wife\n\nI live by the sea with her\nwe have three kids",
        "thoughts on this plan?\n\nI run three times a week\nI have a bad knee",
    ],
)
def test_lines_of_the_person_below_a_task_are_read(text: str) -> None:
    assert len(kept_texts(text)) > 1


def test_an_instruction_for_the_text_at_hand_is_no_preference() -> None:
    assert kept_texts("letter to the landlord about the damp. be firm but polite") == []
    assert kept_texts("draft an email to the council. keep it short and formal", "shorter. dont mention Marek") == []
    assert kept_texts("can you write a birthday message for my dad? no emojis please, max 3 lines") == []
    assert kept_texts("write a commit message", "imperative, under 60 chars. thats how i like all my messages") != []
    kept = kept_texts(
        "draft a reply to Sean", "use british spelling", "from now on never use the word delighted in emails"
    )
    assert len(kept) == 2


def test_what_a_text_at_hand_is_to_say_is_not_asked_to_be_remembered() -> None:
    (one,) = read("I'm writing a card for my aunt, make it warm.", "put in that I play the tuba").candidates[-1:]
    assert (one.text, one.always) == ("I play the tuba", False) and one.importance < 8
    assert "I play the tuba" not in kept_texts(
        "reword this for my cousin: I am a carpenter", "add that I play the tuba"
    )
    assert read("write a card for my aunt", "remember that I play the tuba").candidates[-1].always
    assert read("please add to your memory that I play the tuba").candidates[-1].always


def test_a_word_made_to_hang_is_read_in_time() -> None:
    start = process_time()
    assert not english().cues["mends"].search("fix-" * 4_000)
    assert process_time() - start < 1


@pytest.mark.parametrize(
    "text",
    [
        "my tenant wrote: hello both, i am abroad until June and my brother has the keys. what do i answer",
        "got this from my aunt, what do you think? Hey you, we have sold the house in Kent. I live in Leeds now.",
        "this is what he sent me -> i can't come, my son has asthma. i live in Bray",
        "She wrote back: sorry, my son has asthma and I can't come. we live in Kent now.",
        "Look what my boss sent: Team, I am leaving in May. My wife is from Peru.",
        "I got an email from our landlady. It says: I live abroad now. My brother lives in Kent.",
        "Here's the message from Tom -- I am vegan now. I live in Bray.",
        "the school emailed: dear parents, I live in Kent now.\n\nI have three kids.\n\nMrs Poe",
        "how would you answer this? hi love, i have moved to York. my son has asthma.",
        "Ana's reply was: no thanks, i have two dogs. i'm allergic to cats.",
        "my ex says this: I have a new wife. I have two dogs.",
        "my colleague Ben sent me the following. I have a bad back. I have two dogs.",
        "forwarding what my tenant wrote: hello, i lost my job. i have two kids.",
    ],
)
def test_a_message_of_somebody_else_in_running_text_is_not_the_persons(text: str) -> None:
    found = kept_texts(text)
    assert found in ([], ["I got an email from our landlady."])


@pytest.mark.parametrize(
    "text",
    [
        "my tenant wrote: the heating is off. I live in Kent. I have two sons.",
        "my doctor wrote that I have arthritis. I live in Kent. I have two sons.",
        "got this from my sister for my birthday: a dog! I live in Kent. I have two sons.",
        "got this cold from my sister, what do you think? I live in Kent. I have two sons.",
        "she sent me flowers -> lovely. I live in Kent. I have two sons.",
        "I got a letter from my landlord. I live in Kent. I have two sons.",
        "my sister told me: you are right. I live in Kent. I have two sons.",
        "what should i reply to my sister? I live in Kent. I have two sons.",
        "From now on: we write grey. I live in Kent. I have two sons.",
        "The thing I wrote: I was wrong. I live in Kent. I have two sons.",
        "my boss wrote: hi, I live in Peru.\n\nWhat do I answer? I live in Kent. I have two sons.",
    ],
)
def test_the_person_speaks_beside_what_others_sent(text: str) -> None:
    assert kept_texts(text)[-2:] == ["I live in Kent.", "I have two sons."]


@pytest.mark.parametrize(
    "unit", ["my sister wrote back ", "what she sent me this ", "got this from my ", "a letter from a "]
)
def test_a_message_made_to_hang_is_read_in_time(unit: str) -> None:
    low, start = unit * 2_000, process_time()
    assert end_of_forwarded(low, 0, len(low)) is None
    assert process_time() - start < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "Got this from my boss: please come in on Monday. I live in Kent. I have two sons.",
        "What my doctor said: you have diabetes. I live in Kent. I have two sons.",
        "Note from me: I live in Kent. I have two sons.",
        "My friend texted me: hi, are you coming?\nI live in Kent. I have two sons.",
    ],
)
def test_a_message_that_says_nothing_of_its_writer_is_one_sentence(text: str) -> None:
    assert kept_texts(text)[-2:] == ["I live in Kent.", "I have two sons."]


@pytest.mark.parametrize("text", ["don't use the word 'sadly', it's weak", "never write the phrase best of breed"])
def test_a_ban_of_a_word_after_a_text_was_asked_for_is_for_later_texts_too(text: str) -> None:
    said = [replace(TURN, id=TURN.id + at, text=one) for at, one in enumerate(("write an email to Jo", text))]
    (one,) = distil(CHAT, said).candidates
    assert one.standing and one.text.lower() == text.partition(",")[0]
