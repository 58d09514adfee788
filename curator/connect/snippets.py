"""Instructions for assistants whose settings are not a file on this machine."""

from collections.abc import Sequence

from curator.connect.edit_yaml import render
from curator.connect.hosts import NAME, Server, shell_line

_LIBRECHAT = Server(("mcpServers",), before={"type": "stdio"})


def snippet(name: str, command: Sequence[str]) -> str:
    """Return the instructions to connect a host by hand."""
    if name == "librechat":
        lines = render({"mcpServers": {NAME: _LIBRECHAT.entry(command)}}, "")
        return "\n".join(
            (
                "Add this to librechat.yaml, and restart LibreChat:",
                "",
                *lines,
                "",
                "LibreChat starts the program itself, so both must be on one machine, and outside of a container.",
            )
        )
    bridge = shell_line(
        ("mcpo", "--host", "127.0.0.1", "--port", "8300", "--api-key", "YOUR-KEY", "--", *command, "mcp")
    )
    return "\n".join(
        (
            "Open WebUI reaches its tools over HTTP. The program mcpo makes a server of Curator for it:",
            "",
            bridge,
            "",
            "In Open WebUI: Settings, Tools, +, with the address http://127.0.0.1:8300 and your key.",
        )
    )
