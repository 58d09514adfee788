"""The chat model's draft of a merge, requested while the person reads the rules' draft."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from curator.curation import MergeDraft
from curator.errors import ConfigError, ModelError
from curator.tui.context import AppContext
from store import StoreError


@dataclass(slots=True)
class ModelDraft:
    """Draft by a chat model; it is used only if the person accepts it.

    `model` is empty until the model is asked, and without a chat model. Its answer is `draft` or `problem`.
    """

    context: AppContext
    rules: MergeDraft
    model: str = ""
    draft: MergeDraft | None = None
    problem: str = ""
    _asked: bool = False
    _ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask(self, show: Callable[[], object]) -> None:
        """Ask for the draft, calling `show` when the model is asked and when it has answered.

        A second caller waits for the first answer.
        """
        if self._asked:
            await self._ended.wait()
            show()
            return
        self._asked = True

        def load() -> str:
            import curator.services.merge_draft  # noqa: F401  # clients of model servers load slowly
            from curator.config import settings

            return settings().ollama.model

        try:
            self.model = await self.context.run("load", load)
            if self.model:
                from curator.services.merge_draft import propose_merge_text

                show()
                self.draft = await propose_merge_text(self.context.store, self.rules, partial(self.context.run, "slow"))
        except (ModelError, ConfigError, StoreError, ValueError) as error:
            self.problem = str(error)
        finally:
            self._ended.set()
        show()

    def author(self, text: str) -> str:
        """Return the label of the model if a text is its draft, unedited."""
        return "" if self.draft is None else self.draft.author(text)
