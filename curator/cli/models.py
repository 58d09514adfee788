"""The commands `models list`, `pull`, `probe` and `use`."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from curator.cli.errors import MODEL
from curator.cli.options import AsJson, AsJsonLines
from curator.cli.output import dim, print_json, table

if TYPE_CHECKING:
    from curator.errors import ModelError
    from curator.export.serializers import Json
    from curator.models.ollama import Installed, Pulled, Server
    from curator.services.model_probe import Probe

    Show = Callable[[Pulled], None]

T = TypeVar("T")

_BAR, _WIDTH = 24, 79  # characters, of the bar and of the line it stands in
Name = Annotated[str, typer.Argument(metavar="NAME", help="A model as Ollama calls it, as in qwen3:4b.")]

models = typer.Typer(help="Manage the models of your Ollama server.")


@models.callback(invoke_without_command=True)
def start(context: typer.Context, as_json: AsJsonLines = False) -> None:
    """Manage the models of your Ollama server."""
    if context.invoked_subcommand is None:
        installed(as_json)


@models.command("list")
def installed(as_json: AsJsonLines = False) -> None:
    """List installed models and what each is fit for.

    3 to 9 billion parameters are good for distilling, scoring, judging and merging; smaller models are often wrong and
    larger ones slow. Vectors are made by embedding models only.
    """
    found, problems = asyncio.run(_installed())
    for problem in problems:
        _complain(str(problem))
    if not found:
        raise typer.Exit(MODEL)
    if as_json:
        for host, some in found.items():
            for model in some:
                print_json(_row(host, model))
    else:
        for host, some in found.items():
            if len(found) + len(problems) > 1:
                print(f"{host}:")
            if some:
                table([_HEADS, *(_cells(model) for model in some)])
    if not any(found.values()):
        print(
            f"curator: no model is installed on {', '.join(found)}; get a chat model with: curator models pull "
            "qwen3:4b; and one for vectors with: curator models pull nomic-embed-text",
            file=sys.stderr,
        )
        raise typer.Exit(MODEL)
    if not as_json:
        _say_what_is_used()


@models.command()
def pull(name: Name) -> None:
    """Download a model; resumes where it was interrupted."""
    with _bar(name) as show:
        asyncio.run(_pull(name, show))
    print(f"{name} is installed; use it with: curator models use {name}")


@models.command()
def probe(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A chat model; the one in use by default.")] = "",
    as_json: AsJson = False,
) -> None:
    """Test the server and the model: answers, vectors, speed."""
    found = asyncio.run(_probe(name))
    if as_json:
        print_json(_probe_row(found))
    else:
        _tell(found)
    if not found.works:
        raise typer.Exit(MODEL)


@models.command()
def use(name: Name) -> None:
    """Use a model: to distil and judge, or for vectors."""
    from curator.config import overridden, save

    model = asyncio.run(_usable(name))
    changes = {"ollama.model": model.name} if model.chats else {}
    if model.embeds and not model.chats:
        changes = {"embed.model": model.name, "embed.provider": "ollama"}
    for setting, value in changes.items():
        save(setting, value)
        print(f"{setting} = {value}")
        if (variable := overridden(setting)) is not None:
            print(f"curator: the variable {variable} overrides this", file=sys.stderr)
    if changes:
        does = "distils, judges and scores" if model.chats else "makes the vectors anew"
        print(f"next: `curator work` {does} with it now; the app does so in the background")


_HEADS = ("name", "size", "parameters", "quantisation", "context", "in use", "fit for")


def _cells(model: "Installed") -> tuple[str, ...]:
    from curator.export.sanitize import on_one_line

    cells = (
        model.name,
        "-" if model.remote else _bytes(model.size),
        model.parameters or "?",
        model.quantization or "?",
        "?" if model.context is None else f"{model.context:,}",
        ", ".join(_uses(model)) or "-",
        _fit(model),
    )
    return tuple(map(on_one_line, cells))


def _fit(model: "Installed") -> str:
    """`distil, score, judge, merge (weak)`; a cloud model is marked as such."""
    from curator.services.model_probe import Fitness, fitness

    levels: dict[str, list[str]] = {}
    for task, level in fitness(model).items():
        levels.setdefault("" if level is Fitness.GOOD else f" ({level})", []).append(task)
    fit = "; ".join(", ".join(tasks) + level for level, tasks in levels.items()) or "nothing here"
    return f"{fit}; in the cloud: your text would leave this machine" if model.remote else fit


def _uses(model: "Installed") -> list[str]:
    """What the settings have this model do."""
    from curator.config import settings
    from curator.models.ollama import full_name

    now = settings()
    uses = []
    if model.chats and now.ollama.model and full_name(now.ollama.model) == full_name(model.name):
        uses.append("chat")
    if model.embeds and now.embed.provider == "ollama" and full_name(now.embed.model) == full_name(model.name):
        uses.append("embed")
    return uses


def _row(host: str, model: "Installed") -> "Json":
    from curator.services.model_probe import fitness

    capabilities: list[Json] = [*sorted(model.capabilities)]
    uses: list[Json] = [*_uses(model)]
    return {
        "name": model.name,
        "host": host,
        "digest": model.digest,
        "size": model.size,
        "parameters": model.parameters,
        "quantization": model.quantization,
        "context": model.context,
        "dimension": model.dimension,
        "capabilities": capabilities,
        "cloud": model.remote,
        "in_use": uses,
        "fit": {task: str(level) for task, level in fitness(model).items()},
    }


def _say_what_is_used() -> None:
    from curator.config import settings

    now = settings()
    if not now.ollama.model:
        print(dim("no chat model in use, rules only; choose one with: curator models use NAME"))


async def _asked(ask: "Callable[[Server], Awaitable[T]]") -> "tuple[dict[str, T], list[ModelError]]":
    """What the server of the chat model says and, if it is another, the one of the embeddings; what is wrong with one
    is no reason not to hear the other."""
    from curator.errors import ModelError
    from curator.models.ollama import configured

    found: dict[str, T] = {}
    problems: dict[str, ModelError] = {}
    for embedding in (False, True):
        host = ""
        try:
            server = configured(embedding)
            host = server.host
            if host not in found and host not in problems:
                async with server:
                    found[host] = await ask(server)
        except ModelError as error:
            problems[host or str(error)] = error
    return found, list(problems.values())


async def _installed() -> "tuple[dict[str, list[Installed]], list[ModelError]]":
    return await _asked(lambda server: server.installed())


async def _usable(name: str) -> "Installed":
    """A model of one of the servers. Raises what the first says of it that says more than that it is not there."""
    from curator.models import ModelMissing

    found, problems = await _asked(lambda server: server.usable(name))
    for model in found.values():
        return model
    raise next((one for one in problems if not isinstance(one, ModelMissing)), problems[-1])


async def _probe(name: str) -> "Probe":
    from curator.config import settings
    from curator.models.ollama import configured
    from curator.services import model_probe

    now = settings()
    embedding = now.embed.model if now.embed.provider == "ollama" else ""
    async with configured() as chats, configured(embedding=True) as embeds:
        return await model_probe.probe(chats, embeds, name or now.ollama.model, embedding)


def _probe_row(found: "Probe") -> "Json":
    from dataclasses import asdict

    return {**asdict(found), "problems": list(found.problems), "works": found.works}


def _tell(found: "Probe") -> None:
    from curator.export.sanitize import on_one_line

    if found.version is not None:
        print(f"Ollama {on_one_line(found.version)} answers at {found.host}")
    if (chat := found.chat) is not None:
        kept = "keeps to the schema" if chat.obeyed else "does NOT keep to the schema"
        rate = "" if chat.rate is None else f", {chat.rate:.0f} tokens per second"
        print(f"{chat.model}: answers, {kept}{rate} (first answer after {chat.seconds:.1f} s)")
    if (vectors := found.embedding) is not None:
        print(f"{vectors.model}: makes vectors of {vectors.dimension} numbers ({vectors.seconds:.1f} s)")
    for problem in found.problems:
        _complain(problem)
    if not found.works:
        print(
            "curator: no model available; using rules only"
            + ("" if found.problems else ". Choose a model with: curator models use NAME"),
            file=sys.stderr,
        )


def _complain(problem: str) -> None:
    from curator.export.sanitize import visible

    print(f"curator: {visible(problem)}", file=sys.stderr)


async def _pull(name: str, show: "Show | None") -> None:
    from contextlib import aclosing

    from curator.models.ollama import configured

    async with configured() as server, aclosing(server.pull(name)) as steps:
        async for step in steps:
            if show is not None:
                show(step)


@contextmanager
def _bar(name: str) -> Iterator["Show | None"]:
    """What draws a line on stderr that follows a pull, if that is a terminal; the line is gone at the end."""
    if not sys.stderr.isatty():
        yield None
        return
    from curator.export.sanitize import on_one_line

    def show(step: "Pulled") -> None:
        share = min(1.0, step.done / step.total) if step.total else 0.0
        full = round(share * _BAR)
        bar = "#" * full + "-" * (_BAR - full)
        text = f"{name}  [{bar}] {share:4.0%}  {_bytes(step.done)} of {_bytes(step.total)}  {step.status}"
        sys.stderr.write(f"\r\x1b[2K{on_one_line(text)[:_WIDTH]}")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\x1b[2K")


def _bytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.add_typer(models, name="models")
