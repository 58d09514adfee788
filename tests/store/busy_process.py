"""A process that works on a store until it is killed: `busy_process.py FOLDER NAME WORK`, a line per finished step.

A line is printed only after the step was committed, so that the parent knows what must not be lost.
"""

import sys
from pathlib import Path

from curator import curation
from factories import conversation, memory, quote
from store import Store


def import_one(store: Store, name: str, step: int) -> None:
    """Import two conversations in two transactions, with memories that cite their messages."""
    with store.command("import") as writer:
        for part in range(2):
            turns = [f"I like {name} {step} {part} {n}" for n in range(20)]
            store.raw.put_conversation(writer, conversation(f"{name}-{step}-{part}", *turns))
            (last,) = writer.connection.execute("SELECT max(id) FROM messages").fetchone()
            for turn in turns[:5]:
                store.admit(writer, memory(turn, evidence=(quote("I like", turn, message=last),)))
            writer.pause()
            writer.resume()


def decide_one(store: Store, name: str, step: int) -> None:
    """Add a memory and apply every verb of a person to it."""
    number = curation.add(store, f"{name} decided {step}").id
    curation.edit(store, number, f"{name} decided better {step}")
    curation.pin(store, [number])
    curation.forget(store, [number])
    (forgotten,) = (one.id for one in store.journal.log(9, number) if one.verb == "forget")
    store.undo(forgotten)  # by id: two processes may want to undo the last command at once


def index_one(store: Store, name: str, step: int) -> None:
    """Change a memory and update the index."""
    from curator.models import load_embedder
    from store.index import Index

    embedder = load_embedder("hashing", Path())
    for part in range(3):
        text = f"{name} indexed {step} {part}"
        number = curation.add(store, text).id
        store.vectors.add(embedder.fingerprint, [(number, text, embedder.embed([text])[0].tobytes())])
    Index(store, embedder.fingerprint).catch_up()


def main() -> None:
    folder, name, work = sys.argv[1:4]
    steps = int(sys.argv[4]) if len(sys.argv) > 4 else 1_000_000
    store = Store.open(Path(folder))
    do = {"import": import_one, "decide": decide_one, "index": index_one}[work]
    for step in range(steps):
        do(store, name, step)
        print(step, flush=True)
    store.close()


if __name__ == "__main__":
    main()
