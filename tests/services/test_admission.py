"""Drafts of an import that say what a memory said before it was superseded."""

from pathlib import Path

import orjson
import pytest

from curator import curation
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.services.import_logs import import_paths
from effort import thorough
from factories import put
from store import Store


@thorough
@pytest.mark.parametrize("reworded", [False, True])
def test_what_follows_a_superseded_statement_is_not_hung_on_it(store: Store, tmp_path: Path, reworded: bool) -> None:
    (former,) = put(store, "I live in Porto.")
    if reworded:
        curation.edit(store, former, "My sister plays the oboe.")
    else:
        (current,) = put(store, "My flat is in Lisbon.")
        curation.supersede(store, [former], current)
    said = ["I live in Porto.", "I live in Faro.", "I live in Porto"]
    file = tmp_path / "chat.json"
    file.write_bytes(orjson.dumps([{"role": "user", "content": text} for text in said]))
    import_paths(store, [file], load_embedder("hashing", cache_folder()))
    assert [quote.quote for quote in store.evidence(former)] == ["I live in Porto.", "I live in Porto"]
    with store.sqlite() as connection:
        assert connection.execute("SELECT a, b FROM alerts").fetchall() == []
