"""The person a safety fact is about, and the safety facts that a prompt brings."""

import pytest

from curator.safety import FACTS, states
from curator.safety.animals import AnimalNames
from curator.safety.concerns import Whose, is_close, is_of_another, is_of_household, relevant_facts, whose
from curator.safety.relevance import matters
from curator.safety.subjects import subjects_of


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("What do I give a plumber who's vegan and loves hiking", Whose.OTHERS),
        ("I know someone who is coeliac", Whose.OTHERS),
        ("I'm a runner who's diabetic", Whose.OWN),
        ("Never suggest ibuprofen to me, they don't go with warfarin", Whose.OWN),
        (
            "She is vegan and has a severe nut allergy",
            Whose.FAMILY,
        ),  # or of the person: a model may refer to them like this
        ("Our conductor Mathilde is pregnant.", Whose.OTHERS),
        ("The stage manager is in a wheelchair", Whose.OTHERS),
        ("Karim uses a wheelchair", Whose.OTHERS),
        ("My little boy is allergic to nuts", Whose.FAMILY),
        ("My pacemaker Medtronic is not MRI safe", Whose.OWN),
        ("My allergist Smith has confirmed a peanut allergy", Whose.OWN),
        ("My roommate knows how to use my EpiPen for my nut allergy", Whose.OWN),
        ("Me and my mate are coeliac", Whose.OWN),
        ("Being a waiter with a nut allergy is hard", Whose.OWN),
        ("Allergic to penicillin (tell the assistant)", Whose.OWN),
        ("My cousin's flatmate Ada is coeliac", Whose.FAMILY),
        ("My insulin Tresiba is for my type 1 diabetes", Whose.OWN),
        ("I told the manager that I'm allergic to bees", Whose.OWN),
        ("A minha mãe Amélia é alérgica a penicilina", Whose.FAMILY),
        ("Ma belle-fille est allergique aux noix", Whose.FAMILY),
        ("They gave me warfarin", Whose.OWN),
        ("My ex-girlfriend Anna has epilepsy", Whose.OTHERS),
        ("My ex has epilepsy", Whose.OTHERS),
        ("My former wife Anna has epilepsy", Whose.OTHERS),
        ("My girlfriend Anna has epilepsy", Whose.FAMILY),
        ("My late husband Max had epilepsy", Whose.FAMILY),
        ("My exam is soon and I have epilepsy", Whose.OWN),
        ("My ex says I'm allergic to nuts", Whose.OWN),
        ("My wife noticed that I have asthma", Whose.OWN),
        ("My boss said that Kim has asthma", Whose.OTHERS),
        ("My ex is allergic to nuts", Whose.OTHERS),
    ],
)
def test_a_fact_of_somebody_else_is_theirs(text: str, of: Whose) -> None:
    assert whose(text) is of


def test_a_prompt_about_the_own_health_brings_no_facts_of_others() -> None:
    texts = ["My daughter is allergic to eggs", "I have asthma", "Lena is allergic to wasp stings, carries an epipen"]

    def relevant_ids(prompt: str) -> list[int]:
        return sorted(relevant_facts(texts, prompt, subjects_of(prompt), lambda _: ["my wife Lena"], 6))

    assert relevant_ids("a painkiller for my headache") == relevant_ids("make me a training plan for a marathon") == [1]
    assert relevant_ids("the dentist has antibiotics for me, what do I tell him") == [1], "he is the dentist"
    assert relevant_ids("a painkiller for my daughter") == relevant_ids("what can I give my son for fever") == [0, 2]
    assert (
        relevant_ids("which painkiller for us")
        == relevant_ids("my son has a cold, what can I take against it")
        == [0, 1, 2]
    )
    assert relevant_ids("Lena has a headache, which medicine") == [1, 2] and relevant_ids("dinner tonight") == [0, 1, 2]


def test_what_only_mentions_a_fact_is_not_given_beside_it() -> None:
    warfarin, fall = "I take warfarin for life", "I gave up climbing, a fall on warfarin is not worth it"
    nuts, baking = "I'm allergic to walnuts", "No pesto because of my walnut allergy"

    def relevant_ids(*texts: str) -> list[int]:
        return relevant_facts(texts, "dinner ideas for tonight", ("food",), lambda _: (), 6)

    assert relevant_ids(fall, warfarin) == [1] and relevant_ids(baking, nuts) == [1]
    assert relevant_ids(fall) == [0] and relevant_ids(baking) == [0], "alone it is"
    assert len(relevant_ids("I take apixaban because of my asthma", "I have asthma")) == 2, "it says what is taken"
    assert (
        len(relevant_ids("On warfarin, INR target 3", warfarin)) == 2
        and len(relevant_ids(baking, "I'm allergic to kiwi")) == 2
    )


def test_a_prompt_on_what_one_takes_oneself_is_not_about_the_relative_it_names() -> None:
    own = (
        "antibiotics from my wife's prescription, ok to use?",
        "strep like my son, which antibiotic?",
        "run with my wife",
    )
    assert [prompt for prompt in own if is_of_another(prompt, subjects_of(prompt))] == []
    assert all(
        is_of_another(one, subjects_of(one)) for one in ("a painkiller for my daughter", "my son's fever, what helps?")
    )


def test_a_prompt_for_oneself_alone_brings_no_facts_of_others_nor_one_without_oneself_the_own() -> None:
    texts = ["My mum has type 2 diabetes", "I'm 14 weeks pregnant"]

    def relevant_ids(prompt: str) -> list[int]:
        return sorted(relevant_facts(texts, prompt, ("food",), lambda _: (), 6))

    assert relevant_ids("cake on my own at the café") == [1]
    assert relevant_ids("sushi for my parents, just the two of them") == [0]
    assert relevant_ids("which cake shall I bake") == [0, 1]


@pytest.mark.parametrize(
    ("text", "close"),
    [
        ("My wife Anna paints", True),
        ("Anna is my girlfriend", True),
        ("My ex-girlfriend Anna paints", False),
        ("My former wife Anna paints", False),
        ("Anna is my ex-wife", False),
    ],
)
def test_a_former_partner_is_not_of_the_family(text: str, close: bool) -> None:
    assert is_close("anna", text) == close


def test_the_own_serious_facts_come_before_likes_and_jokes() -> None:
    texts = [
        "Bitterballen, which I can't eat anyway",
        "Haakon is into cold-water swimming, sourdough (which i can't eat, ha) and old Land Rovers",
        "I can't have dairy before a run",
        "My mother is vegetarian",
        "My son has asthma and a nut allergy",
        "I have coeliac disease (diagnosed 2019) so no gluten at all",
        "I'm vegan",
    ]
    first = relevant_facts(texts, "dinner ideas for tonight", ("food",), lambda _: (), 4)
    assert first == [5, 4, 6, 3]


def test_an_allergy_in_the_family_comes_before_the_own_treatments() -> None:
    texts = ["I take insulin for my diabetes", "My son is allergic to peanuts", "I'm allergic to shellfish"]
    assert relevant_facts(texts, "dinner ideas for tonight", ("food",), lambda _: (), 6) == [2, 1, 0]


def test_an_allergy_to_recipes_is_a_joke_and_one_beside_it_is_not() -> None:
    assert not states("I'm allergic to mondays and to recipes with 14 ingredients")
    assert not states("Im allergic to mondays me") and not states("I'm allergic to mornings, tbh")
    assert states("I'm allergic to mondays and to walnuts") and states("I'm allergic to recipes with nuts")
    assert not states("im allergic to mondays me") and states("I'm allergic to me mum's cat")


@pytest.mark.parametrize(
    ("text", "kind", "stated"),
    [
        ("they lost my mums wheelchair so I won't fly with them again", "disability", False),
        ("they lost my wheelchair", "disability", True),
        ("I broke my hearing aid", "disability", True),
        ("my mum's wheelchair needs a ramp", "disability", True),
        ("tickets 6 pounds, proceeds to kidney research uk", "treatment", False),
        ("we raised 612 pounds for the Irish Kidney Association", "treatment", False),
        ("we raised 300 pounds for my dad's dialysis", "treatment", True),
        ("I raise money for Diabetes UK because I'm diabetic", "illness", True),
    ],
)
def test_a_charity_and_what_befell_the_aid_of_somebody_is_no_fact_of_health(text: str, kind: str, stated: bool) -> None:
    assert states(text, (kind,)) == stated


def test_something_to_read_on_a_flight_is_no_journey() -> None:
    assert subjects_of("recommend a novel for the flight") == ()
    assert subjects_of("which podcasts for our road trip") == ()
    assert "travel" in subjects_of("what food should I pack and which book for the flight")


def test_exercises_for_a_hand_need_no_illness_of_the_lungs() -> None:
    asthma, wrist = "I've got asthma, use a salbutamol inhaler", "I'm still on crutches"
    for prompt, least in (("exercises for my left hand", False), ("exercises for my back", True)):
        assert matters(asthma, prompt, ("exercise",)) is least and matters(wrist, prompt, ("exercise",))


def test_a_charity_and_a_lost_wheelchair_are_no_safety_facts() -> None:
    kinds = tuple(FACTS)
    assert not states("Spring concert on 16 may, tickets 6 pounds, proceeds to kidney research uk", kinds)
    assert not states("I won't fly with them again, they lost my mum's wheelchair", kinds)
    assert states("I raised 200 pounds for kidney research because I have kidney disease")
    assert states("My mum's wheelchair is 62 cm wide")


def test_a_guests_allergy_comes_with_prompts_about_company() -> None:
    texts = ["No nuts at all please, dilys carries an epipen"]

    def relevant_ids(prompt: str) -> list[int]:
        return relevant_facts(texts, prompt, subjects_of(prompt), lambda _: [], 6)

    for prompt in ("snacks for the choir", "dinner for three", "what to cook for our housewarming", "are nuts healthy"):
        assert relevant_ids(prompt) == [0]


def test_the_own_facts_are_of_the_household_whoever_else_is_named() -> None:
    own = ("My cousin's cat sets off my asthma", "My mother-in-law keeps forgetting I'm allergic to nuts")
    assert all(
        map(is_of_household, (*own, "My uncle has the same heart condition as me", "My son is allergic to eggs"))
    )
    assert not any(map(is_of_household, ("My nephew Leo is allergic to pistachios", "My aunt is coeliac")))


def test_an_animals_illness_that_one_only_supposes_is_the_animals() -> None:
    known = AnimalNames(lambda _: [])
    assert known.has_fact("Vet says renal diet only, our cat hates it, eats the hills k/d", ("diet",))
    assert not known.has_fact("I'm a vet and have asthma, our cat is fine", ("illness",))
    assert known.has_fact("Our cat is 11 and she's drinking loads, I think kidneys", ("treatment",))
    assert not known.has_fact("Our cat is 11 and my son sneezes, he has asthma", ("illness",))
