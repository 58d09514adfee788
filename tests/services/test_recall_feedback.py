"""An imported session that contains a recall block tells what was answered to it."""

from pathlib import Path

import orjson

from curator import curation
from curator.services.import_logs import import_paths
from effort import thorough
from factories import put
from store import Store, clock

BLOCK = '<memories id="r0123456789">\n- I like tea\n</memories>\nWhat shall I drink?'


def log(folder: Path, *turns: str) -> Path:
    """Write a conversation in the simplest format."""
    file = folder / "log.json"
    roles = ("user", "assistant")
    file.write_bytes(
        orjson.dumps({"messages": [{"role": roles[n % 2], "content": text} for n, text in enumerate(turns)]})
    )
    return file


def test_the_turn_after_a_block_is_kept_once(store: Store, tmp_path: Path) -> None:
    store.recalls.put("r0123456789", put(store, "I like tea"))
    file = log(tmp_path, "Hello there", "Hello", BLOCK, "Have a cup of tea.", "Thanks", "Any time.")
    import_paths(store, [file], None)
    assert store.recalls.get("r0123456789").turn == "Have a cup of tea."
    (recalled,) = store.recalls.unscored("score/1", 10)
    with store.sqlite() as connection:
        assert store.recalls.score(connection, recalled, {recalled.memories[0]: 0.1})
    store.undo()
    import_paths(store, [file], None)  # the block comes again, but is scored already
    assert store.recalls.get("r0123456789").turn is None


def test_what_the_person_told_stands_and_strangers_are_ignored(store: Store, tmp_path: Path) -> None:
    store.recalls.put("r0123456789", put(store, "I like tea"))
    store.recalls.put_answer("r0123456789", "Told by hand.")
    other = BLOCK.replace("r0123456789", "r9999999999")
    import_paths(store, [log(tmp_path, BLOCK, "Have a cup of tea.", other, "And another.")], None)
    assert store.recalls.get("r0123456789").turn == "Told by hand."


@thorough
def test_what_was_answered_goes_with_the_log_it_stands_in(store: Store, tmp_path: Path) -> None:
    store.recalls.put("r0123456789", put(store, "I like tea"))
    import_paths(store, [log(tmp_path, BLOCK, "Have a cup of tea.")], None)
    assert store.recalls.get("r0123456789").turn == "Have a cup of tea."
    curation.purge_logs(store, [one.id for one in store.raw.get_conversations()], clock.LATEST)
    assert store.recalls.get("r0123456789").turn is None
