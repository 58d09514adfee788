"""The commands `models list`, `pull`, `probe` and `use`."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.filesize import decimal as byte_size

from curator.cli.options import AsJson, AsJsonLines, NamedValues
from curator.cli.output import MODEL, dim, print_json, print_json_lines, print_table, warn, warn_all, warn_if_overridden
from curator.cli.progress import ProgressLines, Task, progress
from curator.errors import ModelError
from curator.terminal_text import on_one_line

if TYPE_CHECKING:
    from curator.models.ollama import Installed
    from curator.services.model_probe import Probe
    from curator.services.model_servers import AvailableServer

Name = Annotated[str, typer.Argument(metavar="NAME", help="A model by its name on its server, e.g. qwen3:4b.")]
_NO_SERVER = "LM Studio, llama.cpp and vLLM work too; without a server, rules distil and compare"
_HEADS = ("name", "size", "parameters", "quantisation", "context", "in use", "good for")

models = typer.Typer(help="Manage the local models: Ollama, LM Studio, llama.cpp, vLLM.")


@models.callback(invoke_without_command=True)
def start(context: typer.Context, as_json: AsJsonLines = False) -> None:
    """Manage the local models: Ollama, LM Studio, llama.cpp, vLLM."""
    if context.invoked_subcommand is None:
        installed(as_json)


@models.command("list", cls=NamedValues)
def installed(as_json: AsJsonLines = False) -> None:
    """List the models on this machine, and what each is good for.

    Models of 3 to 9 billion parameters are good for distilling, scoring, judging and merging; smaller ones are
    often wrong, larger ones slow. Only Ollama's embedding models can compute vectors.
    """
    import asyncio

    from curator.config import settings
    from curator.services.model_servers import find_servers

    servers, problems = asyncio.run(find_servers())
    warn_all(map(str, problems))
    if not servers:
        warn(_NO_SERVER)
        raise typer.Exit(MODEL)
    for server in servers:
        if as_json:
            print_json_lines(_row(server, model) for model in server.models)
            continue
        print(f"{on_one_line(server.name)} at {server.host}" + ("" if server.models else ", without models"))
        if server.models:
            print_table([_HEADS, *(_cells(server, model) for model in server.models)])
    if not any(server.models for server in servers):
        raise ModelError(
            f"no models installed on {', '.join(server.host for server in servers)}; with Ollama, `curator models pull "
            "qwen3:4b` installs a chat model, `curator models pull nomic-embed-text` one for vectors"
        )
    if not as_json and not settings().ollama.model:
        print(dim("no chat model in use, rules only; choose one with: curator models use NAME"))


@models.command(cls=NamedValues)
def pull(name: Name) -> None:
    """Download a model with Ollama; resumes an interrupted download."""
    import asyncio
    from contextlib import aclosing

    from curator.models.ollama import configured

    async def run(lines: ProgressLines) -> None:
        async with configured() as server, aclosing(server.pull(name)) as steps:
            async for step in steps:
                text = f"{byte_size(step.done)} of {byte_size(step.total)}  {on_one_line(step.status)}"
                lines.show(Task(on_one_line(name), step.done, step.total, text))

    with progress() as lines:
        asyncio.run(run(lines))
    print(f"{name} is installed; use it with: curator models use {name}")


@models.command(cls=NamedValues)
def probe(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A chat model; the current one by default.")] = "",
    as_json: AsJson = False,
) -> None:
    """Test the server and the model: answers, vectors, speed."""
    import asyncio

    from curator.config import settings
    from curator.models.ollama import configured
    from curator.services import model_probe
    from curator.services.model_servers import chat_server

    config = settings()

    async def run() -> "Probe":
        embedding = config.embed.model if config.embed.provider == "ollama" else ""
        async with chat_server() as chats, configured(embedding=True) as embeds:
            return await model_probe.probe(chats, embeds, name or config.ollama.model, embedding)

    result = asyncio.run(run())
    if as_json:
        print_json({**asdict(result), "problems": result.problems, "works": result.works})
    else:
        _print_probe(result)
    if not result.works:
        raise typer.Exit(MODEL)


def _print_probe(result: "Probe") -> None:
    if result.version is not None:
        print(f"{on_one_line(f'{result.server} {result.version}').strip()} answers at {result.host}")
    if (chat := result.chat) is not None:
        kept = "follows the schema" if chat.obeyed else "does NOT follow the schema"
        rate = "" if chat.rate is None else f", {chat.rate:.0f} tokens per second"
        print(f"{chat.model}: answers, {kept}{rate} (first answer after {chat.seconds:.1f} s)")
    if (vectors := result.embedding) is not None:
        print(f"{vectors.model}: answers, vectors of {vectors.dimension} dimensions ({vectors.seconds:.1f} s)")
    warn_all(result.problems)
    if not result.works:
        advice = "" if result.problems else ". Choose a model with: curator models use NAME"
        warn(f"no model available; using rules only{advice}")


@models.command(cls=NamedValues)
def use(name: Name) -> None:
    """Use a model to distil and judge, or for vectors. Saves its server too."""
    import asyncio

    from curator.config import save
    from curator.models import ModelMissing
    from curator.models.host import speaks_openai
    from curator.models.ollama import embedding_host
    from curator.models.server_types import configured_limits
    from curator.services.model_servers import find_servers, settings_for_host

    servers, problems = asyncio.run(find_servers())
    server, model = next(
        ((server, model) for server in servers if (model := server.model(name)) is not None), (None, None)
    )
    if server is None or model is None:
        if problems:
            raise problems[0]
        pulls = any(not speaks_openai(server.host) for server in servers)
        remedy = (
            f"get it with: curator models pull {name}" if pulls else "load it there, or choose another: curator models"
        )
        raise ModelMissing(f"no server here has a model {name}; {remedy}" if servers else _NO_SERVER)
    configured_limits()[0].check_model(model.name, model.remote)
    changes = {"ollama.model": model.name} | settings_for_host(server.host) if model.chats else {}
    if model.embeds and not model.chats:
        changes = {"embed.model": model.name, "embed.provider": "ollama"}
        changes |= {"ollama.embed_host": server.host} if server.host != embedding_host() else {}
    if not changes:
        raise ModelMissing(f"{model.name} cannot be used; choose another: curator models")
    for setting, value in changes.items():
        save(setting, value)
        print(f"{setting} = {value}")
        warn_if_overridden(setting)
    does = "distils, judges, drafts merges and scores" if model.chats else "recomputes the vectors"
    print(f"next: `curator work` {does} with it now; the app does so in the background")


def _cells(server: "AvailableServer", model: "Installed") -> tuple[str, ...]:
    from curator.services.model_probe import Fitness, fitness

    levels: dict[str, list[str]] = {}
    for task, level in fitness(model).items():
        levels.setdefault("" if level is Fitness.GOOD else f" ({level})", []).append(task)
    fit = "; ".join(", ".join(tasks) + level for level, tasks in levels.items()) or "nothing here"
    cells = (
        model.name,
        byte_size(model.size) if model.size and not model.remote else "-",
        model.parameters or "?",
        model.quantization or "?",
        "?" if model.context is None else f"{model.context:,}",
        ", ".join(server.uses(model)) or "-",
        f"{fit}; in the cloud: your text would leave this machine" if model.remote else fit,
    )
    return tuple(map(on_one_line, cells))


def _row(server: "AvailableServer", model: "Installed") -> dict[str, object]:
    from curator.services.model_probe import fitness

    return {
        "name": model.name,
        "host": server.host,
        "server": server.name,
        "digest": model.digest,
        "size": model.size,
        "parameters": model.parameters,
        "quantization": model.quantization,
        "context": model.context,
        "dimension": model.dimension,
        "capabilities": sorted(model.capabilities),
        "cloud": model.remote,
        "in_use": server.uses(model),
        "fit": {task: str(level) for task, level in fitness(model).items()},
    }
