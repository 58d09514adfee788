"""Setting up a local model from inside the app: offered once where a server is there, chosen and tried from a menu."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from curator.errors import ConfigError
from curator.tui.context import AppContext
from curator.tui.formatting import one_line
from curator.tui.screens.dialogs import Menu, Option
from curator.tui.view import Tone

if TYPE_CHECKING:
    from curator.models.ollama import Installed, Server
    from curator.tui.app import CuratorApp

OFFERED = "model-offered"  # a file in the store's folder: it is said once, whatever the person makes of it
_LIMIT = 2.0  # seconds that a server may take before nothing is offered
_CHAT, _EMBEDDING = "chat model", "embedding model"
_NONE, _OWN = "none", "minilm"
_MOST = 35  # models in a menu, each with a key of its own
_KEYS = "123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class _Set:
    """What the settings say by now."""

    host: str
    loopback: bool
    model: str
    provider: str
    embedding: str


async def offer(app: "CuratorApp", context: AppContext) -> None:
    """Say that a server with a model is on this machine, the first time it is; nothing if there is none, or one is set.

    Raises ConfigError.
    """
    if (context.store.folder / OFFERED).exists():
        return
    now = await context.executors["load"].run(_settings)
    if now.model or not now.loopback or not await _listening(now.host):
        return
    from curator.errors import ModelError

    await context.executors["load"].run(_load)
    try:
        async with asyncio.timeout(_LIMIT), _server() as server:
            fit = _fittest(await server.installed())
    except (ModelError, TimeoutError):
        return
    if fit and not app.told:
        (context.store.folder / OFFERED).touch()
        app.say(f"Ollama is here with {one_line(fit[0].name, 60)}", hint="`models` in the palette sets it up")


async def choose(app: "CuratorApp", context: AppContext) -> bool:
    """Ask for a chat model or one for embeddings, try it, and keep it in the settings; whether that was done."""
    from curator.errors import ModelError

    now = await context.executors["load"].run(_settings)
    await context.executors["load"].run(_load)
    kinds = [
        Option("c", _CHAT, f"now {now.model or 'none'}: distils, judges, scores what was of use"),
        Option("e", _EMBEDDING, f"now {now.embedding}: finds by meaning"),
    ]
    kind = await app.push_screen_wait(Menu("Which model?", kinds))
    if kind is None:
        return False
    app.say("looking for models …")
    try:
        async with _server(embedding=kind == _EMBEDDING) as server:
            return await (_choose_chat if kind == _CHAT else _choose_embedding)(app, context, server, now)
    except (ModelError, ConfigError) as error:
        app.say(str(error), Tone.BAD)
        return False


async def _choose_chat(app: "CuratorApp", context: AppContext, server: "Server", now: _Set) -> bool:
    from curator.services.model_probe import TASKS, fitness, try_chat

    fit = _fittest(await server.installed())
    if not fit and not now.model:
        app.say(f"{server.host} has no model that can be asked", hint="`curator models pull qwen3:4b` brings one")
        return False
    options = [Option(_KEYS[place], model.name, _nature(model, fitness(model)[TASKS[0]])) for place, model in
               enumerate(fit[:_MOST])]  # fmt: skip
    options.append(Option("0", _NONE, "no model is asked; all else works as before"))
    app.say("")
    chosen = await app.push_screen_wait(Menu(f"Chat model of {server.host}", options, now.model or None))
    if chosen is None:
        return False
    if chosen == _NONE:
        return await _keep(app, context, {"ollama.model": ""}, "no model is asked from now on")
    app.say(f"trying {chosen}: the first answer may take minutes, as the model is loaded …")
    tried = await try_chat(await server.chat(chosen))
    if not tried.obeyed:
        app.say(f"{chosen} does not answer as it is asked to, so it is not set up; choose another", Tone.BAD)
        return False
    rate = "" if tried.rate is None else f", {tried.rate:.{int(tried.rate < 10)}f} tokens a second"
    return await _keep(app, context, {"ollama.model": chosen}, f"{chosen} is at work from now on{rate}")


async def _choose_embedding(app: "CuratorApp", context: AppContext, server: "Server", now: _Set) -> bool:
    from curator.services.model_probe import try_embedding

    found = [model for model in await server.installed() if model.embeds and not model.remote]
    options = [Option(_KEYS[place], model.name, _size(model)) for place, model in enumerate(found[:_MOST])]
    options.append(Option("0", _OWN, "needs no server; fetched once, 83 MB"))
    app.say("" if found else f"{server.host} has no model for embeddings")
    chosen = await app.push_screen_wait(Menu(f"Embedding model of {server.host}", options, now.embedding))
    if chosen is None:
        return False
    after = "vectors are made anew in the background, until then the old ones are searched"
    if chosen == _OWN:
        return await _keep(
            app, context, {"embed.provider": "minilm"}, f"{chosen} finds by meaning from now on: {after}"
        )
    app.say(f"trying {chosen} …")
    embedded = await try_embedding(server, chosen)
    wanted = {"embed.model": chosen, "embed.provider": "ollama"}
    return await _keep(app, context, wanted, f"{chosen} works, {embedded.dimension} numbers a vector: {after}")


async def _keep(app: "CuratorApp", context: AppContext, values: dict[str, str], done: str) -> bool:
    """Write settings down, and say so. Raises ConfigError."""

    def write() -> str | None:
        from curator.config import overridden, save

        for name, value in values.items():
            save(name, value)
        return next((f"{name} is taken from the variable {variable}" for name in values
                     if (variable := overridden(name)) is not None), None)  # fmt: skip

    stronger = await context.executors["load"].run(write)
    if stronger is not None:
        app.say(f"kept, but {stronger}, which comes first", Tone.BAD)
    else:
        app.say(done, Tone.GOOD)
    return True


def _settings() -> _Set:
    """Raises ConfigError, ModelError."""
    from curator.config import settings
    from curator.models.ollama import is_loopback
    from curator.models.ollama.host import configured_host

    now = settings()
    host = configured_host(now.ollama.host)
    embedding = now.embed.model if now.embed.provider == "ollama" else now.embed.provider
    return _Set(host, is_loopback(host), now.ollama.model, now.embed.provider, embedding)


def _load() -> None:
    """Load what speaks with a server, 0.4 s that the screen shall not wait for."""


def _server(embedding: bool = False) -> "Server":
    from curator.models.ollama import configured

    return configured(embedding)


async def _listening(host: str) -> bool:
    """Whether anybody answers there: asked before the client is loaded, since most machines have no server."""
    place = urlsplit(host)
    try:
        async with asyncio.timeout(_LIMIT):
            _, writer = await asyncio.open_connection(place.hostname, place.port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


def _fittest(installed: "Sequence[Installed]") -> "list[Installed]":
    """The models on this machine that can be asked, the fittest first."""
    from curator.services.model_probe import TASKS, Fitness, fitness

    order = (Fitness.GOOD, Fitness.UNKNOWN, Fitness.SLOW, Fitness.WEAK)
    able = [model for model in installed if model.chats and not model.remote]
    return sorted(able, key=lambda model: (order.index(fitness(model)[TASKS[0]]), -(model.billions or 0)))


def _nature(model: "Installed", fit: str) -> str:
    return f"{_size(model)}, {_FITNESS.get(fit, fit)}"


_FITNESS = {
    "good": "fit for it",
    "weak": "will often be wrong",
    "slow": "right, but slow",
    "unknown": "not known to be fit",
}


def _size(model: "Installed") -> str:
    return f"{one_line(model.parameters, 12) or '?'} parameters, {model.size / 1e9:.1f} GB"
