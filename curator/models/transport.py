"""HTTP transport to model servers: without proxies, limited in size, and with unambiguous line ends.

Clients split lines as Python's `splitlines` does, which would break a reply that contains a literal U+0085 or U+2028:
they are escaped first.
"""

import codecs
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

import httpx

from curator.models.interfaces import BadReply, Offline, TimedOut

_MOST = 64 << 20  # bytes of one answer, or of one line
_TORN = {mark: f"\\u{mark:04x}" for mark in (0x85, 0x2028, 0x2029)}


class Transport(httpx.AsyncBaseTransport):
    """Direct transport, without proxies. Drops the client's API key unless `keyed`, and limits answers in size.

    Of answers of the paths `endless`, only each line is limited.
    """

    def __init__(self, url: str, keyed: bool, endless: tuple[str, ...] = ()) -> None:
        self._keyed, self._endless = keyed, endless
        self._inner = httpx.AsyncHTTPTransport(verify=url.startswith("https:"), trust_env=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not self._keyed:
            request.headers.pop("authorization", None)
        request.headers["accept-encoding"] = "identity"
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx.DecodingError("the answer is packed, though asked not to be")
        if isinstance(response.stream, httpx.AsyncByteStream):
            response.stream = _Readable(response.stream, request.url.path.endswith(self._endless))
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Readable(httpx.AsyncByteStream):
    """An answer's bytes, limited in size, with characters escaped that would be taken for line ends."""

    def __init__(self, stream: httpx.AsyncByteStream, by_line: bool) -> None:
        self._stream, self._by_line = stream, by_line

    async def __aiter__(self) -> AsyncIterator[bytes]:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        size = 0
        async for chunk in self._stream:
            size = len(chunk) if self._by_line and b"\n" in chunk else size + len(chunk)
            if size > _MOST:
                raise httpx.DecodingError(f"the answer is longer than {_MOST >> 20} MB")
            yield decoder.decode(chunk).translate(_TORN).encode()
        yield decoder.decode(b"", True).encode()

    async def aclose(self) -> None:
        await self._stream.aclose()


@contextmanager
def translated(url: str, program: str, absent: str, foreign: str, so_far: Callable[[], str]) -> Iterator[None]:
    """Translate errors of libraries to those of `curator.models`; `so_far` returns the partial reply.

    `program` names the server, `absent` says what to do where none answers, `foreign` where it speaks otherwise.
    """
    try:
        yield
    except (httpx.ConnectError, httpx.ConnectTimeout, ConnectionError) as error:
        raise Offline(absent) from error
    except httpx.TimeoutException as error:
        raise TimedOut(f"{url} stopped answering; look at the log of {program}", so_far()) from error
    except httpx.DecodingError as error:
        raise BadReply(f"{url} sent what cannot be read: {error}", so_far()) from error
    except httpx.HTTPError as error:
        raise Offline(
            f"{url} closed the connection during a call ({error}); check that {program} is running"
        ) from error
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise BadReply(f"what {url} sent is not {foreign}", so_far()) from error
