"""The commands `serve`, `mcp` and `hook`."""

import contextlib
import sys
import time
from functools import partial
from typing import Annotated

import typer

from curator.cli.options import AsJson
from curator.cli.output import NOTHING, USAGE, confirm, exit_code, print_json, print_json_lines, warn
from curator.display import counted
from curator.errors import ConfigError
from curator.serve import client


def serve(
    context: typer.Context,
    status: Annotated[bool, typer.Option("--status", help="Show whether it is running, and statistics.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Stop it once it has finished its current work.")] = False,
    http: Annotated[
        bool, typer.Option("--http", help="Serve HTTP too, at serve.host and serve.port, until stopped.")
    ] = False,
    new_key: Annotated[
        str | None, typer.Option("--new-key", metavar="NAME", help="Create an HTTP key, and print it once.")
    ] = None,
    person: Annotated[
        bool, typer.Option("--person", help="With --new-key: the key may also add, edit, validate and delete.")
    ] = False,
    keys: Annotated[bool, typer.Option("--keys", help="List HTTP keys.")] = False,
    revoke: Annotated[str | None, typer.Option("--revoke", metavar="NAME", help="Revoke an HTTP key.")] = None,
    as_json: AsJson = False,
) -> None:
    """Serve memories to assistants, in the background.

    Started on demand by assistants; exits after 30 minutes without requests.
    """
    if sum((status, stop, http, new_key is not None, keys, revoke is not None)) > 1:
        raise typer.BadParameter("give one of --status, --stop, --http, --new-key, --keys and --revoke")
    if person and new_key is None:
        raise typer.BadParameter("--person goes with --new-key NAME")
    if status or stop:
        _ask("status" if status else "stop", as_json)
        return
    if new_key is not None:
        _print_new_key(new_key, person, as_json)
        return
    if keys:
        from curator.serve.http.keys import stored

        rows = [{"name": key.name, "role": key.role.value, "made": key.made} for key in stored()]
        if as_json:
            print_json_lines(rows)
        elif rows:
            print(*(f"{row['name']}  {row['role']}  {row['made']}" for row in rows), sep="\n")
        else:
            print("no keys; `curator serve --new-key NAME` creates one")
        return
    if revoke is not None:
        from curator.serve.http.keys import revoke as end

        end(revoke)
        print(f"revoked {revoke}")
        return
    if http and _opened_by_running():
        return
    import asyncio

    from curator.serve.server import Busy
    from curator.serve.server import serve as run

    program = context.find_root().command

    def command(arguments: list[str]) -> int:
        return exit_code(partial(program, arguments, prog_name="curator"))

    def print_ready(address: str) -> None:
        where = f" at {address}" if address else ""
        print(f"ready{where}; ctrl+c stops it", file=sys.__stderr__)  # sys.stderr may already be a client's

    try:
        asyncio.run(run(command, ready=print_ready, http=http))
    except Busy as error:
        warn(f"{error}; `curator serve --stop` stops it" if http else str(error))
        raise typer.Exit(NOTHING) from None


def _opened_by_running() -> bool:
    """Ask the running process to serve HTTP too, and print the address; return False without a suitable process.

    A process with other settings or of another version is asked to exit. Raises ConfigError.
    """
    try:
        connection = client.connect_current()
    except client.Unreachable:
        return False
    try:
        connection.send({"do": "http", "settings": client.variables()})
        reply = connection.receive()
        if reply.get("other_settings"):
            warn("the running process has different settings; stopping it to serve HTTP from this one")
            other = client.connect_current()
            other.send({"do": "stop"})
            other.receive()
            other.close()
            return False
    except (OSError, client.Unreachable):
        return False
    finally:
        connection.close()
    if "error" in reply:
        raise ConfigError(str(reply["error"]))
    how = "already serves" if reply["already"] else "serves"
    print(f"the running process {how} HTTP at {reply['http']}; `curator serve --stop` stops it")
    return True


def _print_new_key(name: str, person: bool, as_json: bool) -> None:
    """Create a key and print it. A person's key needs a terminal, so that an agent cannot create one for itself."""
    from curator.serve.http.keys import Role, make

    if person:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            warn("--person needs a terminal")
            raise typer.Exit(USAGE)
        confirm("create a key that may add, edit, validate and delete memories?", False, as_json)
    role = Role.PERSON if person else Role.AGENT
    text = make(name, role)
    if as_json:
        print_json({"name": name, "role": role.value, "key": text})
    else:
        print(text)
        warn("this key is not shown again; send it as X-API-Key or Authorization: Bearer")


def _ask(wanted: str, as_json: bool) -> None:
    until = time.monotonic() + client.STARTED
    while wanted == "stop" and client.is_running():  # one that is starting cannot be told yet
        try:
            client.connect().close()
            break
        except (OSError, client.Unreachable) as error:
            if isinstance(error, client.Hung) or time.monotonic() > until:
                break
        time.sleep(0.1)
    try:
        with contextlib.closing(client.connect()) as connection:
            connection.send({"do": wanted})
            reply = connection.receive()
    except client.Hung as error:
        if as_json:
            print_json({"running": True, "error": str(error)})
        else:
            warn(str(error))
        raise typer.Exit(NOTHING) from None
    except (OSError, client.Unreachable):
        locked = client.is_running()
        if as_json:
            print_json({"running": False, "starting": locked})
        else:
            print("starting, or about to end; try again in a moment" if locked else "not running")
        raise typer.Exit(NOTHING) from None
    if as_json:
        print_json({"running": wanted == "status", **reply})
    elif wanted == "stop":
        print("stopped")
    else:
        minutes, megabytes = int(str(reply["seconds"])) // 60, int(str(reply["memory"])) // 1_000_000
        since = f"{minutes} min" if minutes else "less than a minute"
        requests = counted(int(str(reply["requests"])), "request")
        print(f"running for {since}: {requests}, {megabytes} MB, process {reply['pid']}")
        print(f"store: {reply['store']}")
        if reply.get("http"):
            print(f"HTTP: {reply['http']}")


def mcp() -> None:
    """Serve memories to an assistant (MCP).

    Uses stdin and stdout. Started by assistants; see `curator connect`.
    """
    from curator.serve.relay import relay

    raise typer.Exit(relay())


def hook(
    host: Annotated[str, typer.Argument(metavar="HOST", help="claude, codex or gemini.")],
    event: Annotated[str, typer.Argument(metavar="EVENT", help="session-start, prompt, compact or end.")],
) -> None:
    """Answer a hook of an assistant.

    Called by assistants; see `curator connect`.
    """
    from curator.serve.hook_client import hook

    raise typer.Exit(hook(host, event))
