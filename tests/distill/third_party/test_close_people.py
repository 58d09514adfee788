"""Health, diet and disability of people close to the person are kept, with who it is, using rules alone."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from curator.distill.candidate import Candidate
from curator.distill.rules import distil
from curator.distill.scores.chats import Scores, sentence_classifier
from factories import CHAT, TURN
from store.model import Kind


def read(text: str) -> list[Candidate]:
    return list(distil(CHAT, [replace(TURN, text=text, created_at=None)]).candidates)


@pytest.mark.parametrize(
    "text",
    [
        "Tom uses a wheelchair",
        "Owen is lactose intolerant",
        "Priya can't eat gluten.",
        "Jonas has severe asthma",
        "Ana and Luis are vegetarian",
        "my nephew has type 1 diabetes",
        "My best friend Kim is deaf",
        "my grandfather can't climb stairs",
        "Grandma keeps kosher",
        "the twins are allergic to peanuts",
        "Anna doesn't eat pork",
    ],
)
def test_a_statement_on_the_health_of_others_is_a_fact_of_the_relationship(text: str) -> None:
    (one,) = read(text)
    assert (one.text.lower(), one.kind) == (text.lower(), Kind.RELATIONSHIP)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm allergic to nuts. And Owen is lactose intolerant", "I'm allergic to nuts.|Owen is lactose intolerant"),
        ("Ben is vegetarian and Lou is allergic to peanuts", "Ben is vegetarian|Lou is allergic to peanuts"),
        ("Tom uses a wheelchair so nothing with stairs", "Tom uses a wheelchair"),
        ("Plan our trip: Tom can't do stairs and I hate museums", "Tom can't do stairs|I hate museums"),
        ("Marta has epilepsy, what should I know before babysitting?", "Marta has epilepsy"),
        ("What can I cook for Tom, who is vegan?", "Tom, who is vegan"),
        ("Suggest a restaurant for my dad, he is diabetic", "My dad is diabetic"),
        ("My nephew is 5. He has type 1 diabetes.", "My nephew is 5.|My nephew has type 1 diabetes."),
        ("Cooking for Ana tonight. She's allergic to nuts.", "Ana's allergic to nuts."),
        ("My ex-girlfriend Anna called. She has epilepsy.", "My ex-girlfriend Anna has epilepsy."),
        ("My ex husband Tom called. He has epilepsy.", "My ex husband Tom has epilepsy."),
    ],
)
def test_it_is_found_beside_other_statements_and_inside_of_requests(text: str, expected: str) -> None:
    assert [one.text for one in read(text)] == expected.split("|")


@pytest.mark.parametrize(
    "text",
    [
        "If Tom is allergic to nuts, what do I do?",
        "Is Owen lactose intolerant?",
        "Everyone is allergic to something",
        "Hummus is vegan",
        "The hotel is wheelchair accessible",
        "Paris is blind to this",
        "She's allergic to nuts.",
        "My brother is coming. She is deaf.",
        "My sister and my aunt are coming. She is deaf.",
        "My character is blind and fights with a staff",
    ],
)
def test_nothing_is_said_of_anybody(text: str) -> None:
    assert not [one for one in read(text) if one.rule.startswith("health")]


@pytest.mark.parametrize(
    ("text", "lasting", "expected"),
    [("Tom uses a wheelchair", -9.0, ["Tom uses a wheelchair"]), ("She's allergic to nuts", 9.0, [])],
)
def test_no_classifier_drops_it_nor_keeps_it_of_nobody(text: str, lasting: float, expected: list[str]) -> None:
    def classify(texts: Sequence[str]) -> list[Scores]:
        return [Scores(lasting, -9.0, -9.0) for _ in texts]

    found = distil(CHAT, [replace(TURN, text=text)], classifier=classify, after=-1)
    assert [one.text for one in found.candidates] == expected


def test_a_loss_stays_together_with_what_is_to_be_spared() -> None:
    for text in (
        "My dad died in 2019 so please no father's day suggestions",
        "My aunt lost a baby, so please don't mention pregnancies",
    ):
        (one,) = read(text)
        assert (one.text, one.kind) == (text, Kind.RELATIONSHIP)
    assert read("I'm tired so please no jokes") == []


@pytest.mark.usefixtures("classifiers")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "My mum asked me: where do I buy yarn? She loves alpaca wool and she is left-handed",
            ["My mum loves alpaca wool and she is left-handed"],
        ),
        ("My mum and my aunt came. She loves alpaca wool.", []),
        ("My dad came. She loves alpaca wool.", []),
    ],
)
def test_a_pronoun_is_who_the_sentence_before_names(text: str, expected: list[str]) -> None:
    said = replace(TURN, text=text, created_at=None)
    found = distil(CHAT, [said], classifier=sentence_classifier())
    assert [one.text for one in found.candidates if "alpaca" in one.text] == expected
    assert not any("asked me" in one.text for one in found.candidates)


@pytest.mark.parametrize("text", ["My mum asked me:", "My boss told me.", "My sister Ann texted me today"])
def test_that_somebody_said_something_is_no_memory(text: str) -> None:
    assert read(text) == []


@pytest.mark.usefixtures("classifiers")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "My aunt Lou is in hospital. It is loud. She handles morphine badly, it makes her sick, so I told them.",
            "My aunt Lou handles morphine badly, it makes her sick",
        ),
        (
            "She handles morphine badly, it makes her sick, so I have told them.",
            "She handles morphine badly, it makes her sick",
        ),
        (
            "I can't tolerate ibuprofen, it gives me cramps, so I have told them.",
            "I can't tolerate ibuprofen, it gives me cramps",
        ),
        ("He had a bad reaction to penicillin, so I have told them.", "He had a bad reaction to penicillin"),
        ("my son reacts badly to amoxicillin", "My son reacts badly to amoxicillin"),
        ("Ben gets hives from aspirin", "Ben gets hives from aspirin"),
    ],
)
def test_what_medicine_somebody_does_not_bear_is_kept(text: str, expected: str) -> None:
    said = replace(TURN, text=text, created_at=None)
    found = distil(CHAT, [said], classifier=sentence_classifier()).candidates
    assert [one.text for one in found if one.rule.startswith("health")] == [expected]


def test_a_criticism_is_no_medicine() -> None:
    assert not [
        one for one in read("She reacts badly to criticism, it makes her sad.") if one.rule.startswith("health")
    ]


@pytest.mark.parametrize("text", ["She plays the cello, it keeps her awake, so I bought earplugs in May."])
def test_no_part_of_a_sentence_is_lost_without_a_reason(text: str) -> None:
    found = distil(CHAT, [replace(TURN, text=text, created_at=None)])
    spans = [(one.start, one.end) for one in found.refusals] + [(one.start, one.end) for one in found.candidates]
    told = "".join(text[start:end] for start, end in spans)
    assert all(word in told for word in ("cello", "awake", "earplugs"))


@pytest.mark.usefixtures("classifiers")
@pytest.mark.parametrize(
    ("before", "who"),
    [
        ("Lena told me that she is leaving for Los Gatos in May.", "Lena"),
        ("Lena said that she is working for Bosch now.", "Lena"),
        ("Yesterday Lena rang, she has a flight booked for San Pedro.", "Lena"),
        ("Jo left for Paris.", None),
        ("I have a job interview with Siemens.", None),
        ("I moved to a village called Ardmore.", None),
        ("My cousin Lena is leaving for New Bern.", "My cousin Lena"),
        ("I am cooking for Lena Brandt tonight.", "Lena Brandt"),
        ("I had lunch with Lena.", "Lena"),
        ("I am working with a colleague called Lena.", "Lena"),
    ],
)
def test_a_pronoun_is_a_person_and_no_place_or_company(before: str, who: str | None) -> None:
    said = replace(TURN, text=f"{before} She has been offered a job in a bakery there.", created_at=None)
    found = [
        one.text for one in distil(CHAT, [said], classifier=sentence_classifier()).candidates if "bakery" in one.text
    ]
    assert all(one.startswith(f"{who} has" if who else "She has") for one in found)
    ill = distil(CHAT, [replace(TURN, text=f"{before} She is diabetic.", created_at=None)]).candidates
    assert [one.text for one in ill if "diabetic" in one.text] == ([f"{who} is diabetic."] if who else [])


def test_a_person_known_by_what_they_do_is_named() -> None:
    found = read("My boss has a new car. He's diabetic")
    assert [one.text for one in found][1:] == ["My boss's diabetic"]


@pytest.mark.parametrize(
    "text",
    [
        "Emma broke her arm and a nurse came. She is allergic to penicillin.",
        "We took Rex to the vet. He's diabetic and needs insulin twice a day.",
        "The doctor examined Leo's ears. He is allergic to penicillin.",
        "The boss fight was hard. He has asthma.",
        "The teacher told Leo. He is allergic to eggs.",
    ],
)
def test_a_role_that_is_not_the_persons_is_no_patient(text: str) -> None:
    assert not [one for one in read(text) if re.search("^(the )?(nurse|vet|doctor|boss|teacher)", one.text.lower())]


def test_an_allergy_is_of_the_friend_of_the_son_not_of_the_son() -> None:
    texts = [one.text for one in read("My son's friend comes on Friday. He is allergic to nuts.")]
    assert texts[-1] == "My son's friend is allergic to nuts."


MOVED = "He moved to a care home in Leeds in May."


@pytest.mark.parametrize(
    ("before", "who"),
    [
        ("My dad called.", "My dad"),
        ("My dad visited.", "My dad"),
        ("My dad is 80. I saw him yesterday.", "My dad"),
        ("My dad is 80. I called him. His knee is bad.", "My dad"),
        ("Tom called.", "Tom"),
        ("My mum's brother called.", "My mum's brother"),
        ("My son's friend Max called. I saw him.", "My son's friend Max"),
    ],
)
def test_a_pronoun_is_replaced_by_the_one_person_it_can_mean(before: str, who: str) -> None:
    assert read(f"{before} {MOVED}")[-1].text == f"{who}{MOVED.removeprefix('He')}"


@pytest.mark.parametrize(
    "before",
    [
        "My dad and my uncle visited.",
        "My dad and my uncle came. I saw him.",
        "My sister visited.",
        "My dad is 80. The plumber came.",
        "My dad is 80. I saw her yesterday.",
        "My dad is 80. His brother visited him.",
        "My dad is 80. Tom saw him.",
        "My dad is 80. He likes Einstein.",
        "My dad is 80. He has a brother.",
        "My dad has a brother.",
        "My dentist appointments are on Mondays.",
        "My dad food list is long.",
        "We live in Rome.",
    ],
)
def test_a_pronoun_that_may_mean_somebody_else_is_not_replaced(before: str) -> None:
    assert not [one.text for one in read(f"{before} {MOVED}") if "care home" in one.text and one.text != MOVED]


def chat(*texts: str) -> list[Candidate]:
    said = [replace(TURN, id=TURN.id + at, text=text, created_at=None) for at, text in enumerate(texts)]
    return list(distil(CHAT, said).candidates)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("my friend Oksana is in chemo", "She can't support garlic"), "My friend Oksana can't support garlic"),
        (("My mate Callum is coming. He's also got a latex allergy",), "My mate Callum's also got a latex allergy"),
        (
            ("My friend Ann is ill. What can I cook for her? She's allergic to eggs",),
            "My friend Ann's allergic to eggs",
        ),
        (
            ("My friend Ann is ill.", "I made soup, she liked it. Her husband Paul is vegetarian"),
            "My friend Ann's husband Paul is vegetarian",
        ),
        (("My sister called. Her husband Paul is vegetarian.",), "My sister's husband Paul is vegetarian."),
        (("Our dog has epilepsy. Can she eat nuts?", "She is diabetic too"), "Our dog is diabetic too"),
    ],
)
def test_a_pronoun_is_who_the_sentence_or_the_message_before_names(texts: tuple[str, ...], expected: str) -> None:
    last = chat(*texts)[-1]
    assert (last.text, last.kind) == (expected, Kind.RELATIONSHIP)
    assert last.quote in texts[-1]


@pytest.mark.usefixtures("classifiers")
@pytest.mark.parametrize(
    ("before", "who"),
    [
        ("graham had a turn at the wheel, hes lost his licence. im calm because im a nurse.", "Graham"),
        ("tomasz said yes!!!", "Tomasz"),
        ("kuba plays left back for the under 13s. what snack before a match", "Kuba"),
        ("gp put my levothyroxine up to 100 mcg, when will i feel better", "My gp"),
        ("graham had a turn, hes fine. i rang peter.", "He"),
        ("graham said no and tomasz said yes", "He"),
        ("manchester is his first choice", "He"),
        ("levothyroxine works for him", "He"),
        ("training was hard because he was late", "He"),
        ("the bakery said yes", "He"),
        ("pat'd said so before he left", "He"),
    ],
)
def test_the_one_name_that_sentences_are_about_needs_no_capital(before: str, who: str) -> None:
    texts = (before, "he works nights at a bakery")
    said = [replace(TURN, id=TURN.id + at, text=text, created_at=None) for at, text in enumerate(texts)]
    last = distil(CHAT, said, classifier=sentence_classifier()).candidates[-1]
    assert last.text == f"{who} works nights at a bakery"


@pytest.mark.usefixtures("classifiers")
def test_what_a_vet_says_is_of_the_animal() -> None:
    texts = (
        "our cat is 11 and shes drinking loads, i think kidneys",
        "knew it. vet says renal diet only, she hates it",
    )
    said = [replace(TURN, id=TURN.id + at, text=text, created_at=None) for at, text in enumerate(texts)]
    last = distil(CHAT, said, classifier=sentence_classifier()).candidates[-1]
    assert (last.text, last.kind) == ("Vet says renal diet only, our cat hates it", Kind.RELATIONSHIP)


@pytest.mark.parametrize(
    "texts",
    [
        ("My brother came.", "She is allergic to nuts"),
        ("My sister Ann and my aunt came.", "She is allergic to nuts"),
        ("My sister Ann came. What is the time?", "She is allergic to nuts"),
        ("My sister Ann came.", "What is the time? She is allergic to nuts"),
    ],
)
def test_a_pronoun_of_another_message_that_may_mean_somebody_else_is_not_replaced(texts: tuple[str, ...]) -> None:
    assert not [one for one in chat(*texts) if "allergic" in one.text]


@pytest.mark.parametrize(
    "text",
    [
        "One is Yann, he is allergic to dust of wood, the poor",
        "Her husband Paul is vegetarian",
        "The other is born in Lviv and vegetarian",
        "She is afraid of the vacuum, so she stays with my mother",
    ],
)
def test_what_is_of_somebody_unnamed_is_no_identity_of_the_person(text: str) -> None:
    assert all(one.kind is not Kind.IDENTITY for one in read(text))

    def classify(texts: Sequence[str]) -> list[Scores]:
        return [Scores(9.0, -9.0, -9.0) for _ in texts]

    found = distil(CHAT, [replace(TURN, text=text)], classifier=classify, after=-1).candidates
    assert [one.kind for one in found] == [Kind.FACT]


@pytest.mark.parametrize("text", ["I'm vegetarian", "My age is 40"])
def test_what_is_of_the_person_stays_their_identity(text: str) -> None:
    assert [one.kind for one in read(text)][-1:] == [Kind.IDENTITY]
