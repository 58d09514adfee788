"""Keys that are typed ahead wait for the question that the key before has called up."""

import asyncio
from time import monotonic
from typing import Any

from textual.app import App
from textual.worker import Worker

from curator.tui.screens.modal import ModalDialog

_LONGEST = 1.0  # seconds a key waits at most


class TypeAhead:
    """Knows which of the workers that ask have shown their question."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._asked: set[Worker[Any]] = set()  # those that work and whose question has come

    async def question(self) -> None:
        """Wait until the question stands that is on its way, if there is one."""
        ends = monotonic() + _LONGEST
        while True:
            workers, top = self._app.workers, self._app.screen
            asking = {worker for worker in workers if worker.group.endswith("asking") and not worker.is_finished}
            if isinstance(top, ModalDialog):
                await top.ready()
                self._asked = asking
            if asking <= self._asked or monotonic() > ends:
                self._asked = asking
                return
            await asyncio.sleep(0.001)
