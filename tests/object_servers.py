"""Test servers of object storage: moto for s3:// and gs://, Azurite for az://. Each is started once per process."""

import atexit
import base64
import contextlib
import hashlib
import hmac
import itertools
import json
import logging
import os
import shutil
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from email.utils import formatdate
from functools import cache
from importlib import import_module
from typing import Any, Protocol

import pytest

KINDS = ("s3", "gs", "az")
EVERYWHERE = pytest.mark.parametrize("bucket", KINDS, indirect=True)
"""Run a test with a bucket of each kind, not of S3 alone."""
_NUMBERS = itertools.count(1)
_KEY = base64.b64encode(b"a key for tests").decode()


class Server(Protocol):
    def create(self, name: str) -> None:
        """Create a bucket."""

    def variables(self, scheme: str) -> dict[str, str]:
        """Return the environment variables that give access."""


@dataclass(frozen=True)
class Bucket:
    """An empty bucket of a test server, to which environment variables give access."""

    url: str
    server: Server

    def objects(self) -> list[str]:
        from obstore.store import from_url

        held = from_url(self.url, client_options={"allow_http": True})
        return sorted(one["path"] for some in held.list() for one in some)


def new_bucket(scheme: str, set_variable: Callable[[str, str], None]) -> Bucket:
    """Return a new bucket; skips the test without its server."""
    pytest.importorskip("obstore", reason="obstore is not installed")
    server: Server = _azurite() if scheme == "az" else moto_server()
    name = f"words{next(_NUMBERS)}"
    server.create(name)
    for variable, value in server.variables(scheme).items():
        set_variable(variable, value)
    return Bucket(f"{scheme}://{name}", server)


@cache
def moto_server() -> "Moto":
    pytest.importorskip("moto.server", reason="the test server is not installed (.[test-s3])")
    return Moto()


@cache
def _azurite() -> "_Azurite":
    if (program := shutil.which("azurite-blob")) is None:
        pytest.skip("Azurite is not installed (npm install -g azurite)")
    return _Azurite(program)


class Moto:
    """moto's S3 server, which also understands Google's clients.

    They use Google's XML API, which gcp-storage-emulator and fake-gcs-server lack. It is that of S3, except for bearer
    tokens and the header that refuses to overwrite an object. moto checks that and writes in two steps, hence the lock.
    """

    def __init__(self) -> None:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        moto: Any = import_module("moto.moto_server.werkzeug_app")
        self._app = moto.DomainDispatcherApplication(moto.create_backend_app)
        self._lock, self._port = threading.Lock(), 0
        self._thread: threading.Thread | None = None
        self.start()

    def start(self) -> None:
        if self._thread is not None:
            return
        serving: Any = import_module("werkzeug.serving")
        self._server = serving.make_server("127.0.0.1", self._port, self._answer, threaded=True)
        self._port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread = None

    def create(self, name: str) -> None:
        urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{self._port}/{name}", method="PUT")).close()

    def variables(self, scheme: str) -> dict[str, str]:
        address = f"http://127.0.0.1:{self._port}"
        if scheme == "s3":
            given = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
            return given | {"AWS_ENDPOINT_URL": address}
        account = {"disable_oauth": True, "client_email": "", "private_key": "", "private_key_id": ""}
        return {"GOOGLE_BASE_URL": address, "GOOGLE_SERVICE_ACCOUNT_KEY": json.dumps(account)}

    def _answer(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("HTTP_AUTHORIZATION", "Bearer").startswith("Bearer"):
            environ["HTTP_AUTHORIZATION"] = "AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4_request"
        if environ.pop("HTTP_X_GOOG_IF_GENERATION_MATCH", "") == "0":
            environ["HTTP_IF_NONE_MATCH"] = "*"
        with self._lock:
            return list(self._app(environ, start_response))


class _Azurite:
    """Azurite, with an account of its own: clients know the key of its default account."""

    def __init__(self, program: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        where = ("--blobHost", "127.0.0.1", "--blobPort", str(self._port), "--inMemoryPersistence")
        self._process = subprocess.Popen(
            [program, *where, "--silent", "--disableTelemetry", "--skipApiVersionCheck"],
            env=os.environ | {"AZURITE_ACCOUNTS": f"curator:{_KEY}"},
            stdout=subprocess.DEVNULL,
        )
        atexit.register(self._stop)
        for _ in range(600):
            with contextlib.suppress(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", self._port)).close()
                return
            assert self._process.poll() is None, "Azurite does not start"
            time.sleep(0.05)
        raise TimeoutError("Azurite does not answer")

    def _stop(self) -> None:
        self._process.terminate()
        self._process.wait()

    def create(self, name: str) -> None:
        headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
        signed = "".join(f"{header}:{value}\n" for header, value in headers.items())
        text = "PUT" + "\n" * 12 + f"{signed}/curator/curator/{name}\nrestype:container"
        signature = hmac.new(base64.b64decode(_KEY), text.encode(), hashlib.sha256).digest()
        headers["Authorization"] = f"SharedKey curator:{base64.b64encode(signature).decode()}"
        url = f"http://127.0.0.1:{self._port}/curator/{name}?restype=container"
        urllib.request.urlopen(urllib.request.Request(url, method="PUT", headers=headers)).close()

    def variables(self, scheme: str) -> dict[str, str]:
        endpoint = f"http://127.0.0.1:{self._port}/curator"
        return {
            "AZURE_STORAGE_ACCOUNT_NAME": "curator",
            "AZURE_STORAGE_ACCOUNT_KEY": _KEY,
            "AZURE_STORAGE_ENDPOINT": endpoint,
        }
