"""Requests to remember and to forget, in any wording, and distinct from talk about code and other people."""

from dataclasses import replace

import pytest

from curator.distill.candidate import REQUESTED, Distilled
from curator.distill.rules import distil
from curator.distill.scores.chats import SentenceClassifier, sentence_classifier
from effort import thorough
from factories import CHAT, TURN
from store.model import Role, Tier


def read(*texts: str, classifier: SentenceClassifier | None = None) -> Distilled:
    said = [replace(TURN, id=TURN.id + at, text=text) for at, text in enumerate(texts)]
    return distil(CHAT, said, classifier=classifier)


def test_remember_stores_with_top_importance() -> None:
    (one,) = read("Please remember that the spare key is under the blue pot.").candidates
    assert (one.text, one.importance, one.tier) == ("The spare key is under the blue pot.", 10, Tier.CORE)
    assert read("Do you remember the spare key?").candidates == ()


def test_forget_is_asked_for_and_never_done() -> None:
    text = "Hi. /forget my old address in Lisbon\nForget that I work at Initech."
    found = read("/forget my old address in Lisbon", "Forget that I work at Initech.", text)
    assert [one.query for one in found.forget_requests][:2] == ["my old address in Lisbon", "I work at Initech"]
    assert len(found.forget_requests) == 4
    assert found.candidates == ()
    assert read("Forget it.", "Forget about that for now").forget_requests == ()


def test_what_follows_a_request_to_forget_is_read() -> None:
    found = read("Please forget that I am a vegetarian; I live in Porto with my dog now.")
    assert [one.query for one in found.forget_requests] == ["I am a vegetarian"]
    assert [one.text for one in found.candidates] == ["I live in Porto with my dog now."]


def test_when_to_forget_is_not_what_to_forget() -> None:
    text = "you can forget my old address once im moved"
    (request,) = read(text).forget_requests
    assert request.query == text[request.start : request.end] == "my old address"
    assert read("you can forget my old address once I’m moved").forget_requests[0].query == "my old address"
    (request,) = read("You can forget my old address once I'm moved and also my diagnosis").forget_requests
    assert request.query.endswith("and also my diagnosis")
    (request,) = read("Forget what happened when I was 12").forget_requests
    assert request.query == "what happened when I was 12"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "keep this in mind for whenever I send you the rota: shifts are always 12 hours",
            "Shifts are always 12 hours",
        ),
        ("remember this one for when you write letters for me: I sign as Jo", "I sign as Jo"),
        ("Keep a note of this one for when you write for me. I sign my letters as Jo.", "I sign my letters as Jo."),
        ("Keep in mind for when I ask about the car, it's a diesel", "For when I ask about the car, it's a diesel"),
    ],
)
def test_what_a_thing_is_to_be_remembered_for_is_no_part_of_it(text: str, kept: str) -> None:
    assert [one.text for one in read(text).candidates] == [kept]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Delete what you know about my sister.", "my sister"),
        ("Please erase everything you remember about my divorce", "my divorce"),
        ("Can you remove all the facts you have about Tom?", "Tom"),
        ("Could you please forget that I work at Initech?", "I work at Initech"),
        ("Wipe all the information you've stored about my health.", "my health"),
        ("Delete the memory that I live in Lisbon", "I live in Lisbon"),
        ("Remove what you have on me", "me"),
        ("Remove my sister from your memory.", "my sister from your memory"),
        ("I don't want you to remember my salary.", "my salary"),
        ("Delete everything about my sister", "my sister"),
        ("Forget what I told you about my salary.", "my salary"),
        ("forget what I said about my knee", "my knee"),
        ("Please forget everything I've told you about Tom", "Tom"),
        ("You can forget the stamps thing", "the stamps thing"),
        ("you can forget that I own a boat", "I own a boat"),
        ("You can forget about my old job now", "my old job now"),
        ("Delete from your memory that I play the cello", "I play the cello"),
        ("please erase from your memory what I wrote on Monday", "what I wrote on Monday"),
        ("stop remembering that I smoke", "I smoke"),
        ("Stop remembering my birthday", "my birthday"),
        ("I no longer want you to remember that I am divorced.", "I am divorced"),
        ("I'd rather you forgot about my debts", "my debts"),
        ("Forget my Leeds address please", "my Leeds address"),
        ("Forget my Leeds address, thank you!", "my Leeds address"),
        ("Would you mind forgetting that I live in Oslo?", "I live in Oslo"),
        ("forget what i told you about the loan, its paid and its nobodys business", "the loan"),
        ("we might move again, forget the postcode i gave you, royal mail changed it", "the postcode"),
        ("delete the phone number i gave you, its an old one", "the phone number"),
        ("you can forget about that 120 word limit, this one needs more", "that 120 word limit"),
        ("forget the thing about my sister, shes fine now", "the thing about my sister"),
        ("and scratch that bit, my blood pressure, I don't want to be reminded of it", "my blood pressure"),
        ("ok and delete that part, the fight with Jo, don't bring it up when I ask about Rome", "the fight with Jo"),
        ("Erase that bit about the court case, I don't want to be reminded of it again.", "the court case"),
        ("right, drop that: our wedding that wasn't, i dont want it brought up ever again", "our wedding that wasn't"),
        ("wipe that stuff - the rehab - so you don't remind me of it every week", "the rehab"),
        ("could you delete that thing about the miscarriage, please don't mention it to me", "the miscarriage"),
    ],
)
def test_a_request_to_forget_is_noticed_however_it_is_put(text: str, query: str) -> None:
    (found,) = read(text).forget_requests
    assert found.query == query and text[found.start : found.end].startswith(query)


@pytest.mark.parametrize(
    "text",
    [
        "Delete the file",
        "remove what you added to main.py",
        "Delete everything in dist/",
        "Delete all of my branches",
        "remove all the comments you added about logging",
        "Remove the notes you have about installation from the README",
        "delete the details you have about users in the database",
        "delete the memory leak",
        "remove the object from memory",
        "erase the memory card",
        "What do you know about my sister?",
        "I forget names",
        "I always forget my keys",
        "Don't forget my sister is allergic to nuts",
        "forget it, let's move on",
        "Forget the flexbox thing, let's use a grid",
        "you can forget about flexbox here",
        "You can forget that idea",
        "You can delete from the list what is done",
        "delete everything I wrote about kubernetes from the README",
        "forget the snippet I sent you, use this one",
        "delete the paragraph i gave you",
        "forget the first option you gave me",
        "delete that bit, the second paragraph, I don't want to repeat myself",
        "Remove that part, the logging, I don't want it stored",
        "scratch that bit, the onions, I don't want to cry every time I cook",
        "remove that, the 6 am alarm, I don't want to be woken by it",
        "drop that bit, the joke, and don't mention it again in the speech",
        "clear that, the cache, and never raise an error",
    ],
)
def test_talk_of_code_asks_for_nothing_to_be_forgotten(text: str) -> None:
    assert read(text).forget_requests == ()


@pytest.mark.parametrize(
    "text",
    ["Delete from your memory that I play the cello.", "I play the cello. You can forget that I play the cello."],
)
def test_a_request_to_forget_is_no_evidence_of_what_it_names(text: str) -> None:
    found = read(text)
    assert [one.start for one in found.candidates] == [0] * text.startswith("I play")
    assert [one.query for one in found.forget_requests] == ["I play the cello"]


def test_a_request_to_forget_after_a_statement_is_apart_from_it() -> None:
    found = read("I live in Oslo now, so please forget that I live in Bergen.")
    assert [one.query for one in found.forget_requests] == ["I live in Bergen"]
    assert [one.text for one in found.candidates] == ["I live in Oslo now"]


def test_many_requests_to_forget_in_one_message_are_read() -> None:
    assert len(read("forget that I live in Rome; " * 1_200).forget_requests) >= 1


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Remember, he's coming at six", []),
        ("Please remember: it is due on Friday.", []),
        ("Remember: that doesn't work on Windows", []),
        ("She's turning 70. Remember that, please.", []),
        (
            "Don't forget my mother's birthday on the 19th, she's turning 70",
            ["My mother's birthday on the 19th, she's turning 70"],
        ),
        ("My son is Tom. Remember that he is allergic to nuts.", ["My son is Tom. He is allergic to nuts."]),
        ("Remember that my dog is called Rex.", ["My dog is called Rex."]),
        (
            "remember that i cant do fridays after work, choir 5 to 7 at the hall and i drive",
            ["I cant do fridays after work, choir 5 to 7 at the hall and i drive"],
        ),
        ("Remember that my locker is 14. And that guy is so annoying.", ["My locker is 14."]),
        ("Remember that my locker is 14. And my password is [REDACTED].", ["My locker is 14."]),
        ("lol right forget about the ring, i dont want that coming up when she uses my laptop", []),
    ],
)
def test_a_request_to_remember_names_what_it_is_about(said: str, kept: list[str]) -> None:
    found = distil(CHAT, [replace(TURN, text=said, created_at=None)]).candidates
    assert [(one.text, one.always) for one in found] == [(text, True) for text in kept]


def test_each_fact_of_a_list_to_remember_is_a_memory() -> None:
    text = "can you remember a few things for me: my code is 4411, Bo's birthday is 3 may, and bin day is tuesday."
    found = read(f"{text} oh and my locker is 14. my son is Oisin, he's 6 and goes to St Pats").candidates
    assert [one.text for one in found if one.always] == [
        "My code is 4411",
        "Bo's birthday is 3 may",
        "Bin day is tuesday.",
        "My locker is 14.",
    ]
    one = "remember my son's name is Oisin, he's 6, and he goes to St Pats, and my locker is 14"
    assert [found.text for found in read(one).candidates] == [
        "My son's name is Oisin, he's 6, and he goes to St Pats",
        "My locker is 14",
    ]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Don't forget your mother's birthday on the 19th, she's turning 70", []),
        ("Remember that I work late on Mondays", ["I work late on Mondays"]),
        ("Never call me before 9.", ["Never call me before 9."]),
        ("I'm allergic to nuts. Remember that!", ["I'm allergic to nuts."]),
        ("Vergiss nicht, dass deine Mutter am 19. Geburtstag hat", []),
    ],
)
def test_among_people_nothing_is_asked_of_an_assistant(said: str, kept: list[str]) -> None:
    other = replace(TURN, id=TURN.id + 1, ordinal=TURN.ordinal + 1, role=Role.OTHER, text="Emil: ok")
    found = distil(CHAT, [replace(TURN, text=said), other]).candidates
    assert [one.text for one in found] == kept
    assert not any(one.always or one.importance == REQUESTED for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "Plan a long weekend in Lisbon for Tom and me in October.",
        "Draft an email to my students about the exam, no bullet points please",
        "Suggest three restaurants in Porto for Saturday.",
        "Can you just help me redo my household budget?",
        "Help me plan my week: gym on monday, dentist on tuesday",
        "Need two gift ideas for my aunt in Leeds.",
        "Find me a quiet hotel near Gare de Lyon for two nights.",
        "Plan a trip to Japan for two weeks. Budget 6k",
        "Plan a trip to Japan for two weeks. Budget around 6000 euros per person.",
    ],
)
def test_a_task_of_the_moment_is_no_memory(text: str) -> None:
    assert read(text).candidates == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Can you just help me redo my budget: rent is 950, groceries 300 and I save 200 a month.",
            "Rent is 950, groceries 300|I save 200 a month.",
        ),
        ("Plan a dinner for us. I'm vegan.", "I'm vegan."),
        ("We plan a wedding in June.", "We plan a wedding in June."),
        ("My budget is 6k for the year", "My budget is 6k for the year"),
        ("Always give me the short version first.", "Always give me the short version first."),
        (
            "Whenever you draft an email, skip the bullet points.",
            "Whenever you draft an email, skip the bullet points.",
        ),
        ("Give me metric units from now on.", "Give me metric units from now on."),
        ("Can you remember that my rent is 950?", "My rent is 950"),
    ],
)
def test_what_a_task_states_and_what_holds_for_good_is_kept(text: str, expected: str) -> None:
    found = read(text).candidates
    assert [one.text.split(" (")[0] for one in found] == expected.split("|")


def test_the_reason_of_a_request_to_forget_is_not_what_to_forget() -> None:
    for text, query in (
        ("forget my height please, i dont want that kept", "my height"),
        ("forget my height, don't bring it up again", "my height"),
        ("please forget what I said about the lawsuit, my boss reads these", "the lawsuit"),
        ("Forget my salary because my sister uses this laptop.", "my salary"),
        ("Forget my job, my salary and my address.", "my job, my salary and my address"),
    ):
        assert [one.query for one in read(text).forget_requests] == [query]


@pytest.mark.parametrize(
    ("text", "query", "kept"),
    [
        ("And forget what I said about the 40 quid: we've settled on 55.", "the 40 quid", ["We've settled on 55."]),
        ("forget the 40 euros: we have agreed on 55 euros", "the 40 euros", ["We have agreed on 55 euros"]),
        ("Forget what I said about Bath, we're moving to Kent instead.", "Bath", ["We're moving to Kent instead."]),
        ("forget that we train at six - we now train at nine every Friday", "we train at six", None),
        ("forget what I told you about Mondays; I now work Tuesdays", "Mondays", ["I now work Tuesdays"]),
        ("Please forget that I'm coeliac: the doctor says I am not.", "I'm coeliac", []),
        ("Scrap what I told you about the loan from my uncle", "the loan from my uncle", []),
        ("disregard what I said about Paul and his debts", "Paul and his debts", []),
        ("What I told you about my sister's fine, please forget that", "my sister's fine", []),
        ("I told you about my affair, please forget it again.", "my affair", []),
        ("my pension, forget that please", "my pension", []),
        ("let's forget that I drank", "I drank", []),
        ("Wipe the story about my uncle's affair", "the story about my uncle's affair", []),
        ("unremember that I smoke", "I smoke", []),
    ],
)
def test_what_holds_instead_of_the_forgotten_is_kept_and_the_request_is_not(
    text: str, query: str, kept: list[str] | None
) -> None:
    found = read(text)
    assert [one.query for one in found.forget_requests] == [query]
    said = [one.text for one in found.candidates]
    assert said == kept if kept is not None else len(said) == 1 and "forget" not in said[0].lower()


@thorough
@pytest.mark.usefixtures("classifiers")
@pytest.mark.parametrize(
    ("said", "queries"),
    [
        ("Delete that bit, the card debt, I don't want to be reminded of it every time.", ["the card debt"]),
        ("dont hang on to that bit about the tax office", ["the tax office"]),
        ("take the sertraline out of your notes", ["the sertraline"]),
        ("I told you about a stent. Would you take that out, please?", ["a stent"]),
        ("I owe my brother 900. Actually delete that, it's between him and me.", ["I owe my brother 900"]),
        ("Drop that last paragraph, it sounds desperate.", []),
        ("Take Kasper off the invite list.", []),
        ("Don't bring up my ex in the letter.", []),
        ("keep it in your memory that I drive", []),
        ("forget about numpy, use polars", []),
        ("My wisdom teeth need to be removed in May.", []),
        ("My tattoo needs removing", []),
        ("The mole on my back should be removed, says my doctor", []),
        ("My ex wants to be removed from the mortgage", []),
        ("Do not record my calls without asking.", []),
        ("Don't keep the receipts for my business in the car, they fade.", []),
        ("I'm a vegan. You didn't hear it from me but my boss is leaving Shell.", []),
        ("I live in Leeds. Do you know jazz? You never heard that.", ["I live in Leeds"]),
    ],
)
def test_a_request_in_passing_is_told_from_talk_of_a_text(said: str, queries: list[str]) -> None:
    found = read(said, classifier=sentence_classifier())
    assert [one.query for one in found.forget_requests] == queries
    assert not queries or not any("delete" in one.text.lower() for one in found.candidates)


@pytest.mark.parametrize(
    "said",
    [
        ["Ann and I split up. 3 years", "pls don't ever bring her up again"],
        ["Ann and I split up. After almost 3 years. Don't bring her up again please"],
    ],
)
def test_a_bare_duration_is_not_what_to_forget(said: list[str]) -> None:
    assert [one.query for one in read(*said).forget_requests] == ["Ann and I split up"]


def test_a_request_to_forget_that_names_nothing_is_no_statement() -> None:
    texts = "scrap the bit about my ex", "forget the rent of 900", "ignore what I said about Ana"
    assert read(*texts).candidates == () and read(*texts).forget_requests == ()
    assert len(read(*texts).refusals) == len(texts)


@pytest.mark.parametrize(
    "text",
    [
        "I'm vegan, don't forget that please",
        "Never drop the bit about VAT from my invoices",
        "I forget the names of my cousins",
    ],
)
def test_what_only_sounds_like_a_request_to_forget_is_none(text: str) -> None:
    assert read(text).forget_requests == () and read(text).candidates


@pytest.mark.usefixtures("classifiers")
@pytest.mark.parametrize(
    ("said", "kept", "queries"),
    [
        ("matter of fact lose what I told you about the sandbar, all of it", [], ["sandbar"]),
        ("that thing about my brother's trial should be out of your head by now", [], ["brother's trial"]),
        ("Never let my penicillin allergy slip out of your head.", ["penicillin allergy"], []),
        ("I have epilepsy and I'm not glad you know about my debts, let those go.", ["I have epilepsy"], []),
        ("I play chess every Sunday and you really shouldn't carry around my salary.", ["I play chess"], []),
        ("Please un-know my blood type, and I have a latex allergy.", ["I have a latex allergy"], ["my blood type"]),
        ("I have a severe peanut allergy, so please don't ever put nuts in my recipes.", ["peanut allergy"], []),
    ],
)
def test_a_request_in_other_words_hides_nothing_else_that_is_said(
    said: str, kept: list[str], queries: list[str]
) -> None:
    found = read(said, classifier=sentence_classifier())
    assert [one.query for one in found.forget_requests] == queries
    texts = " | ".join(one.text for one in found.candidates)
    assert all(part in texts for part in kept) and (kept or not texts)


@pytest.mark.usefixtures("classifiers")
def test_an_order_about_what_was_said_before_it_is_not_always_given() -> None:
    found = read("Dont tell me great idea. quit that for good, I'm not 5", classifier=sentence_classifier())
    assert not any(one.always for one in found.candidates if one.text.lower().startswith("quit that"))


@pytest.mark.parametrize(
    ("before", "said", "query", "kept"),
    [
        (
            "can you answer in Dutch when I ask about cooking?",
            "actually scrap the Dutch-for-cooking thing, answer everything in English again, I need it for clients",
            "Dutch-for-cooking",
            "Answer everything in English again, I need it for clients",
        ),
        ("I use metric.", "drop the metric thing and call me Mo from now on", "metric", "Call me Mo from now on"),
        ("Hi", "forget about my diet, always give me prices in euros", "my diet", "Always give me prices in euros"),
        ("Hi", "forget that I'm vegan and always answer in French", "I'm vegan", "Always answer in French"),
        ("Hi", "please forget my debts, and reply in French from now on", "my debts", "Reply in French from now on"),
    ],
)
def test_an_order_after_a_request_to_forget_is_kept(before: str, said: str, query: str, kept: str) -> None:
    found = read(before, said)
    assert [one.query for one in found.forget_requests] == [query]
    assert [(one.text, one.always) for one in found.candidates][-1] == (kept, True)


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("forget that I smoke and use drugs", "I smoke and use drugs"),
        ("forget that I smoke, drink, use drugs", "I smoke, drink, use drugs"),
        ("forget that I'm late and never answer emails", "I'm late and never answer emails"),
        ("forget that I'm vegan, not that I'm lactose intolerant", "I'm vegan, not that I'm lactose intolerant"),
    ],
)
def test_what_the_person_does_is_no_order_after_a_request(said: str, query: str) -> None:
    assert [one.query for one in read(said).forget_requests] == [query]


@pytest.mark.parametrize(
    ("said", "query", "rest"),
    [
        (
            "forget what I said about Idris hating mushrooms, no longer my problem :)",
            "Idris hating mushrooms",
            "no longer my problem :)",
        ),
        ("forget what I told you about my debts, all paid now", "my debts", "all paid now"),
        ("forget my address - doesn't matter anymore", "my address", "doesn't matter anymore"),
        ("forget that I live in Rome, not relevant anymore", "I live in Rome", "not relevant anymore"),
    ],
)
def test_an_afterthought_is_no_part_of_what_to_forget_and_is_refused(said: str, query: str, rest: str) -> None:
    found = read(said)
    assert [one.query for one in found.forget_requests] == [query]
    assert [said[one.start : one.end] for one in found.refusals] == [rest]
    assert found.candidates == ()


def test_a_smile_is_no_part_of_what_to_forget() -> None:
    assert [one.query for one in read("forget what I told you about Idris :)").forget_requests] == ["Idris"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Katrijn's wedding is on 16 May 2026 in Bruges, I'm the witness", []),
        ("my sister's wedding is on 16 May 2026 and I'm the best man", []),
        ("my anniversary is on 3 July, we go to Texel every year, I'm paying", [27]),
        ("my flight is on 4 May 2026, I'm at gate B", []),
        ("Joris has football on Wednesdays, I drive", []),
        ("I never drink, my dad was an alcoholic", []),
        ("I don't eat pork, my wife was raised Muslim", []),
        ("my sister is Ana, I'm allergic to nuts", [16]),
        ("I'm vegan, I'm pregnant, I'm left-handed", [9, 23]),
        ("I was born in Rome, my mother was a nurse", [18]),
    ],
)
def test_the_tail_of_a_request_stays_with_what_it_is_about(said: str, kept: list[int]) -> None:
    """`kept` has the places of the commas that part two memories."""
    starts, ends = [0, *(at + 2 for at in kept)], [*kept, len(said)]
    parts = [said[start:end] for start, end in zip(starts, ends, strict=True)]
    found = read(f"Remember: {said}").candidates
    assert [one.quote for one in found] == parts
    assert all(one.always for one in found)


@pytest.mark.parametrize(
    ("said", "query", "kept"),
    [
        ("Forget my number, I have epilepsy by the way.", "my number", "I have epilepsy"),
        ("Please forget my address; I'm allergic to nuts", "my address", "I'm allergic to nuts"),
        ("Forget my number because I have epilepsy", "my number", "I have epilepsy"),
        ("Forget my employer, my son has type 1 diabetes", "my employer", "My son has type 1 diabetes"),
        ("Forget the pizza recipe, I'm allergic to gluten.", "", "I'm allergic to gluten."),
    ],
)
def test_a_safety_fact_after_a_request_to_forget_is_kept(said: str, query: str, kept: str) -> None:
    found = read(said)
    assert [one.query for one in found.forget_requests] == [query] * bool(query)
    assert [one.text for one in found.candidates] == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "Forget my phone number and I have epilepsy.",
        "Forget that I live in York and that I have epilepsy.",
        "Forget my number and my epilepsy and my address",
        "Forget my diagnosis, I have epilepsy",
        "Forget my sister, my sister has epilepsy",
        "Forget my number, I have epilepsy and my boss reads this",
        "Forget my number, I don't want my epilepsy in here",
        "Forget my address, I have epilepsy and I want that forgotten as well",
        "Forget my weakness, I have epilepsy",
        "Forget the allergy list, I'm allergic to nuts",
        "Forget what I said, I have epilepsy",
    ],
)
def test_a_safety_fact_that_is_part_of_the_request_is_not_kept(said: str) -> None:
    assert not read(said).candidates


@pytest.mark.parametrize(
    "text",
    [
        "Please forget everything about Sabine, my ex business partner. I don't want to read her name again",
        "Forget about Sabine, my ex business partner. I never want to hear that name.",
    ],
)
def test_the_reason_of_a_request_is_no_second_one(text: str) -> None:
    found = read(text)
    assert [one.query for one in found.forget_requests] == ["Sabine, my ex business partner"]
    assert not found.candidates
