"""The server's address: OLLAMA_HOST as Ollama parses it, and whether it is this machine."""

import ipaddress
import os
import re
from urllib.parse import urlsplit

from curator.models.interfaces import NotAllowed

DEFAULT = "http://127.0.0.1:11434"
_PORTS = {"http": "80", "https": "443"}
_NAME = re.compile(r"[\w.-]+")
_PORT = re.compile(r"[+-]?\d{1,10}")


def parse_host(text: str) -> str:
    """Return a host as a URL with scheme, host and port, and the path if there is one.

    Without a scheme, use http and port 11434; with one, the scheme's own port. An invalid port is ignored. A listening
    address (0.0.0.0, [::]) means this machine. Raises NotAllowed for an invalid address or a scheme other than http and
    https.
    """
    text = text.strip().strip("\"'").strip()
    scheme, given, rest = text.partition("://")
    if not given:
        scheme, rest = ("https", "ollama.com:443") if text == "ollama.com" else ("http", text)
    elif scheme not in _PORTS:
        raise NotAllowed(f"{text} is not a server address: write http:// or https:// before the host, or neither")
    usual = _PORTS[scheme] if given else "11434"
    rest, _, path = rest.partition("/")
    host, port = _split(rest, usual)
    path = path.strip("/")
    if not _NAME.fullmatch(host) and _address(host) is None:
        raise NotAllowed(f"{text} is not a server address; write it as 127.0.0.1:11434")
    address = _address(host)
    host = host.lower() if address is None else str(address)
    if address is not None and address.is_unspecified:  # a listening address, of use only to a server
        host = "127.0.0.1" if address.version == 4 else "::1"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}" + (f"/{path}" if path else "")


def configured_host(setting: str) -> str:
    """Return the address in a setting, or that of OLLAMA_HOST if empty. Raises NotAllowed."""
    return parse_host(setting if setting.strip() else os.environ.get("OLLAMA_HOST", ""))


def speaks_openai(url: str) -> bool:
    """Return True if a server speaks the OpenAI protocol, as LM Studio, llama.cpp and vLLM: its address ends in /v1."""
    return urlsplit(url).path.rstrip("/").endswith("/v1")


def is_loopback(url: str) -> bool:
    """Return True if a host is this machine: 127.0.0.0/8, ::1 or `localhost`."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    address = _address(host)
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or address
    return address is not None and address.is_loopback


def check_host(url: str, allowed: str) -> None:
    """Raise NotAllowed if text sent to `url` would leave this machine and `allowed` does not name the host."""
    if is_loopback(url) or (allowed.strip() and parse_host(allowed) == url):
        return
    host = urlsplit(url).netloc
    raise NotAllowed(
        f"{host} is another machine, and your text would be sent to it; if you want that, allow it with: "
        f"curator config ollama.allow_host {url}"
    )


def _split(text: str, usual: str) -> tuple[str, str]:
    """Split host and port as Go's net.SplitHostPort does; a text it cannot split is all host."""
    bracketed = re.fullmatch(r"\[([^\[\]]*)\]:([^:\[\]]*)", text)
    plain = re.fullmatch(r"([^:\[\]]*):([^:\[\]]*)", text)
    if found := bracketed or plain:
        host, port = found.groups()
    else:
        host, port = text.strip("[]"), usual
    if not _PORT.fullmatch(port) or not 0 <= int(port) <= 65535:
        port = usual
    return host or "127.0.0.1", str(int(port))


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse an IP address; return None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
