"""Purge during other work: nothing writes the words again that it has read before."""

from pathlib import Path
from typing import Any

import pytest

from curator import curation
from curator.conflicts.alert_policy import rules_label
from curator.conflicts.candidates import Candidates
from curator.conflicts.scanner import judge_batch
from curator.distill import DISTILLER
from curator.distill.rules import distil
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.services.admission import admit
from curator.services.import_summary import Summary
from curator.services.neighbours import Distiller, SourcedCandidate, compare
from curator.services.search_session import embed_missing
from factories import conversation, meanwhile, put
from store import Conflict, Filter, Store
from store.model import Channel, Origin, Refusal
from store.record.changes import decode

SAID = "My brother Zebulon lives in Kirkwall, and I visit him every spring."


@pytest.fixture
def embedder() -> Any:
    """Return the lexical embedder."""
    return load_embedder("hashing", cache_folder())


def holding(store: Store, word: str) -> list[str]:
    """Return the tables, files and events that hold a word."""
    found = [str(path) for path in store.folder.rglob("*") if path.is_file() and word in _lower(path)]
    with store.sqlite() as connection:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            rows = connection.execute(f"SELECT * FROM {table}").fetchall()
            found += [table for row in rows if word in repr(tuple(row)).casefold()]
        events = connection.execute("SELECT changes FROM events").fetchall()
    return found + ["events" for row in events if word in repr(decode(row[0])).casefold()]


def _lower(path: Path) -> str:
    return path.read_bytes().decode("latin-1").casefold()


def test_a_comparison_that_was_under_way_cites_nothing(store: Store, embedder: Any) -> None:
    gone, stays = put(store, "My brother Zebulon lives in Kirkwall.", "My brother Zebulon lives in Leeds.")
    embed_missing(store, embedder)
    read = list(Candidates(store, embedder.fingerprint).batches([gone, stays]))
    curation.purge(store, [gone])
    for batch in read:
        judge_batch(store, batch, lambda one, other: 0.0, None, rules_label(), lambda _: None, lambda: None, False)
    assert holding(store, "kirkwall") == [] and store.alerts.open() == [] and not store.differences()
    with store.sqlite() as connection:
        assert connection.execute("SELECT count(*) FROM stated WHERE memory = ?", (gone,)).fetchone()[0] == 0


def test_a_distilling_that_was_under_way_brings_nothing_back(store: Store, embedder: Any) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", SAID, "I see.", "I prefer oat milk to cow milk.", "Ok."))
    (where,) = store.raw.get_conversations()
    read = distil(where, store.raw.messages(where.id))
    drafts = [SourcedCandidate(candidate, where, Channel.SPOKEN) for candidate in read.candidates]
    assert len(drafts) >= 2
    compared = compare(store, embedder, drafts, Distiller(DISTILLER, Origin.RULES))
    (gone,) = put(store, "My brother Zebulon lives in Kirkwall")
    curation.purge(store, [gone])
    with store.command("distil") as writer:
        admit(writer, compared, [], Summary())
    assert holding(store, "kirkwall") == [] and not store.differences()
    assert [memory.text for memory in store.get_many(store.list_ids(Filter()))] == ["I prefer oat milk to cow milk."]


@pytest.mark.parametrize("many", [False, True])
def test_a_refused_passage_that_was_being_accepted_is_not(
    store: Store, monkeypatch: pytest.MonkeyPatch, many: bool
) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", SAID, "I see."))
    (message, _) = store.raw.messages(1)
    (gone,) = put(store, "My brother Zebulon lives in Kirkwall")
    refusal = Refusal(message.id, 0, len(SAID), "vague")
    meanwhile(monkeypatch, lambda: curation.purge(store, [gone]))
    if many:
        assert len(curation.accept_passages(store, [refusal]).problems) == 1
    else:
        with pytest.raises(Conflict, match="changed meanwhile"):
            curation.accept_passage(store, refusal)
    assert holding(store, "kirkwall") == [] and store.list_ids(Filter()) == []


def test_many_passages_are_accepted_without_those_whose_message_is_gone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, turn in (("a", "I prefer oat milk."), ("b", "I hate noise.")):
        with store.command("import") as writer:
            store.raw.put_conversation(writer, conversation(name, turn))
    refusals = [Refusal(message, 0, 13, "vague") for message in (1, 2)]
    meanwhile(monkeypatch, store.undo)
    done = curation.accept_passages(store, refusals)
    assert (len(done.memories), len(done.problems)) == (1, 1)


def test_vectors_that_were_being_made_are_not_kept(store: Store, embedder: Any) -> None:
    (gone,) = put(store, SAID)
    curation.purge(store, [gone])
    store.vectors.add(embedder.fingerprint, [(gone, SAID, embedder.embed([SAID])[0].tobytes())])
    assert store.vectors.of(gone, embedder.fingerprint) is None
