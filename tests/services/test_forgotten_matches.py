"""Forgotten memories do not come back in any way (I5), and possible matches wait in quarantine."""

import json
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from curator import curation
from curator.compare import PairPrediction, relate
from curator.curation import MatchCertainty, find_forgotten, match_texts
from curator.distill.candidate import Candidate
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.services.admission import admit
from curator.services.import_logs import distil_all, import_paths, preview
from curator.services.import_summary import Summary
from curator.services.neighbours import Distiller, SourcedCandidate, compare
from curator.text import TOKENS, tokens
from effort import thorough
from factories import conversation, put
from store import Filter, Forgotten, Store, Tokenizer
from store.model import Channel, Kind, Life, NewConversation, Origin, Tier

GONE = "My sister Anna works as a nurse in Kiel."
SAME = ("My sister Anna is working as a nurse in Kiel.", "my sister anna works as a nurse in Kiel", GONE)
OTHER = ("My sister Anna works as a nurse in Bonn.", "My sister Anna works as a nurse no more.")
ALIKE = "Anna, my sister, is a nurse up in Kiel."


@pytest.fixture
def embedder() -> Any:
    """Return the lexical embedder, which needs no weights."""
    return load_embedder("hashing", cache_folder())


@pytest.fixture
def gone(store: Store) -> int:
    """Store and forget a memory."""
    (memory,) = put(store, GONE)
    curation.forget(store, [memory])
    return memory


def live(store: Store) -> list[str]:
    return [memory.text for memory in store.get_many(store.list_ids(Filter()))]


@pytest.mark.parametrize("text", SAME)
def test_a_person_is_told_before_it_is_written_again(store: Store, gone: int, text: str) -> None:
    (other,) = put(store, "I like tea.")
    before = store.state_hash()
    ways: list[Callable[[], object]] = [
        lambda: curation.add(store, text),
        lambda: curation.edit(store, other, text),
    ]
    for way in ways:
        with pytest.raises(Forgotten) as told:
            way()
        assert told.value.memory == gone and "restore" in str(told.value)
    assert store.state_hash() == before


def test_merging_does_not_bring_it_back(store: Store, gone: int) -> None:
    ids = put(store, "My sister is called Anna.", "Anna works as a nurse.")
    with pytest.raises(Forgotten):
        curation.merge(store, ids, SAME[0], ids[0])
    assert all(memory.life is Life.LIVE for memory in store.get_many(ids))


def test_restored_it_may_be_said_again(store: Store, gone: int) -> None:
    curation.restore(store, [gone])
    curation.edit(store, gone, SAME[0])
    assert store.get(gone).text == SAME[0]


@pytest.mark.parametrize("text", OTHER)
def test_another_number_name_or_no_is_another_thing(store: Store, gone: int, text: str) -> None:
    assert curation.add(store, text).life is Life.LIVE


@thorough
@pytest.mark.parametrize("with_vectors", [True, False])
def test_ready_memories_do_not_bring_it_back(
    store: Store, gone: int, embedder: Any, tmp_path: Path, with_vectors: bool
) -> None:
    file = tmp_path / "ready.jsonl"
    texts = [*SAME, *OTHER]
    file.write_text("".join(json.dumps({"id": f"r{n}", "text": text}) + "\n" for n, text in enumerate(texts)))
    assert preview(store, [file]).forgotten == {gone: len(SAME)}
    summary = import_paths(store, [file], embedder if with_vectors else None)
    assert sorted(live(store)) == sorted(OTHER)
    assert summary.reasons["forgotten"] == len(SAME) and summary.forgotten == {gone: len(SAME)}


@pytest.mark.parametrize("origin", [Origin.RULES, Origin.MODEL])
def test_candidates_of_rules_and_models_do_not_bring_it_back(
    store: Store, gone: int, embedder: Any, origin: Origin
) -> None:
    said = [*SAME, ALIKE, OTHER[0]]
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", *said))
    (where,) = store.raw.get_conversations()
    messages = store.raw.messages(where.id)
    store.vectors.add(embedder.fingerprint, [(gone, GONE, embedder.embed([GONE])[0].tobytes())])
    drafts = [
        SourcedCandidate(
            Candidate(m.id, 0, len(m.text), m.text, m.text, Kind.RELATIONSHIP, Tier.MEDIUM, 0.8, 10),
            where,
            Channel.SPOKEN,
        )
        for m in messages
    ]
    distiller, summary = Distiller("test/1", origin), Summary()
    compared = compare(store, embedder, drafts, distiller)
    with store.command("distil") as writer:
        admit(writer, compared, [], summary)
    assert OTHER[0] in live(store) and not set(SAME) & set(live(store))
    assert summary.forgotten[gone] == summary.reasons["forgotten"] == len(SAME)
    refused = store.distillation.refused("forgotten")
    assert {one.message for one in refused} == {m.id for m in messages[: len(SAME)]}
    held = [memory for memory in store.get_many(store.list_ids(Filter())) if memory.text == ALIKE]
    assert [memory.flag for memory in held] == [f"like memory {gone}, which you forgot"] and summary.held == 1


def test_what_was_let_go_and_has_no_vector_yet_is_told_by_its_words(store: Store, gone: int, embedder: Any) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", SAME[0]))
    (where,) = store.raw.get_conversations()
    (message,) = store.raw.messages(where.id)
    said = Candidate(message.id, 0, len(SAME[0]), SAME[0], SAME[0], Kind.FACT, Tier.MEDIUM, 0.8, 10)
    distiller, summary = Distiller("test/1", Origin.MODEL), Summary()
    compared = compare(store, embedder, [SourcedCandidate(said, where, Channel.SPOKEN)], distiller)
    with store.command("distil") as writer:
        admit(writer, compared, [], summary)
    assert not live(store) and summary.forgotten == {gone: 1}
    (back,) = summary.matches
    assert (back.words, back.source, back.title) == (SAME[0], "chatgpt", "About a")


def test_a_log_that_says_it_again_is_refused_with_its_place(store: Store, embedder: Any) -> None:
    first = conversation("a", "My sister Anna works as a nurse in Kiel.")
    again = conversation("b", "Remember that my sister Anna is working as a nurse in Kiel.")
    _import(store, first)
    distil_all(store, embedder)
    made = store.list_ids(Filter())
    assert made
    curation.forget(store, made)
    _import(store, again)
    summary = distil_all(store, embedder)
    assert not store.list_ids(Filter()) and summary.reasons["forgotten"] == 1
    assert [*summary.forgotten] == made[:1]
    assert distil_all(store, embedder, again=True).memories == 0


@pytest.mark.parametrize(
    "former",
    [
        "He moved to a care home in Leeds in May.",  # with its pronoun
        "He moved to a care home in Leeds in May (2023).",
        "My dad called yesterday about his boiler and his car. He moved to a care home in Leeds in May.",
        "My dad moved to a care home in Leeds in May.",
    ],
)
@pytest.mark.parametrize("verb", [curation.forget, curation.reject])
def test_a_statement_with_a_name_in_place_of_its_pronoun_does_not_come_back(
    store: Store, embedder: Any, former: str, verb: Callable[[Store, list[int]], object]
) -> None:
    said = "My dad called yesterday about his boiler and his car. He moved to a care home in Leeds in May."
    (gone,) = put(store, former)
    verb(store, [gone])
    _import(store, conversation("a", said))
    summary = distil_all(store, embedder)
    assert not [text for text in live(store) if "care home" in text] and summary.forgotten[gone]


def test_a_statement_known_with_its_pronoun_is_not_added_again(store: Store, embedder: Any) -> None:
    (known,) = put(store, "He moved to a care home in Leeds in May.")
    _import(store, conversation("a", "My dad called yesterday. He moved to a care home in Leeds in May."))
    distil_all(store, embedder)
    assert store.list_ids(Filter()) == [known] and store.evidence(known)


def _import(store: Store, log: NewConversation) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, log)


def test_how_sure_it_is() -> None:
    def sure(text: str, cosine: float) -> MatchCertainty | None:
        return match_texts(GONE, text, relate(GONE, text, cosine))

    assert sure(SAME[0], 0.98) is MatchCertainty.SAME
    assert sure(ALIKE, 0.94) is MatchCertainty.ALIKE
    assert sure(OTHER[0], 0.97) is None
    assert sure("I like tea.", 0.1) is None


def test_a_free_retelling_of_what_is_forgotten_waits_and_one_of_junk_does_not() -> None:
    def sure(text: str, cosine: float) -> MatchCertainty | None:
        return match_texts(GONE, text, relate(GONE, text, cosine), cosine)

    told = "There's one nurse in our family, and she is up north."
    assert sure(told, 0.6) is MatchCertainty.ALIKE
    assert sure(told, 0.4) is None
    assert sure(OTHER[0], 0.97) is None, "the same form with another value"
    assert match_texts(GONE, told, relate(GONE, told, 0.6)) is None, "as for a rejected one"


def test_another_statement_on_the_same_topic_is_not_held() -> None:
    """Hold nothing that is as near as a retelling, but only by the words that both share."""
    gone = "I take warfarin for my heart"

    def sure(text: str, cosine: float) -> MatchCertainty | None:
        return match_texts(gone, text, relate(gone, text, cosine), cosine)

    assert sure("My cardiologist has me on a blood thinner", 0.56) is MatchCertainty.ALIKE
    assert sure("My heart beats fast on stairs", 0.56) is None
    day = "The roof is mended from 3 May on"
    other = "On 9 August the painters come in"
    assert match_texts(day, other, relate(day, other, 0.62), 0.62) is None, "nothing in common but a date"


def test_a_reading_decides_what_may_or_may_not_be_a_retelling() -> None:
    asked = []

    def sure(text: str, cosine: float, both: float) -> MatchCertainty | None:
        def read(first: str, second: str) -> PairPrediction:
            asked.append((first, second))
            return PairPrediction(1 - both, both, 0.0, 0.0)

        return match_texts(GONE, text, relate(GONE, text, cosine), cosine, lambda: read)

    told = "There's one nurse in our family, and she is up north."
    assert sure(told, 0.5, both=0.05) is MatchCertainty.ALIKE
    assert sure(told, 0.5, both=0.99) is None
    assert asked == [(GONE, told)] * 2
    assert sure("There's one nurse in our family, and she is up north.", 0.95, both=0.99) is MatchCertainty.ALIKE
    assert sure(told, 0.39, both=0.01) is None
    assert len(asked) == 2, "it is read only where that decides"


def test_words_alone_tell_without_vectors(store: Store, gone: int) -> None:
    assert [find_forgotten(store, text) for text in SAME] == [gone] * len(SAME)
    assert [find_forgotten(store, text) for text in (*OTHER, "")] == [None, None, None]


def test_what_is_let_go_and_brought_back_is_followed(store: Store, gone: int) -> None:
    assert find_forgotten(store, SAME[0]) == gone
    curation.restore(store, [gone])
    assert find_forgotten(store, SAME[0]) is None
    store.undo()
    assert find_forgotten(store, SAME[0]) == gone
    store.undo()
    assert find_forgotten(store, SAME[0]) is None
    store.redo()
    assert find_forgotten(store, SAME[0]) == gone
    store.purge([gone])
    with store.sqlite() as connection:
        assert connection.execute("SELECT count(*) FROM burials").fetchone()[0] == 0


def test_words_read_in_another_way_are_read_anew(store: Store, gone: int) -> None:
    def letters(text: str) -> set[str]:
        return set(text.casefold()) - {" ", "."}

    assert find_forgotten(store, SAME[0]) == gone
    assert store.tombstones.like(SAME[0], Tokenizer("letters/1", letters), 0.9) == {gone: GONE}
    assert find_forgotten(store, SAME[0]) == gone


def test_another_owners_are_not_looked_at(store: Store, gone: int) -> None:
    other = Store.open(store.folder, owner="ana")
    assert find_forgotten(other, SAME[0]) is None
    curation.add(other, SAME[0])
    other.close()


@thorough
def test_it_is_found_among_many(store: Store) -> None:
    """Find it by any words that a rewording keeps, common ones too; texts that share fewer are skipped unread."""
    texts = [f"I like the {n} old boats by the lake" for n in range(300)]
    curation.forget(store, put(store, *texts, GONE))
    assert find_forgotten(store, SAME[0]) is not None
    for n in (0, 150, 299):
        back = find_forgotten(store, f"I like the {n} old boats by the lake!")
        assert back is not None and store.get(back).text == texts[n]
    assert find_forgotten(store, "I like the 301 old boats by the lake") is None


def test_how_tokens_are_read_is_marked_with_its_version() -> None:
    """Check that tokens are unchanged: the store keeps those of forgotten memories. If this fails, raise TOKENS."""
    lines = (
        "The user doesn't like running, cities, or buses; she hiked two hundred km in 1,000 boots.",
        "My brother's well-known café opens at 10:30 on Tuesdays, and we'll be going there for the third time.",
        "I have been living in Köln since 2024-05-01 and I can't stand noisy neighbours at all.",
        "Emails to a.b@example.org are answered within three to five days, 50 % of them never.",
        "喜欢在早上写作，不喜欢开会 and Пароль от сейфа",
        "it is what it is",
        *SAME,
        *OTHER,
        ALIKE,
    )
    every = "\n".join(" ".join(sorted(tokens(line))) for line in lines)
    assert (TOKENS, blake2b(every.encode(), digest_size=8).hexdigest()) == ("tokens/1", "29f62fcea92f3360")
