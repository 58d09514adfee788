"""Secrets in an imported chat: not stored, shown, exported or distilled."""

import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.runner import Curator
from effort import thorough

sys.path.insert(0, str(Path(__file__).parents[1] / "secrets"))

from curator import paths
from curator.config import settings
from curator.errors import ConfigError
from curator.secrets import redact
from curator.secrets.scan import reread_settings, switched_off
from importers.sample_logs import write_json
from secret_values import fill

SAID = (
    ("My wifi password is {}, I always forget it.", "{title}{digit:2}$"),
    ("I use {} as password for the router.", "My-{title}-{digit:2}"),
    ("pw: {}", "{title}.{title}{digit:2}"),
    ("Mein Passwort ist {}.", "{title}{digit:2}]"),
    ("мой пароль: {}", "${title}{digit:2}"),
    ("My card is {}, I pay everything with it.", "{card:visa }"),
    ("The cvv is {} by the way.", "{digit:3}7"),
    ("My IBAN is {}.", "{iban:DE }"),
    ("My seed phrase is {}.", "{seed:12}"),
    ("The PIN for my phone is {}.", "{digit:6}"),
    ("I log in to Vault with {} at work.", "hvs.{url:90}"),
    ("My Shopify token is {}.", "shpat_3f36{hex:28}"),
    ("My SSN is {}.", "{ssn}"),
    ("I set DB_PASSWORD={}", "{mixed:12}"),
    ("I run mysql -u root -p{} shop every day.", "{title}{digit:4}"),
    ("My Databricks token is {}.", "dapi{hex:32}"),
    ("I wrote xprv down: {}", "{xprv}"),
)


@pytest.fixture
def home() -> Path:
    return Path(paths.store_folder()).parent


def values() -> Iterator[tuple[str, str]]:
    chance = random.Random(3)
    for sentence, template in SAID:
        value = fill(template, chance)
        yield sentence.replace("{}", value), value


def log(file: Path) -> Path:
    """Write a Claude export that says every secret, the first one in its title too."""
    said = list(values())
    messages = [
        {
            "uuid": f"00000000-0000-4000-8000-{number:012}",
            "sender": "human",
            "text": text,
            "created_at": f"2026-01-01T00:00:{number:02}Z",
        }
        for number, (text, _) in enumerate(said)
    ]
    made = {
        "uuid": "c1",
        "name": f"Login: password is {said[0][1]}",
        "chat_messages": messages,
        "account": {"uuid": "a"},
    }
    return write_json(file, [made])


@thorough
def test_nothing_of_seventeen_secrets_stays_and_none_is_a_memory(curator: Curator, tmp_path: Path, home: Path) -> None:
    export = log(tmp_path / "conversations.json")
    ran = curator("import", export, "--json")
    assert ran.code == 0, ran.err
    assert ran.rows[0]["redacted"] >= len(SAID)
    asked = (("list", "--json"), ("log", "--json"), ("scan",), ("search", "password"))
    printed = [curator(*words).out for words in asked]
    assert "secrets: none" in printed[2]
    (home / "exports").mkdir(exist_ok=True)
    assert curator("export", home / "exports" / "memories.jsonl").code in (0, 1)
    stored = b"".join(bytes(file) + file.read_bytes() for file in home.rglob("*") if file.is_file())
    for _, value in values():
        for form in (value.encode(), value.encode("utf-16-le"), value.replace(" ", "").encode()):
            assert len(form) < 6 or form not in stored, value  # four digits may also occur in times and ids
        assert not any(re.search(rf"(?<![\w-]){re.escape(value)}(?![\w-])", text) for text in printed), value
    assert "[REDACTED]" not in printed[0]


@thorough
def test_the_same_log_again_adds_nothing(curator: Curator, tmp_path: Path) -> None:
    export = log(tmp_path / "conversations.json")
    first = curator("import", export, "--json").rows[0]
    again = curator("import", export, "--json").rows[0]
    assert sum(first["messages"].values()) == len(SAID)
    assert (sum(again["messages"].values()), again["conversations"], again["memories"]) == (0, 0, 0)


@thorough
def test_a_log_stored_under_a_worse_detector_is_recognised(
    curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = log(tmp_path / "conversations.json")
    monkeypatch.setenv("CURATOR_SECRETS__OFF", "password,card,iban,pin")
    reread_settings()
    curator("import", export, "--no-distil", "--json")
    monkeypatch.delenv("CURATOR_SECRETS__OFF")
    reread_settings()
    assert "secrets: none" not in curator("scan").out
    again = curator("import", export, "--json").rows[0]
    assert (sum(again["messages"].values()), again["conversations"]) == (0, 0)


@thorough
def test_a_scan_takes_out_what_an_older_detector_let_in(
    curator: Curator, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_SECRETS__OFF", "password,card,iban,pin,cvv,seed-phrase,vault,ssn,shopify,databricks")
    reread_settings()
    curator("import", log(tmp_path / "conversations.json"), "--json")
    monkeypatch.delenv("CURATOR_SECRETS__OFF")
    reread_settings()
    assert curator("scan", "--redact", "--yes").code == 0
    assert "secrets: none" in curator("scan").out
    stored = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
    long = [value for _, value in values() if len(value) > 5]  # a shorter one may occur in any number
    assert [value for value in long if value.encode() in stored] == []


# Switched-off kinds


def test_a_kind_that_is_switched_off_stands() -> None:
    card = fill("{card:visa}", random.Random(1))
    said = f"My card is {card}, my password is hunter22."
    assert card not in redact(said).text
    paths.config_file().parent.mkdir(parents=True)
    paths.config_file().write_text('[secrets]\noff = ["card", "iban"]\n')
    settings.cache_clear()
    reread_settings()
    assert settings().secrets.off == ["card", "iban"]
    assert card in redact(said).text
    assert "hunter22" not in redact(said).text


@pytest.mark.parametrize(
    ("variable", "value", "off"),
    [
        ("CURATOR_SECRETS__OFF", "iban,pin", {"iban", "pin"}),
        ("CURATOR_SECRETS__OFF", '["iban"]', {"iban"}),
        ("CURATOR_SECRETS", '{"off": ["iban"]}', {"iban"}),
    ],
)
def test_the_environment_switches_off_too(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, off: set[str]
) -> None:
    monkeypatch.setenv(variable, value)
    reread_settings()
    assert switched_off() == off == set(settings().secrets.off)


@pytest.mark.parametrize("text", ['[secrets]\noff = ["ibn"]\n', '[secrets]\noff = "ibn"\n'])
def test_a_kind_that_there_is_not_is_refused_with_the_names(text: str) -> None:
    paths.config_file().parent.mkdir(parents=True)
    paths.config_file().write_text(text)
    settings.cache_clear()
    reread_settings()
    for read in (settings, switched_off):
        with pytest.raises(ConfigError, match=r"unknown kind of secret 'ibn'.* iban"):
            read()


def test_the_command_line_switches_off(curator: Curator) -> None:
    assert curator("config", "secrets.off=iban,pin").code == 0
    assert switched_off() == {"iban", "pin"}
    assert curator("config", "secrets.off=nothing").code == 2
    assert "secrets.off" in curator("config", "--explain").out
