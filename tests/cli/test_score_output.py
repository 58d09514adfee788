"""Explained scores fit the terminal, for any script and length of text."""

import pytest
from rich.cells import cell_len

from curator.cli import score_output
from curator.recall.types import Omission, OmissionKind, OmissionReason
from factories import put
from store import Store


@pytest.mark.parametrize("text", ["我最喜欢的食物是面条和饺子，" * 20, "x" * 100_000, "word " * 20_000])
def test_no_line_is_wider_than_the_terminal(
    store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    (memory,) = store.get_many(put(store, text))
    score_output.print_omitted([Omission(memory, OmissionReason(OmissionKind.UNRELATED), 0.1)])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cell_len, lines)) <= 80 and len(lines) < 60
