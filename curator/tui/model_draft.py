"""The chat model's draft of a merge beside that of the rules, asked for while the person reads."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from curator.curation import Draft
from curator.errors import ConfigError, ModelError
from curator.tui.context import AppContext
from store import StoreError


@dataclass(slots=True)
class ModelDraft:
    """An opinion: nothing is merged with it unless the person takes it.

    `model` is empty before it is asked, and if no chat model is set; then `draft` or `problem` is its answer.
    """

    context: AppContext
    rules: Draft
    model: str = ""
    draft: Draft | None = None
    problem: str = ""
    _asked: bool = False
    _ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask(self, show: Callable[[], object]) -> None:
        """Ask for the draft, and call `show` when the model is asked and when it has answered.

        A second caller waits for the answer to the first.
        """
        if self._asked:
            await self._ended.wait()
            show()
            return
        self._asked = True

        def load() -> str:
            import curator.services.merge_draft  # noqa: F401  # what asks servers takes long to load
            from curator.config import settings

            return settings().ollama.model

        try:
            self.model = await self.context.run("load", load)
            if self.model:
                from curator.services.merge_draft import model_draft

                show()
                self.draft = await model_draft(self.context.store, self.rules, partial(self.context.run, "slow"))
        except (ModelError, ConfigError, StoreError, ValueError) as error:
            self.problem = str(error)
        finally:
            self._ended.set()
        show()

    def author(self, text: str) -> str:
        """Return the label of the model if a text is its draft, unedited."""
        return "" if self.draft is None else self.draft.author(text)
