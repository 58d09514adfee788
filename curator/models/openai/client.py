"""HTTP client of a server that speaks the OpenAI protocol; its answers are streams of server-sent events.

The key, if the server asks for one, is in the variable CURATOR_MODEL_KEY. Only the server in the settings gets
it: what else listens on this machine may be anyone's.
"""

import os
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar
from urllib.parse import urlsplit

import httpx

from curator.errors import ModelError
from curator.models.host import is_loopback
from curator.models.interfaces import ModelMissing, Offline, ServerFailed, TooLong
from curator.models.openai.types import Chunk, Version, failure_text
from curator.models.server_types import ServerMessage
from curator.models.transport import Transport, translated
from store.sanitize import storable

KEY = "CURATOR_MODEL_KEY"
_START = {
    1234: "start LM Studio's with: lms server start",
    8080: "start llama.cpp's with: llama-server -m MODEL.gguf",
    9931: "start llama.cpp's with: llama-server -m MODEL.gguf",
    8000: "start vLLM's with: vllm serve MODEL",
}
"""The remedy by the usual port."""
_OVERLONG = re.compile(
    r"context[ _](length|size|window)|context overflow|exceed\w* .*context|too (large|long)", re.IGNORECASE
)
_UNLOADED = re.compile(
    r"no models? (is |are )?(currently )?loaded|model_not_found|model .*(does not exist|not found|is unloaded)"
    r"|(failed|unable) to load .*model",
    re.IGNORECASE,
)
_SHOWN = 300  # characters of a server's error text that are put into a message

_Read = TypeVar("_Read", bound=ServerMessage)


class Refused(Exception):
    """A status that is no success, or an error in the middle of an answer (status 0)."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status
        self.said = storable(" ".join(said.split()))[:_SHOWN]

    @property
    def overlong(self) -> bool:
        """True if the prompt did not fit."""
        return self.status == 413 or bool(_OVERLONG.search(self.said))


class Wire:
    """The connection to one server, whose address ends in /v1. Sends the key if `keyed`.

    The constructor raises ModelMissing if the key has characters that no key has.
    """

    def __init__(self, url: str, connect: float, keyed: bool = False) -> None:
        key = os.environ.get(KEY, "").strip() if keyed else ""
        if not key.isascii() or not (key or " ").isprintable():  # the library's errors would contain it
            raise ModelMissing(f"the variable {KEY} has line breaks or other characters that no key has; set it again")
        self._url = url
        self._client = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(None, connect=connect),
            follow_redirects=False,
            trust_env=False,
            transport=Transport(url, keyed=is_loopback(url) or url.startswith("https:")),
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def read(self, kind: type[_Read], path: str) -> _Read:
        """Return a complete answer. Raises Refused."""
        response = await self._client.get(self._url + path)
        if response.status_code != 200:
            raise Refused(response.status_code, failure_text(response.text))
        return kind.model_validate_json(response.content)

    async def is_ollama(self) -> bool:
        """Return True if the server also answers as Ollama does at its own address."""
        try:
            response = await self._client.get(f"{self._url.removesuffix('/v1')}/api/version")
            return response.status_code == 200 and bool(Version.model_validate_json(response.content).version)
        except (httpx.HTTPError, ValueError):
            return False

    async def chunks(self, path: str, body: Mapping[str, object]) -> AsyncGenerator[Chunk, None]:
        """Yield an answer chunk by chunk. Closing the generator closes the connection. Raises Refused."""
        async with self._client.stream("POST", self._url + path, json=body) as response:
            if response.status_code != 200:
                await response.aread()
                raise Refused(response.status_code, failure_text(response.text))
            async for line in response.aiter_lines():
                field, _, value = line.partition(":")
                if field not in ("data", "error") or value.strip() == "[DONE]":
                    continue
                if field == "error":  # as older llama.cpp tells it
                    raise Refused(0, failure_text(value))
                chunk = Chunk.model_validate_json(value)
                if chunk.error is not None:
                    raise Refused(0, failure_text(value))
                yield chunk

    @contextmanager
    def translated(self, model: str = "", so_far: Callable[[], str] = str) -> Iterator[None]:
        """Translate errors of the library to those of `curator.models`. `so_far` returns the partial reply."""
        absent = (
            f"no model server answers at {self._url}; {_START.get(urlsplit(self._url).port or 0, 'start it')}. "
            "If it runs elsewhere: curator config ollama.host http://127.0.0.1:PORT/v1"
        )
        foreign = "the OpenAI protocol; see what listens there. Ollama's own address has no /v1"
        with translated(self._url, "the server", absent, foreign, so_far):
            try:
                yield
            except Refused as error:
                raise failure(error, self._url, model, so_far()) from error


def failure(error: Refused, url: str, model: str, reply: str) -> ModelError:
    """Return the error for a refusal."""
    said, at = error.said, f"{model} at {url}" if model else url
    if error.overlong:
        return TooLong(f"the text is too long for {at}: {said}", reply)
    if _UNLOADED.search(said) or (error.status == 404 and model):
        return ModelMissing(
            f"{url} has not loaded {model or 'a model'} ({said}); load it there, or choose another: curator models"
        )
    match error.status:
        case 404 | 405:
            return ModelMissing(f"{url} is not an OpenAI-compatible server ({said}); check ollama.host: curator models")
        case 401 | 403:
            remedy = f"put it into the variable {KEY}, and the address into ollama.host"
            return ModelMissing(f"{url} asks for a key ({said}); {remedy}")
        case 429 | 503:
            return Offline(f"{url} is loading a model, or too busy ({said}); it will be tried again later")
        case 499 | 502 | 504:
            return Offline(f"{url} cannot reach its model (status {error.status}); see whether it runs")
        case status if 300 <= status < 400:
            return ModelMissing(f"{url} redirects to another host, which is not followed; give the final host")
    return ServerFailed(f"{at} failed: {said or f'status {error.status}'}; look at its log", reply)
