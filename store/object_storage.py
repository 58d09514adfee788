"""Object storage of three vendors: the variables that configure access, and errors with their remedy.

The clients (obstore, LanceDB) read these variables themselves, and their errors nest in the same way.
"""

import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_NO_CREDENTIALS = (  # hosts that are asked for credentials if nothing else is configured, and LanceDB's own words
    "169.254.169.254",
    "metadata.google.internal",
    "Failed to get AWS credentials",
)
_LOGIN = re.compile(r"://[^/\s@]+@")
_CAUSES = (("<Code>", "<"), ('source: "', ":"), ('message: "', '"'), ("ConnectError(", ","), ("kind: ", ","))
"""Delimiters of the cause in nested errors, most reliable first."""
_MISSING = re.compile(r"NoSuchBucket|ContainerNotFound|specified (?:bucket|container) does not exist")
_REFUSED = re.compile(r"\bstatus: 40[13]\b|non-2xx status code: 40[13]\b|\(code: 40[13]\)|\bTokenRequest \{")
_INVALID = re.compile(
    r"^(?:lance error: LanceError\(IO\): )?"
    r"Generic \w+ error: (.*?(?:credential|account|access key|pem|cli|region)\b.*?)(?:, /\S+:\d+:\d+)?\s*$",
    re.IGNORECASE,
)
_UNCONNECTED = re.compile(r"uri: Some\(\s*\w+://([^/\s?]+).*kind: Connect,", re.DOTALL)
_NO_ACCOUNT = ("Account must be specified", "no storage account configured")


@dataclass(frozen=True, slots=True)
class _Vendor:
    container: str  # the vendor's word for a bucket
    endpoints: tuple[str, ...]  # variables that name another server than the vendor's
    credentials: str  # variables that give access


_VENDORS = {
    "s3": _Vendor(
        "bucket", ("AWS_ENDPOINT_URL", "AWS_ENDPOINT"), "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION"
    ),
    "gs": _Vendor("bucket", ("GOOGLE_BASE_URL",), "GOOGLE_APPLICATION_CREDENTIALS"),
    "az": _Vendor(
        "container",
        ("AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"),
        "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    ),
}


_URL = re.compile(rf"(?:{'|'.join(_VENDORS)})://[^/\s]+(?:/.*)?")


def is_url(text: str) -> bool:
    """Return True for the URL of a bucket or of a prefix in it."""
    return _URL.fullmatch(text) is not None


def form(url: str) -> str:
    """Return the form of a URL of this vendor, for error messages."""
    scheme = url.partition(":")[0]
    return f"{scheme}://{_VENDORS[scheme].container.upper()}/PREFIX"


def without_encryption(url: str) -> bool:
    """Return True if a variable names a server without TLS, as test servers are, which clients refuse otherwise.

    Raises ValueError for a server without its scheme, on which clients panic.
    """
    for name in _VENDORS[url.partition(":")[0]].endpoints:
        if value := os.environ.get(name, "").lower():
            if not value.startswith(("https://", "http://")):
                raise ValueError(f"{name} must start with https:// or http://")
            return value.startswith("http:")
    return False


def bucket_is_missing(error: BaseException) -> bool:
    """Return True if an error is about the bucket, not about an object in it."""
    return _MISSING.search(str(error)) is not None


def cause(url: str, error: BaseException) -> str:
    """Return the cause of a client's error, with its remedy where that is known."""
    vendor = _VENDORS[url.partition(":")[0]]
    text = _LOGIN.sub("://", str(error))
    variables = f"{vendor.credentials}; docs/sync.md lists other ways of access"
    if bucket_is_missing(error):
        return f"the {vendor.container} {urlsplit(url).netloc} does not exist: create it with the vendor's tools"
    if any(words in text for words in _NO_ACCOUNT):
        return "no storage account is set: set AZURE_STORAGE_ACCOUNT_NAME"
    if any(words in text for words in _NO_CREDENTIALS):
        return f"no credentials were found: set {variables}"
    if "uri:" not in text and (invalid := _INVALID.match(text.partition("\n")[0])):
        return f"{invalid[1].rstrip('.')}: check {variables}"
    told = text.partition("\n")[0][:160]
    for mark, end in _CAUSES:
        if (found := text.partition(mark)[2].partition(end)[0].strip('" \n')) != "":
            told = found
            break
    if unconnected := _UNCONNECTED.search(text):
        return f"no connection to {unconnected[1]}: {told}"
    if _REFUSED.search(text):
        return f"access refused, {told}: check {variables}"
    return told
