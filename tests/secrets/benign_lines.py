"""Texts without secrets, which redaction must leave alone: source code, prose, and lines that look like secrets."""

import base64
import random
import sysconfig
import uuid
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_HEX, _UP = "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

ABOUT_SECRETS = """\
login(user, password: pass1)
const parse = (password: pw1) => pw1
password: string
password: str
password: Optional[str] = None
password: <YOUR_PASSWORD>
password: ${DB_PASSWORD}
password: $DB_PASSWORD
password: {{ vault_password }}
password: %(password)s
password: ********
password: [REDACTED]
password: your_password_here
password: changeme-please
password=password
Password: must be at least 8 characters
Password: required, at least one digit
Password: (leave empty to keep)
Password reset link sent.
Password manager of the year
my password is too short
my password is not accepted
my password is not working since yesterday
the password is wrong
the password is stored in the database as a salted hash
the password is the same as for the laptop
I forgot my password yesterday, what can I do?
I changed my password after the leak, and all is fine.
Which password manager do you recommend?
use a strong password, then log out
use it as a password for nothing
Should I use my birthday as password? No!
the password should be changed every 90 days
with password login disabled in sshd_config
password = getpass()
password = getpass.getpass("Password: ")
password = os.environ["DB_PASSWORD"]
password = request.form.get("password")
password = config.password
password = input("Enter password: ")
if password == confirm_password:
def login(user: str, password: str) -> None:
login(user=user, password=password)
self.password = password
PASSWORD_FIELD = "password"
password_hash = bcrypt.hashpw(password, salt)
const password = req.body.password;
const { password } = req.body
password: z.string().min(8)
PasswordInput(label="Password")
<input type="password" name="password" id="password1">
<label for="password">Password:</label>
api_key = "YOUR_API_KEY"
api_key = os.getenv("OPENAI_API_KEY")
OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx
OPENAI_API_KEY=sk-...
export GITHUB_TOKEN=$(gh auth token)
export AWS_PROFILE=staging
AWS_SECRET_ACCESS_KEY=<your-secret-key>
token = response.json()["token"]
token = next(tokens)
token: CancellationToken
const token = generateToken(user123)
max_tokens: 4096
token_type: bearer
token_endpoint: https://auth.example.com/oauth2/token
num_tokens = len(tokenizer.encode(text))
The token is then sent in the header
the secret is to stir slowly
the secret of good bread: time
the secret ingredient is cinnamon
secret = settings.SECRET_KEY
client_secret: str = Field(...)
The key is consistency and patience
key = lambda item: item.name
key: value
sorted(rows, key=itemgetter(1))
primary_key=True
Bearer tokens are sent in headers
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
postgres://user:password@localhost/db
postgres://${USER}:${PASS}@localhost/db
mysql -u root -p
mysql -u root -p$MYSQL_PWD shop
mkdir -p build/output
docker run -p 8080:80 nginx
curl -u $USER:$TOKEN https://api.example.com
curl -u user https://api.example.com
ssh -p 2222 bob@host
PWD: /home/bob/project1
pwd=/srv/www/html
cd "$PWD" && ls
sshpass is not installed
the pin is bent, and pin 13 is the LED
pin: 13
GPIO pin 1017 is not there
Pin the version: 2024 is out
pip install pinned==1.2.3
I pinned 4 of them
the door code was changed
code: 404
error code: 5021
zip code: 90210
postal code 10115
the country code is 49
cvv is asked for at the checkout
SSN is short for social security number
ssn: integer
IBAN is the international account number
my IBAN starts with DE89 and I will send the rest
Cookie: <session cookie>
Set-Cookie: lang=en; Path=/
cookies: chocolate chip, 200 g of sugar
X-Api-Key: <key>
sig=None
signature=inspect.signature(function)
code=utf-8
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
ssh-rsa is a type of key
my seed potatoes arrived, the phrase is older than you think
abandon ship, said the captain, above all be able to swim
sk-learn is scikit-learn
risk-assessment-for-2024-quarter-one, task-list-of-2024-01-17-review
APARTMENTS for rent
ASIA-PACIFIC-REGION
hf_dataset_name_with_a_long_tail
key-value-store-with-a-long-name
secret_santa_2024_list_of_names
access_token=None
access_token={token}
https://example.com/reset?token=<token>
https://example.com/search?q=password+manager&page=2
https://discord.com/channels/1234/5678
https://hooks.slack.com/services/XXX/YYY/ZZZ
Meet me at 10.0.0.1 or 8.8.8.8
My phone is +49 170 1234567, or 0170-7654321
call (555) 010-4477 before 5 pm
born 1984-03-21, 1.82 m, 78 kg
pass: 12 of 14 tests
pass the salt, please
passed: 120, failed: 3
passing: true
pass: bool
pass = 1
passes = 3
passage: a short one
password-protected zip files
passphrase: leave blank for none
passcode lock after 5 minutes
das Passwort ist falsch
das Passwort wurde gestern vergessen
la contraseña es incorrecta
le mot de passe est obligatoire
пароль неверный
пароль должен быть длиннее
密码错误
密码不能为空
senha incorreta, tente novamente
the passport is in the drawer, it expires 2027-03-12
my bank account is blocked
Account number required
the code for the door is broken
the safe is 22-14-09 cm inside
the safe is 2-3 years old
the locker is 2200 mm high
the padlock is 3-4-5 years old
the nearest safe is 10-15-20 mins away
the release is 22-14-09
the house is 22-14-09
the zip code is 94110 and the house is 1450 sq ft
the error code is 5501 and the alarm is 30 m away
the country code is 320 and the office is 555 1234
the coupon code is 2024 and the gym is 25 10 20
the boiler alarm code is F075, it means low pressure
my tax reference for 2023-24 2024-25 is pending
the building code is a2019 edition
The code for the house style is 2024-style
the combination of 12 34
backup codes 2024-01-01 to 2024-02-01
recovery codes are printed and kept in the safe
backup key: stored in the vault
password: see the vault
Password: ask Bob
the password is acting strange lately
the password is stored encrypted using bcrypt
enter your password: then press return
the security question is optional
the answer to the security question is stored hashed
my login is broken / again
Login: Google / Facebook
seed phrase: twelve words that you write down and keep in a safe place always
my wifi is slow and the key is to restart it
the wifi key is printed on the router
""".splitlines()


def _text(alphabet: str, length: int, chance: random.Random) -> str:
    return "".join(chance.choice(alphabet) for _ in range(length))


def lookalikes(count: int = 100) -> Iterator[str]:
    """Yield `count` lines of each sort, with ids, hashes and numbers that are no secrets."""
    chance = random.Random(7)
    for _ in range(count):
        yield f"request {uuid.UUID(int=chance.getrandbits(128), version=4)} took 12 ms"
        yield f"commit {_text(_HEX, 40, chance)}"
        yield f"fixed in {_text(_HEX, 7, chance)}, see also {_text(_HEX, 12, chance)}"
        yield f"sha256:{_text(_HEX, 64, chance)}  model.onnx"
        yield f"{_text(_HEX, 32, chance)}  archive.tar.gz"
        yield f"<img src='data:image/png;base64,{base64.b64encode(chance.randbytes(300)).decode()}'>"
        yield f"integrity sha512-{base64.b64encode(chance.randbytes(64)).decode()}"
        yield f"tracking number 1Z{_text(_UP, 6, chance)}{chance.randrange(10**9, 10**10)}"
        yield f"DHL {chance.randrange(10**11, 10**12)} arrives on Monday"
        yield f"order no. {chance.randrange(10**6, 10**7)}-{chance.randrange(10**5, 10**6)} of March"
        isbn = (chance.randrange(9), chance.randrange(100, 999), chance.randrange(10**4, 10**5), chance.randrange(9))
        yield f"ISBN 978-{'-'.join(map(str, isbn))}"
        yield f"call me on +1 {chance.randrange(200, 999)} {chance.randrange(200, 999)} {chance.randrange(1000, 9999)}"
        yield f"invoice {chance.randrange(2019, 2027)}-{chance.randrange(10**4, 10**5)}, {chance.randrange(10, 900)}.00"
        yield f"ts={chance.randrange(1_600_000_000_000, 1_800_000_000_000)} id={chance.getrandbits(62)}"
        yield f"https://example.com/p/{_text(_HEX, 24, chance)}?utm_source=mail&ref={_text(_HEX, 10, chance)}"
        yield f"arn:aws:iam::{chance.randrange(10**11, 10**12)}:role/build-{_text(_HEX, 6, chance)}"
        yield f'"etag": "W/\\"{_text(_HEX, 32, chance)}\\""'
        yield f"image: registry.example.com/app@sha256:{_text(_HEX, 64, chance)}"
        yield f"0x{_text(_HEX, 40, chance)} holds 3 tokens"
        yield f"{chance.random():.16f} {chance.random():.16f}"


@cache
def corpora() -> dict[str, list[str]]:
    """Return texts by corpus, without the standard library's tests, which contain made-up secrets."""
    library = Path(sysconfig.get_path("stdlib"))
    source = [file for folder in ("curator", "store") for file in (ROOT / folder).rglob("*.py")]
    prose = [
        *sorted(ROOT.glob("*.md")),
        *sorted(ROOT.glob("docs/*.md")),
        ROOT / "LICENSE",
        library / "pydoc_data" / "topics.py",
    ]
    own = [file for file in sorted(source) if "secrets" not in str(file.relative_to(ROOT))]
    modules = [file for file in sorted(library.rglob("*.py")) if not {"test", "tests", "site-packages"} & {*file.parts}]
    return {
        "this program": [file.read_text(encoding="utf-8") for file in own],
        "standard library": [file.read_text(encoding="utf-8", errors="replace") for file in modules],
        "prose": [file.read_text(encoding="utf-8", errors="replace") for file in prose if file.is_file()],
        "lookalikes": list(lookalikes()),
        "about secrets": ABOUT_SECRETS,
    }
