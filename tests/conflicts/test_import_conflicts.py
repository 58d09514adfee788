"""Importing known statements: repetitions add a quote, differences are kept, and the scan agrees."""

import json
from pathlib import Path

import pytest
from scans import alerts, scan, texts

from curator import curation
from curator.conflicts import RULES as RULES_NOW
from curator.curation import ConflictFilter, waiting
from curator.distill.candidate import Candidate
from curator.models import Embedder, load_embedder
from curator.services.admission import admit
from curator.services.import_logs import import_paths
from curator.services.import_summary import Summary
from curator.services.neighbours import Distiller, SourcedCandidate, compare
from curator.sweeps.compare import scan_imported
from effort import thorough
from factories import conversation
from store import Filter, Store
from store.model import Channel, Kind, Origin, Relation, Tier

RULES = Distiller("rules/test", Origin.RULES)


@pytest.fixture
def lexical(tmp_path: Path) -> Embedder:
    return load_embedder("hashing", tmp_path)


@pytest.fixture(autouse=True)
def _all_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_DISTIL__SURPRISE", "0")


def import_lines(store: Store, embedder: Embedder, folder: Path, *lines: str, at: int = 1_700_000_000) -> None:
    """Import a conversation at this time (seconds) in which a person says these lines, one per turn."""
    file = folder / f"{at}.json"
    mapping: dict[str, object] = {"root": {"id": "root", "message": None, "parent": None, "children": ["t0"]}}
    for n, line in enumerate(lines):
        mapping[f"t{n}"] = {
            "id": f"t{n}",
            "parent": "root" if n == 0 else f"t{n - 1}",
            "children": [f"t{n + 1}"] if n + 1 < len(lines) else [],
            "message": {
                "id": f"{at}-{n}",
                "author": {"role": "user"},
                "create_time": float(at + n),
                "content": {"content_type": "text", "parts": [line]},
            },
        }
    talk = {"title": "Talk", "create_time": float(at), "mapping": mapping, "current_node": f"t{len(lines) - 1}"}
    file.write_text(json.dumps([{**talk, "conversation_id": f"c{at}", "id": f"c{at}"}]))
    import_paths(store, [file], embedder)


@thorough
def test_the_same_words_add_a_quote_also_to_what_the_person_validated(
    store: Store, lexical: Embedder, tmp_path: Path
) -> None:
    import_lines(store, lexical, tmp_path, "I bake rye bread on weekends.")
    curation.validate(store, store.list_ids(Filter()))
    import_lines(store, lexical, tmp_path, "i bake RYE bread on weekends", at=1_710_000_000)
    (one,) = store.list_ids(Filter())
    assert len(store.evidence(one)) == 2
    assert (scan(store).merged, alerts(store)) == (0, [])


@thorough
def test_other_words_never_go_under_in_what_the_person_decided_on(
    store: Store, lexical: Embedder, tmp_path: Path
) -> None:
    import_lines(store, lexical, tmp_path, "I bake my rye bread on weekends with rye from the mill.")
    curation.pin(store, store.list_ids(Filter()))
    import_lines(store, lexical, tmp_path, "I bake rye bread on weekends with rye from the mill.", at=1_710_000_000)
    assert len(texts(store)) == 2
    assert [relation for _, _, relation in alerts(store)] == [Relation.DUPLICATE]
    assert scan(store).merged == 0


@thorough
def test_a_detail_more_or_another_is_a_memory_of_its_own(store: Store, lexical: Embedder, tmp_path: Path) -> None:
    lines = (
        "I use Bootstrap for the styling of the shop.",
        "I use Bootstrap for the styling and layout of the shop.",
        "I use Bootstrap for the layout of the shop.",
    )
    import_lines(store, lexical, tmp_path, *lines)
    assert texts(store) == sorted(lines)
    assert all(len(store.evidence(number)) == 1 for number in store.list_ids(Filter()))


@thorough
def test_what_was_said_first_is_known_whatever_was_imported_first(
    store: Store, lexical: Embedder, tmp_path: Path
) -> None:
    import_lines(store, lexical, tmp_path, "I live in Porto with my old dog.", at=1_750_000_000)
    import_lines(store, lexical, tmp_path, "I live in Lisbon with my old dog.", at=1_500_000_000)
    (pair,) = waiting(store, ConflictFilter())
    assert (pair.a.text, pair.b.text) == ("I live in Lisbon with my old dog.", "I live in Porto with my old dog.")
    assert pair.alert.relation is Relation.UPDATE, "years lie between"


@thorough
def test_comparing_all_again_finds_what_the_import_found(store: Store, lexical: Embedder, tmp_path: Path) -> None:
    import_lines(
        store,
        lexical,
        tmp_path,
        "I live in Lisbon with my old dog.",
        "I eat meat on weekends.",
        "I bake rye bread on weekends.",
    )
    scan_imported(store, Summary())
    import_lines(
        store,
        lexical,
        tmp_path,
        "I live in Porto with my old dog now.",
        "I don't eat meat on weekends anymore.",
        at=1_750_000_000,
    )
    scan_imported(store, Summary())
    found = {alert.id: (alert.relation, alert.score, alert.judge) for alert in store.alerts.open()}
    assert len(found) >= 2
    assert store.journal.log(1)[0].summary == "conflicts: 2 confirmed", "the import suspected them"
    scan(store, again=True)
    assert {alert.id: (alert.relation, alert.score, alert.judge) for alert in store.alerts.open()} == found
    assert store.differences() == []


def test_what_an_import_suspects_goes_if_the_scan_knows_better(store: Store, lexical: Embedder, tmp_path: Path) -> None:
    import_lines(store, lexical, tmp_path, "I live in Lisbon with my old dog.", "I bake rye bread on weekends.")
    one, other = store.list_ids(Filter())
    with store.command("import") as writer:
        assert store.alerts.put(writer, one, other, Relation.UPDATE, 0.9, ("seems so",), judge=f"{RULES_NOW} at import")
    scan(store)
    assert alerts(store) == [] and store.journal.log(1)[0].summary == "conflicts: 1 removed"


def test_what_holds_in_one_project_says_nothing_of_another(store: Store, lexical: Embedder) -> None:
    line = "The tests of this project run on Postgres"
    talks = [conversation(name, f"{line}.", agent=True, project=name) for name in ("one", "two")]
    with store.command("import") as writer:
        for talk in talks:
            store.raw.put_conversation(writer, talk)
    for number in store.raw.conversation_ids():
        (message,) = store.raw.messages(number)
        made = Candidate(message.id, 0, len(line), line, line, Kind.FACT, Tier.MEDIUM, 0.8, 6)
        drafts = [SourcedCandidate(made, store.raw.conversation(number), Channel.SPOKEN)]
        compared = compare(store, lexical, drafts, RULES)
        with store.command("distil") as writer:
            admit(writer, compared, (), Summary())
    assert texts(store) == [line, line]
    assert sorted(one.scope for one in store.get_many(store.list_ids(Filter()))) == ["project:one", "project:two"]
    assert (scan(store).merged, alerts(store)) == (0, [])
