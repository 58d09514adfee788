"""Every format into a store: again adds nothing, growth only what is new, damage is reported, the rest kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.importers import Format, Options, ReadyMemory, detect, read
from curator.services.import_logs import import_paths
from curator.services.import_summary import Summary
from effort import ALL, THOROUGH, some
from importers.growing_logs import GROWING, GrowingLog
from store import Store
from store.model import NewConversation, Role

ME = ("Ann", "ann_s")


class Log:
    """A growing log in its own folder, imported again and again."""

    def __init__(self, folder: Path, log: GrowingLog) -> None:
        self.path, self.log, self.folder = folder / log.name, log, folder
        self.form = Format.CONTEXT if log.form is Format.CONTEXT else None

    def imported(self, store: Store) -> tuple[int, Summary]:
        """Import the folder; return the number of new messages and memories, and the summary."""
        done = import_paths(store, [self.folder], None, format=self.form, me=ME)
        return done.messages.total() + done.memories, done

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield the identity and text of every message and memory."""
        for item in read(self.folder, self.form, options=Options(me=ME)):
            if isinstance(item, NewConversation):
                yield from ((one.identity, f"{one.role} {one.text}") for one in item.messages)
            elif isinstance(item, ReadyMemory):
                yield item.claimed.external_id or item.claimed.text, f"{Role.USER} {item.claimed.text}"


def test_every_format_has_such_a_log() -> None:
    assert {log.form for log in GROWING} == set(Format)


@pytest.mark.parametrize("growing", GROWING if THOROUGH else some(GROWING, 6), ids=str)
def test_again_grown_and_damaged(tmp_path: Path, store: Store, growing: GrowingLog) -> None:
    log = Log(tmp_path / "logs", growing)
    growing.write(log.path, growing.said[:1])
    if log.form is None:
        assert detect(log.path) is growing.form
    before = dict(log.texts())
    assert log.imported(store)[0] == len(before) > 0
    state = store.state_hash()
    assert log.imported(store)[0] == 0
    assert store.state_hash() == state
    growing.write(log.path, growing.said)
    after = dict(log.texts())
    new = [after[key] for key in after.keys() - before.keys()]
    assert before.items() <= after.items()
    said = [text for text in new if text.startswith(Role.USER)]
    assert len(said) == 1 and growing.said[1] in said[0]
    assert log.imported(store)[0] == len(new)
    for spoil in growing.spoils if ALL else growing.spoils[:1]:
        growing.write(log.path, growing.said)
        spoil(log.path)
        rest = dict(log.texts())
        assert after.items() <= rest.items()
        found, done = log.imported(store)
        assert (found, done.invalid > 0) == (len(rest) - len(after), growing.named)
        assert log.imported(store)[1].invalid == done.invalid, "it is named each time"
