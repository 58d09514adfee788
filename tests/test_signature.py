"""Signed rows: what survives filtering and reformatting, what does not, and the keys."""

import json
import os
import stat
import subprocess
import sys
from typing import Any

import pytest

from curator import signature
from curator.paths import signing_key_file, trusted_keys_file
from curator.signature import BadSignature, signed_by, signer
from effort import thorough
from store import Busy, Unusable
from store.file_lock import locked

ROW: dict[str, Any] = {
    "schema": signature.SCHEMA,
    "id": "a",
    "text": "Grüße 🙂 \u2028 “x” é",
    "confidence": 0.30000000000000004,
    "importance": 7,
    "share": 1.0,
    "pinned": True,
    "project": None,
    "evidence": [{"quote": "x", "start": 3}],
}


def signed(row: dict[str, Any] = ROW) -> dict[str, Any]:
    return {**row, "signature": signer()(row)}


@pytest.mark.parametrize(
    "respell",
    [
        lambda row: json.loads(json.dumps(row, indent=3)),
        lambda row: json.loads(json.dumps(row, sort_keys=True, ensure_ascii=False)),
        lambda row: dict(reversed(row.items())),
        lambda row: {**row, "share": 1},  # in the form that jq writes
        lambda row: {**row, "confidence": float(f"{row['confidence']:.17g}")},
    ],
)
def test_other_spellings_of_a_row_stay_signed(respell: Any) -> None:
    assert signed_by(respell(signed())) == signature.own_fingerprint()


@pytest.mark.parametrize(
    "change",
    [
        {"text": "Grüße"},
        {"pinned": 1},
        {"importance": 8},
        {"more": None},
        {"schema": "curator_memory.v1"},
        {"evidence": []},
        {"confidence": float("nan")},
        {"ordinal": 1 << 60},
        {"signature": {}},
        {"signature": "x"},
        {"signature": {"key": "AAAA", "value": "AAAA"}},
        {"signature": {"key": 3, "value": None}},
        {"signature": {"key": "é", "value": "é"}},
    ],
)
def test_a_change_shows(change: dict[str, Any]) -> None:
    with pytest.raises(BadSignature):
        signed_by({**signed(), **change})


def test_a_row_without_one_of_its_fields_or_nested_deep_is_changed() -> None:
    row = signed()
    del row["project"]
    with pytest.raises(BadSignature):
        signed_by(row)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(BadSignature):
        signed_by({**signed(), "deep": deep})


def test_an_unsigned_row_is_nobodys() -> None:
    assert signed_by(ROW) is None


def test_the_key_is_made_once_and_read_by_nobody_else() -> None:
    assert signature.own_fingerprint() is None and not signing_key_file().exists()
    made = signature.own_fingerprint(make=True)
    assert made is not None and signature.checked_fingerprint(f" {made}\n") == made
    assert signature.own_fingerprint() == made
    if os.name == "posix":
        assert stat.S_IMODE(signing_key_file().stat().st_mode) == 0o600


@thorough
def test_processes_that_make_it_at_once_agree() -> None:
    code = "from curator.signature import own_fingerprint; input(); print(own_fingerprint(make=True))"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen([sys.executable, "-c", code], **pipes) for _ in range(3)]  # type: ignore[call-overload]
    for one in running:
        one.stdin.write("\n")
        one.stdin.flush()
    assert {one.communicate()[0].strip() for one in running} == {signature.own_fingerprint()}


@pytest.mark.parametrize("content", ["", "not hexadecimal", "abcd", "é" * 64])
def test_a_damaged_key_is_named_with_its_remedy(content: str) -> None:
    signature.own_fingerprint(make=True)
    signing_key_file().write_text(content, "utf-8")
    with pytest.raises(Unusable, match=r"signing\.key cannot be used .* move it away"):
        signer()


def test_keys_that_another_process_is_changing_are_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signature, "_WAIT", 0)
    file = trusted_keys_file()
    busy = Busy("held here")
    with locked(file.with_name(f"{file.name}.lock"), 0, busy), pytest.raises(Busy, match="is changing"):
        signature.trust("SHA256:" + "A" * 43)


def test_trust_is_remembered_and_taken_back() -> None:
    one, other = (f"SHA256:{letter * 43}" for letter in "ab")
    signature.trust(one)
    signature.trust(other)
    assert list(signature.trusted()) == [other, one]
    assert signature.distrust(one) and not signature.distrust(one)
    assert list(signature.trusted()) == [other]
    trusted_keys_file().write_text(f"\n# mine\nrubbish\n{one}\n", "utf-8")
    assert list(signature.trusted()) == [one]


@pytest.mark.parametrize("text", ["", "SHA256:short", "MD5:" + "a" * 43, "SHA256:" + "a" * 44])
def test_what_is_no_fingerprint_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a fingerprint"):
        signature.checked_fingerprint(text)
