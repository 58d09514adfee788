"""Setup of a local model: offered once if a server is found, selected from a menu, then tested."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.filesize import decimal as byte_size

from curator.errors import ConfigError, ModelError
from curator.tui.context import AppContext
from curator.tui.messages import Tone
from curator.tui.screens.dialogs import Menu, Option
from curator.tui.text_format import one_line

if TYPE_CHECKING:
    from curator.models.ollama import Installed, Server
    from curator.services.model_servers import AvailableServer
    from curator.tui.view import BaseApp

OFFERED = "model-offered"  # marker file in the store's folder: the offer was made
_CHAT, _EMBEDDING = "chat model", "embedding model"
_NONE, _OWN = "none", "minilm"
_KEYS = "123456789abcdefghijklmnopqrstuvwxyz"  # keys of models in a menu


async def offer(app: "BaseApp", context: AppContext) -> None:
    """Offer a chat model of a server on this machine once; do nothing if there is none, or if a model is set.

    Raises ConfigError.
    """
    if (context.store.folder / OFFERED).exists():
        return
    host, chat, _ = await context.run("load", _settings)
    if chat or host is None:
        return
    from curator.services.model_servers import running_servers

    offers = [(server, fit) for server in await running_servers() if (fit := _fittest(server.models))]
    if offers and not app.has_status:
        (context.store.folder / OFFERED).touch()
        server, fit = offers[0]
        app.say(f"found {one_line(fit[0].name, 60)} on {server.name}", hint="set it up with `models` in the palette")


async def choose(app: "BaseApp", context: AppContext) -> bool:
    """Ask for a chat or an embedding model, test it, and save it; return True if it was saved."""
    _, chat, embedding = await context.run("load", _settings)
    kinds = [
        Option("c", _CHAT, f"{chat or 'none'} · distils, judges conflicts, drafts merges, scores recall"),
        Option("e", _EMBEDDING, f"{embedding} · search by meaning"),
    ]
    kind = await app.push_screen_wait(Menu("Which model?", kinds))
    if kind is None:
        return False
    app.say("looking for models …")
    try:
        if kind == _CHAT:
            return await _choose_chat(app, context, chat)
        from curator.models.ollama import configured

        async with configured(embedding=True) as server:
            return await _choose_embedding(app, context, server, embedding)
    except (ModelError, ConfigError) as error:
        app.say(str(error), Tone.BAD)
        return False


async def _choose_chat(app: "BaseApp", context: AppContext, current: str) -> bool:
    from curator.services.model_probe import TASKS, fitness, try_chat
    from curator.services.model_servers import find_servers, server_at, settings_for_host

    servers, problems = await find_servers()
    if not servers:
        raise problems[0]
    fit: dict[str, tuple[AvailableServer, Installed]] = {}  # by name; the first server wins
    for available in servers:
        for model in _fittest(available.models):
            fit.setdefault(model.name, (available, model))
    if not fit and not current:
        hint = "get one with `curator models pull qwen3:4b`" if servers[0].name == "Ollama" else "load one there"
        app.say(f"{servers[0].host} has no chat model", hint=hint)
        return False
    options = []
    for key, (name, (available, model)) in zip(_KEYS, fit.items(), strict=False):
        fits = fitness(model)[TASKS[0]]
        at = f", {available.name}" if len(servers) > 1 else ""
        options.append(Option(key, name, f"{_size(model)}, {_FITNESS.get(fits, fits)}{at}"))
    options.append(Option("0", _NONE, "rules only"))
    app.say("")
    title = f"Chat model on {servers[0].host}" if len(servers) == 1 else "Chat model"
    chosen = await app.push_screen_wait(Menu(title, options, current or None))
    if chosen is None:
        return False
    if chosen == _NONE:
        return await _keep(app, context, {"ollama.model": ""}, "chat model off, using rules only")
    app.say(f"testing {chosen}: loading it may take minutes …")
    host = fit[chosen][0].host
    async with server_at(host) as server:
        tried = await try_chat(await server.chat(chosen))
    if not tried.obeyed:
        app.say(f"{chosen} did not answer in the required form and was not set up: choose another", Tone.BAD)
        return False
    rate = "" if tried.rate is None else f", {tried.rate:.{int(tried.rate < 10)}f} tokens a second"
    changes = {"ollama.model": chosen} | settings_for_host(host)
    return await _keep(app, context, changes, f"using {chosen}{rate}")


async def _choose_embedding(app: "BaseApp", context: AppContext, server: "Server", current: str) -> bool:
    from curator.services.model_probe import try_embedding

    models = [model for model in await server.installed() if model.embeds and not model.remote]
    options = [Option(key, model.name, _size(model)) for key, model in zip(_KEYS, models, strict=False)]
    options.append(Option("0", _OWN, "built in, no server needed"))
    app.say("" if models else f"{server.host} has no embedding model")
    chosen = await app.push_screen_wait(Menu(f"Embedding model on {server.host}", options, current))
    if chosen is None:
        return False
    after = "new vectors are made in the background, the old ones work until then"
    if chosen == _OWN:
        return await _keep(app, context, {"embed.provider": "minilm"}, f"using {chosen}: {after}")
    app.say(f"testing {chosen} …")
    embedded = await try_embedding(server, chosen)
    changes = {"embed.model": chosen, "embed.provider": "ollama"}
    return await _keep(app, context, changes, f"using {chosen}, {embedded.dimension} dimensions: {after}")


async def _keep(app: "BaseApp", context: AppContext, values: dict[str, str], done: str) -> bool:
    """Save settings and report it; an environment variable that overrides one is reported instead. Raises
    ConfigError.
    """

    def write() -> str | None:
        from curator.config import overridden, save

        for name, value in values.items():
            save(name, value)
        return next((f"the variable {variable} overrides {name}" for name in values
                     if (variable := overridden(name)) is not None), None)  # fmt: skip

    stronger = await context.run("load", write)
    if stronger is not None:
        app.say(f"saved, but {stronger}", Tone.BAD)
    else:
        app.say(done, Tone.GOOD)
    return True


def _settings() -> tuple[str | None, str, str]:
    """Return the server's host (None unless it is this machine), the chat model and the embedding model.

    Run in a thread, as it imports the clients of model servers. Raises ConfigError, ModelError.
    """
    import curator.services.model_servers  # noqa: F401
    from curator.config import settings
    from curator.models.host import configured_host, is_loopback

    config = settings()
    host = configured_host(config.ollama.host)
    embedding = config.embed.model if config.embed.provider == "ollama" else config.embed.provider
    return host if is_loopback(host) else None, config.ollama.model, embedding


def _fittest(installed: "Sequence[Installed]") -> "list[Installed]":
    """Return the chat models on this machine, best fit first."""
    from curator.services.model_probe import TASKS, Fitness, fitness

    order = (Fitness.GOOD, Fitness.UNKNOWN, Fitness.SLOW, Fitness.WEAK)
    able = [model for model in installed if model.chats and not model.remote]
    return sorted(able, key=lambda model: (order.index(fitness(model)[TASKS[0]]), -(model.billions or 0)))


_FITNESS = {
    "good": "good fit",
    "weak": "often wrong",
    "slow": "good, but slow",
    "unknown": "untested",
}


def _size(model: "Installed") -> str:
    size = f", {byte_size(model.size)}" if model.size else ""
    return f"{one_line(model.parameters, 12) or '?'} parameters{size}"
