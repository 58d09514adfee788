"""Recall from the command line: presets, what a score is made of, what was left out, and for whom."""

import pytest

from curator.paths import store_folder
from curator.recall import Preset
from making import put
from store import Store
from store.model import Kind


def stored(*texts: str, **fields: object) -> list[int]:
    """Memories as a distiller would have left them."""
    store = Store.open(store_folder())
    try:
        return put(store, *texts, **fields)
    finally:
        store.close()


def ids(text: str) -> list[int]:
    return [int(line.split()[0]) for line in text.splitlines() if line and not line.startswith((" " * 7, "left out"))]


def test_every_preset_answers_and_explains_itself(curator):  # type: ignore[no-untyped-def]
    for text in ("I like green tea", "I like blue cups", "The tea shop is shut"):
        curator("add", text)
    for preset in Preset:
        rows = curator("search", "tea shop", "--preset", preset, "--explain", "--json").rows
        for row in rows:
            assert row["parts"] and set(row["ranks"]) <= {"text", "context", "vector"}
        if not preset.value.startswith("yak"):
            assert rows[0]["text"] == "The tea shop is shut"
    assert curator("search", "tea", "--preset", "best").code == 2


def test_explain_shows_parts_places_and_what_was_left_out(curator):  # type: ignore[no-untyped-def]
    stored("The tea shop on Mill Road is shut", "The tea shop on the Mill Road is shut")
    told = curator("search", "tea shop", "--explain").out
    assert "context " in told and "place by text 1" in told
    assert told.count("Mill Road") == 2
    head, left = told.split("left out")
    assert f"duplicate of {ids(head)[0]}" in left


def test_the_yak_threshold_and_the_preset_are_settings(curator, monkeypatch):  # type: ignore[no-untyped-def]
    from curator.config import settings

    curator("add", "The tea shop is shut")
    assert curator("search", "tea", "--preset", "yak").code == 1
    monkeypatch.setenv("CURATOR_RECALL__THRESHOLD", "0.05")
    monkeypatch.setenv("CURATOR_RECALL__PRESET", "yak")
    settings.cache_clear()
    told = curator("search", "tea", "--explain")
    assert told.code == 0 and " × gravity 1.000" in told.out


def test_recall_for_a_project_tells_what_holds_there(curator):  # type: ignore[no-untyped-def]
    (everywhere,) = stored("Tea is at four", kind=Kind.PREFERENCE)
    (shed,) = stored("Tea is in the blue tin", scope="project:shed")
    (hall,) = stored("Tea is in the green tin", scope="project:hall")

    def told(*words: str) -> tuple[set[int], dict[str, str]]:
        (row,) = curator("recall", "where is the tea", "--json", *words).rows
        return set(row["memories"]), row["dropped"]

    assert told() == ({everywhere, shed, hall}, {})
    assert told("--project", "shed") == ({everywhere, shed}, {str(hall): "scope"})
    assert told("--project", "shed", "--no-global") == ({shed}, {str(everywhere): "scope", str(hall): "scope"})
    assert told("--budget", "50")[1].popitem()[1] == "budget"
    with pytest.raises(KeyError):
        told("--session", "s")[1][str(everywhere)]
