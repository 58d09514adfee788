"""Base of sweeps that ask a chat model: the model, and cached answers."""

from dataclasses import dataclass, field

from curator.config import settings
from curator.llm.client import Asker
from curator.models.chat import Chat
from curator.models.errors import ModelMissing
from curator.sweeps.base import Tools
from store import Store
from store.model import Failure

NO_MODEL = "no chat model is set; `curator models` lists them"


@dataclass(slots=True)
class Answers:
    """Answers that are known, and new ones, which are written together with what was made of them."""

    store: Store
    new: dict[bytes, tuple[str, str, str]] = field(default_factory=dict)

    def get(self, key: bytes) -> str | None:
        """See `curator.llm.client.Replies.get`."""
        known = self.new.get(key)
        return self.store.replies.get(key) if known is None else known[2]

    def put(self, key: bytes, task: str, model: str, reply: str) -> None:
        """See `curator.llm.client.Replies.put`."""
        self.new[key] = (task, model, reply)

    def rows(self) -> list[tuple[bytes, str, str, str]]:
        """The new ones, for `Sweeps.put_replies`."""
        return [(key, *row) for key, row in self.new.items()]


class ChatSweep:
    """A sweep's chat model; `version` is the task's."""

    def __init__(self, tools: Tools, version: str) -> None:
        self._tools = tools
        self._version = version
        self._chat: Chat | None = None
        self._secret = b""

    @property
    def chat(self) -> Chat:
        """The model. Raises ModelMissing before `open`."""
        if self._chat is None:
            raise ModelMissing(NO_MODEL)
        return self._chat

    @property
    def made_by(self) -> str:
        """Label stored with results: "extract/1 qwen3:4b@0123456789ab"."""
        return f"{self._version} {self.chat.model.label}"

    def off(self) -> str:
        """See `Work.off`."""
        return "" if settings().ollama.model else NO_MODEL

    def model(self) -> str:
        """See `Work.model`."""
        return settings().ollama.model if self._chat is None else self._chat.model.label

    def failed(self) -> int:
        """See `Work.failed`."""
        return self._tools.store.sweeps.count_failures(self._version)

    def failures(self, limit: int) -> list[Failure]:
        """See `Work.failures`."""
        return self._tools.store.sweeps.failures(self._version, limit)

    async def open(self) -> None:
        """See `Work.open`."""
        if not self._secret:
            self._secret = await self._tools.run(self._tools.store.replies.secret)
        self._chat = await self._tools.models.chat()

    def asker(self) -> tuple[Asker, Answers]:
        """Someone to ask, and where the answers gather."""
        answers = Answers(self._tools.store)
        return Asker(self.chat, answers, self._secret, self._tools.run), answers
