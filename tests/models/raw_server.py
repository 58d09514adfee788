"""A server that sends any bytes a test wants, for replies that Ollama never gives."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Answering = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def answering(answer: Answering) -> AsyncIterator[str]:
    """Yield the address of a server that passes each request (head and body) to `answer`."""

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
    """Write a complete response that ends with the connection."""
    writer.write(f"HTTP/1.1 {head}\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n".encode() + body)
    await writer.drain()
