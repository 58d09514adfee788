"""Search queries agree with the record at once, for any input."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import lancedb
import pytest
from index_helpers import ANY, SPACE, change, found, memory, remember, talk

from effort import thorough
from store import Filter, Store
from store.index import Index, queries, sync, versions
from store.model import Life, NewEvidence, Origin


@pytest.fixture
def index(store: Store) -> Index:
    return Index(store, SPACE)


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
        Index(store, SPACE).catch_up()
        assert found(index.search_text("heron", ANY, 5)) == [second]
        Index(store, SPACE).rebuild()
        assert found(index.search_text("heron", ANY, 5)) == [second]

    def test_far_behind_it_catches_up_by_itself(
        self, store: Store, index: Index, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(queries, "CAP", 3)
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

    @thorough
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

    @pytest.mark.parametrize(("changed", "anew"), [(2, False), (5, True)])
    def test_where_much_has_changed_it_is_built_anew(
        self, store: Store, index: Index, monkeypatch: pytest.MonkeyPatch, changed: int, anew: bool
    ) -> None:
        ids = remember(store, *(f"fact {number}" for number in range(20)))
        index.catch_up()
        former = versions.current(versions.home(store.folder, store.owner))
        monkeypatch.setattr(sync, "_MANY", 1)
        change(store, ids[:changed], life="forgotten")
        index.catch_up()
        assert (versions.current(versions.home(store.folder, store.owner)) != former) is anew
        assert index.check() == []
        assert sorted(found(index.search_text("fact", ANY, 50))) == ids[changed:]

    def test_progress_ends_at_all(self, store: Store, index: Index) -> None:
        remember(store, *(f"Number {number}" for number in range(30)))
        seen: list[tuple[int, int]] = []
        index.catch_up(progress=lambda done, everything: seen.append((done, everything)))
        assert seen[-1] == (30, 30)

    @thorough
    def test_many_small_steps_do_not_pile_up(self, store: Store, index: Index) -> None:
        index.catch_up()
        for number in range(55):
            remember(store, f"Step {number}")
            index.catch_up()
        folder = versions.current(versions.home(store.folder, store.owner))
        assert folder is not None
        table = lancedb.connect(folder).open_table("memories")
        stats: Any = table.stats()  # a dictionary, whatever its annotation says
        assert stats["fragment_stats"]["num_fragments"] <= 51
        assert index.check() == []


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
            words.search_text(query, ANY, 5, "context"),
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
        index = Index(store, SPACE)
        index.catch_up()
        yield index
        store.close()

    def test_no_hits_are_asked_for(self, words: Index) -> None:
        assert words.search_text("dog", ANY, 0) == []
        assert words.search_messages("dog", 0) == []


class TestContext:
    @thorough
    def test_neighbours_of_a_session_are_searched_and_follow_changes(self, store: Store, index: Index) -> None:
        session = [
            replace(memory(text), origin=Origin.IMPORT, session="s", ordinal=place)
            for place, text in enumerate(["Where did you travel?", "To the coast", "It rained in Lisbon"])
        ]
        first, second, third = remember(store, *session)
        index.catch_up()
        assert found(index.search_text("travel", ANY, 5, "context")) == [first, second]
        assert found(index.search_text("travel", ANY, 5)) == [first]
        change(store, [third], text="It snowed in Bergen")
        index.catch_up()
        assert index.search_text("Lisbon", ANY, 5, "context") == []
        assert set(found(index.search_text("Bergen", ANY, 5, "context"))) == {second, third}
        change(store, [second], life=Life.FORGOTTEN)
        index.catch_up()
        assert set(found(index.search_text("Bergen", ANY, 5, "context"))) == {first, third}

    def test_of_long_neighbours_only_what_stands_next_to_it_is_searched(self, store: Store, index: Index) -> None:
        page = "A far word: obelisk. " + "Nothing of note. " * 40 + "At the end a fountain."
        session = [
            replace(memory(text), origin=Origin.IMPORT, session="s", ordinal=place)
            for place, text in enumerate([page, "We met there", "First a lantern. " + "Nothing of note. " * 40])
        ]
        first, second, _ = remember(store, *session)
        index.catch_up()
        assert found(index.search_text("obelisk", ANY, 5, "context")) == [first]
        assert second in found(index.search_text("fountain", ANY, 5, "context"))
        assert second in found(index.search_text("lantern", ANY, 5, "context"))

    def test_turns_around_the_evidence_are_searched(self, store: Store, index: Index) -> None:
        said = talk(store, "Which instrument do you like?", "x" * 5_000 + " The cello. " + "y" * 5_000, "Lovely!")
        evidence = NewEvidence("The cello.", 5_001, 5_011, said[1])
        (kept,) = remember(store, replace(memory("Likes the cello"), evidence=(evidence,)))
        index.catch_up()
        assert found(index.search_text("instrument", ANY, 5, "context")) == [kept]
        assert found(index.search_text("lovely", ANY, 5, "context")) == [kept]
        assert index.search_text("instrument", ANY, 5) == []


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
