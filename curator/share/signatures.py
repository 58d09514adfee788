"""Ed25519 signatures of members, and sealed boxes that only one member can open (libsodium, by PyNaCl)."""


def public_key(seed: bytes) -> str:
    """Return the public key of a seed, hexadecimal."""
    from nacl.signing import SigningKey

    return bytes(SigningKey(seed).verify_key).hex()


def sign(seed: bytes, data: bytes) -> str:
    """Return the signature of data, hexadecimal."""
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


def seal_box(member: str, data: bytes) -> bytes:
    """Return data encrypted for one member, 48 bytes longer."""
    from nacl.public import SealedBox
    from nacl.signing import VerifyKey

    return bytes(SealedBox(VerifyKey(bytes.fromhex(member)).to_curve25519_public_key()).encrypt(data))


def unseal_box(seed: bytes, box: bytes) -> bytes | None:
    """Decrypt a box of `seal_box`; return None if it is for another member."""
    from nacl.exceptions import CryptoError
    from nacl.public import SealedBox
    from nacl.signing import SigningKey

    try:
        return bytes(SealedBox(SigningKey(seed).to_curve25519_private_key()).decrypt(box))
    except (CryptoError, ValueError):
        return None
