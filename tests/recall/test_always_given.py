"""Memories that are given with every prompt, and memories that are never given."""

import contextlib
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from curator import curation
from curator.config import settings
from curator.models import load_embedder
from curator.paths import store_folder
from curator.recall import Hit, block, find, project_context
from curator.recall.always_given import ordered_standing_memories, safety_facts, standing_memories
from curator.recall.explain import explain_score
from curator.recall.open_conflicts import conflict_sides
from curator.safety import concerns
from curator.safety.subjects import subjects_of
from curator.serve import word_recall
from curator.services.recall import block_options, recall_filter
from effort import thorough
from factories import block_by_words, put
from store import Filter, Store, clock
from store.index import Index
from store.model import Given, Origin, Relation, Review
from store.record.database import open_copy


@pytest.fixture
def fish(store: Store) -> Store:
    """Return a store with an order that is always given, one of a project, and other memories."""
    put(store, "Please always give me fish syntax and not bash", importance=9)
    put(store, "Always use tabs in kilnlog", scope="project:kilnlog", project="kilnlog")
    put(store, "I like tea", "I live in Lisbon")
    curation.set_given(store, [1, 2], Given.ALWAYS)
    return store


def test_standing_memories_come_first_once_and_within_their_scope(fish: Store) -> None:
    made = block(fish, [], 500)
    assert made.standing == made.memories == (1,) and made.recalled == ()
    assert "always:\n- Please always give me fish syntax" in made.text
    project = Filter(scopes=("global", "project:kilnlog"))
    assert set(block(fish, [], 500, memory_filter=project).standing) == {1, 2}
    assert block(fish, [], 500, memory_filter=project, had={1}).memories == (2,)


def test_what_is_always_given_has_no_date_and_what_fits_the_prompt_comes_first(fish: Store) -> None:
    curation.set_given(fish, [3], Given.ALWAYS)
    tea = Hit(fish.get(3), 1.0, {}, ())
    assert "always:\n- I like tea\n- Please always give me fish syntax and not bash\n" in block(fish, [tea], 500).text


def test_a_share_of_the_budget_is_theirs_and_what_does_not_fit_is_told(
    fish: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_RECALL__STANDING", "0")
    settings.cache_clear()
    made = block(fish, [], 90)
    assert made.memories == (1,)  # room is left, as no recalled memory needs it
    numbers = put(fish, *(f"Always mind rule number {number} of the long list of rules" for number in range(40)))
    curation.set_given(fish, numbers, Given.ALWAYS)
    made = block(fish, [], 200)
    assert 0 < len(made.memories) < 40
    assert set(made.dropped.values()) == {"budget"}


def test_memories_for_the_prompt_come_before_more_of_what_is_always_given(fish: Store) -> None:
    rules = put(fish, *(f"Always mind rule number {number} of the long list of rules" for number in range(40)))
    curation.set_given(fish, rules, Given.ALWAYS)
    wanted = put(fish, *(f"The garden bed number {number} has tomatoes and beans" for number in range(8)))
    hits = [Hit(memory, 1.0, {}, ()) for memory in fish.get_many(wanted)]
    made = block(fish, hits, 500)
    assert set(wanted) <= set(made.memories) and 8 < len(made.standing) < 40, "what is left goes to more rules"
    assert set(made.unfit) == {1, *rules} - set(made.standing)
    tight = block(fish, hits, 300)
    assert tight.sections["standing"] <= 0.4 * 300 and len(tight.recalled) > 4


def test_safety_comes_first_in_what_is_always_given_then_what_fits(fish: Store) -> None:
    (tabs, allergy, toast) = put(
        fish, "Always use tabs", "I'm allergic to nuts", "Always toast the bread", importance=1
    )
    curation.set_given(fish, [tabs, allergy, toast], Given.ALWAYS)
    made = block(fish, [Hit(fish.get(toast), 1.0, {}, ())], 500)
    assert made.standing[:2] == (allergy, toast)


def test_what_is_never_given_is_in_no_block_but_is_found(fish: Store) -> None:
    curation.set_given(fish, [1, 3], Given.NEVER)
    assert standing_memories(fish, Filter(), clock.now()) == []
    assert "tea" not in project_context(fish, None, 500).text
    assert fish.list_ids(Filter(given=(Given.NEVER,)), descending=False) == [1, 3]


def test_of_two_in_conflict_the_newer_is_given(fish: Store) -> None:
    (new,) = put(fish, "Give me bash syntax from now on", created_at=clock.now())
    curation.set_given(fish, [new], Given.ALWAYS)
    with fish.command("duplicates") as writer:
        fish.alerts.put(writer, 1, new, Relation.UPDATE, 0.9, ("changed",), judge="rules", cosine=0.8)
    assert [memory.id for memory in standing_memories(fish, Filter(), clock.now())] == [new]


def test_of_two_in_conflict_an_undated_one_is_the_older(store: Store) -> None:
    (undated,) = put(store, "I live in Porto", created_at=None)
    (early,) = put(store, "I live in Ghent", created_at=-clock.DAY)
    add_conflicts(store, (undated, early))
    assert conflict_sides(store, {one.id: one for one in store.get_many([undated, early])}) == [(undated, early)]


def add_conflicts(store: Store, *pairs: tuple[int, int]) -> None:
    """Write open conflicts between these pairs."""
    with store.command("duplicates") as writer:
        for a, b in pairs:
            store.alerts.put(writer, a, b, Relation.UPDATE, 0.9, ("changed",), judge="rules", cosine=0.8)


def standing_ids(store: Store) -> list[int]:
    """Return the memories that are always given, after checking that a hook without a server gives the same."""
    given = [one.id for one in standing_memories(store, Filter(), clock.now())]
    with contextlib.closing(open_copy(store.folder / "record.sqlite")) as connection:
        by_sql = word_recall.standing(word_recall.search_in(connection, ""))
    assert sorted(one.id for one in by_sql) == sorted(given)
    return given


def test_what_was_said_later_takes_the_place_of_an_order(store: Store) -> None:
    (short,) = put(store, "Keep answers short from now on", created_at=clock.now() - 9 * clock.DAY)
    (more,) = put(store, "Give me more detail in your answers now", created_at=clock.now() - 8 * clock.DAY)
    (long,) = put(store, "Longer answers still, please", created_at=clock.now() - 7 * clock.DAY)
    (held,) = put(store, "Answer in one word", created_at=clock.now(), flag="hidden order")
    (agents,) = put(store, "They want two words", created_at=clock.now(), origin=Origin.IMPORT)
    curation.set_given(store, [short], Given.ALWAYS)
    add_conflicts(store, (short, more), (more, long), (short, held), (short, agents))
    assert standing_ids(store) == [long]
    made = block(store, [Hit(store.get(short), 1.0, {}, ())], 500)
    assert made.standing == (long,) and short in made.memories
    assert "Keep answers short" in made.text and "maybe outdated" in made.text.splitlines()[-2]
    assert "always:\n- Longer answers still, please\n" in project_context(store, None, 500).text
    add_conflicts(store, (short, long))
    curation.validate(store, [short])
    assert standing_ids(store) == [long, short]
    text = block(store, [], 500).text
    assert "- Longer answers still, please\n- Keep answers short from now on (maybe outdated)\n" in text
    curation.validate(store, [long])
    assert standing_ids(store) == [long]
    curation.set_given(store, [more, agents], Given.ALWAYS)
    assert standing_ids(store) == [agents, long]
    curation.forget(store, [long])
    assert standing_ids(store) == [agents, more]
    add_conflicts(store, (more, agents))
    assert standing_ids(store) == [agents]


@pytest.mark.parametrize(
    ("order", "newer"),
    [
        ("Never push to main directly, always a PR, Tobias reviews", "Tobias left, Ragnhild reviews the PRs now"),
        ("Answer in English, and never use bullet points", "Answer in Norwegian from now on"),
        ("Use metric units, 24h time and give prices in NOK", "Give prices in euros now"),
        ("From now on keep answers short. No emojis.", "Longer answers from now on, short ones help nobody"),
        ("Commit messages in English; never amend a pushed commit", "Commit messages in Dutch now"),
        ("When you write Python, use tabs. Run ruff before each commit.", "Use spaces when you write Python"),
    ],
)
@pytest.mark.parametrize("standing", [False, True])
def test_an_order_of_which_only_a_part_is_replaced_is_given_too(
    store: Store, order: str, newer: str, standing: bool
) -> None:
    (old,) = put(store, order, created_at=clock.now() - 9 * clock.DAY)
    (new,) = put(store, newer, created_at=clock.now())
    curation.set_given(store, [old, new] if standing else [old], Given.ALWAYS)
    add_conflicts(store, (old, new))
    assert sorted(standing_ids(store)) == [old, new]
    made = block(store, [], 500)
    assert {*made.standing} == {old, new}
    assert f"- {order} (maybe outdated)\n" in made.text


@pytest.mark.parametrize(
    ("order", "newer"),
    [
        ("Use uv, not pip", "Use poetry from now on, uv is too new"),
        ("From now on, answer in Dutch", "Answer in English again"),
        ("Please always give me fish syntax, not bash", "Give me bash syntax from now on"),
        ("When you write Python, use tabs", "Use spaces when you write Python"),
        ("Always reply in Dutch, even if I write in English, thanks", "Reply in English now"),
        ("Keep answers short, max 3 sentences", "Give longer answers now"),
        ("Don't use tables, they look awful on my phone", "Tables are fine again"),
        ("Please reply short, I'm busy these weeks", "Longer replies please"),
        ("Always greet me with a joke, every day", "No more jokes please"),
    ],
)
def test_an_order_that_is_replaced_as_a_whole_is_not_given(store: Store, order: str, newer: str) -> None:
    (old,) = put(store, order, created_at=clock.now() - 9 * clock.DAY)
    (new,) = put(store, newer, created_at=clock.now())
    curation.set_given(store, [old], Given.ALWAYS)
    add_conflicts(store, (old, new))
    assert standing_ids(store) == [new]


def test_a_hook_without_a_server_puts_the_newer_in_its_place() -> None:
    own = Store.open(store_folder())
    put(own, "Remember that mum's room is 12", created_at=clock.now() - clock.DAY)
    put(own, "Mum's moved to room 21")
    curation.set_given(own, [1], Given.ALWAYS)
    add_conflicts(own, (1, 2))
    assert "always:\n- Mum's moved to room 21\n</mem" in block_by_words("capital of Mongolia", "")
    curation.validate(own, [1])
    assert "- Remember that mum's room is 12 (maybe outdated)\n</mem" in block_by_words("capital of Mongolia", "")


def test_what_is_a_matter_of_safety_is_always_given_once_validated(store: Store) -> None:
    put(store, "I'm allergic to hazelnuts", "I like tea")
    curation.validate(store, [1, 2])
    assert [memory.given for memory in store.get_many([1, 2])] == [Given.ALWAYS, Given.RELEVANT]
    store.undo()
    assert store.get(1).given is Given.RELEVANT and store.get(1).review is Review.OPEN
    curation.set_given(store, [1], Given.RELEVANT)
    curation.set_given(store, [1], Given.NEVER)
    curation.set_given(store, [1], Given.RELEVANT)
    curation.validate(store, [1])
    assert store.get(1).given is Given.RELEVANT, "the person has said when"


def test_it_is_so_whichever_way_a_memory_is_validated(store: Store) -> None:
    put(store, "I can't have gluten", "I can't have gluten, it makes me ill", "I'm deaf in one ear", "I like tea")
    typed = curation.add(store, "My son has asthma")
    curation.merge(store, [1, 2], "I can't have gluten, it makes me ill", 1)
    curation.gather(store, {}, [3, 4])
    found = [memory.given for memory in store.get_many([typed.id, 1, 3, 4])]
    assert found == [Given.ALWAYS, Given.ALWAYS, Given.ALWAYS, Given.RELEVANT]


def test_of_others_only_what_concerns_the_family_is_always_given(store: Store) -> None:
    put(store, "My son Émile plays handball", "We have a dog, Bosun", "My neighbour Pia keeps bees")
    texts = {
        "Émile is allergic to sesame": Given.ALWAYS,
        "Pia is allergic to sesame": Given.RELEVANT,
        "Bosun has epilepsy": Given.RELEVANT,
        "Rex our dog (a terrier) has epilepsy": Given.RELEVANT,
        "My nephew Filip is allergic to pistachios, he stays till the 27th": Given.RELEVANT,
        "My mother-in-law is coeliac": Given.RELEVANT,
        "I'm coeliac like my aunt": Given.ALWAYS,
        "My nephew and my son can't have nuts": Given.ALWAYS,
        "Our conductor Mathilde is pregnant": Given.RELEVANT,
        "The stage manager is in a wheelchair": Given.RELEVANT,
    }
    assert {text: curation.add(store, text).given for text in texts} == texts


def test_a_bulk_validation_reads_the_other_memories_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "My son Max is ten", "My sister Ada lives in York", "Max is allergic to eggs", "Ada has asthma")
    read, texts_with = [], store.texts_with

    def noted(words: Collection[str]) -> dict[str, list[str]]:
        read.append(frozenset(words))
        return texts_with(words)

    monkeypatch.setattr(store, "texts_with", noted)
    curation.validate(store, [3, 4])
    assert [memory.given for memory in store.get_many([3, 4])] == [Given.ALWAYS, Given.ALWAYS]
    assert read == [{"max", "ada"}]


def test_a_hook_without_a_server_gives_them_too() -> None:
    own = Store.open(store_folder())
    put(own, "Please always give me fish syntax and not bash", "I like tea")
    curation.set_given(own, [1], Given.ALWAYS)
    curation.set_given(own, [2], Given.NEVER)
    text = block_by_words("write a script, and make tea", "")
    assert "fish syntax" in text and "I like tea" not in text


GRAVE = "Peanuts send me to hospital, I carry an EpiPen"


@thorough
def test_a_grave_allergy_gives_way_to_no_milder_statements(store: Store) -> None:
    (grave,) = put(store, "I'm severely allergic to peanuts", created_at=1)
    also = put(store, GRAVE, created_at=1)
    mild = put(
        store,
        *(
            "I'm allergic to peanuts",
            "I'm a bit allergic to peanuts",
            "My peanut allergy is mild",
            "Cats make me wheeze",
        ),
        *(
            "I'm allergic to nickel",
            "I'm lactose intolerant",
            "I have asthma",
            "I can't eat celery",
            "I have hay fever",
        ),
        created_at=clock.now(),
    )
    index = Index(store, load_embedder("hashing", Path()).fingerprint)
    hits = find(store, index, None, "plan a dinner for six", Filter(), block_options()).hits
    assert {grave, *also} <= {hit.memory.id for hit in hits} and hits[0].memory.id in (grave, *also)
    assert block(store, hits, 110).memories[0] in (grave, *also), "where there is room for few, they come first"
    (loved,) = put(store, "I love peanuts", created_at=clock.now())
    with store.command("duplicates") as writer:
        for other in (loved, mild[2]):
            why = ("one denies the other, what they eat: not peanut / peanuts",)
            store.alerts.put(writer, grave, other, Relation.UPDATE, 0.9, why, judge="rules", cosine=0.8)
    assert grave in {one.id for one in safety_facts(store, index, "plan a dinner", ("food",), Filter(), clock.now())}
    curation.set_given(store, [*mild, grave], Given.ALWAYS)
    assert ordered_standing_memories(store, Filter(), clock.now(), mild)[0].id == grave
    (over,) = put(store, "I'm no longer allergic to peanuts", created_at=clock.now())
    curation.set_given(store, [over], Given.ALWAYS)
    with store.command("duplicates") as writer:
        why = ("one denies the other, what they are allergic to: peanuts / not peanuts",)
        store.alerts.put(writer, grave, over, Relation.UPDATE, 0.9, why, judge="rules", cosine=0.8)
    assert grave not in {one.id for one in ordered_standing_memories(store, Filter(), clock.now())}


def test_a_hook_without_a_server_gives_the_grave_one_first() -> None:
    own = Store.open(store_folder())
    put(own, GRAVE, created_at=1)
    put(own, *(f"I'm allergic to {what}" for what in "nickel latex celery mustard lupin sesame kiwi".split()))
    assert f"health and safety:\n- {GRAVE}" in block_by_words("plan a dinner for six", "")


@pytest.fixture
def kitchen(store: Store) -> tuple[Store, Index]:
    """Return a store without reviewed memories, and its index for search by words."""
    put(store, "I'm allergic to hazelnuts", "We plan dinner on Sundays", "My father uses a wheelchair", "I like tea")
    return store, Index(store, load_embedder("hashing", Path()).fingerprint)


@thorough
def test_a_prompt_brings_the_safety_of_its_subject_without_a_shared_word(kitchen: tuple[Store, Index]) -> None:
    store, index = kitchen

    def given_ids(prompt: str) -> tuple[int, ...]:
        return block(store, find(store, index, None, prompt, Filter(), block_options()).hits, 500).memories

    found = find(store, index, None, "plan a dinner for six", Filter(), block_options())
    made = block(store, found.hits, 500)
    assert made.memories == (1, 2) and "health and safety:\n- I'm allergic" in made.text
    assert "a safety fact" in explain_score(found.hits[0])
    assert given_ids("a hotel in Rome") == (1, 3) and given_ids("plan the sprint") == (2,)
    assert find(store, index, None, "plan a dinner", Filter()).hits[0].memory.id == 2, "a search of yours is as it was"
    curation.set_given(store, [1], Given.NEVER)
    assert given_ids("plan a dinner for six") == (2,)


@thorough
def test_the_own_and_severe_come_first_and_those_of_others_if_the_prompt_is_about_them(store: Store) -> None:
    own = put(store, "I'm coeliac", "I'm allergic to walnuts, I stopped breathing when I was 6", created_at=1)
    others = put(store, "Zoe's allergic to eggs a bit", "Bethan at work is coeliac and it's her birthday")
    family = put(store, "My daughter is vegetarian", "Leo is allergic to eggs", "Leo and me are going to Norway")[:2]
    put(store, "Im coeliac", "i am coeliac")
    index = Index(store, load_embedder("hashing", Path()).fingerprint)

    def fact_ids(prompt: str) -> list[int]:
        return [one.id for one in safety_facts(store, index, prompt, subjects_of(prompt), Filter(), clock.now())]

    tonight = fact_ids("what can I cook tonight")
    assert tonight[0] == own[1] and sorted(tonight[2:]) == family and len(tonight) == 4, "coeliac once"
    assert others[0] in fact_ids("what can I cook for Zoe") and others[1] not in fact_ids("what can I cook for Zoe")
    assert others[1] in fact_ids("a cake for work") and {*others} < {*fact_ids("a dinner party for friends")}
    assert fact_ids("the dentist wants to give me antibiotics")[0] == own[1]
    curation.validate(store, [*own, *others, *family])
    assert {one.id for one in standing_memories(store, Filter(), clock.now())} == {*own, family[0]}


def test_a_hook_without_a_server_minds_whose_they_are_too() -> None:
    own = Store.open(store_folder())
    put(own, "Bethan at work is coeliac", "Im coeliac", "I'm coeliac", "Leo is allergic to eggs", "Me and Leo cook")
    given = block_by_words("a good dessert", "")
    assert given.count("coeliac") == 1 and "Bethan" not in given and "Leo is" in given
    assert "Bethan" in block_by_words("a dessert for Bethan", "")


def test_candidates_stay_out_if_only_validated_ones_are_given(
    kitchen: tuple[Store, Index], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, index = kitchen
    monkeypatch.setenv("CURATOR_RECALL__REQUIRE_VALIDATION", "true")
    settings.cache_clear()
    assert find(store, index, None, "a hotel in Rome", recall_filter(Filter()), block_options()).hits == ()


def test_of_two_matters_of_safety_in_conflict_the_newer_is_given(store: Store) -> None:
    put(store, "I'm vegetarian", created_at=clock.now() - clock.DAY)
    put(store, "I'm not vegetarian anymore")
    with store.command("duplicates") as writer:
        store.alerts.put(writer, 1, 2, Relation.UPDATE, 0.9, ("changed",), judge="rules", cosine=0.8)
    index = Index(store, load_embedder("hashing", Path()).fingerprint)
    assert [hit.memory.id for hit in find(store, index, None, "suggest a dessert", Filter(), block_options()).hits] == [
        2
    ]


def test_a_hook_without_a_server_minds_safety_too() -> None:
    own = Store.open(store_folder())
    put(own, "Always answer in metric", "I'm allergic to hazelnuts", "I can't have meetings on Fridays")
    assert "hazelnuts" in block_by_words("plan a dinner for six", "")
    assert block_by_words("rename these files", "") == ""


def test_a_hook_without_a_server_gives_the_newer_of_two_in_conflict() -> None:
    own = Store.open(store_folder())
    put(own, "I'm vegetarian", "Always answer in metric", created_at=clock.now() - clock.DAY)
    put(own, "I'm not vegetarian anymore", "Always answer in imperial units")
    curation.set_given(own, [2, 4], Given.ALWAYS)
    assert "metric" in block_by_words("suggest a dessert", "") and "I'm vegetarian" in block_by_words("a dessert", "")
    with own.command("duplicates") as writer:
        for former, now in ((1, 3), (2, 4)):
            own.alerts.put(writer, former, now, Relation.UPDATE, 0.9, ("changed",), judge="rules", cosine=0.8)
    given = block_by_words("suggest a dessert", "")
    assert "not vegetarian" in given and "imperial" in given and "I'm veg" not in given and "metric" not in given


def test_a_matter_of_safety_does_not_give_way_to_mere_signs_of_a_conflict(store: Store) -> None:
    put(store, "I take warfarin for life because of the valve", created_at=clock.now() - clock.DAY)
    put(store, "I gave up bouldering after the valve operation, a fall on warfarin is not worth it")
    curation.set_given(store, [1, 2], Given.ALWAYS)
    with store.command("duplicates") as writer:
        store.alerts.put(writer, 1, 2, Relation.UPDATE, 0.9, ("signs of a conflict: one gives up",), judge="rules")
    assert {memory.id for memory in standing_memories(store, Filter(), clock.now())} == {1, 2}


def test_nor_does_it_in_a_hook_without_a_server() -> None:
    own = Store.open(store_folder())
    put(own, "I take warfarin for life", created_at=clock.now() - clock.DAY)
    put(own, "I gave up bouldering, a fall on warfarin is not worth it")
    with own.command("duplicates") as writer:
        own.alerts.put(writer, 1, 2, Relation.UPDATE, 0.9, ("signs of a conflict: one gives up",), judge="rules")
    assert "for life" in block_by_words("a good painkiller", "")


def test_what_a_prompt_asks_of_the_person_is_given_without_a_shared_word() -> None:
    own = Store.open(store_folder())
    put(own, "I became head of timber design at Voss", "I like tea", "My partner is a nurse", "We don't drink alcohol")
    index = Index(own, load_embedder("hashing", Path()).fingerprint)
    for prompt, wanted in (("update my CV", 1), ("what's a good whisky", 4)):
        (hit,) = find(own, index, None, prompt, Filter(), block_options()).hits
        assert hit.memory.id == wanted and hit.memory.text in block_by_words(prompt, "")
    assert find(own, index, None, "update my CV", Filter()).hits == (), "a search of yours is as it was"


def test_the_newest_home_and_job_come_first_whatever_is_similar(store: Store) -> None:
    day = clock.DAY
    put(store, "I live in Ghent, near where I work", created_at=1 * day)
    put(store, "I work as a biologist at VLIZ", created_at=2 * day)
    put(store, "She changed jobs, my sister, and I like where she works", created_at=3 * day)
    put(store, "I'm based in Bergen", created_at=4 * day)
    put(store, "I do two days a week for Havbruk AS", created_at=5 * day)
    index = Index(store, load_embedder("hashing", Path()).fingerprint)

    def stated(prompt: str) -> list[int]:
        hits = find(store, index, None, prompt, Filter(), block_options()).hits
        return [hit.memory.id for hit in hits if hit.stated]

    assert stated("where do I live?") == [4, 1] and stated("where do I work?") == [5, 2]
    both = stated("update my CV")
    assert {*both[:2]} == {4, 5} and {*both[2:]} == {1, 2}
    assert stated("plan a dinner") == []


def test_a_compound_memory_that_is_outdated_in_part_still_gives_the_name(store: Store) -> None:
    day = clock.DAY
    put(store, "Im Tamsin, 41, living in Leeds with my partner Ruben", created_at=1 * day)
    put(store, "My partner Ruben and I broke up last week", created_at=2 * day)
    put(store, "Her name is Saskia, she plays bassoon", created_at=3 * day)
    put(store, "Saskia and I got engaged on 18 December", created_at=4 * day)
    with store.command("compare") as writer:
        store.alerts.put(writer, 1, 2, Relation.UPDATE, 0.9, ["signs of a conflict"], judge="rules/1")
    index = Index(store, load_embedder("hashing", Path()).fingerprint)

    def stated(prompt: str) -> list[int]:
        hits = find(store, index, None, prompt, Filter(), block_options()).hits
        return [hit.memory.id for hit in hits if hit.stated]

    assert stated("what's my name?") == [1]
    assert stated("tell me about my partner") == [4, 2]


def test_a_hook_without_a_server_gives_the_newest_of_each_first() -> None:
    own = Store.open(store_folder())
    put(own, "I live in Ghent", "I work as a biologist at VLIZ", created_at=clock.DAY)
    put(own, *(f"I speak {one}" for one in ("Dutch", "French", "Polish", "Danish", "Welsh")), created_at=9 * clock.DAY)
    block = block_by_words("update my CV", "")
    assert "Ghent" in block and "VLIZ" in block


def pets() -> tuple[Store, Index]:
    store = Store.open(store_folder())
    put(store, "We got a dog, Bosun, a 2 year old Lapphund.", "I like tea", "Lotte is diabetic", "Lotte and I cook")
    put(store, "Wet 😂 Bosun has been diagnosed with epilepsy, poor thing")
    return store, Index(store, load_embedder("hashing", Path()).fingerprint)


@pytest.mark.parametrize("prompt", ["walk the dog", "leave him with a dog sitter", "what can Bosun eat", "which vet"])
def test_the_illness_of_an_animal_is_given_where_one_is_named(prompt: str) -> None:
    found = find(*pets(), None, prompt, Filter(), block_options()).hits
    assert any("epilepsy" in hit.memory.text and hit.safety for hit in found)
    assert "epilepsy" in block_by_words(prompt, "")


@pytest.mark.parametrize(
    "prompt", ["plan a 10k run", "is amoxicillin ok for me?", "an email to my surgeon", "a ladder"]
)
def test_and_not_with_prompts_about_the_person(prompt: str) -> None:
    found = find(*pets(), None, prompt, Filter(), block_options()).hits
    assert not any("epilepsy" in hit.memory.text for hit in found)
    assert "epilepsy" not in block_by_words(prompt, "")


def test_a_denial_of_all_allergies_never_stands_for_a_fact_beside_one(store: Store) -> None:
    put(store, "I'm allergic to walnuts", "My dog Biscuit has kidney disease", created_at=clock.now() - clock.DAY)
    put(store, "I am not allergic to anything")
    with store.command("duplicates") as writer:
        store.alerts.put(writer, 1, 3, Relation.CONTRADICTION, 0.9, ("one denies the other",), judge="rules")
    index = Index(store, load_embedder("hashing", Path()).fingerprint)
    hits = find(store, index, None, "cook dinner for guests", Filter(), block_options()).hits
    assert [hit.memory.id for hit in hits if hit.safety] == [1]
    text = block(store, hits, 500).text
    assert "health and safety:\n- I'm allergic to walnuts" in text and "kidney" not in text
    assert text.index("walnuts") < text.index("not allergic"), "it comes with what it denies, as no fact of safety"


WALNUTS = "I'm vegetarian and Emil is allergic to walnuts."


@pytest.mark.parametrize(
    ("former", "newer", "stays"),
    [
        (WALNUTS, "I'm a pescatarian now rather than vegetarian.", True),
        ("I live in Rome with my son, who is diabetic", "I live in Oslo", True),
        ("I'm vegetarian and love pasta", "I'm a pescatarian now rather than vegetarian.", False),
        ("I'm vegetarian, have been for ten years", "I'm not vegetarian anymore", False),
    ],
)
def test_only_the_fact_that_is_denied_gives_way(store: Store, former: str, newer: str, stays: bool) -> None:
    put(store, former, created_at=clock.now() - clock.DAY)
    put(store, newer)
    with store.command("duplicates") as writer:
        store.alerts.put(writer, 1, 2, Relation.UPDATE, 0.9, ("only one can be true",), judge="rules")
    index = Index(store, load_embedder("hashing", Path()).fingerprint)
    hits = find(store, index, None, "a dinner on our trip", Filter(), block_options()).hits
    assert (1 in {hit.memory.id for hit in hits}) is stays
    curation.set_given(store, [1, 2], Given.ALWAYS)
    assert (1 in {memory.id for memory in standing_memories(store, Filter(), clock.now())}) is stays


def test_a_hook_without_a_server_gives_what_is_not_denied() -> None:
    own = Store.open(store_folder())
    put(own, WALNUTS, created_at=clock.now() - clock.DAY)
    put(own, "I'm a pescatarian now rather than vegetarian.")
    with own.command("duplicates") as writer:
        own.alerts.put(writer, 1, 2, Relation.UPDATE, 0.9, ("only one can be true",), judge="rules")
    assert "walnuts" in block_by_words("plan a dinner", "")


@thorough
def test_recall_loads_no_comparison_of_texts() -> None:
    script = "import sys, curator.recall; sys.exit('curator.compare' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_name_is_looked_for_once_and_only_where_its_matter_has_a_place() -> None:
    looked: list[str] = []

    def texts_with(name: str) -> list[str]:
        looked.append(name)
        return ["me and Bethan climb on Mondays"]

    others = ["Tom is vegan", "Tom is allergic to dust", "Bethan is coeliac", "Bethan is diabetic"]
    assert concerns.relevant_facts(others, "what shall I cook?", ("food",), texts_with, 6) == [2, 3]
    assert sorted(looked) == ["bethan", "tom"]
    assert concerns.relevant_facts(
        [*others, "I'm vegan", "I have asthma"], "what shall I cook?", ("food",), texts_with, 2
    ) == [
        5,
        4,
    ]
    assert len(looked) == 2
