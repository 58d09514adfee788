"""Topics: memories about one thing, named by their words, and stable while others come and go."""

import numpy as np
import pytest

from curator import curation
from curator.filters import BadFilter, parse_filter, with_topics
from curator.topics import TAG, clusters, topics_of
from factories import conversation, put, quote
from store import Filter, Store
from store.model import Fingerprint, Kind

SPACE = Fingerprint("test", "axes", "1", 32)
COFFEE = ("Drinks coffee black", "Grinds coffee by hand", "Buys coffee beans in Porto", "Roasts coffee on Sundays")
MARATHON = (
    "Ran a half marathon",
    "Trains for the half marathon",
    "Half marathon shoes wear out",
    "Eats before a half marathon",
)
GARDEN = ("Grows tomatoes", "Waters tomatoes daily", "Tomatoes need sun", "Gave tomatoes away")


def embed(store: Store, **axes: int) -> None:
    """Embed memories without a vector along the axis of the first known word in their text."""
    rows = []
    for memory, text in store.vectors.missing(SPACE, 10_000):
        row = np.random.default_rng(memory).normal(0, 0.05, 32)
        row[next((axis for word, axis in axes.items() if word in text.casefold()), 31)] += 1
        rows.append((memory, text, (row / np.linalg.norm(row)).astype(np.float32).tobytes()))
    store.vectors.add(SPACE, rows)


def three(store: Store) -> list[int]:
    ids = put(store, *COFFEE, *MARATHON, *GARDEN)
    embed(store, coffee=0, marathon=1, tomatoes=2)
    return ids


def test_memories_about_one_thing_are_a_topic_named_by_their_words(store: Store) -> None:
    ids = three(store)
    found = topics_of(store)
    assert {topic.name: topic.memories for topic in found.topics} == {
        "coffee": tuple(ids[:4]),
        "half marathon": tuple(ids[4:8]),
        "tomatoes": tuple(ids[8:]),
    }
    assert found.other == () and found.unread == 0


def test_a_decision_moves_no_other_memory_and_names_only_what_is_left(store: Store) -> None:
    ids = three(store)
    names = [topic.name for topic in topics_of(store).topics]
    curation.reject(store, ids[4:7])
    after = topics_of(store)
    assert sorted(topic.name for topic in after.topics) == sorted(names)
    assert after.called("marathon")[0].memories == (ids[7],)
    curation.reject(store, [ids[7]])
    assert not topics_of(store).called("marathon")
    curation.restore(store, ids[4:8])
    assert [topic.name for topic in topics_of(store).topics] == names


def test_words_of_forgotten_and_of_quarantined_memories_are_not_named(store: Store) -> None:
    ids = put(store, *(f"Secretword {name}" for name in ("Alpha beta", "Gamma delta", "Epsilon zeta")))
    ids += put(store, "Plain words here", "More plain things")
    ids += put(store, "Secretword again", flag="injection")
    embed(store)
    curation.forget(store, ids[:3])
    (topic,) = topics_of(store).topics
    assert topic.memories == tuple(ids[3:])
    assert "secretword" not in topic.name.casefold()


def test_what_comes_later_joins_topics_or_makes_new_ones_and_moves_nothing(store: Store) -> None:
    three(store)
    fillers = {f"word{chr(97 + n) * 2}": 4 + n for n in range(12)}
    put(store, *(f"Filler {n} about {word}" for n in range(10) for word in fillers))
    embed(store, coffee=0, marathon=1, tomatoes=2, **fillers)
    before = topics_of(store).by_memory()
    assert len(before) == 132  # past the checkpoint at 108
    late = put(store, "Another half marathon in May", *(f"Violin lesson {n}" for n in ("one", "two", "three", "four")))
    embed(store, coffee=0, marathon=1, tomatoes=2, violin=3)
    after = topics_of(store).by_memory()
    assert {memory: after[memory] for memory in before} == before
    assert after[late[0]] == "half marathon"
    assert {after[memory] for memory in late[1:]} == {"violin lesson"}


def test_a_large_store_is_grouped_around_leaders(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "_MOST", 5)
    monkeypatch.setattr(clusters, "_BLOCK", 4)
    ids = three(store)
    assert {topic.memories for topic in topics_of(store).topics} == {tuple(ids[:4]), tuple(ids[4:8]), tuple(ids[8:])}


def test_a_project_is_a_topic_and_takes_in_what_is_about_it(store: Store) -> None:
    ids = put(store, *COFFEE, project="Roastery\nwith a tail")
    ids += put(store, "One more coffee thing")
    embed(store, coffee=0)
    (topic,) = topics_of(store).topics
    assert (topic.name, topic.memories, topic.project) == ("Roastery with a tail", tuple(ids), True)


JOURNEY = ("Kanazawa in spring", "By train through Japan", "Two people, medium luggage")


def chat(store: Store, name: str) -> list[int]:
    """Write a chat titled `About NAME`, with a memory of each of its messages."""
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation(name, *JOURNEY))
    (talk,) = store.raw.get_conversations()
    said = store.raw.messages(talk.id)
    return [put(store, one.text, evidence=(quote(one.text, one.text, message=one.id),))[0] for one in said]


def test_titles_of_conversations_choose_the_name_of_a_topic(store: Store) -> None:
    found = []
    for owner, name in (("ana", "divorce papers"), ("ben", "Japan")):
        own = Store.open(store.folder, owner=owner)
        chat(own, name)
        embed(own, kanazawa=0, japan=0, luggage=0)
        found += [topic.name.split(",")[0] for topic in topics_of(own).topics]
    assert found[0] != "Japan" == found[1]


def test_titles_are_those_of_the_owner(store: Store) -> None:
    chat(store, "Japan")
    groups = {row.group for row in store.topic_places.rows(TAG) if row.group is not None}
    assert list(store.topic_places.titles(groups).values()) == ["About Japan"]
    assert Store.open(store.folder, owner="ana").topic_places.titles(groups) == {}


def test_a_tag_names_a_topic_and_undo_takes_the_name_back(store: Store) -> None:
    ids = three(store)
    curation.tag(store, ids[:3], [f"{TAG}espresso"])
    assert topics_of(store).called("espresso")[0].memories == tuple(ids[:4])  # the fourth belongs to it, too
    store.undo()
    assert topics_of(store).called("coffee")[0].memories == tuple(ids[:4])


def test_without_vectors_there_are_only_projects_and_the_rest_is_told(store: Store) -> None:
    assert topics_of(store).topics == ()
    ids = put(store, "In a project", project="kiln") + put(store, "Elsewhere")
    found = topics_of(store)
    assert [(topic.name, topic.memories) for topic in found.topics] == [("kiln", (ids[0],))]
    assert (found.other, found.unread) == ((ids[1],), 1)


def test_a_filter_by_topic_goes_with_others(store: Store) -> None:
    ids = three(store)
    curation.set_kind(store, [ids[0], ids[4]], Kind.SKILL)
    which = with_topics(store, parse_filter("topic:MARATHON topic:coffee kind:skill"))
    assert sorted(store.list_ids(which)) == [ids[0], ids[4]]
    assert store.count(with_topics(store, parse_filter('topic:"half marathon"'))) == 4
    with pytest.raises(BadFilter, match="no topic is named chess"):
        with_topics(store, parse_filter("topic:chess"))
    with pytest.raises(ValueError, match="not known yet"):
        store.list_ids(Filter(topics=("coffee",)))
