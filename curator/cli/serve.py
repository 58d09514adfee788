"""The commands `serve`, `mcp` and `hook`."""

import sys
from functools import partial
from typing import Annotated

import typer

from curator.cli.options import AsJson
from curator.cli.output import NOTHING, exit_code, print_json, warn
from curator.serve import client


def serve(
    context: typer.Context,
    status: Annotated[bool, typer.Option("--status", help="Print whether it runs, and its figures.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Stop it, after what it is doing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Keep memories ready for assistants, in the background.

    Starts by itself when an assistant asks, and ends when nobody has asked for half an hour.
    """
    if status or stop:
        _ask("status" if status else "stop", as_json)
        return
    import asyncio

    from curator.serve.server import Busy
    from curator.serve.server import serve as run

    program = context.find_root().command

    def command(arguments: list[str]) -> int:
        return exit_code(partial(program, arguments, prog_name="curator"))

    try:
        # not sys.stderr: that may be a client's by then
        asyncio.run(run(command, ready=lambda: print("ready; ctrl+c stops it", file=sys.__stderr__)))
    except Busy as error:
        warn(str(error))
        raise typer.Exit(NOTHING) from None


def _ask(wanted: str, as_json: bool) -> None:
    try:
        connection = client.connect()
        connection.send({"do": wanted})
        reply = connection.receive()
        connection.close()
    except (OSError, client.Unreachable):
        if as_json:
            print_json({"running": False})
        else:
            print("not running")
        raise typer.Exit(NOTHING) from None
    if as_json:
        print_json({"running": wanted == "status", **reply})
    elif wanted == "stop":
        print("stopped")
    else:
        minutes, megabytes = int(str(reply["seconds"])) // 60, int(str(reply["memory"])) // 1_000_000
        print(f"running for {minutes} min as process {reply['pid']}: {reply['requests']} requests, {megabytes} MB")
        print(f"store: {reply['store']}")


def mcp() -> None:
    """Serve memories to an assistant (MCP).

    Over standard input and output: assistants start it themselves, see `curator connect`.
    """
    from curator.serve.relay import relay

    raise typer.Exit(relay())


def hook(
    host: Annotated[str, typer.Argument(metavar="HOST", help="claude, codex or gemini.")],
    event: Annotated[str, typer.Argument(metavar="EVENT", help="session-start, prompt or end.")],
) -> None:
    """Answer a hook of an assistant.

    Assistants call it themselves, see `curator connect`.
    """
    from curator.serve.relay import hook

    raise typer.Exit(hook(host, event))
