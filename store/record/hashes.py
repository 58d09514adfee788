"""Keyed hashes, so that what the record keeps to recognise something says nothing without its key."""

import hashlib


def hashed(key: bytes, content_key: str) -> str:
    """Return a content key as the record keeps it: a purged text leaves nothing to guess at."""
    return hashlib.blake2b(content_key.encode(errors="replace"), key=key, digest_size=16).hexdigest()


def purged_id(key: bytes, external_id: str) -> str:
    """Return the substitute of a purged memory's external id: an import knows it by that, and it says nothing."""
    return f"purged:{hashed(key, external_id)}"


def redacted_id(key: bytes, external_id: str) -> str:
    """Return the substitute of an external id that holds a secret: still distinct, and it says nothing."""
    return f"redacted:{hashed(key, external_id)}"


def ident(key: bytes, owner: str, identity: str) -> bytes:
    """Return the hash by which an imported conversation or message is recognised."""
    return hashlib.blake2b(f"{owner}\0{identity}".encode("utf-8", "surrogatepass"), key=key, digest_size=16).digest()
