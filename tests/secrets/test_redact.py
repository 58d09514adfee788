"""Redaction removes every secret, and nothing else."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benign_lines import corpora
from curator.secrets import MARK, redact, redact_all
from effort import exhaustive, share
from secret_kinds import KINDS, samples

BODY = "MIIEpAIBAAKCAQEA7bq0Zb3vJq4m8u0xC2sQ1kz5"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n{BODY[::-1]}\nq9Zk==\n-----END RSA PRIVATE KEY-----"
ALPHABETIC = "abandon ability able about above absent absorb abstract absurd abuse access accident"

# a text, and what must be redacted from it
SECRETS = [
    ("password: hunter2", "hunter2"),
    ("see the router (password: hunter2)", "hunter2"),
    ("My norwegian fødselsnummer is 14038812345, can you tell me what the digits mean", "14038812345"),
    ("mitt personnummer är 19850314-1234", "19850314-1234"),
    ("CPR-nummer: 140388-1234 tak", "140388-1234"),
    ("my personal number is 850314-1234", "850314-1234"),
    ("my hetu is 131052A308T", "131052A308T"),
    ("my kennitala is 120174-3399", "120174-3399"),
    ("mijn BSN (voor de belasting) is 123456782", "123456782"),
    ("my PESEL is 44051401358.", "44051401358"),
    ("rodné číslo: 850101/1234", "850101/1234"),
    ("Sozialversicherungsnummer 65 170839 J 003", "65 170839 J 003"),
    ("my aadhaar is 1234 5678 9012", "1234 5678 9012"),
    ("my NHS number is 943 476 5910", "943 476 5910"),
    ("CURP: GOMC850101HDFRRL09", "GOMC850101HDFRRL09"),
    ("my NRIC is S1234567D", "S1234567D"),
    ("(my key and password: hunter2", "hunter2"),
    ("my password is swordfish", "swordfish"),
    ("Here is my password:\nhunter2\nthanks", "hunter2"),
    ("hunter2 is my wifi password", "hunter2"),
    ("the password for my email is Sunshine99", "Sunshine99"),
    ("**Password:** hunter2", "hunter2"),
    ("please log in with password tr0ub4dor", "tr0ub4dor"),
    ('{"user": "bob", "password": "correcthorse"}', "correcthorse"),
    (r"{\"password\": \"hunter2\"}", "hunter2"),
    ("DB_PASSWORD='correcthorse'", "correcthorse"),
    ('passphrase: "correct horse battery staple"', "horse"),
    ("PASSWORD=Tr0ub4dor&3", "Tr0ub4dor"),
    ("mi contraseña es gato1234", "gato1234"),
    ("Das Passwort lautet Geheim123", "Geheim123"),
    ("my bank PIN is 4821", "4821"),
    ("sk-ant-api03-AbCdEf0123456789_xyzXYZ-aaBBccDD", "AbCdEf"),
    ("OPENAI_API_KEY=sk-proj-abcdEFGH1234567890ijklMNOP", "abcdEFGH"),
    ("sk-abcdefghij0123456789T3BlbkFJabcdefghij0123456789", "T3Blbk"),
    ("ghp_0123456789abcdefABCDEF0123456789abcdANDMORE", "MORE"),
    ("github_pat_11ABCDEFG0aBcDeFgHiJkL_MnOpQrStUvWxYz", "ABCDEFG"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "SyA123"),
    ("xoxb-123456789012-abcdefGHIJKL", "abcdef"),
    ("npm_abcdefghijklmnopqrstuvwxyz0123456789", "abcdef"),
    ("glpat-ABCDEFGHIJ1234567890", "ABCDEF"),
    ("sk_live_0123456789abcdefABCDEFGH", "0123"),
    ("SG.abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG", "abcdef"),
    ("AKIAIOSFODNN7ABCDEFG", "IOSFOD"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYABCDEFGHIJ", "K7MDENG"),
    (r'"SecretAccessKey": "wJalrXUtnFEMI\/K7MDENG\/bPxRfiCYABCDEFGHIJ"', "K7MDENG"),
    ("postgres://bob:s3cr3t@db.example.com:5432/app", "s3cr3t"),
    ("redis://:p4ss@localhost:6379", "p4ss"),
    ("https://bob:p@ssw0rd@example.com/", "ssw0rd"),
    ("Authorization: Bearer abcdef0123456789abcdef", "abcdef"),
    ("Authorization: Basic dXNlcjpwYXNzd29yZDEyMw==", "dXNlc"),
    ("curl -u bob:secretpw1 https://example.com", "secretpw1"),
    ("CREATE USER bob IDENTIFIED BY 'pw12345'", "pw12345"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4fw", "SflK"),
    ("123456789:AAEhBOweik6ad9r_hVhABCDEFGHIJKLMNOP", "BOweik"),
    ("https://hooks.slack.com/services/T00000000/B00000000/abcdefABCDEF123456", "abcdef"),
    ("api_key: 9f8e7d6c5b4a39281706", "9f8e"),
    ("The token is a1b2c3d4e5f6g7h8", "a1b2"),
    ('client_secret: "8xZ~abcDEF123456"', "abcDEF"),
    ("AccountKey=" + "a1B2" * 22, "a1B2"),
    ("My wifi password: correct horse battery staple", "staple"),
    ("my wifi password is correct horse battery staple and the router is new", "horse"),
    (f"my seed phrase is {ALPHABETIC}", "absorb"),
    ("My sort code is 12-34-56 and account number 12345678", "12345678"),
    ("My sort code is 12-34-56 and account number 12345678", "12-34"),
    ("routing number 021000021 account 000123456789", "000123456789"),
    ("card 4111.1111.1111.1111", "1111.1111"),
    ("card 4111\u20111111\u20111111\u20111111", "1111\u20111111"),
    ("card \uff14" + "\uff11" * 15, "\uff11\uff11"),
    ("my pass\u200bword is tulip99", "tulip99"),
    ("my pass\u200bword is tu\u200blip99\u200b", "lip99"),
    ("login for the NAS is admin / hunter2", "hunter2"),
    ("login: maria / p4ssw0rd!", "p4ss"),
    ("The wifi is called Miso and the key is blue-sky-lemon-42", "lemon"),
    ("My wifi key is rosebud-77", "rosebud"),
    ("Recovery code 8f3a-99bc-11de", "8f3a"),
    ("two-factor backup codes: 123456 654321 998877", "998877"),
    ("The code for my front door is 7391#", "7391"),
    ("door code for the building is 4471B dont let me forget it", "4471B"),
    ("the gate code is AB4711", "AB4711"),
    ("my UTR is 48213 90175 do i put that", "48213 90175"),
    ("Steuer-ID: 12 345 678 901", "12 345 678 901"),
    ("My safe combination is 12-34-56", "34-56"),
    ("the alarm code is 8812 and the safe is 22-14-09", "14-09"),
    ("the alarm code is [REDACTED] and the safe is 22-14-09", "14-09"),
    ("the door code is 4455, the garage is 7788", "7788"),
    ("gate code: 1234# and the shed one is 5566", "5566"),
    ("our locker's 12-34-56 btw", "34-56"),
    ("my passport number is X1234567", "1234567"),
    ("the answer to my security question is Fluffy", "Fluffy"),
    ("my mother's maiden name is Kowalski", "Kowalski"),
    ("pw hunter2hunter2", "hunter2"),
    (PEM, BODY[:20]),
    (PEM.replace("\n", "\\n"), BODY[:20]),
    (PEM[: PEM.index("-----END")], BODY[::-1]),
    (PEM.replace("RSA ", ""), "q9Zk"),
    ("PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nAAAAgQC7\nPrivate-MAC: 0a1b2c", "AAAAgQC7"),
]


@pytest.mark.parametrize(("text", "gone"), SECRETS)
def test_nothing_of_a_secret_remains(text: str, gone: str) -> None:
    around = f"Hello there,\n{text}\nand thanks, that was it."
    redacted = redact(around)
    assert gone not in redacted.text
    assert MARK in redacted.text
    assert redacted.count >= 1
    assert redacted.text.startswith("Hello there,\n")
    assert redacted.text.endswith("and thanks, that was it.")


@pytest.mark.parametrize(
    "text",
    [
        "password: string",
        "the password is wrong",
        "The password is stored in the database.",
        "Password: must be at least 8 characters",
        "password: <YOUR_PASSWORD>",
        "password: [REDACTED]",
        "password=password",
        "My password is too short",
        "I forgot my password yesterday",
        'api_key = "YOUR_API_KEY"',
        "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx",
        "password = getpass()",
        'password = os.environ["DB_PASSWORD"]',
        'token = response.json()["token"]',
        "const token = generateToken(user123)",
        "password: z.string().min(8)",
        "secret = settings.SECRET_KEY",
        "max_tokens: 4096",
        "postgres://user:password@localhost/db",
        "postgres://${USER}:${PASS}@localhost/db",
        "the secret is to stir slowly",
        "The key is consistency and patience",
        "Bearer tokens are sent in headers",
        '<input type="password" name="email1">',
        "token_endpoint: https://auth.example.com/oauth2/token",
        "hash the password with sha256",
        "PWD: /home/bob/project1",
        "APARTMENTS for rent",
        "risk-assessment-for-2024-quarter-one, task-list-of-2024-01-17-review",
        "Meet me at 10.0.0.1 or 8.8.8.8",
        "the personnummer field has 12 digits",
        "CPR training is on 12 May 2026 at 14:00",
        "personnummer: YYYYMMDD-XXXX",
        "we validate fødselsnummer with 11 digits since 2024-05-01",
        "my personal number is 07700 900123",
        "call my personal number 91234567",
        "the birth number of babies in 2023 was 1234567",
        "DNI 2024-2025 form",
        "CNP ticket 1234567",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text).text == text


def test_the_name_of_a_number_stays_whole() -> None:
    assert redact("cpr-nummer 0101901234").text == f"cpr-nummer {MARK}"


def test_two_secrets_in_one_line_count_as_two() -> None:
    redacted = redact("user=bob password=hunter22 and AKIAIOSFODNN7ABCDEFG")
    assert redacted.text == f"user=bob password={MARK} and {MARK}"
    assert redacted.count == 2


def test_a_secret_is_found_in_a_very_long_line() -> None:
    noise = "lorem ipsum dolor " * 20_000
    redacted = redact(f"{noise}password: hunter2 {noise}ghp_0123456789abcdefABCDEF0123456789abcd {noise}")
    assert redacted.count == 2
    assert "hunter2" not in redacted.text
    assert "ghp_" not in redacted.text


def test_a_block_that_is_redacted_in_part_goes_whole() -> None:
    text = PEM.replace(BODY[::-1], MARK)
    assert redact(text).text == MARK


def test_text_in_any_script_keeps_its_positions() -> None:
    assert redact("İİİ 密码 🔑 password: hunter2 — İ").text == f"İİİ 密码 🔑 password: {MARK} — İ"


def test_text_around_a_secret_keeps_its_signs() -> None:
    text = "Ｈｉ\u00a0١٢\u200b\u200b – my\u00a0card is 4111\u00a01111\u00a01111\u200b\u00a01111\u200b\u2011 bye\u200b"
    assert redact(text).text == f"Ｈｉ\u00a0١٢\u200b\u200b – my\u00a0card is {MARK}\u200b\u2011 bye\u200b"


PIECES = st.sampled_from(
    [*(text for text, _ in SECRETS), " is ", "password", ": ", "\n", "token=", MARK, "\u200b", "-----BEGIN"]
)


@settings(max_examples=share(150))
@given(st.lists(PIECES | st.text(string.printable, max_size=12), max_size=8).map("".join))
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once.text).text == once.text
    assert redact(once.text).count == 0


@exhaustive
def test_texts_together_are_redacted_like_each_alone() -> None:
    texts = [one.text for kind in KINDS for one in samples(kind, 2, seed=5)]
    texts += [text for text, _ in SECRETS] + [text for corpus in corpora().values() for text in corpus[::20]]
    found = redact_all(texts)
    assert found == [redact(text) for text in texts]
    assert sum(one.count > 0 for one in found) > len(SECRETS)


@settings(max_examples=share(150))
@given(st.lists(st.lists(PIECES | st.text(max_size=12), max_size=4).map("".join), max_size=12))
def test_no_text_changes_what_is_found_in_the_next(texts: list[str]) -> None:
    assert redact_all(texts) == [redact(text) for text in texts]


@pytest.mark.parametrize(
    "said", ["the one I use is Rover1998 for all of them", "mine is 'Rover1998'.", "My usual one: Rover1998"]
)
def test_a_password_is_known_by_what_was_said_before(said: str) -> None:
    texts = ["how do I remember all my passwords?", "Use a password manager.", said]
    assert [one.count for one in redact_all(texts)] == [0, 0, 1]
    assert "Rover1998" not in redact_all(texts)[2].text
    assert redact_all(["which bus do you take?", "The 7.", said])[2].count == 0


def test_what_is_no_password_stays_after_talk_of_passwords() -> None:
    texts = [
        "my password manager is slow",
        "the one I use is Bitwarden",
        "mine is on the 2nd shelf",
        "the one I use is old",
    ]
    assert [one.count for one in redact_all(texts)] == [0, 0, 0, 0]
