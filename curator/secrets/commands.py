"""Detectors of secrets on command lines, and in URLs, headers and cookies."""

import re
from collections.abc import Iterator

from curator.secrets.detector import (
    Detector,
    DetectorScope,
    Span,
    compiled,
    is_no_placeholder,
    is_place,
    is_placeholder,
    is_random,
    is_random_value,
)

_QUERY = (
    r"(?i:access_token|token|auth|api[_-]?key|key|sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|code"
    r"|secret|password|passwd|pwd|client_secret|session(?:id)?|jwt|refresh_token|id_token|sas|access_key|hmac|apitoken)"
)


def is_argument(match: re.Match[str], value: str) -> bool:
    """Check that an argument is not a variable, path or number."""
    bare = value.strip("'\"")
    return not is_placeholder(bare) and not is_place(bare)


def _command(literals: str, pattern: str, before: int = 0) -> Detector:
    """Return a detector of a password argument; `literals` are separated by bars."""
    value = r"(?P<value>'[^'\n]{3,200}'|\"[^\"\n]{3,200}\"|[^\s'\"|;&`]{3,200})"
    pattern = pattern.replace("VALUE", value)
    label = "password on a command line"
    found = tuple(literals.split("|"))
    return Detector("command-password", label, found, pattern, DetectorScope.WORD, "value", is_argument, before=before)


def query_tokens(text: str) -> Iterator[Span]:
    """Yield tokens in URL queries: any password, and other values if long and random."""
    for match in compiled(rf"[?&;#](?:amp;)?(?P<name>{_QUERY})=(?P<value>[^&\s\"'<>#\\]{{6,2000}})").finditer(text):
        value = match["value"]
        is_password = match["name"].lower() in ("password", "passwd", "pwd")
        if not is_placeholder(value) and (is_password or (len(value) >= 16 and is_random(value))):
            yield match.span("value")


def cookies(text: str) -> Iterator[Span]:
    """Yield cookie values that look random."""
    for line in compiled(r"(?i:cookie)[\"']?[ \t]*:[ \t]*[\"']?([^\r\n]{1,8000})").finditer(text):
        for match in compiled(r"(?:^|(?<=[;,\s]))[\w.\-]{1,60}=([^;\s\"',]{16,2000})").finditer(text, *line.span(1)):
            if is_random_value(match, match[1]):
                yield match.span(1)


COMMANDS: tuple[Detector, ...] = (
    _command("mysql|mysqldump|mysqladmin|mysqlimport|mariadb", r"[a-z]+\b[^\n|;&]{0,300}?[ \t]-pVALUE"),
    _command(
        "curl",
        r"curl\b[^\n|;]{0,400}?[ \t](?:-u|--user|--proxy-user)[ \t=]?['\"]?[^\s:'\"]{1,60}:(?P<value>[^\s'\"]{3,200})",
    ),
    _command("sshpass", r"sshpass[ \t]+-p[ \t]*VALUE"),
    _command(" login", r"[ ]login\b[^\n|;&]{0,200}?[ \t](?:-p|--password|--token)[ \t=]VALUE"),
    _command("redis-cli", r"redis-cli\b[^\n|;&]{0,200}?[ \t](?:-a|--pass)[ \t=]VALUE"),
    _command("-passin|-passout|-password", r"-pass(?:in|out|word)[ \t]+pass:VALUE"),
    _command("echo", r"echo[ \t]+(?:-\w[ \t]+)?VALUE[ \t]*\|[ \t]*sudo[ \t]+(?:-\w+[ \t]+)*-\w*s"),
    _command("net use", r"net use\b[^\n]{0,200}?/user:\S{1,80}[ \t]+VALUE"),
    _command("--pass|--password|--passwd", r"--pass(?:word|wd|phrase)?[ \t](?!-)VALUE"),
    _command("htpasswd", r"htpasswd[ \t]+-\w*b\w*[ \t]+(?:\S+[ \t]+){2}VALUE"),
    _command("vault login", r"vault login[ \t]+(?P<value>(?=\S*\d)[\w.\-]{16,400})"),
    _command("identified by", r"identified by[ \t]+(?P<value>['\"][^'\"\n]{3,200}['\"])"),
    _command("net user", r"net user[ \t]+\S{1,60}[ \t]+(?P<value>(?=\S*\d)[^\s/]{4,100})"),
    Detector(
        "url-password",
        "password in an address",
        ("://",),
        r"://[^\s:/@\"'<>]{0,100}:([^\s\"'<>/]{1,200})@(?=[\w\[.-])",
        DetectorScope.WORD,
        1,
        is_no_placeholder,
    ),
    Detector(
        "url-password",
        "key in an address",
        ("://",),
        r"://([a-z0-9_\-]{20,200})@(?=[\w.-]+\.)",
        DetectorScope.WORD,
        1,
        is_random_value,
    ),
    Detector("url-token", "token in an address", ("://",), scan=DetectorScope.WORD, find=query_tokens),
    Detector(
        "bearer",
        "authorization header",
        ("bearer", "authorization"),
        r"(?:bearer|authorization\W{1,4}(?:basic|token|apikey|bot|splunk|ssws))[ \t]+([a-z0-9._~+/=\-]{12,4000})",
        DetectorScope.WORD,
        1,
        is_random_value,
    ),
    Detector("cookie", "session cookie", ("cookie",), scan=DetectorScope.WORD, find=cookies),
    Detector(
        "aws",
        "AWS secret key",
        ("secret",),
        r"secret.{0,30}?[\"'`\s=:]((?:[0-9a-z+]|\\?/){40})(?![0-9a-z/+=])",
        DetectorScope.WORD,
        1,
        is_random_value,
    ),
    Detector(
        "npm",
        "npm token",
        ("_authtoken",),
        r"_authtoken[ \t]*=[ \t]*[\"']?([\w\-.]{16,200})",
        DetectorScope.WORD,
        1,
        is_no_placeholder,
    ),
    Detector(
        "totp",
        "two-factor secret",
        ("otpauth://",),
        r"otpauth://\S{0,300}?[?&]secret=([a-z2-7=]{8,200})",
        DetectorScope.WORD,
        1,
    ),
)
