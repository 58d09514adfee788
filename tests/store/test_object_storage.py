"""Errors of the clients of object storage: their cause in few words, with its remedy."""

import pytest

from store import object_storage

REQUEST = "RetryError(RetryErrorImpl { method: GET, uri: Some(https://words.blob.core.windows.net/x?list), inner: "
AWS = "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION; docs/sync.md lists other ways of access"
GOOGLE = "GOOGLE_APPLICATION_CREDENTIALS; docs/sync.md lists other ways of access"


@pytest.mark.parametrize(
    ("url", "error", "told"),
    [
        (
            "s3://words/x",
            "Generic S3 error: Error performing PUT http://169.254.169.254/latest/api/token in 1s - HTTP error",
            f"no credentials were found: set {AWS}",
        ),
        (
            "s3://words/x",
            'IO { source: Generic { store: "S3", source: "Failed to get AWS credentials: ..." } }',
            f"no credentials were found: set {AWS}",
        ),
        (
            "gs://words/x",
            "IO { source: TokenRequest { uri: Some(http://metadata.google.internal/computeMetadata), kind: Connect } }",
            f"no credentials were found: set {GOOGLE}",
        ),
        (
            "az://words/x",
            f'{REQUEST}HttpError {{ kind: Connect, source: Error(Connect, ConnectError("dns error", Custom)) }} }})',
            "no connection to words.blob.core.windows.net: dns error",
        ),
        (
            "s3://words/x",
            'uri: Some(http://user:pass@10.0.0.1:9/x), inner: { kind: Connect, source: ConnectError("refused", 1) }',
            "no connection to 10.0.0.1:9: refused",
        ),
        ("s3://words/x", "Error performing GET http://user:pass@10.0.0.1/x", "Error performing GET http://10.0.0.1/x"),
        (
            "s3://words/x",
            f"{REQUEST}Status {{ status: 403, body: Some('<Error><Code>SignatureDoesNotMatch</Code>') }} }})",
            f"access refused, SignatureDoesNotMatch: check {AWS}",
        ),
        (
            "gs://words/x",
            "Generic GCS error: 400 Bad Request\n\nDebug source:\nGeneric { source: TokenRequest { uri: Some(https://x/token",
            f"access refused, Generic GCS error: 400 Bad Request: check {GOOGLE}",
        ),
        (
            "s3://words/x",
            f"{REQUEST}Status {{ status: 503, body: Some('<Error><Code>SlowDown</Code>') }} }})",
            "SlowDown",
        ),
        (
            "s3://words",
            "lance error: LanceError(IO): Generic S3 error: Failed to resolve region for bucket 'words', /x/a.rs:9:13",
            f"Failed to resolve region for bucket 'words': check {AWS}",
        ),
        (
            "gs://words",
            "Generic GCS error: ETag Header missing from response\nmore",
            "Generic GCS error: ETag Header missing from response",
        ),
    ],
)
def test_a_cause_is_named_with_its_remedy(url: str, error: str, told: str) -> None:
    assert object_storage.cause(url, OSError(error)) == told


def test_only_a_server_without_tls_that_a_variable_names_is_used_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for scheme, variable in (("s3", "AWS_ENDPOINT_URL"), ("gs", "GOOGLE_BASE_URL"), ("az", "AZURE_STORAGE_ENDPOINT")):
        monkeypatch.delenv(variable, raising=False)
        assert not object_storage.without_encryption(f"{scheme}://words")
        monkeypatch.setenv(variable, "https://127.0.0.1:1")
        assert not object_storage.without_encryption(f"{scheme}://words")
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
        assert object_storage.without_encryption(f"{scheme}://words")


@pytest.mark.parametrize(
    ("scheme", "variable"),
    [("s3", "AWS_ENDPOINT_URL"), ("gs", "GOOGLE_BASE_URL"), ("az", "AZURE_STORAGE_ENDPOINT")],
)
def test_a_server_without_its_scheme_is_refused(monkeypatch: pytest.MonkeyPatch, scheme: str, variable: str) -> None:
    monkeypatch.setenv(variable, "localhost:9000")
    with pytest.raises(ValueError, match=f"^{variable} must start with https:// or http://$"):
        object_storage.without_encryption(f"{scheme}://words")
