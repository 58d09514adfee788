"""Worst-case texts for the patterns: the time to redact them grows with their length only.

Nothing is timed here: a pattern that backtracks without bound would never end.
"""

import pytest

from curator.secrets import redact
from effort import share, some, thorough

SIZE = share(20_000, 5_000)
PIECES = (
    "password ", "password: ", "password is ", "password: '",
    'password: "a', "use as password ", "é password ",
    "key=", "key: a_b", "sk-", "eyJ", "eyJaaaaa.", "xoxb-", "8Q~", "1:AA", "dp.st.", "AZDO", ".atlasv1.", "aA1", "Aaa",
    "-_", "1", "1 ", "4111-", "AA00", "DE89 ", "a", "abandon ", "abandon ability the ", "://", "://a:b", "://x?key=a",
    "cookie: ", "cookie: a=b;", "mysql ", "curl -u ", " login", "echo ", "pin for a ", "door code ",
    "hooks.slack.com/a/", "DNI ", "wifi key ", "wifi ", "login: a / ", "recovery code ", "backup codes: 1a2b3c ",
    "seed phrase: ", "mnemonic is able ", "account ", "sort code ", "security question ",
    "answer to security question ", "maiden name is ", "code for a door ", "passport ", "password: ab cd ",
    "\u200b", "pass\u200bword: ", "\uff11", "0-0-", "1 2 ",
    "-----BEGIN " + "PRIVATE KEY-----\n", "PuTTY-User-Key-File-2", "0123456789abcdef-", "word. ", "((((", "]]]] ",
)  # fmt: skip


@thorough
@pytest.mark.parametrize(("piece", "start"), some([(piece, at) for at in ("", "password: ") for piece in PIECES], 45))
def test_a_text_of_one_piece_again_and_again_ends(piece: str, start: str) -> None:
    text = start + piece * (SIZE // len(piece))
    redacted = redact(text)
    assert redacted.count <= SIZE // len(piece) + 1
    assert redact(redacted.text).count == 0
