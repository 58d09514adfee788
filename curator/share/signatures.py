"""Keys of members: Ed25519 signatures, and boxes that only one member can open. All by libsodium (PyNaCl)."""


def public_of(seed: bytes) -> str:
    """Return the public key of a member."""
    from nacl.signing import SigningKey

    return bytes(SigningKey(seed).verify_key).hex()


def sign(seed: bytes, data: bytes) -> str:
    """Return the signature of data."""
    from nacl.signing import SigningKey

    return bytes(SigningKey(seed).sign(data).signature).hex()


def is_signed(member: str, data: bytes, signature: str) -> bool:
    """Return True if a signature is that of a member for this data."""
    from nacl.exceptions import CryptoError
    from nacl.signing import VerifyKey

    try:
        VerifyKey(bytes.fromhex(member)).verify(data, bytes.fromhex(signature))
    except (CryptoError, ValueError, TypeError):
        return False
    return True


def sealed_for(member: str, data: bytes) -> bytes:
    """Return data that only this member can read, 48 bytes longer."""
    from nacl.public import SealedBox
    from nacl.signing import VerifyKey

    return bytes(SealedBox(VerifyKey(bytes.fromhex(member)).to_curve25519_public_key()).encrypt(data))


def opened(seed: bytes, box: bytes) -> bytes | None:
    """Return what was sealed for a member; None if it was for another."""
    from nacl.exceptions import CryptoError
    from nacl.public import SealedBox
    from nacl.signing import SigningKey

    try:
        return bytes(SealedBox(SigningKey(seed).to_curve25519_private_key()).decrypt(box))
    except (CryptoError, ValueError):
        return None
