"""The command `key`: the signing key of this device, and trusted keys of others."""

from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.errors import NOTHING
from curator.cli.options import AsJson
from curator.cli.output import print_json

if TYPE_CHECKING:
    from curator.export.serializers import Json


def key(
    remove: Annotated[
        str | None, typer.Option(metavar="FINGERPRINT", help="Stop trusting a key; memories imported with it stay.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show your signing key and the keys you trust."""
    from curator.paths import signing_key_file
    from curator.signature import checked_fingerprint, distrust, own_fingerprint, trusted

    if remove is not None:
        known = distrust(checked_fingerprint(remove))
        print(f"removed {remove.strip()}" if known else f"{remove.strip()} was not trusted")
        raise typer.Exit(0 if known else NOTHING)
    own, others = own_fingerprint(make=True), trusted()
    if as_json:
        rows: list[Json] = [{"fingerprint": name, "since": since} for name, since in others.items()]
        print_json({"fingerprint": own, "file": str(signing_key_file()), "trusted": rows})
        return
    print(f"this device   {own}")
    for name, since in others.items():
        print(f"trusted       {name}  since {since}")


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("key")(key)
