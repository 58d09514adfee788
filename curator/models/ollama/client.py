"""HTTP client of an Ollama server: the client of the `ollama` package, restricted.

That client alone would send OLLAMA_API_KEY to any host, follow redirects to other hosts, use proxies from the
environment, wait indefinitely and read without limit.
"""

import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar, cast

import httpx
import ollama

from curator.errors import ModelError
from curator.models.host import is_loopback
from curator.models.interfaces import ModelMissing, Offline, ServerFailed, TooLong
from curator.models.server_types import ServerMessage
from curator.models.transport import Transport, translated
from store.sanitize import storable

_OVERLONG = re.compile(r"context (length|size|window)|exceed\w* .*context|too (large|long)", re.IGNORECASE)
_UNFIT = re.compile(r"does not support (chat|generate|completion|embed)", re.IGNORECASE)
_SHOWN = 300  # characters of a server's error text that are put into a message

_Read = TypeVar("_Read", bound=ServerMessage)


class Wire(ollama.AsyncClient):
    """The connection to one server."""

    def __init__(self, url: str, connect: float) -> None:
        super().__init__(
            url,
            timeout=httpx.Timeout(None, connect=connect),
            follow_redirects=False,
            trust_env=False,
            transport=Transport(url, keyed=url.startswith("https:") and not is_loopback(url), endless=("/api/pull",)),
        )
        self._url = url

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def read(self, kind: type[_Read], path: str, body: Mapping[str, object] | None = None) -> _Read:
        """Return a complete answer. With a body the request is a POST."""
        found: _Read = await self._request(kind, "GET" if body is None else "POST", path, json=body)
        return found

    async def lines(self, kind: type[_Read], path: str, body: Mapping[str, object]) -> AsyncGenerator[_Read, None]:
        """Yield an answer line by line. Closing the generator closes the connection."""
        lines = await self._request(kind, "POST", path, json=body, stream=True)
        return cast("AsyncGenerator[_Read, None]", lines)

    @contextmanager
    def translated(self, model: str = "", so_far: Callable[[], str] = str) -> Iterator[None]:
        """Translate errors of the libraries to those of `curator.models`. `so_far` returns the partial reply."""
        absent = (
            f"no Ollama answers at {self._url}; start it with: ollama serve. If it runs elsewhere: "
            "curator config ollama.host HOST"
        )
        foreign = (
            "Ollama's protocol; see that Ollama, and nothing else, listens there. If it is LM Studio, llama.cpp or "
            "vLLM, its address ends in /v1"
        )
        with translated(self._url, "Ollama", absent, foreign, so_far):
            try:
                yield
            except ollama.ResponseError as error:
                raise _refused(error, self._url, model, so_far()) from error


def _refused(error: ollama.ResponseError, url: str, model: str, reply: str) -> ModelError:
    """Return the error for a non-success status, or for an error in the middle of an answer (-1)."""
    said = storable(" ".join(str(error.error).split()))[:_SHOWN]
    at = f"{model} at {url}" if model else url
    match error.status_code:
        case 404 if model:
            return ModelMissing(f"{url} has no model {model}; get it with: curator models pull {model}")
        case 401 | 403:
            return ModelMissing(
                f"{url} refuses to answer{f' ({said})' if said else ''}: it does not know this machine, or the name it "
                "was called by; use 127.0.0.1, or set OLLAMA_HOST and OLLAMA_ORIGINS where it is started"
            )
        case 429 | 503:
            return Offline(f"{url} is too busy ({said}); it will be tried again later")
        case 499 | 502 | 504:
            return Offline(f"{url} cannot reach its Ollama (status {error.status_code}); see whether it runs")
        case status if 300 <= status < 400:
            return ModelMissing(f"{url} redirects to another host, which is not followed; give the final host")
    if _UNFIT.search(said):
        return ModelMissing(f"{at} cannot do this ({said}); choose another: curator models")
    if error.status_code == 413 or _OVERLONG.search(said):
        return TooLong(f"the text is too long for {at}: {said}", reply)
    return ServerFailed(f"{at} failed: {said or f'status {error.status_code}'}; look at Ollama's log", reply)
