"""Server-sent events over HTTP. A client resumes a lost stream after its last id, an event number of the journal."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator

from sse_starlette import ServerSentEvent

from curator.services.events import POLL_SECONDS, Event, EventReader

HEARTBEAT = 30.0
"""Seconds without an event after which a heartbeat is sent."""
STREAMS = 16
"""Maximum open streams."""


async def stream(
    reader: EventReader, stop: asyncio.Event, heartbeat: float = HEARTBEAT, poll: float = POLL_SECONDS
) -> AsyncIterator[ServerSentEvent]:
    """Yield events until `stop` is set."""
    loop = asyncio.get_running_loop()
    spoke = loop.time()
    yield ServerSentEvent("{}", event="heartbeat")  # headers go out at once
    while not stop.is_set():
        found = await asyncio.to_thread(reader.read)
        for event in found:
            yield sent(event)
        if found:
            spoke = loop.time()
            continue
        if loop.time() - spoke >= heartbeat:
            yield ServerSentEvent("{}", event="heartbeat")
            spoke = loop.time()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), poll)


def sent(event: Event) -> ServerSentEvent:
    """Return an event in the format of server-sent events."""
    return ServerSentEvent(json.dumps(event.data), event=event.name, id=None if event.seq is None else str(event.seq))
