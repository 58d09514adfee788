"""Archives of a record: lossless, equal for equal records, and refused as a whole if any part is invalid."""

import contextlib
import gzip
import hashlib
import io
import json
import tempfile
import zipfile
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from random import Random

import orjson
import pytest

from curator import curation
from curator.text import content_key
from effort import share, thorough
from factories import conversation, memory, put, quote
from store import Conflict, Damaged, Foreign, Restored, Store, TooNew, Unusable, restore
from store.model import Life
from store.progress import no_report
from store.record import archive, archive_reader, integrity
from store.record.archive import HEAD, SUMS, archived_tables
from store.record.database import connect
from store.record.restore import Stage
from walks import REFUSED, Walker

pytestmark = thorough


def archived(store: Store, forgotten_words: bool = True) -> bytes:
    out = io.BytesIO()
    store.archive(out, forgotten_words)
    return out.getvalue()


def take_over(data: bytes, folder: Path) -> Restored:
    file = Path("archive.zip")
    with archive_reader.opened(io.BytesIO(data), file) as found:
        return restore(folder, file, content_key, stage_of=lambda: archive_reader.staged(found), only_if_empty=True)


def forged(data: bytes, change: Callable[[dict[str, bytes]], object], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive with changed entries and matching checksums, as a forger would make it."""
    entries: dict[str, bytes] = {}
    if data:
        with zipfile.ZipFile(io.BytesIO(data)) as former:
            entries = {name: former.read(name) for name in former.namelist() if name != SUMS}
    change(entries)
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in entries.items()]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as made:
        for name, content in {**entries, SUMS: "".join(lines).encode()}.items():
            made.writestr(name, content)
    return out.getvalue()


def forgotten_alone(store: Store) -> set[str]:
    """Return the texts that only forgotten memories say."""
    with store.sqlite() as connection:
        rows = connection.execute("SELECT life, text FROM memories").fetchall()
    kept = [text for life, text in rows if life != "forgotten"]
    return {text for life, text in rows if life == "forgotten" and not any(text in other for other in kept)}


def holds(data: bytes, text: str) -> bool:
    """Return True if an entry of an archive holds a text."""
    with zipfile.ZipFile(io.BytesIO(data)) as entries:
        return any(orjson.dumps(text)[1:-1] in entries.read(name) for name in entries.namelist())


@pytest.fixture
def filled(store: Store) -> Store:
    """Fill a store with a log, memories in several states, a conflict, a tombstone, and an undone command."""
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "I like tea with hazelnut milk.", "Noted."))
        (message, *_) = store.raw.messages(1)
        evidence = (quote("I like tea with hazelnut milk", message.text, message.id),)
        store.admit(writer, memory("I like tea with hazelnut milk", evidence=evidence))
        store.forget_requests.put(writer, [(message.id, 2, 10), (message.id, 7, 10)])
    store.forget_requests.mark_seen([(message.id, 2, 10)])
    put(store, "I like trains", "I like boats", "I collect 🦊 stamps\nof \x00 Peru")
    curation.validate(store, [2])
    curation.edit(store, 2, "I like night trains")
    curation.forget(store, [3])
    curation.pin(store, [4], True)
    store.undo()
    return store


def test_an_archive_taken_over_is_the_same_store(filled: Store, tmp_path: Path) -> None:
    data = archived(filled)
    assert data == archived(filled)
    assert take_over(data, tmp_path / "other").memories == 4
    with contextlib.closing(Store.open(tmp_path / "other")) as other:
        assert other.state_hash() == filled.state_hash()
        assert other.differences() == []
        assert archived(other) == data
        assert [(one.words, one.seen) for one in other.forget_requests.page()] == [("tea", False), ("like tea", True)]
        other.redo()
        filled.redo()
        assert other.state_hash() == filled.state_hash()
        assert curation.restore(other, [3]) and other.get(3).text == "I like boats"
        assert put(other, "I like kites") == [5]


def test_purged_words_are_recognised_and_names_known_where_an_archive_is_taken_over(
    filled: Store, tmp_path: Path
) -> None:
    filled.names.add(["Ana", "Ana Lopes"])
    filled.purge([1])
    take_over(archived(filled), tmp_path / "other")
    with contextlib.closing(Store.open(tmp_path / "other")) as other:
        texts = other.tombstones.purged_texts(content_key)
        assert texts is not None and texts.cover_text("I like tea with hazelnut milk") == "█" * 29
        assert other.names.known() == [["Ana", "Ana Lopes"]]


def test_archives_of_random_walks_are_the_same_stores() -> None:
    for seed in range(share(4, 1)):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with contextlib.closing(Store.open(folder / "store")) as store:
                walker = Walker(store, folder, Random(seed), purges=seed % 2 == 1)
                verbs = list(walker.verbs().values())
                for _ in range(share(60, 25)):
                    with contextlib.suppress(*REFUSED):
                        walker.chance.choice(verbs)()
                data, before = archived(store), store.state_hash()
                take_over(data, folder / "other")
                with contextlib.closing(Store.open(folder / "other")) as other:
                    assert other.state_hash() == before
                    assert archived(other) == data
                bare = archived(store, forgotten_words=False)
                assert bare == archived(store, forgotten_words=False)
                assert [text for text in forgotten_alone(store) if holds(bare, text)] == []
                take_over(bare, folder / "bare")
                assert store.state_hash() == before


def test_forgotten_words_are_left_out_and_do_not_come_back(filled: Store, tmp_path: Path) -> None:
    put(filled, "I like boats and oars")
    curation.forget(filled, [1, 4])
    before = filled.state_hash()
    data = archived(filled, forgotten_words=False)
    assert data == archived(filled, forgotten_words=False)
    assert filled.state_hash() == before
    assert holds(archived(filled), "hazelnut") and not holds(data, "hazelnut") and not holds(data, "Peru")
    take_over(data, tmp_path / "other")
    with contextlib.closing(Store.open(tmp_path / "other")) as other:
        assert [other.get(number).life for number in (1, 2, 4)] == [Life.PURGED, Life.LIVE, Life.PURGED]
        assert other.get(5).text == "I like boats and oars"  # a memory that was not forgotten says it
        with other.command("import") as writer:
            assert other.admit(writer, memory("I like tea with hazelnut milk")).added is None


def test_a_store_that_is_not_empty_is_left_alone(filled: Store, tmp_path: Path) -> None:
    data = archived(filled)
    with contextlib.closing(Store.open(tmp_path / "other")) as other:
        put(other, "I like kites")
        before = other.state_hash()
        with pytest.raises(Conflict, match=r"curator restore FILE.*CURATOR_HOME"):
            take_over(data, other.folder)
        assert other.state_hash() == before
        other.undo()
        with pytest.raises(Conflict, match="is not empty"):
            take_over(data, other.folder)


def test_an_empty_store_that_was_opened_is_filled(filled: Store, tmp_path: Path) -> None:
    with contextlib.closing(Store.open(tmp_path / "other")) as other:
        take_over(archived(filled), other.folder)
        assert other.state_hash() == filled.state_hash()
        assert not (other.folder / "backups").exists()


def add_row(table: str, **changed: object) -> Callable[[dict[str, bytes]], object]:
    def change(entries: dict[str, bytes]) -> None:
        row = orjson.loads(entries[f"{table}.jsonl"].splitlines()[-1])
        entries[f"{table}.jsonl"] += json.dumps(row | changed).encode() + b"\n"
        head = orjson.loads(entries[HEAD])
        head["tables"][table] += 1
        entries[HEAD] = orjson.dumps(head)

    return change


def head(**changed: object) -> Callable[[dict[str, bytes]], object]:
    return lambda entries: entries.update({HEAD: orjson.dumps(orjson.loads(entries[HEAD]) | changed)})


HARM: tuple[tuple[Callable[[dict[str, bytes]], object], type[Unusable]], ...] = (
    (head(schema="curator-archive/2"), TooNew),
    (head(record=99), TooNew),
    (head(record=0), Damaged),
    (head(state_hash="0" * 64), Damaged),
    (head(tables={}), Damaged),
    (head(tables=7), Damaged),
    (lambda entries: entries.pop("tags.jsonl"), Damaged),
    (lambda entries: entries.update({"../memories.jsonl": b"{}\n"}), Damaged),
    (lambda entries: entries.update({"sqlite_master.jsonl": b"{}\n"}), Damaged),
    (lambda entries: entries.update({"memories.jsonl": b"[" * 100_000}), Damaged),
    (lambda entries: entries.update({"memories.jsonl": b""}), Damaged),
    (lambda entries: entries.update({f"{number}.jsonl": b"" for number in range(200)}), Damaged),
    (lambda entries: entries.update({HEAD: b" " * (2 << 20)}), Damaged),
    (lambda entries: entries.update({"tags.jsonl": b"\0" * (70 << 20)}), Damaged),
    (add_row("memories", id=9, seq=1), Damaged),
    (add_row("memories", id=9, kind="nonsense"), Damaged),
    (add_row("memories", id=1 << 70), Damaged),
    (add_row("memories", id=[1]), Damaged),
    (add_row("memories", id=9, more=1), Damaged),
    (add_row("memories"), Damaged),
    (add_row("messages", id=9, ident="not base64!"), Damaged),
    (add_row("events", seq=99, changes=[{"t": "sqlite_master", "c": ["name"], "i": [["x"]]}]), Damaged),
    (add_row("meta", name="id", value="QQ=="), Damaged),
    *(
        (add_row("meta", name=name, value="WzFd"), Damaged)
        for name in ("purged_checksums", "sync_absorbed", "sync_arrivals")
    ),
)


@pytest.mark.parametrize(("change", "error"), HARM)
def test_a_hostile_archive_is_refused_whole(
    filled: Store, tmp_path: Path, change: Callable[[dict[str, bytes]], object], error: type[Unusable]
) -> None:
    with pytest.raises(error, match="nothing was changed"):
        take_over(forged(archived(filled), change), tmp_path / "other")
    assert not (tmp_path / "other" / "record.sqlite").exists()


def write_state_hash(entries: dict[str, bytes]) -> None:
    """Write the state hash of the changed rows, as a forger would."""
    file = Path("archive.zip")
    plain = forged(b"", lambda made: made.update(entries))
    with (
        archive_reader.opened(io.BytesIO(plain), file) as found,
        contextlib.closing(integrity.empty(found.record)) as scratch,
    ):
        for table in archived_tables(scratch):
            archive_reader.fill(Stage(scratch, file), found, table, 0, no_report)
        head(state_hash=integrity.state_hash(scratch))(entries)


@pytest.mark.parametrize(
    "change",
    [
        add_row("memories", id=9, seq=1),
        add_row("memories", id=9, kind="nonsense"),
        add_row("evidence", id=9, memory=77),
        add_row("messages", id=9, conversation=77, ident="AAAAAAAAAAAAAAAAAAAAAA=="),
        add_row("segments", conversation=77),
        add_row("tombstones", memory=2),
        add_row("commands", id=9, device=77),
        add_row("events", seq=99, clock=1, changes=[]),
    ],
)
def test_a_forged_archive_is_checked_as_a_backup_is(
    filled: Store, tmp_path: Path, change: Callable[[dict[str, bytes]], object]
) -> None:
    def forge(entries: dict[str, bytes]) -> None:
        change(entries)
        write_state_hash(entries)

    with pytest.raises(Damaged, match="cannot be restored"):
        take_over(forged(archived(filled), forge), tmp_path / "other")
    assert not (tmp_path / "other" / "record.sqlite").exists()


def test_an_archive_sets_nothing_of_this_machine(filled: Store, tmp_path: Path) -> None:
    note = b64encode(b'{"command":1,"at":1,"clean":[]}').decode()
    take_over(forged(archived(filled), add_row("meta", name="unfinished_purge", value=note)), tmp_path / "other")
    with contextlib.closing(Store.open(tmp_path / "other")) as other:
        assert other.unfinished_purge() is None
        assert archived(other) == archived(filled)


@pytest.mark.parametrize("version", [4, 5, 6])
def test_archives_of_older_schemas_are_led_on(tmp_path: Path, version: int) -> None:
    out = io.BytesIO()
    packed = Path(__file__).parents[1] / "fixtures" / f"v{version}.sqlite.gz"
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "record.sqlite").write_bytes(gzip.decompress(packed.read_bytes()))
    with contextlib.closing(connect(tmp_path / "old" / "record.sqlite")) as connection:
        archive.write(connection, out)
    take_over(out.getvalue(), tmp_path / "other")
    with (
        contextlib.closing(Store.open(tmp_path / "old")) as old,
        contextlib.closing(Store.open(tmp_path / "other")) as other,
    ):
        assert other.state_hash() == old.state_hash()
        assert other.differences() == []


def test_a_damaged_archive_is_refused_whole(filled: Store, tmp_path: Path) -> None:
    data = archived(filled)
    chance = Random(7)
    for _ in range(share(60, 20)):
        place = chance.randrange(len(data))
        flipped = data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]
        with contextlib.suppress(Unusable):  # a bit of an entry's date or permissions changes nothing
            take_over(flipped, tmp_path / "other")
            with contextlib.closing(Store.open(tmp_path / "other")) as other:
                assert other.state_hash() == filled.state_hash()
            break
        assert not (tmp_path / "other" / "record.sqlite").exists()
    for cut in (0, 10, len(data) // 2, len(data) - 1):
        with pytest.raises((Damaged, Foreign)):
            take_over(data[:cut], tmp_path / "cut")
    with pytest.raises(Foreign, match="no archive of a store"):
        take_over(forged(data, lambda entries: entries.pop(HEAD)), tmp_path / "cut")


def test_a_damaged_store_is_not_archived(filled: Store) -> None:
    with filled.sqlite() as connection:
        connection.execute("UPDATE memories SET text = 'I like cake' WHERE id = 2")
    with pytest.raises(Damaged, match="nothing was written"):
        archived(filled)
