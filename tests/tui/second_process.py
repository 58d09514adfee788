"""A second process that keeps a store open in every way: `second_process.py STORE WORDS…`, a line in, a line out.

It holds the record, the index, a snapshot and DuckDB's copy. On `look` it reads through all of them, writes, and prints
whether it read any of the words; on `hold` it begins a read transaction and keeps it until `end`.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from curator import curation
from curator.models import load_embedder
from curator.paths import cache_folder
from store import Filter, Store
from store.analytics import Analytics
from store.index import Index
from store.model import Life


def look(store: Store, analytics: Analytics, index: Index, words: Sequence[str]) -> bool:
    """Read everything in every way, and write; return True if any of the words was read."""
    analytics.follow()
    index.catch_up()
    ids = store.list_ids(Filter(lives=tuple(Life)))
    read: list[object] = [
        store.get_many(ids),
        store.raw.messages(1),
        store.journal.log(),
        store.checks.all(),
        store.raw.get_conversations(),
    ]
    read += [store.versions(memory) for memory in ids] + [store.evidence(memory) for memory in ids]
    found = [memory for memory, _ in index.search_text(" ".join(words), Filter(), 10)]
    read.append(store.get_many(found))
    read.append(store.raw.visible_messages([message for message, _ in index.search_messages(" ".join(words), 10)]))
    with store.sqlite() as connection:
        for table in ("failures", "replies", "judgments", "wordings", "turns"):
            read.append([tuple(row) for row in connection.execute(f"SELECT * FROM {table}")])
    store.recalls.record_use(ids[:1])
    curation.tag(store, ids[-1:], add=["looked"])
    store.undo()
    return any(word in repr(read).casefold() for word in words)


def main() -> None:
    store = Store.open(Path(sys.argv[1]))
    words = sys.argv[2:]
    analytics = Analytics(store)
    index = Index(store, load_embedder("hashing", cache_folder()).fingerprint)
    print(look(store, analytics, index, words), flush=True)
    for line in sys.stdin:
        with store.sqlite() as connection:
            if line == "hold\n":
                connection.execute("BEGIN")
                connection.execute("SELECT count(*) FROM memories").fetchone()
                print("held", flush=True)
            elif line == "end\n":
                connection.execute("COMMIT")
                print("ended", flush=True)
            else:
                print(look(store, analytics, index, words), flush=True)
    analytics.close()
    store.close()


if __name__ == "__main__":
    main()
