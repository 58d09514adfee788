"""Files encrypted with a passphrase: readable only with it, and only if complete."""

import io
from pathlib import Path

import pytest

from curator.errors import ImportFailure
from curator.export.sealed import MAGIC, Sealing, unseal

CONTENT = bytes(range(256)) * 600  # three chunks


def sealed(content: bytes, passphrase: str) -> bytes:
    out = io.BytesIO()
    sealing = Sealing(out, passphrase, operations=1, memory=8192)
    for start in range(0, len(content), 10_000):
        sealing.write(content[start : start + 10_000])
    sealing.close()
    return out.getvalue()


def unsealed(data: bytes, passphrase: str) -> bytes:
    out = io.BytesIO()
    unseal(io.BytesIO(data), passphrase, out, "store.sealed")
    return out.getvalue()


@pytest.mark.parametrize("size", [0, 1, 1 << 16, (1 << 16) + 1, len(CONTENT)])
def test_the_passphrase_opens_it(size: int) -> None:
    data = sealed(CONTENT[:size], "tea at fiv\u00e9")
    assert unsealed(data, "tea at five\u0301") == CONTENT[:size]  # the same letters in another Unicode normal form
    assert data.startswith(MAGIC) and CONTENT[:200] not in data
    assert data != sealed(CONTENT[:size], "tea at fiv\u00e9")


def test_a_wrong_passphrase_says_so() -> None:
    with pytest.raises(ImportFailure, match=r"wrong passphrase for store\.sealed"):
        unsealed(sealed(CONTENT, "tea"), "coffee")


def test_a_damaged_file_is_not_opened() -> None:
    data = sealed(CONTENT, "tea")
    first = len(data) - len(CONTENT) - 3 * 17  # offset of the first chunk
    chunk = (1 << 16) + 17
    for damaged in (
        b"",
        data[: first - 1],
        data[:first],
        data[: first + chunk],  # cut between two chunks
        data[:-1],
        data + b"x",
        data + data[-50:],
        data[:first]
        + data[first + chunk : first + 2 * chunk]
        + data[first : first + chunk]
        + data[first + 2 * chunk :],
        data[:-5] + b"\0" + data[-4:],
        MAGIC + b"\xff" * 200,  # asks for more memory than there is
    ):
        with pytest.raises(ImportFailure, match="damaged or truncated"):
            unsealed(damaged, "tea")


def test_what_stands_before_the_chunks_is_authenticated() -> None:
    data = bytearray(sealed(CONTENT, "tea"))
    for place in range(len(MAGIC) + 7, len(MAGIC) + 56, 8):
        changed = bytes(data[:place]) + bytes([data[place] ^ 1]) + bytes(data[place + 1 :])
        with pytest.raises(ImportFailure, match="nothing was changed"):
            unsealed(changed, "tea")


def test_an_unknown_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportFailure, match="damaged"):
        unsealed(b"curator-sealed/2\n" + bytes(200), "tea")
