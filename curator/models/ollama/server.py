"""An Ollama server: its models, chats (one question, one complete answer or an error), embeddings and pulls."""

import asyncio
import math
import re
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from itertools import takewhile
from typing import TYPE_CHECKING, TypeVar

from curator.config import settings
from curator.errors import ModelError
from curator.models.interfaces import (
    BadReply,
    CallFailed,
    ChatModel,
    CutShort,
    ModelMissing,
    NotAllowed,
    Offline,
    Question,
    Reply,
    ServerFailed,
    TimedOut,
    TooLong,
)
from curator.models.ollama.host import check_host, configured_host, parse_host
from curator.models.ollama.types import (
    Allowed,
    ChatPart,
    Installed,
    Part,
    Pulled,
    PullPart,
    Running,
    Shown,
    Tag,
    Tags,
    Timeouts,
    Vectors,
    Version,
    full_name,
    is_cloud,
)
from curator.models.tokens import count_tokens
from store.gc_policy import exempt_from_gc

if TYPE_CHECKING:
    from curator.models.ollama.client import Wire


TEMPLATE = 64  # tokens that the chat template may add around the messages
_LONGEST_TOKEN = 64  # characters per allowed token; a longer answer is aborted
_GOODBYE = 1.0  # seconds a server may take to close an answer after its last line
_BURST = 50  # words that arrive at once before other tasks get a turn
_WORD = re.compile(r"\w+")


class OllamaChat:
    """A `Chat`. Thinking is off, and the context size is fixed (another size would reload the model).

    A prompt that may not fit is not sent. Silent truncation by the server is detected afterwards: a tokenizer makes at
    least one token of a word, so fewer tokens than words mean that some were not read. Servers may leave cached tokens
    of the previous prompt out of the count; so only words after the common beginning of both prompts are counted, and
    before a prompt is called truncated, the server is asked whether the model runs with too small a context.
    """

    def __init__(self, server: "Server", model: ChatModel) -> None:
        self._server = server
        self.model = model
        self._before = ""

    async def ask(self, question: Question) -> Reply:
        """See `Chat.ask`."""
        room = count_tokens(question.system) + count_tokens(question.user) + question.limit + TEMPLATE
        if room > self.model.context:
            raise TooLong(
                f"the prompt may need {room:,} tokens with its answer, and {self.model.name} is run with "
                f"{self.model.context:,}; make ollama.context larger, or the text shorter"
            )
        begun = time.monotonic()
        text, last = await self._said(question)
        self._check(text, last)
        await self._check_read(question, last, room)
        return Reply(text, last.eval_count, time.monotonic() - begun)

    async def _said(self, question: Question) -> tuple[str, ChatPart]:
        """Return the text and the last part of the answer."""
        said: list[str] = []
        size, thought, last = 0, 0, None
        where = f"{self.model.name} at {self._server.host}"
        patience, now = _Patience(self._server.timeouts), asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(self._server.timeouts.first_byte) as clock:
                with self._server.wire.translated(self.model.name, lambda: "".join(said)):
                    stream = await self._server.wire.lines(ChatPart, "/api/chat", self._body(question))
                    async with aclosing(stream) as parts:
                        async for part in parts:
                            said.append(part.message.content or "")
                            size += len(said[-1])
                            thought += len(part.message.thinking or "")
                            if part.done:
                                last = part
                                clock.reschedule(now() + _GOODBYE)
                                continue
                            if thought + size > _LONGEST_TOKEN * (question.limit + TEMPLATE):
                                raise BadReply(f"{where} did not stop where it was told to", "".join(said))
                            clock.reschedule(patience.until(now()))
                            if len(said) % _BURST == 0:
                                await asyncio.sleep(0)
        except TimeoutError as error:
            if last is None:
                raise TimedOut(
                    f"{where} {patience.lost}; it may be too slow for this machine", "".join(said)
                ) from error
        except Offline:
            if last is None:
                raise
        if last is None:
            raise BadReply(f"the answer of {where} has no end", "".join(said))
        if thought and not size and last.done_reason != "length":
            raise BadReply(f"{where} only thought, and said nothing")
        return "".join(said), last

    def _body(self, question: Question) -> dict[str, object]:
        return {
            "model": self.model.name,
            "messages": [
                {"role": role, "content": readable(text)}
                for role, text in (("system", question.system), ("user", question.user))
                if text
            ],
            "stream": True,
            "think": False,  # if unset, models that can would think first and ignore the schema
            "format": question.schema,
            "truncate": False,
            "shift": False,
            "keep_alive": self._server.keep_alive,
            "options": {
                "num_ctx": self.model.context,
                "num_predict": question.limit,
                "temperature": question.temperature,
                "seed": question.seed,
            },
        }

    def _check(self, text: str, last: ChatPart) -> None:
        """Raise CutShort or BadReply for an incomplete answer."""
        name = self.model.name
        if last.done_reason == "length":
            raise CutShort(f"the answer of {name} is longer than it may be", text)
        if last.done_reason not in (None, "", "stop"):
            raise BadReply(f"{name} ended with {last.done_reason[:40]} instead of an answer", text)
        if not text.strip():
            raise BadReply(f"{name} said nothing", text)

    async def _check_read(self, question: Question, last: ChatPart, room: int) -> None:
        """Raise TooLong if the server read only part of the prompt."""
        prompt = f"{question.system}\n{question.user}"
        common = takewhile(lambda pair: pair[0] == pair[1], zip(prompt, self._before, strict=False))
        same = sum(1 for _ in common)
        self._before = prompt
        if last.prompt_eval_count is None or last.prompt_eval_count >= len(_WORD.findall(prompt[same:])):
            return
        try:
            context = await self._server.allocated(self.model.name)
        except ModelError:
            context = None
        if context is None or context < room:
            raise TooLong(
                f"{self.model.name} read {last.prompt_eval_count:,} tokens of a longer prompt"
                + ("" if context is None else f": the server runs it with {context:,}")
                + "; make ollama.context smaller, and see what Ollama is started with"
            )


class _Patience:
    """The deadline of the next token, and the reason once it has passed."""

    def __init__(self, waits: Timeouts) -> None:
        self._waits = waits
        self._end = math.inf
        self.lost = f"gave no first word within {waits.first_byte:g} s"

    def until(self, now: float) -> float:
        """Return the next deadline after a token received at `now`."""
        self._end = min(self._end, now + self._waits.total)
        if now + self._waits.between < self._end:
            self.lost = f"stopped in the middle of its answer for {self._waits.between:g} s"
        else:
            self.lost = f"did not end its answer within {self._waits.total:g} s"
        return min(now + self._waits.between, self._end)


def readable(text: str) -> str:
    """Replace characters that UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")


_Read = TypeVar("_Read", bound=Part)
_EMBEDDING_FAMILIES = {"bert", "nomic-bert"}  # for servers too old to report capabilities


class Server:
    """A server, to be used in `async with` and in one event loop. Cancelling a call closes its connection.

    `context` and `keep_alive` are passed to chat models. The constructor raises NotAllowed if `host` is another machine
    and not the allowed one. Methods raise the errors of `curator.models` only.
    """

    def __init__(
        self,
        host: str = "",
        allowed: Allowed = Allowed(),
        timeouts: Timeouts = Timeouts(),
        context: int = 8192,
        keep_alive: str = "10m",
    ) -> None:
        self.host = parse_host(host)
        check_host(self.host, allowed.host)
        self.timeouts = timeouts
        self.context = context
        self.keep_alive: int | str = int(keep_alive) if keep_alive.lstrip("-").isdigit() else keep_alive
        self._cloud = {full_name(name).casefold() for name in allowed.cloud}
        self._wire: Wire | None = None

    async def __aenter__(self) -> "Server":
        self._wire = await asyncio.to_thread(_opened, self.host, self.timeouts.connect)
        return self

    async def __aexit__(self, *_: object) -> None:
        wire, self._wire = self.wire, None
        await wire.close()

    @property
    def wire(self) -> "Wire":
        """The open connection."""
        if self._wire is None:
            raise RuntimeError("the server is used outside of its `async with`")
        return self._wire

    async def version(self) -> str:
        """Return the server's version, such as "0.21.1"."""
        return (await self._told(Version, "/api/version")).version

    async def installed(self) -> list[Installed]:
        """Return the installed models, cloud models included, in the server's order."""
        return [await self._known(tag, strict=False) for tag in await self._tags()]

    async def find(self, name: str) -> Installed:
        """Return the model of a name; without a tag, the `latest`. Raises ModelMissing."""
        wanted = full_name(name).casefold()
        tag = next((tag for tag in await self._tags() if full_name(tag.name).casefold() == wanted), None)
        if tag is None:
            raise ModelMissing(f"{self.host} has no model {name}; get it with: curator models pull {name}")
        return await self._known(tag)

    async def usable(self, name: str) -> Installed:
        """Return the model of a name. Raises ModelMissing, or NotAllowed if it runs elsewhere and is not allowed."""
        found = await self.find(name)
        self.check_cloud(found.name, found.remote)
        return found

    def check_cloud(self, name: str, remote: bool = False) -> None:
        """Raise NotAllowed if a model runs elsewhere and no setting allows it."""
        if (remote or is_cloud(name)) and full_name(name).casefold() not in self._cloud:
            raise NotAllowed(
                f"{name} runs on other machines, and your text would be sent there; if you want that, allow it with: "
                f"curator config --set ollama.allow_cloud={name}"
            )

    async def chat(self, name: str) -> OllamaChat:
        """Return a chat model. Raises ModelMissing if it is not installed or cannot chat, and NotAllowed."""
        found = await self.usable(name)
        if not found.chats:
            raise ModelMissing(f"{found.name} cannot be asked, it makes vectors only; choose another: curator models")
        return OllamaChat(self, ChatModel(found.name, found.digest, min(self.context, found.context or self.context)))

    async def embed(self, name: str, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts, in order, in one call. Texts must not be empty.

        The server truncates texts longer than the model's context.
        """
        self.check_cloud(name)
        body = {"model": name, "input": list(texts), "truncate": True, "keep_alive": self.keep_alive}
        limit = self.timeouts.first_byte + self.timeouts.between
        try:
            async with asyncio.timeout(limit):
                with self.wire.translated(name):
                    found = (await self.wire.read(Vectors, "/api/embed", body)).embeddings
        except TimeoutError as error:
            raise TimedOut(f"{name} at {self.host} made no vectors within {limit:g} s") from error
        if len(found) != len(texts):
            raise BadReply(f"{name} at {self.host} made {len(found)} vectors of {len(texts)} texts")
        return found

    async def pull(self, name: str) -> AsyncGenerator[Pulled, None]:
        """Download a model and yield the progress; resume a partial download. Iterate under `contextlib.aclosing`.

        Finishes only once the model is installed, and raises otherwise.
        """
        self.check_cloud(name)
        parts: dict[str, tuple[int, int]] = {}
        last = ""
        with self.wire.translated():
            stream = await self.wire.lines(PullPart, "/api/pull", {"model": name, "stream": True})
        async with aclosing(stream) as lines:
            while True:
                try:
                    async with asyncio.timeout(self.timeouts.first_byte):
                        with self.wire.translated():
                            line = await anext(lines, None)
                except TimeoutError as error:
                    raise TimedOut(f"{self.host} stopped responding while pulling {name}; try again") from error
                except ServerFailed as error:
                    if "file does not exist" in str(error):
                        raise ModelMissing(f"Ollama has no model {name}; check the spelling") from error
                    raise ServerFailed(f"{name} could not be pulled: {error}") from error
                if line is None:
                    break
                last = line.status
                if line.digest:
                    before = parts.get(line.digest, (0, 0))
                    parts[line.digest] = (max(line.completed or 0, before[0]), line.total or before[1])
                yield Pulled(last, sum(done for done, _ in parts.values()), sum(total for _, total in parts.values()))
        if last != "success":
            raise BadReply(f"the pull of {name} ended early; run it again to resume")

    async def allocated(self, name: str) -> int | None:
        """Return the actual context size in tokens of a loaded model; None if the server does not report it."""
        for loaded in (await self._told(Running, "/api/ps")).models or []:
            if full_name(loaded.name or loaded.model).casefold() == full_name(name).casefold():
                return loaded.context_length
        return None

    async def _tags(self) -> list[Tag]:
        return (await self._told(Tags, "/api/tags")).models or []

    async def _known(self, tag: Tag, strict: bool = True) -> Installed:
        """Return the details of a model; unless `strict`, fall back to the listed ones if the server cannot show it."""
        try:
            shown = await self._told(Shown, "/api/show", {"model": tag.name}, tag.name)
        except (CallFailed, ModelMissing):
            if strict:
                raise
            shown = None
        return _installed(tag, shown)

    async def _told(
        self, kind: type[_Read], path: str, body: Mapping[str, object] | None = None, model: str = ""
    ) -> _Read:
        """Return an answer that needs no model. A server that does not answer in time counts as offline."""
        try:
            async with asyncio.timeout(self.timeouts.short):
                with self.wire.translated(model):
                    return await self.wire.read(kind, path, body)
        except (TimeoutError, TimedOut) as error:
            raise Offline(f"{self.host} accepts connections but does not answer; restart Ollama") from error


def configured(embedding: bool = False) -> Server:
    """Return the server in the settings; embeddings may use another. Raises NotAllowed and ConfigError."""
    now = settings().ollama
    names = (name.strip() for name in now.allow_cloud.split(","))
    return Server(
        configured_host((now.embed_host if embedding else "") or now.host),
        Allowed(now.allow_host, frozenset(name for name in names if name)),
        Timeouts(now.first_byte, now.between, now.total),
        now.context,
        now.keep_alive,
    )


def _opened(url: str, connect: float) -> "Wire":
    """Open the client; the first call loads the libraries, which takes up to half a second. Call it in a thread."""
    with exempt_from_gc():
        import anyio

        from curator.models.ollama.client import Wire

        anyio.run(anyio.sleep, 0)  # otherwise its lazy imports would block the event loop in the first call
        return Wire(url, connect)


def _installed(tag: Tag, shown: Shown | None) -> Installed:
    details = (shown and shown.details) or tag.details
    family = (details and details.family) or ""
    capabilities = frozenset((shown and shown.capabilities) or ())
    return Installed(
        name=tag.name,
        digest=tag.digest.removeprefix("sha256:"),
        size=tag.size,
        parameters=(details and details.parameter_size) or "",
        quantization=(details and details.quantization_level) or "",
        family=family,
        capabilities=capabilities or frozenset({"embedding" if family in _EMBEDDING_FAMILIES else "completion"}),
        context=shown.number("context_length") if shown else None,
        dimension=shown.number("embedding_length") if shown else None,
        remote=is_cloud(tag.name) or any((tag.remote_host, tag.remote_model, shown and shown.remote_host)),
    )
