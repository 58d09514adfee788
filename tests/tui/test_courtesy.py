"""Work in the background waits for the person, and no longer."""

import asyncio
from threading import Event, Thread
from unittest.mock import patch

from curator.tui.courtesy import Courtesy
from curator.tui.lanes import Lane


def rested(courtesy: Courtesy, meanwhile: Event) -> Thread:
    """A thread that works in the background, and says when it may go on."""

    def work() -> None:
        courtesy.rest()
        meanwhile.set()

    thread = Thread(target=work)
    thread.start()
    return thread


def test_it_goes_on_while_nobody_is_there() -> None:
    Courtesy([]).rest()


def test_it_waits_for_what_was_asked_for() -> None:
    lane, goes_on, done = Lane("asked"), Event(), Event()
    courtesy = Courtesy([lane])

    async def ask() -> Thread:
        asked = asyncio.create_task(lane.run(done.wait))
        await asyncio.sleep(0)
        thread = rested(courtesy, goes_on)
        assert not await asyncio.to_thread(goes_on.wait, 0.1)
        done.set()
        await asked
        return thread

    asyncio.run(ask()).join()
    assert goes_on.is_set() and not lane.busy
    lane.close()


def test_it_waits_for_the_keys() -> None:
    courtesy, goes_on = Courtesy([]), Event()
    with patch("curator.tui.courtesy.time.monotonic") as now:
        now.return_value = 50.0
        courtesy.typed()
        thread = rested(courtesy, goes_on)
        assert not goes_on.wait(0.1)
        now.return_value = 51.0
        thread.join()
    assert goes_on.is_set()
