"""Secrets that people say in plain words: name, template of the value, and sentences around it."""

_WIFI = (
    "My wifi key is {}",
    "wifi key: {}",
    "The wifi is called Miso and the key is {}",
    "The Wi-Fi network is Home 2 and the key: {}",
    "WPA2 key = {}",
    "the network key is {}",
    "my WLAN key is {}, keep it",
)
_PHRASE = (
    "My wifi password: {}",
    "my wifi password is {}",
    "Password: {}.",
    "the passphrase for the backup is {}, please remember it",
    "password: {} and that is it",
    "Passphrase = {}",
    "my password is now {}",
    "- **password:** {}",
    "mi contraseña: {}",
    "Mein Passwort lautet {}.",
    "wifi password\u00a0: {}",
)
_SEED = (
    "my seed phrase is {}",
    "Seed phrase: {}.",
    "the recovery phrase for my wallet is {}, keep it",
    "wallet mnemonic:\n{}",
    'seed words are "{}"',
)
_SORT = ("My sort code is {}", "sort code: {}, thanks", "Sort code {}", "the sort code for rent is {}")
_ACCOUNT = (
    "my account number is {}",
    "Sort code 12-34-56 and account number {}",
    "routing number 021000021 account {}",
    "Account no. {} at the bank",
    "account {}, routing 021000021",
    "BSB 062-000 acct {}",
    "Kontonummer: {}",
)
_ROUTING = ("routing number {}", "the routing number is {}", "Routing: {}, account as before", "ABA routing no. {}")
_CARD = ("{}", "my card is {} if you need it", "card: {}, exp 04/29", "I paid with {} at the shop")
_BROKEN = (
    "my pass\u200bword is {}",
    "p\u00adassword: {}",
    "my wifi\u2060 pass\u200dword is {}",
    "pass\ufeffphrase: {}",
)
_LOGIN = (
    "login for the NAS is admin / {}",
    "login: maria / {}",
    "Login details: bob / {}",
    "The logins are bob / {}",
    "user / password: admin / {}",
    "credentials for the router: admin / {}",
    "username/password is maria / {}",
)
_RECOVERY = (
    "Recovery code {}",
    "my recovery code is {}",
    "backup code: {}",
    "two-factor backup codes: {}",
    "My 2FA codes are {}",
    "emergency codes:\n{}",
    "recovery key for the laptop: {}",
    "Here are the backup codes for GitHub: {}",
)
_LOCK = (
    "The code for my front door is {}",
    "My safe combination is {}",
    "door code: {}",
    "the combination to the safe is {}",
    "the code for the alarm: {}",
    "Combination for the bike lock is {}, write it down",
    "locker code is {}",
)
_PASSPORT = (
    "My passport number is {}",
    "passport: {}",
    "Passport no. {} expires in May",
    "my driver's license number is {}",
    "Reisepass {}",
    "the passport number for my wife is {}",
)
_ANSWER = (
    "my security answer is {}",
    "The answer to my security question is {}",
    "Security question: What was the name of your first pet? Answer: {}",
    "security answer: {}",
    "the answer to the security question about my pet is {}, remember that",
    "my mother's maiden name is {}",
    "Mother's maiden name: {}",
)

PERSONAL: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("wifi-key", "{word}-{word}-{digit:2}", _WIFI),
    ("wifi-key-digits", "{word}{digit:2}", _WIFI),
    ("wifi-key-words", "{word} {word} {word} {word}", _WIFI[:5]),
    ("passphrase-plain", "{plain:4}", _PHRASE),
    ("passphrase-plain-six", "{plain:6}", _PHRASE),
    ("passphrase-three", "{word} {word} {word}", _PHRASE[:8]),
    ("passphrase-two", "{word} {word}", ("Password: {}", "my wifi password: {}", "passphrase: {}.")),
    ("passphrase-digit", "{word} {word} {digit:2} {word}", _PHRASE),
    ("seed-unchecked", "{plain:12}", _SEED),
    ("seed-unchecked-24", "{plain:24}", _SEED),
    ("seed-other-list", "{word} {word} {word} {word} {word} {word} {word} {word} {word} {word} {word} {word}", _SEED),
    ("sort-code", "{digit:2}-{digit:2}-{digit:2}", _SORT),
    ("bank-account", "{digit:8}", _ACCOUNT),
    ("bank-account-long", "000{digit:9}", _ACCOUNT),
    ("routing-number", "{digit:9}", _ROUTING),
    ("card-dotted", "{card:visa.}", _CARD),
    ("card-unbroken-hyphens", "{card:mastercard\u2011}", _CARD),
    ("card-unbroken-spaces", "{card:amex\u00a0}", _CARD),
    ("card-wide", "{wide:visa}", _CARD),
    ("card-wide-spaced", "{wide:visa }", _CARD),
    ("iban-dotted", "{iban:DE.}", _CARD),
    ("password-broken-word", "{word}{digit:2}", _BROKEN),
    ("token-broken", "ghp_{alnum:10}\u200b{alnum:26}", ("{}", "my token is {}")),
    ("login-pair", "{word}{digit:2}", _LOGIN),
    ("login-pair-leet", "p4{word}!", _LOGIN),
    ("recovery-hyphens", "{hex:4}-{digit:2}{hex:2}-{hex:2}{digit:2}", _RECOVERY),
    ("recovery-codes", "{digit:6} {digit:6} {digit:6}", _RECOVERY),
    ("recovery-lines", "{digit:2}{hex:3}-{hex:3}{digit:2}\n{digit:2}{hex:3}-{hex:3}{digit:2}", _RECOVERY),
    ("lock-code", "{digit:4}#", _LOCK),
    ("lock-combination", "{digit:2}-{digit:2}-{digit:2}", _LOCK),
    ("passport", "{upper:1}{digit:8}", _PASSPORT),
    ("passport-digits", "{digit:9}", _PASSPORT),
    ("security-answer", "{title}", _ANSWER),
    ("security-answers", "{title} {title}", _ANSWER),
    (
        "national-insurance",
        "QQ {digit:2} {digit:2} {digit:2} C",
        ("my NI number is {}", "National insurance number: {}"),
    ),
    ("password-short-name", "{word}{digit:1}{word}", ("pw {}", "pwd {}", "NAS pw {}")),
)
