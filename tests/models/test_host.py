"""Addresses of a model server, and whether text sent there stays on this machine."""

import pytest

from curator.models import NotAllowed
from curator.models.ollama import DEFAULT, Allowed, Server, configured, is_loopback, parse_host

MEANT = {
    "": DEFAULT,
    "   ": DEFAULT,
    " 127.0.0.1:11434 ": DEFAULT,
    "'127.0.0.1'": DEFAULT,
    '" 127.0.0.1 "': DEFAULT,
    "1.2.3.4": "http://1.2.3.4:11434",
    ":8080": "http://127.0.0.1:8080",
    "example.com": "http://example.com:11434",
    "Example.COM:56789/": "http://example.com:56789",
    "http://1.2.3.4": "http://1.2.3.4:80",
    "https://1.2.3.4": "https://1.2.3.4:443",
    "https://example.com:56789/path/": "https://example.com:56789/path",
    "example.com/a/b": "http://example.com:11434/a/b",
    "http://": "http://127.0.0.1:80",
    "[::1]": "http://[::1]:11434",
    "::1": "http://[::1]:11434",
    "[0001:002:003:0004::1]:56789": "http://[1:2:3:4::1]:56789",
    "https://[::1]": "https://[::1]:443",
    "0.0.0.0": DEFAULT,
    "http://0.0.0.0:11434": DEFAULT,
    "[::]:5000": "http://[::1]:5000",
    "localhost:nonsense": "http://localhost:11434",
    "localhost:66000": "http://localhost:11434",
    "localhost:-1": "http://localhost:11434",
    "https://localhost:": "https://localhost:443",
    "ollama.com": "https://ollama.com:443",
}


@pytest.mark.parametrize("text", MEANT)
def test_a_host_is_read_as_ollama_reads_it(text: str) -> None:
    assert parse_host(text) == MEANT[text]
    assert parse_host(parse_host(text)) == MEANT[text]


@pytest.mark.parametrize("text", ["ftp://localhost", "unix:///tmp/ollama.sock"])
def test_other_protocols_are_refused(text: str) -> None:
    with pytest.raises(NotAllowed, match="http"):
        parse_host(text)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10:1", "localhost", "[::1]", "[::ffff:127.0.0.1]"])
def test_this_machine_is_known(host: str) -> None:
    assert is_loopback(parse_host(host))


@pytest.mark.parametrize(
    "host", ["10.0.0.5", "example.com", "localhost.example.com", "a.localhost", "127.0.0.1.example.com", "[fe80::1]"]
)
def test_another_machine_is_refused_and_allowed_by_name(host: str) -> None:
    assert not is_loopback(parse_host(host))
    with pytest.raises(NotAllowed, match=r"another machine.*ollama\.allow_host"):
        Server(host)
    with pytest.raises(NotAllowed):
        Server(host, Allowed("10.9.9.9"))
    assert Server(host, Allowed(host)).host == parse_host(host)


@pytest.mark.parametrize("text", ["127.0.0.1@example.com", "localhost#@a.com", "a b", "a:b:c", "a\\@localhost"])
def test_nothing_in_a_host_hides_where_it_is(text: str) -> None:
    with pytest.raises(NotAllowed, match="not a server address"):
        Server(text)


def test_settings_come_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "0.0.0.0:5555")
    assert configured().host == configured(embedding=True).host == "http://127.0.0.1:5555"
    monkeypatch.setenv("CURATOR_OLLAMA__HOST", "127.0.0.1:6666")
    monkeypatch.setenv("CURATOR_OLLAMA__EMBED_HOST", "127.0.0.1:7777")
    from curator.config import settings

    settings.cache_clear()
    assert configured().host == "http://127.0.0.1:6666"
    assert configured(embedding=True).host == "http://127.0.0.1:7777"
    monkeypatch.setenv("CURATOR_OLLAMA__HOST", "127.0.0.1:1234/v1")  # not an Ollama address
    settings.cache_clear()
    assert configured().host == "http://127.0.0.1:5555"
    assert configured(embedding=True).host == "http://127.0.0.1:7777"
