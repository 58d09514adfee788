"""The fake server: an event loop in its own thread, on a port of 127.0.0.1 that it keeps across restarts.

with serving(Scenario(faults=(Fault(What.CRASH, calls={2}),))) as server:
    ...                      # server.host, server.requests, server.disconnects
    server.stop()            # connections are refused
    server.start()           # on the same port

python tests/fake_ollama/server.py --port 11999 --slow 0.02      # by hand
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from fake_ollama.demo import DEMO
from fake_ollama.dispatch import Handler
from fake_ollama.faults import What, fault_of
from fake_ollama.http import ENDING, Answer, Connection, Incoming, Malformed, head, plan
from fake_ollama.library import ModelRegistry
from fake_ollama.request_log import Request
from fake_ollama.scenario import Scenario


class RequestHandler(Protocol):
    """Request handler of a server for one scenario."""

    def answer(self, incoming: Incoming, request: Request) -> AbstractAsyncContextManager[Answer]:
        """Yield the answer to one request."""


HandlerFactory = Callable[[Scenario, ModelRegistry, list[tuple[str, int]]], RequestHandler]


class Server:
    """A fake server. All methods may be called from any thread."""

    def __init__(self, scenario: Scenario, port: int = 0, handler: HandlerFactory = Handler) -> None:
        self.port = port
        self.requests: list[Request] = []
        """Every request, in order of arrival."""
        self.loads: list[tuple[str, int]] = []
        """Name and num_ctx of each model load."""
        self._scenario = scenario
        self._registry = ModelRegistry({model.full_name: model for model in scenario.models})
        self._new_handler = handler
        self._handler = handler(scenario, self._registry, self.loads)
        self._counts: Counter[str] = Counter()
        self._errors: list[Exception] = []
        self._talks: set[asyncio.Task[None]] = set()
        self._listener: asyncio.Server | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="standin", daemon=True)
        self._thread.start()

    @property
    def host(self) -> str:
        """The base URL, http://127.0.0.1:PORT."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def listens(self) -> bool:
        """True while it accepts connections."""
        return self._listener is not None

    @property
    def disconnects(self) -> list[Request]:
        """The requests whose client disconnected before the end of the answer."""
        return [request for request in self.requests if request.dropped and request.ended is not None]

    def calls(self, path: str = "/api/chat") -> list[Request]:
        """Return the requests of one path."""
        return [request for request in self.requests if request.path == path]

    def change(self, scenario: Scenario) -> None:
        """Use another scenario from the next request on; calls count from 1 again, and pulled models stay."""

        async def changed() -> None:
            self._scenario = scenario
            self._handler = self._new_handler(scenario, self._registry, self.loads)
            self._counts.clear()
            self._registry.installed.update({model.full_name: model for model in scenario.models})

        self._run(changed())

    def start(self) -> None:
        """Listen, on the previous port if there was one."""
        self._run(self._listen())

    def stop(self) -> None:
        """Refuse connections, close the open ones, and unload all models."""
        self._run(self._silence())

    def close(self) -> None:
        """Stop for good; raises the first error of the fake server itself or of a scenario's function."""
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        if self._errors:
            raise self._errors[0]

    def wait(self, holds: Callable[[Server], object], limit: float = 10.0) -> None:
        """Wait until a condition on this server is true. Raises TimeoutError after `limit` seconds."""
        ends = time.monotonic() + limit
        while not holds(self):
            if time.monotonic() > ends:
                raise TimeoutError(f"it did not come to that; the requests: {self.requests}")
            time.sleep(0.002)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _listen(self) -> None:
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._listener.sockets[0].getsockname()[1]

    async def _silence(self) -> None:
        if self._listener:
            self._listener.close()
            self._listener = None
        self._registry.loaded.clear()
        talks = self._talks - {asyncio.current_task()}
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(reader, writer)
        talk = asyncio.current_task()
        assert talk
        self._talks.add(talk)
        try:
            while (incoming := await connection.read()) and await self._handle(connection, incoming):
                pass
        except (Malformed, asyncio.CancelledError):
            return  # closed below, like the others
        except Exception as error:
            self._errors.append(error)
        finally:
            connection.close()
            self._talks.discard(talk)

    async def _handle(self, connection: Connection, incoming: Incoming) -> bool:
        """Answer one request; return True if the connection stays open."""
        request = self._noted(incoming)
        work = asyncio.create_task(self._answered(connection, incoming, request))
        left = asyncio.create_task(connection.left())
        try:
            await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                goes_on = await work
                if request.fault and request.fault.what is What.STOP:
                    await self._silence()
                return goes_on
            request.dropped = True
            return False
        except ConnectionError:
            request.dropped = True
            return False
        finally:
            for task in (work, left):
                task.cancel()
            await asyncio.gather(work, left, return_exceptions=True)
            request.ended = time.monotonic()

    def _noted(self, incoming: Incoming) -> Request:
        path = incoming.path
        self._counts[path] += 1
        try:
            body = json.loads(incoming.body) if incoming.body else ""
        except ValueError:
            body = incoming.body.decode(errors="replace")
        request = Request(path, self._counts[path], incoming.headers, body, time.monotonic())
        request.fault = fault_of(self._scenario.faults, self._scenario.seed, path, request.call, request.text)
        self.requests.append(request)
        return request

    async def _answered(self, connection: Connection, incoming: Incoming, request: Request) -> bool:
        if request.fault and request.fault.what is What.REFUSE:
            connection.reset()
            return False
        async with self._handler.answer(incoming, request) as answer:
            return await self._sent(connection, answer, request)

    async def _sent(self, connection: Connection, answer: Answer, request: Request) -> bool:
        """Write an answer as far as the fault allows; return True if the connection stays open."""
        fault, unsent, size = request.fault, head(answer), len(answer.body)
        ends = fault is not None and fault.what in ENDING
        if fault and ends and fault.at < 0:
            await connection.write(unsent[: fault.at])
            return False
        for pause, piece in plan(answer, fault):
            await asyncio.sleep(pause)
            request.status = answer.status
            request.sent += len(piece)
            if answer.streamed:
                unsent += b"%x\r\n%b\r\n" % (len(piece), piece) if piece else b""
                unsent += b"0\r\n\r\n" if request.sent == size and not ends else b""
            else:
                unsent += piece
            await connection.write(unsent)
            unsent = b""
        if unsent:  # an empty body
            request.status = answer.status
            await connection.write(unsent + (b"0\r\n\r\n" if answer.streamed and not ends else b""))
        return not ends


@contextmanager
def serving(scenario: Scenario | None = None, port: int = 0) -> Iterator[Server]:
    """Yield a running server, and close it afterwards."""
    server = Server(scenario or Scenario(), port)
    try:
        server.start()
        yield server
    finally:
        server.close()


def main() -> None:
    """Serve the demo until interrupted, and print every request."""
    parser = argparse.ArgumentParser(description="A stand-in for an Ollama server.")
    parser.add_argument("--port", type=int, default=11999)
    parser.add_argument("--slow", type=float, default=0.0, help="seconds between two tokens")
    wanted = parser.parse_args()
    with serving(replace(DEMO, pace=wanted.slow, first_byte=wanted.slow * 10), wanted.port) as server:
        print(f"listening on {server.host}; stop with ctrl+c", flush=True)
        told = 0
        try:
            while True:
                time.sleep(0.2)
                for request in server.requests[told:]:
                    if request.ended is None:
                        break
                    took = request.ended - request.begun
                    how = "the client left" if request.dropped else request.status
                    print(f"{request.path}  {how}  {took:.2f} s", flush=True)
                    told += 1
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
