"""The search index answers what the record says, at once, whatever is typed, and repairs itself."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import lancedb
import numpy as np
import pytest

from store import Filter, Store
from store.index import Index, generation, lag, tables
from store.model import (
    Fingerprint,
    Kind,
    Life,
    NewConversation,
    NewEvidence,
    NewMemory,
    NewMessage,
    Origin,
    Rank,
    Relation,
    Review,
    Role,
    Tier,
)

SPACE = Fingerprint("test", "plain", "1", 8)
OTHER = Fingerprint("test", "other", "1", 8)
ANY = Filter()


@pytest.fixture
def index(store: Store) -> Index:
    return Index.open(store, SPACE)


def memory(text: str) -> NewMemory:
    return NewMemory(text=text, key=text, kind=Kind.FACT, origin=Origin.PERSON)


def remember(store: Store, *memories: NewMemory | str) -> list[int]:
    with store.command("add") as writer:
        new = [memory(item) if isinstance(item, str) else item for item in memories]
        return [store.admit(writer, item).added or 0 for item in new]


def change(store: Store, ids: Sequence[int], **after: str | int | float | None) -> None:
    with store.command("change") as writer:
        writer.update("memories", ids, after)


def embed(store: Store, ids: Sequence[int], rows: np.ndarray, space: Fingerprint = SPACE) -> None:
    texts = [item.text for item in store.get_many(ids)]
    vectors = [row.astype("<f4").tobytes() for row in rows]
    store.add_vectors(space, list(zip(ids, texts, vectors, strict=True)))


def found(hits: Sequence[tuple[int, float]]) -> list[int]:
    return [number for number, _ in hits]


def talk(store: Store, *texts: str, identity: str = "c1") -> tuple[int, ...]:
    messages = tuple(NewMessage(f"{identity}/{place}", Role.USER, text) for place, text in enumerate(texts))
    with store.command("import") as writer:
        store.put_conversation(writer, NewConversation(identity, "markdown", messages, external_id=identity))
    (conversation,) = (item.id for item in store.conversations() if item.external_id == identity)
    return tuple(message.id for message in store.messages(conversation))


class TestFreshness:
    @pytest.mark.parametrize("caught_up", [False, True])
    def test_a_change_is_found_at_once(self, store: Store, index: Index, caught_up: bool) -> None:
        first, second = remember(store, "Anna plays the violin", "Anna lives in Graz")
        index.catch_up()
        (third,) = remember(store, "Anna keeps violins from Cremona")
        change(store, [first], text="Anna plays the oboe")
        change(store, [second], life=Life.FORGOTTEN)
        if caught_up:
            assert index.catch_up()
            assert index.check() == []
        assert found(index.search_text("violin", ANY, 10)) == [third]
        assert found(index.search_text("oboes", ANY, 10)) == [first]
        assert index.search_text("Graz", ANY, 10) == []

    def test_undo_brings_back_and_takes_away(self, store: Store, index: Index) -> None:
        (kept,) = remember(store, "The meeting is in Oslo")
        index.catch_up()
        change(store, [kept], life=Life.FORGOTTEN)
        index.catch_up()
        assert index.search_text("Oslo", ANY, 5) == []
        store.undo()
        assert found(index.search_text("Oslo", ANY, 5)) == [kept]
        store.undo()
        index.catch_up()
        assert index.search_text("Oslo", ANY, 5) == []
        assert index.check() == []

    def test_the_first_search_needs_no_preparation(self, store: Store, index: Index) -> None:
        assert index.search_text("anything", ANY, 5) == []
        (kept,) = remember(store, "Something about anything")
        assert found(index.search_text("anything", ANY, 5)) == [kept]

    def test_another_process_s_catching_up_is_seen(self, store: Store, index: Index) -> None:
        remember(store, "One")
        index.search_text("one", ANY, 5)
        (second,) = remember(store, "Two herons")
        Index.open(store, SPACE).catch_up()
        assert found(index.search_text("heron", ANY, 5)) == [second]
        Index.open(store, SPACE).rebuild()
        assert found(index.search_text("heron", ANY, 5)) == [second]

    def test_far_behind_it_catches_up_by_itself(
        self, store: Store, index: Index, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lag, "CAP", 3)
        index.catch_up()
        ids = remember(store, *(f"Parcel {number}" for number in range(10)))
        assert sorted(found(index.search_text("parcel", ANY, 20))) == ids
        assert index.check() == []

    def test_inside_a_command_what_it_wrote_counts_and_nothing_is_indexed(self, store: Store, index: Index) -> None:
        index.catch_up()
        with pytest.raises(RuntimeError, match="changed my mind"), store.command("add") as writer:
            new = store.admit(writer, memory("A heron on the roof")).added
            writer.pause()
            assert found(index.search_text("heron", ANY, 5)) == [new]
            writer.resume()
            assert not index.catch_up()
            raise RuntimeError("changed my mind")

    def test_threads_share_an_index(self, store: Store, index: Index) -> None:
        known = remember(store, "A first heron", "A second heron")

        def look(_: int) -> bool:
            return {*known} <= {*found(index.search_text("heron", ANY, 100))}

        with ThreadPoolExecutor(4) as threads:
            looks = [threads.submit(look, place) for place in range(40)]
            for step in range(10):
                remember(store, f"Heron number {step}")
                assert index.rebuild() if step == 5 else index.catch_up()
            assert all(done.result() for done in looks)
        assert index.check() == []

    def test_progress_ends_at_all(self, store: Store, index: Index) -> None:
        remember(store, *(f"Number {number}" for number in range(30)))
        seen: list[tuple[int, int]] = []
        index.catch_up(progress=lambda done, everything: seen.append((done, everything)))
        assert seen[-1] == (30, 30)

    def test_many_small_steps_do_not_pile_up(self, store: Store, index: Index) -> None:
        index.catch_up()
        for number in range(55):
            remember(store, f"Step {number}")
            index.catch_up()
        folder = generation.current(generation.home(store.folder, store.owner))
        assert folder is not None
        table = lancedb.connect(folder).open_table("memories")
        assert table.stats()["fragment_stats"]["num_fragments"] <= 51
        assert index.check() == []


FILTERS = {
    "kind": Filter(kinds=(Kind.TASK, Kind.EVENT)),
    "tier": Filter(tiers=(Tier.CORE,)),
    "rank": Filter(ranks=(Rank.HIGH,)),
    "review": Filter(reviews=(Review.VALIDATED,)),
    "life": Filter(lives=(Life.SUPERSEDED,)),
    "origin": Filter(origins=(Origin.MODEL,)),
    "project": Filter(projects=('it\'s a "project"; --',)),
    "source": Filter(sources=("chatgpt",)),
    "scope": Filter(scopes=("project:x",)),
    "tag": Filter(tags=("a tag's tag",)),
    "two tags": Filter(tags=("a tag's tag", "b")),
    "pinned": Filter(pinned=True),
    "not pinned": Filter(pinned=False),
    "conflict": Filter(conflict=True),
    "no conflict": Filter(conflict=False),
    "flagged": Filter(flagged=True),
    "not flagged": Filter(flagged=False),
    "after": Filter(created_after=500),
    "before": Filter(created_before=500),
    "score above": Filter(score_above=0.75),
    "score below": Filter(score_below=0.25),
    "substring": Filter(text="100%_\\ SURE"),
    "several": Filter(kinds=(Kind.TASK,), pinned=False, tags=("b",)),
    "none match": Filter(projects=("no such",)),
}


class TestFilters:
    @pytest.fixture(scope="class")
    def varied(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
        store = Store.open(tmp_path_factory.mktemp("filters") / "home")
        plain = replace(memory("a common word"), confidence=0.5, created_at=1_000)
        kinds = [
            plain,
            replace(plain, kind=Kind.TASK, tags=("b",)),
            replace(plain, kind=Kind.EVENT, pinned=True),
            replace(plain, tier=Tier.CORE, rank=Rank.HIGH),
            replace(plain, review=Review.VALIDATED, origin=Origin.MODEL),
            replace(plain, life=Life.SUPERSEDED),
            replace(plain, project='it\'s a "project"; --', source="chatgpt"),
            replace(plain, scope="project:x", tags=("a tag's tag",)),
            replace(plain, tags=("a tag's tag", "b"), created_at=10),
            replace(plain, flag="injection", confidence=0.1),
            replace(plain, confidence=0.1, user_score=9),
            replace(plain, confidence=0.9, user_score=1),
            replace(plain, text="a common word, 100%_\\ sure"),
        ]
        ids = remember(store, *(replace(item, key=f"{place}") for place, item in enumerate(kinds)))
        with store.command("compare") as writer:
            store.raise_alert(writer, ids[0], ids[1], Relation.CONTRADICTION, 0.9, ["differ"])
        embed(store, ids, np.tile(np.eye(8)[0], (len(ids), 1)))
        yield store
        store.close()

    @pytest.mark.parametrize("name", FILTERS)
    @pytest.mark.parametrize("lagging", [False, True])
    def test_a_filter_means_the_same_in_the_index_as_in_the_record(
        self, varied: Store, name: str, lagging: bool
    ) -> None:
        index = Index.open(varied, SPACE)
        index.catch_up()
        if lagging:
            change(varied, varied.list_ids(Filter(lives=())), importance=varied.seq() % 10)
        wanted = FILTERS[name]
        expected = sorted(varied.list_ids(replace(wanted, lives=(Life.LIVE,)))) if Life.LIVE in wanted.lives else []
        assert sorted(found(index.search_text("common", wanted, 50))) == expected
        assert sorted(found(index.search_context("common", wanted, 50))) == expected
        assert sorted(found(index.search_vector(np.eye(8)[0], wanted, 50))) == expected

    def test_a_settled_alert_is_no_conflict_any_more(self, store: Store, index: Index) -> None:
        first, second = remember(store, "Tea is best", "Tea is worst")
        with store.command("compare") as writer:
            store.raise_alert(writer, first, second, Relation.CONTRADICTION, 0.9, [])
        index.catch_up()
        assert len(index.search_text("tea", Filter(conflict=True), 5)) == 2
        with store.command("settle") as writer:
            writer.update("alerts", [1], {"settled": "both"})
        index.catch_up()
        assert index.search_text("tea", Filter(conflict=True), 5) == []

    def test_another_owner_s_memories_are_not_found(self, store: Store, index: Index) -> None:
        other = Store.open(store.folder, "somebody else")
        remember(other, "A secret garden")
        (mine,) = remember(store, "A public garden")
        index.catch_up()
        assert found(index.search_text("garden", ANY, 5)) == [mine]
        assert index.check() == []
        assert len(Index.open(other, SPACE).search_text("garden", ANY, 5)) == 1
        other.close()


class TestWords:
    @pytest.mark.parametrize(
        ("text", "query"),
        [
            ("She was running marathons", "run marathon"),
            ("Café résumé naïve", "cafe resume"),
            ("Runs on node.js and foo_bar", "node foo"),
            ("The dog met a man and a cat", "man cat"),
            ("我喜欢在东京吃寿司", "寿司"),
            ("東京に住んでいます", "東京"),
            ("나는 서울에 살고 있다", "서울"),
            ("Я живу в Москве", "москва"),
            ("אני גר בתל אביב", "אביב"),
            ("ฉันชอบกินข้าวผัด", "ข้าวผัด"),
            ("أحب القهوة", "القهوة"),
        ],
    )
    def test_words_of_many_scripts_are_found(self, store: Store, index: Index, text: str, query: str) -> None:
        wanted, _ = remember(store, text, "A bird sleeps under the table")
        index.catch_up()
        assert found(index.search_text(query, ANY, 5)) == [wanted]

    UNUSUAL = (
        "",
        " \n\t",
        "x" * 10_000,
        "word " * 2_000,
        "'",
        '"',
        "'; --",
        "'; DROP TABLE memories; --",
        "\\",
        "😀",
        "寿司",
        "مرحبا",
        "\u202eabc",
        "the and of",
        "a AND b OR (",
        "NOT text:*",
        "+a -b ~2 ^3 [x TO y]",
        "*",
        "\0",
        "\ud800",
        "%_",
        "[bold]x[/bold]",
        "{}",
    )

    @pytest.mark.parametrize("query", UNUSUAL, ids=range(len(UNUSUAL)))
    def test_unusual_queries_have_an_answer(self, words: Index, query: str) -> None:
        for hits in (
            words.search_text(query, ANY, 5),
            words.search_context(query, ANY, 5),
            words.search_messages(query, 5),
            words.search_text("dog", Filter(projects=(query,), tags=(query,)), 5),
        ):
            assert isinstance(hits, list)
        assert len(words.search_text("dog", ANY, 5)) == 1

    @pytest.fixture(scope="class")
    def words(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
        store = Store.open(tmp_path_factory.mktemp("words") / "home")
        remember(store, "A dog sleeps")
        talk(store, "my dog sleeps a lot")
        index = Index.open(store, SPACE)
        index.catch_up()
        yield index
        store.close()

    def test_no_hits_are_asked_for(self, words: Index) -> None:
        assert words.search_text("dog", ANY, 0) == []
        assert words.search_messages("dog", 0) == []


class TestContext:
    def test_neighbours_of_a_session_are_searched_and_follow_changes(self, store: Store, index: Index) -> None:
        session = [
            replace(memory(text), origin=Origin.IMPORT, session="s", ordinal=place)
            for place, text in enumerate(["Where did you travel?", "To the coast", "It rained in Lisbon"])
        ]
        first, second, third = remember(store, *session)
        index.catch_up()
        assert found(index.search_context("travel", ANY, 5)) == [first, second]
        assert found(index.search_text("travel", ANY, 5)) == [first]
        change(store, [third], text="It snowed in Bergen")
        index.catch_up()
        assert index.search_context("Lisbon", ANY, 5) == []
        assert set(found(index.search_context("Bergen", ANY, 5))) == {second, third}
        change(store, [second], life=Life.FORGOTTEN)
        index.catch_up()
        assert set(found(index.search_context("Bergen", ANY, 5))) == {first, third}

    def test_turns_around_the_evidence_are_searched(self, store: Store, index: Index) -> None:
        said = talk(store, "Which instrument do you like?", "x" * 5_000 + " The cello. " + "y" * 5_000, "Lovely!")
        evidence = NewEvidence("The cello.", 5_001, 5_011, said[1])
        (kept,) = remember(store, replace(memory("Likes the cello"), evidence=(evidence,)))
        index.catch_up()
        assert found(index.search_context("instrument", ANY, 5)) == [kept]
        assert found(index.search_context("lovely", ANY, 5)) == [kept]
        assert index.search_text("instrument", ANY, 5) == []


class TestVectors:
    def test_nearest_first_and_only_what_has_a_vector(self, store: Store, index: Index) -> None:
        ids = remember(store, "a", "b", "c", "d")
        embed(store, ids[:3], np.array([[1, 0], [1, 1], [0, 1]]) @ np.eye(8)[:2])
        for _ in range(2):  # merged in, then indexed
            hits = index.search_vector(np.eye(8)[0], ANY, 10)
            assert found(hits) == ids[:3]
            assert [score for _, score in hits] == pytest.approx([1, 0.5**0.5, 0], abs=1e-6)
            index.catch_up()

    def test_a_new_text_loses_its_old_vector(self, store: Store, index: Index) -> None:
        (only,) = remember(store, "a")
        embed(store, [only], np.eye(8)[:1])
        index.catch_up()
        change(store, [only], text="b")
        assert index.search_vector(np.eye(8)[0], ANY, 5) == []
        index.catch_up()
        assert index.search_vector(np.eye(8)[0], ANY, 5) == []
        embed(store, [only], np.eye(8)[1:2])
        index.catch_up()
        assert index.search_vector(np.eye(8)[1], ANY, 5) == [(only, pytest.approx(1))]
        assert index.check() == []

    def test_an_unfit_vector_is_refused(self, index: Index) -> None:
        with pytest.raises(ValueError, match="shape"):
            index.search_vector(np.ones(7), ANY, 5)
        assert index.search_vector(np.zeros(8), ANY, 5) == []
        assert index.search_vector(np.zeros(8, np.float32).tobytes(), ANY, 5) == []

    def test_vectors_of_different_fingerprints_never_meet(self, store: Store, index: Index) -> None:
        first, second = remember(store, "first", "second")
        embed(store, [first], np.eye(8)[:1], SPACE)
        embed(store, [second], np.eye(8)[:1], OTHER)
        index.catch_up()
        other = Index.open(store, OTHER)
        assert found(index.search_vector(np.eye(8)[0], ANY, 5)) == [first]
        assert found(other.search_text("second", ANY, 5)) == [second]
        assert first not in found(other.search_vector(np.eye(8)[0], ANY, 5))
        before = generation.current(generation.home(store.folder, store.owner))
        other.catch_up()
        assert found(other.search_vector(np.eye(8)[0], ANY, 5)) == [second]
        assert index.search_vector(np.eye(8)[0], ANY, 5) in ([], [(first, pytest.approx(1))])
        assert found(index.search_text("first", ANY, 5)) == [first]
        assert before is not None
        assert not before.exists()

    def test_the_old_generation_answers_until_the_new_one_is_whole(
        self, store: Store, index: Index, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (only,) = remember(store, "only one")
        index.catch_up()
        monkeypatch.setattr(tables, "index_texts", _power_cut)
        with pytest.raises(KeyboardInterrupt):
            Index.open(store, OTHER).catch_up()
        monkeypatch.undo()
        assert found(index.search_text("one", ANY, 5)) == [only]
        assert index.check() == []
        index.catch_up()
        assert len(list(generation.home(store.folder, store.owner).glob("g*"))) == 1

    def test_the_trained_index_finds_what_comparing_with_all_finds(
        self, store: Store, index: Index, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tables, "TRAIN_FROM", 600)
        random = np.random.default_rng(7)
        rows = random.normal(size=(800, 8))
        ids = remember(store, *(f"point {place}" for place in range(800)))
        change(store, ids[::4], pinned=1)
        embed(store, ids[:700], rows[:700])
        index.catch_up()
        mark = generation.read_mark(generation.current(generation.home(store.folder, store.owner)) or Path())
        assert mark is not None
        assert mark.trained == 700
        embed(store, ids[700:], rows[700:])
        index.catch_up()
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        right = 0
        for query in random.normal(size=(20, 8)):
            near = np.argsort(-(unit @ query))
            right += len(set(found(index.search_vector(query, ANY, 5))) & {ids[place] for place in near[:5]})
            pinned = [ids[place] for place in near if place % 4 == 0]
            right += len(set(found(index.search_vector(query, Filter(pinned=True), 5))) & set(pinned[:5]))
        assert right >= 0.9 * 20 * 10
        assert index.check() == []


def _power_cut(*_: object) -> None:
    raise KeyboardInterrupt


class TestMessages:
    def test_raw_messages_are_found_while_they_are_visible(self, store: Store, index: Index) -> None:
        first = talk(store, "the kiln is broken", "call the potter")
        assert found(index.search_messages("kilns", 5)) == [first[0]]
        second = talk(store, "a second kiln", identity="c2")
        assert set(found(index.search_messages("kiln", 5))) == {first[0], second[0]}
        store.undo()
        assert found(index.search_messages("kiln", 5)) == [first[0]]
        store.redo()
        assert set(found(index.search_messages("kiln", 5))) == {first[0], second[0]}
        assert index.check() == []

    def test_hidden_messages_do_not_crowd_out_the_visible(self, store: Store, index: Index) -> None:
        (kept,) = talk(store, "kiln and a long tail of other words that make it the worst of all hits")
        talk(store, *(f"kiln {place}" for place in range(120)), identity="c2")
        store.undo()
        assert found(index.search_messages("kiln", 3)) == [kept]


def _current(store: Store) -> Path:
    folder = generation.current(generation.home(store.folder, store.owner))
    assert folder is not None
    return folder


def _garbage(folder: Path, pattern: str) -> None:
    for path in folder.rglob(pattern):
        if path.is_file():
            path.write_bytes(b"\x00garbage")


DAMAGES: dict[str, Callable[[Store], object]] = {
    "index folder gone": lambda store: shutil.rmtree(store.folder / "index"),
    "generation gone": lambda store: shutil.rmtree(_current(store)),
    "table gone": lambda store: shutil.rmtree(_current(store) / "memories.lance"),
    "messages gone": lambda store: shutil.rmtree(_current(store) / "messages.lance"),
    "no name": lambda store: (_current(store).parent / "current").unlink(),
    "wrong name": lambda store: (_current(store).parent / "current").write_text("../../.."),
    "binary name": lambda store: (_current(store).parent / "current").write_bytes(b"\xff\xfe"),
    "no mark": lambda store: (_current(store) / "mark.json").unlink(),
    "half a mark": lambda store: (_current(store) / "mark.json").write_text('{"seq": 3'),
    "another mark": lambda store: (_current(store) / "mark.json").write_text('{"seq": "x", "store": 1}'),
    "data overwritten": lambda store: _garbage(_current(store) / "memories.lance" / "data", "*"),
    "manifest overwritten": lambda store: _garbage(_current(store) / "memories.lance" / "_versions", "*"),
    "full text overwritten": lambda store: _garbage(_current(store) / "memories.lance" / "_indices", "*"),
    "ahead of the record": lambda store: generation.write_mark(
        _current(store), generation.Mark(store.identity, SPACE.label, 10**6)
    ),
    "of another record": lambda store: generation.write_mark(_current(store), generation.Mark("x", SPACE.label, 2)),
}


class TestDamage:
    @pytest.mark.parametrize("name", DAMAGES)
    def test_a_damaged_index_is_built_anew_without_asking(self, store: Store, name: str) -> None:
        first, _ = remember(store, "A violin in the attic", "A cello in the cellar")
        (said,) = talk(store, "where is the violin")
        Index.open(store, SPACE).catch_up()
        DAMAGES[name](store)
        index = Index.open(store, SPACE)
        assert found(index.search_text("violin", ANY, 5)) == [first]
        assert found(index.search_messages("violin", 5)) == [said]
        (third,) = remember(store, "Another violin")
        assert index.catch_up()
        assert set(found(index.search_text("violin", ANY, 5))) == {first, third}
        assert index.check() == []

    def test_check_names_what_differs(self, store: Store, index: Index) -> None:
        assert index.check() == ["there is no search index yet"]
        first, second, third = remember(store, "one", "two", "three")
        index.catch_up()
        change(store, [first], life=Life.FORGOTTEN)
        change(store, [second], pinned=1)
        (fourth,) = remember(store, "four")
        (said,) = talk(store, "five")
        assert index.check() == [
            f"memory {first} is in the index and should not be",
            f"memory {fourth} is not in the index",
            f"memory {second} is not in the index as it is now",
            f"message {said} is not in the index",
        ]
        assert str(third) not in " ".join(index.check())

    def test_a_small_change_does_not_cost_a_rebuild(self, store: Store, index: Index) -> None:
        ids = remember(store, "one", "two")
        embed(store, ids[:1], np.eye(8)[:1])
        index.catch_up()
        before = _current(store)
        change(store, ids, text="three")
        talk(store, "four")
        index.catch_up()
        assert _current(store) == before


class TestPurge:
    @pytest.mark.parametrize("dropped", [False, True])
    def test_no_byte_of_what_was_purged_stays(self, store: Store, index: Index, dropped: bool) -> None:
        secret = "Zweiundvierzig Flamingos"
        said = talk(store, f"so: {secret}!")
        evidence = NewEvidence(secret, 4, 4 + len(secret), said[0])
        gone, kept = remember(store, replace(memory(secret), evidence=(evidence,)), "A heron")
        index.catch_up()
        change(store, [kept], text="Two herons")
        index.catch_up()
        assert _holds(store.folder / "index", secret)
        store.purge([gone])
        if dropped:
            Index.drop(store)
        else:
            index.catch_up()
        assert not _holds(store.folder / "index", secret)
        assert index.search_messages("Flamingos", 5) == []
        assert found(index.search_text("heron", ANY, 5)) == [kept]
        index.catch_up()
        assert index.check() == []
        assert not _holds(store.folder / "index", secret)


def _holds(folder: Path, text: str) -> bool:
    words = [word.casefold().encode() for word in text.split()]
    return any(word in path.read_bytes().lower() for path in folder.rglob("*") if path.is_file() for word in words)
