"""The commands `models list`, `pull`, `probe` and `use`."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from curator.cli.options import AsJson, AsJsonLines, NamedValues
from curator.cli.output import MODEL, dim, print_json, print_json_lines, print_table, warn, warn_all
from curator.cli.progress import ProgressLines, Task, progress
from curator.errors import ModelError
from curator.export.sanitize import on_one_line

if TYPE_CHECKING:
    from curator.models.ollama import Installed, Server
    from curator.services.model_probe import Probe

T = TypeVar("T")
Name = Annotated[str, typer.Argument(metavar="NAME", help="A model by its name in Ollama, e.g. qwen3:4b.")]
_HEADS = ("name", "size", "parameters", "quantisation", "context", "in use", "good for")

models = typer.Typer(help="Manage the models of your Ollama server.")


@models.callback(invoke_without_command=True)
def start(context: typer.Context, as_json: AsJsonLines = False) -> None:
    """Manage the models of your Ollama server."""
    if context.invoked_subcommand is None:
        installed(as_json)


@models.command("list", cls=NamedValues)
def installed(as_json: AsJsonLines = False) -> None:
    """List installed models and what each is good for.

    3 to 9 billion parameters are good for distilling, scoring, judging and merging; smaller models are often wrong and
    larger ones slow. Vectors are made by embedding models only.
    """
    import asyncio

    from curator.config import settings

    found, problems = asyncio.run(_ask_servers(lambda server: server.installed()))
    warn_all(map(str, problems))
    if not found:
        raise typer.Exit(MODEL)
    for host, some in found.items():
        if as_json:
            print_json_lines(_row(host, model) for model in some)
            continue
        if len(found) + len(problems) > 1:
            print(f"{host}:")
        if some:
            print_table([_HEADS, *(_cells(model) for model in some)])
    if not any(found.values()):
        raise ModelError(
            f"no models installed on {', '.join(found)}; `curator models pull qwen3:4b` gets a chat model, "
            "`curator models pull nomic-embed-text` one for vectors"
        )
    if not as_json and not settings().ollama.model:
        print(dim("no chat model in use, rules only; choose one with: curator models use NAME"))


@models.command(cls=NamedValues)
def pull(name: Name) -> None:
    """Download a model; resumes where it was interrupted."""
    import asyncio
    from contextlib import aclosing

    from curator.models.ollama import configured

    async def run(lines: ProgressLines) -> None:
        async with configured() as server, aclosing(server.pull(name)) as steps:
            async for step in steps:
                text = f"{_bytes(step.done)} of {_bytes(step.total)}  {on_one_line(step.status)}"
                lines.show(Task(on_one_line(name), step.done, step.total, text))

    with progress() as lines:
        asyncio.run(run(lines))
    print(f"{name} is installed; use it with: curator models use {name}")


@models.command(cls=NamedValues)
def probe(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A chat model; the one in use by default.")] = "",
    as_json: AsJson = False,
) -> None:
    """Test the server and the model: answers, vectors, speed."""
    import asyncio

    from curator.config import settings
    from curator.models.ollama import configured
    from curator.services import model_probe

    now = settings()

    async def run() -> "Probe":
        embedding = now.embed.model if now.embed.provider == "ollama" else ""
        async with configured() as chats, configured(embedding=True) as embeds:
            return await model_probe.probe(chats, embeds, name or now.ollama.model, embedding)

    found = asyncio.run(run())
    if as_json:
        print_json({**asdict(found), "problems": found.problems, "works": found.works})
    else:
        _print_probe(found)
    if not found.works:
        raise typer.Exit(MODEL)


def _print_probe(found: "Probe") -> None:
    if found.version is not None:
        print(f"Ollama {on_one_line(found.version)} answers at {found.host}")
    if (chat := found.chat) is not None:
        kept = "keeps to the schema" if chat.obeyed else "does NOT keep to the schema"
        rate = "" if chat.rate is None else f", {chat.rate:.0f} tokens per second"
        print(f"{chat.model}: answers, {kept}{rate} (first answer after {chat.seconds:.1f} s)")
    if (vectors := found.embedding) is not None:
        print(f"{vectors.model}: makes vectors of {vectors.dimension} numbers ({vectors.seconds:.1f} s)")
    warn_all(found.problems)
    if not found.works:
        advice = "" if found.problems else ". Choose a model with: curator models use NAME"
        warn(f"no model available; using rules only{advice}")


@models.command(cls=NamedValues)
def use(name: Name) -> None:
    """Use a model: to distil and judge, or for vectors."""
    import asyncio

    from curator.config import overridden, save
    from curator.models import ModelMissing

    found, problems = asyncio.run(_ask_servers(lambda server: server.usable(name)))
    if not found:  # the first error that says more than that the model is missing
        raise next((one for one in problems if not isinstance(one, ModelMissing)), problems[-1])
    model = next(iter(found.values()))
    changes = {"ollama.model": model.name} if model.chats else {}
    if model.embeds and not model.chats:
        changes = {"embed.model": model.name, "embed.provider": "ollama"}
    for setting, value in changes.items():
        save(setting, value)
        print(f"{setting} = {value}")
        if (variable := overridden(setting)) is not None:
            warn(f"the variable {variable} overrides this")
    if changes:
        does = "distils, judges and scores" if model.chats else "makes the vectors again"
        print(f"next: `curator work` {does} with it now; the app does so in the background")


async def _ask_servers(ask: "Callable[[Server], Awaitable[T]]") -> tuple[dict[str, T], list[ModelError]]:
    """Return the answers of the chat and embedding servers by host, and their errors."""
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


def _cells(model: "Installed") -> tuple[str, ...]:
    from curator.services.model_probe import Fitness, fitness

    levels: dict[str, list[str]] = {}
    for task, level in fitness(model).items():
        levels.setdefault("" if level is Fitness.GOOD else f" ({level})", []).append(task)
    fit = "; ".join(", ".join(tasks) + level for level, tasks in levels.items()) or "nothing here"
    cells = (
        model.name,
        "-" if model.remote else _bytes(model.size),
        model.parameters or "?",
        model.quantization or "?",
        "?" if model.context is None else f"{model.context:,}",
        ", ".join(_uses(model)) or "-",
        f"{fit}; in the cloud: your text would leave this machine" if model.remote else fit,
    )
    return tuple(map(on_one_line, cells))


def _uses(model: "Installed") -> list[str]:
    """Return the tasks that the settings assign to a model."""
    from curator.config import settings
    from curator.models.ollama import full_name

    now, name = settings(), full_name(model.name)
    chats = model.chats and now.ollama.model and full_name(now.ollama.model) == name
    embeds = model.embeds and now.embed.provider == "ollama" and full_name(now.embed.model) == name
    return [use for use, wanted in (("chat", chats), ("embed", embeds)) if wanted]


def _row(host: str, model: "Installed") -> dict[str, object]:
    from curator.services.model_probe import fitness

    return {
        "name": model.name,
        "host": host,
        "digest": model.digest,
        "size": model.size,
        "parameters": model.parameters,
        "quantization": model.quantization,
        "context": model.context,
        "dimension": model.dimension,
        "capabilities": sorted(model.capabilities),
        "cloud": model.remote,
        "in_use": _uses(model),
        "fit": {task: str(level) for task, level in fitness(model).items()},
    }


def _bytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
