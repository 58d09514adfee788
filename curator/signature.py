"""Signatures of exported memories: the signing key of this device, and the trusted keys of others.

A row has `signature: {"key": …, "value": …}`: an Ed25519 public key and a signature, both in Base64. The signed data is
the canonical JSON (RFC 8785) of the row without `signature`, so that key order, white space and other spellings of a
number or a character do not matter, and rows may be filtered. A key's fingerprint is `SHA256:` and the Base64 of the
SHA-256 of the public key.

The private key is a file beside the store; it is never in the record, a backup or an export.
"""

import base64
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator.paths import signing_key_file, trusted_keys_file
from store import Busy, Unusable, clock
from store.atomic_write import written_whole
from store.file_lock import locked

if TYPE_CHECKING:
    from nacl.signing import SigningKey

SCHEMA = "curator_memory.v2"
"""Schema of an exported row."""
SCHEMAS = ("curator_memory.v1", SCHEMA)
"""Supported schemas; the first has no signature."""

LARGEST = (1 << 53) - 1
"""Largest integer in canonical JSON (RFC 8785)."""

_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
_WAIT = 30.0  # seconds to wait for another process that creates the key


class BadSignature(ValueError):
    """The signature of a row is invalid: the row or the signature was changed after signing."""


def signer() -> Callable[[Mapping[str, object]], dict[str, str]]:
    """Return a function that signs rows with this device's key. Raises Unusable if there cannot be one."""
    key = _own_key(make=True)
    assert key is not None
    public = _base64(bytes(key.verify_key))

    def sign(row: Mapping[str, object]) -> dict[str, str]:
        return {"key": public, "value": _base64(bytes(key.sign(_canonical(row)).signature))}

    return sign


def signed_by(row: Mapping[str, object]) -> str | None:
    """Return the fingerprint of the key that signed a row, None if it is not signed. Raises BadSignature."""
    signature = row.get("signature")
    if signature is None:
        return None
    from nacl.exceptions import CryptoError
    from nacl.signing import VerifyKey

    try:
        if not isinstance(signature, dict) or set(signature) != {"key", "value"}:
            raise BadSignature("signature is not an object with key and value")
        public, value = (base64.b64decode(str(signature[name]), validate=True) for name in ("key", "value"))
        VerifyKey(public).verify(_canonical(row), value)
    except (CryptoError, ValueError, TypeError, RecursionError) as error:
        raise BadSignature(f"the signature does not fit the row ({error})") from error
    return _fingerprint(public)


def own_fingerprint(make: bool = False) -> str | None:
    """Return the fingerprint of this device's key; None if there is none, unless `make` creates it."""
    key = _own_key(make)
    return None if key is None else _fingerprint(bytes(key.verify_key))


def checked_fingerprint(text: str) -> str:
    """Return a fingerprint typed by a person in normal form. Raises ValueError if it is invalid."""
    if not _FINGERPRINT.fullmatch(text.strip()):
        raise ValueError(
            f"{text} is not a fingerprint (SHA256: and 43 letters and digits), as `curator key` prints it on the device"
            " that signed"
        )
    return text.strip()


def trusted() -> dict[str, str]:
    """Return the trusted fingerprints, with the day each was trusted. Raises Unusable."""
    file = trusted_keys_file()
    try:
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(f"cannot read {file} ({error}); see that you may read it, or move it away") from error
    pairs = (line.split() for line in lines if line.strip())
    return {pair[0]: pair[-1] for pair in pairs if _FINGERPRINT.fullmatch(pair[0])}


def trust(fingerprint: str) -> None:
    """Trust a key: memories signed by it count as the person's own."""
    _write_trusted(lambda keys: {fingerprint: clock.to_iso(clock.now())[:10]} | keys)


def distrust(fingerprint: str) -> bool:
    """Stop trusting a key; return whether it was trusted."""
    if fingerprint not in trusted():
        return False
    _write_trusted(lambda keys: {name: since for name, since in keys.items() if name != fingerprint})
    return True


def _write_trusted(change: Callable[[dict[str, str]], dict[str, str]]) -> None:
    file = trusted_keys_file()
    _prepare(file.parent)
    with _alone(file):
        lines = [f"{name} {since}\n" for name, since in change(trusted()).items()]
        with written_whole(file) as partial:
            partial.write_text("".join(lines), "utf-8")


def _own_key(make: bool) -> "SigningKey | None":
    """Return the device's key. With `make`, the first process that needs one creates it, and others read it."""
    from nacl.signing import SigningKey

    file = signing_key_file()
    if not file.exists():
        if not make:
            return None
        _prepare(file.parent)
        with _alone(file):
            if not file.exists():
                with written_whole(file) as partial:
                    partial.write_bytes(bytes(SigningKey.generate()).hex().encode() + b"\n")
    try:
        return SigningKey(bytes.fromhex(file.read_text("ascii")))
    except (OSError, ValueError, TypeError) as error:
        raise Unusable(
            f"{file} cannot be used as the signing key ({error}); bring back the file from where you keep copies, or"
            " move it away: then a new key is made, and exports signed by the old one are those of another device"
        ) from error


def _alone(file: Path) -> AbstractContextManager[object]:
    return locked(file.with_name(f"{file.name}.lock"), _WAIT, Busy(f"another process is changing {file}; try again"))


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Unusable(
            f"cannot make {folder} ({error.strerror}); set CURATOR_HOME to a folder you may write"
        ) from error


def _canonical(row: Mapping[str, object]) -> bytes:
    import rfc8785

    signed: Any = {name: value for name, value in row.items() if name != "signature"}  # JSON, or refused
    return bytes(rfc8785.dumps(signed))


def _fingerprint(public: bytes) -> str:
    return "SHA256:" + base64.b64encode(sha256(public).digest()).decode().rstrip("=")


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
