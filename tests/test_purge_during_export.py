"""A purge in another process while memories are written to files: the files do not keep the words."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from curator.curation import validate
from curator.export.archive import write_archive
from curator.export.files import export_file
from curator.export.notes import export_notes
from curator.purge_everywhere import purge
from curator.services.block_files import export_block, list_block_files, renew_blocks, write_block
from curator.services.context_files import confirmed_memories, markdown
from curator.services.layers import export_layers
from effort import thorough
from factories import put
from serve.conftest import environment as environment
from serve.conftest import memories as memories
from store import Filter, Store
from store.model import Life
from store.progress import no_report

TEXT = "My quokka is called Bruno."
Writer = Callable[[Store, Path], object]


def renewed(store: Store, folder: Path) -> None:
    """Renew a block with one line too many."""
    file = folder / "AGENTS.md"
    write_block(store, file, None, f"{markdown(confirmed_memories(store, None))}\n- An old line.")
    renew_blocks(store)


WRITERS: dict[str, Writer] = {
    "block": lambda store, folder: export_block(store, folder / "CLAUDE.md", None, None),
    "renewed block": renewed,
    "jsonl": lambda store, folder: export_file(store, folder / "memories.jsonl", Filter()),
    "notes": lambda store, folder: export_notes(store, folder, Filter(), replace=False),
    "layers": lambda store, folder: export_layers(store, folder, overwrite=False),
    "archive": lambda store, folder: write_archive(
        store, folder / "all.zip", passphrase=None, forgotten_words=True, report=no_report
    ),
    "backup": lambda store, folder: store.backup(folder / "copy.sqlite"),
    "automatic backup": lambda store, folder: store.keep_backup(3),
}


def contents(*files: Path) -> list[bytes]:
    """Return the contents of files, and of the entries of archives among them."""
    found = []
    for file in files:
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as archive:
                found += [archive.read(name) for name in archive.namelist()]
        elif file.is_file():
            found.append(file.read_bytes())
    return found


@thorough
@pytest.mark.parametrize("name", WRITERS)
def test_words_purged_while_a_file_is_written_are_not_in_it(
    name: str, memories: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = put(memories, TEXT, "My cat is called Nero.")
    validate(memories, numbers)
    folder = tmp_path / "out"
    folder.mkdir()
    real, purged = Path.replace, list[bool]()

    def replace(partial: Path, target: Path) -> Path:
        """Purge in another thread before the first file with the words is put in place."""
        if not purged and any(b"quokka" in data and b"An old line" not in data for data in contents(partial)):
            purged.append(True)
            other = Thread(target=lambda: purge(Store.open(memories.folder), numbers[:1]))
            other.start()
            other.join()
        return real(partial, target)

    monkeypatch.setattr(Path, "replace", replace)
    WRITERS[name](memories, folder)
    assert purged
    kept = memories.folder / "backups"
    found = [data.lower() for data in contents(*folder.rglob("*"), *kept.rglob("*"))]
    assert any(b"nero" in data for data in found) and not any(b"quokka" in data for data in found)


def test_a_block_of_nothing_but_purged_memories_is_removed(
    environment: dict[str, str], store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (number,) = put(store, TEXT)
    validate(store, [number])
    file = tmp_path / "CLAUDE.md"
    real = Path.chmod

    def chmod(path: Path, mode: int) -> None:
        if path.name.startswith(file.name) and store.get(number).life is not Life.PURGED:
            store.purge([number])
        real(path, mode)

    monkeypatch.setattr(Path, "chmod", chmod)
    assert export_block(store, file, None, None) == ([], False)
    assert not file.exists() and list_block_files() == []


def test_an_automatic_backup_from_during_a_purge_is_deleted(memories: Store) -> None:
    (number,) = put(memories, TEXT)
    file = memories.keep_backup(3)
    _, left = purge(memories, [number])
    assert left == () and not file.exists()
    (number,) = put(memories, "My emu is called Ada.")
    file = memories.keep_backup(3)
    later = file.stat().st_mtime_ns + 3_600_000_000_000  # it was written while the purge ran
    os.utime(file, ns=(later, later))
    _, left = purge(memories, [number])
    assert left == () and not file.exists()
