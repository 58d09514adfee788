"""A server for what no Ollama does: whatever bytes a test wants are sent, to whoever calls."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Answering = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def answering(answer: Answering) -> AsyncIterator[str]:
    """The address of a server that gives each request (its head and body) to `answer`."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            size = next(
                (int(line.split(b":")[1]) for line in head.split(b"\r\n") if b"content-length" in line.lower()), 0
            )
            await answer(head + await reader.readexactly(size), writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def send(writer: asyncio.StreamWriter, body: bytes, head: str = "200 OK") -> None:
    """A whole answer, whose end is the end of the connection."""
    writer.write(f"HTTP/1.1 {head}\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n".encode() + body)
    await writer.drain()
