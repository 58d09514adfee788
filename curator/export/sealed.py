"""Files encrypted with a passphrase: Argon2id for the key, secretstream (XChaCha20-Poly1305) in chunks of 64 KB.

A file is `curator-sealed/1`, a line feed, the operations and the memory of Argon2id (8 bytes each, big-endian), its
salt (16), the stream's header (24), a first chunk by which a wrong passphrase is told from a damaged file, and the
chunks. The last one is tagged as final. Each chunk is authenticated, and so is all that stands before the first.
"""

import struct
import unicodedata
from typing import IO

from curator.errors import ImportFailure

MAGIC = b"curator-sealed/1\n"
_CHUNK = 1 << 16
_MORE = 17  # bytes that encryption adds to a chunk
_NUMBERS = struct.Struct(">QQ")
_SALT, _HEADER = 16, 24
_PROOF = b"curator"
_OPERATIONS, _MEMORY = 3, 256 << 20  # libsodium's moderate costs: under a second
_MOST_OPERATIONS, _MOST_MEMORY = 10, 1 << 30  # that a file may ask for


class Sealing:
    """A file to which what is written comes encrypted; `close` completes it. Other costs of the key are for tests."""

    def __init__(self, out: IO[bytes], passphrase: str, operations: int = 0, memory: int = 0) -> None:
        from nacl import bindings as sodium
        from nacl.utils import random

        operations, memory = operations or _OPERATIONS, memory or _MEMORY
        self._out, self._sodium, self._rest = out, sodium, bytearray()
        start = MAGIC + _NUMBERS.pack(operations, memory) + random(_SALT)
        self._state = sodium.crypto_secretstream_xchacha20poly1305_state()
        header = sodium.crypto_secretstream_xchacha20poly1305_init_push(
            self._state, key_of(passphrase, start[-_SALT:], operations, memory)
        )
        out.write(start + header)
        self._push(_PROOF, associated=start)

    def write(self, data: bytes, /) -> int:
        """Append bytes."""
        self._rest += data
        while len(self._rest) > _CHUNK:
            self._push(bytes(self._rest[:_CHUNK]))
            del self._rest[:_CHUNK]
        return len(data)

    def flush(self) -> None:
        """Write nothing: a chunk is written when it is full."""

    def close(self) -> None:
        """Write the last chunk."""
        self._push(bytes(self._rest), final=True)

    def _push(self, data: bytes, associated: bytes | None = None, final: bool = False) -> None:
        sodium = self._sodium
        final_tag: int = sodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL
        tag = final_tag if final else sodium.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE
        self._out.write(sodium.crypto_secretstream_xchacha20poly1305_push(self._state, data, associated, tag))


def unseal(sealed: IO[bytes], passphrase: str, out: IO[bytes], name: str) -> None:
    """Write the content of an encrypted file to `out`. Raises ImportFailure: a wrong passphrase, or a damaged file."""
    from nacl import bindings as sodium
    from nacl.exceptions import CryptoError

    damaged = ImportFailure(f"{name} is damaged or truncated; nothing was changed. Use another copy")
    start = sealed.read(len(MAGIC) + _NUMBERS.size + _SALT)
    header, proof = sealed.read(_HEADER), sealed.read(len(_PROOF) + _MORE)
    if not start.startswith(MAGIC) or len(proof) != len(_PROOF) + _MORE:
        raise damaged
    operations, memory = _NUMBERS.unpack_from(start, len(MAGIC))
    if not (1 <= operations <= _MOST_OPERATIONS and 8192 <= memory <= _MOST_MEMORY):
        raise damaged
    state = sodium.crypto_secretstream_xchacha20poly1305_state()
    key = key_of(passphrase, start[-_SALT:], operations, memory)
    sodium.crypto_secretstream_xchacha20poly1305_init_pull(state, header, key)
    pull, final = sodium.crypto_secretstream_xchacha20poly1305_pull, False
    try:
        pull(state, proof, start)
    except CryptoError as error:
        raise ImportFailure(f"wrong passphrase for {name}; nothing was changed. Try again") from error
    try:
        while chunk := sealed.read(_CHUNK + _MORE):
            if final:
                raise damaged
            data, tag = pull(state, chunk, None)
            final = tag == sodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL
            out.write(data)
    except CryptoError as error:
        raise damaged from error
    if not final:
        raise damaged


def key_of(passphrase: str, salt: bytes, operations: int, memory: int) -> bytes:
    """Return the key that a passphrase gives."""
    from nacl.bindings import crypto_secretstream_xchacha20poly1305_KEYBYTES as size
    from nacl.pwhash import argon2id

    words = unicodedata.normalize("NFC", passphrase).encode()
    return argon2id.kdf(size, words, salt, opslimit=operations, memlimit=memory)
