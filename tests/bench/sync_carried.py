"""Let two Syncthing processes carry a folder target between two devices for a scripted hour.

    python tests/bench/sync_carried.py [SEED]         # needs `syncthing` on the path; a minute

In each minute of the hour both devices do something; each syncs every few minutes, and is offline for a quarter of an
hour. The processes talk to each other over loopback only. Prints what was carried and whether the devices agree in the
end; exits with 1 if they do not.
"""

import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from curator.errors import TargetUnreachable  # noqa: E402
from curator.sync.key import words_of  # noqa: E402
from curator.sync.run import PassResult, create, inspect_space, join, sync  # noqa: E402
from store import clock  # noqa: E402
from sync.devices import KEY, Device, act, device  # noqa: E402

MINUTES, AWAY = 60, {"a": range(15, 30), "b": range(35, 50)}
LONGEST = 120  # seconds for everything to arrive in the end
_OFF = ("globalAnnounceEnabled", "localAnnounceEnabled", "relaysEnabled", "natEnabled", "startBrowser")
_SETTINGS = {"urAccepted": "-1", "crashReportingEnabled": "false", "autoUpgradeIntervalH": "0"}


def free_port() -> int:
    """Return a free port on loopback."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def configured(homes: list[Path], targets: list[Path]) -> None:
    """Write the settings of two processes that share a folder with each other and connect to nobody else."""
    for home in homes:
        subprocess.run(["syncthing", "generate", f"--home={home}"], check=True, capture_output=True)
    shown = [["syncthing", f"--home={home}", "--device-id"] for home in homes]
    ids = [subprocess.run(command, check=True, capture_output=True, text=True).stdout for command in shown]
    addresses = [f"tcp://127.0.0.1:{free_port()}" for _ in homes]
    for number, (home, target) in enumerate(zip(homes, targets, strict=True)):
        tree = ET.parse(home / "config.xml")
        root = tree.getroot()
        for found in [*root.findall("folder"), *root.findall("device")]:
            root.remove(found)
        folder = ET.SubElement(
            root, "folder", id="target", path=str(target), type="sendreceive", rescanIntervalS="5",
            fsWatcherEnabled="true", fsWatcherDelayS="1",
        )  # fmt: skip
        for id_, address in zip(ids, addresses, strict=True):
            ET.SubElement(folder, "device", id=id_.strip())
            ET.SubElement(ET.SubElement(root, "device", id=id_.strip(), compression="never"), "address").text = address
        gui, options = root.find("gui"), root.find("options")
        assert gui is not None and options is not None
        (gui.find("address") or ET.SubElement(gui, "address")).text = f"127.0.0.1:{free_port()}"
        for name, value in (dict.fromkeys(_OFF, "false") | _SETTINGS | {"listenAddress": addresses[number]}).items():
            for former in options.findall(name):
                options.remove(former)
            ET.SubElement(options, name).text = value
        tree.write(home / "config.xml")


class Carrier:
    """A Syncthing process that can be stopped and started."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process, unless it runs."""
        if self.process is None:
            command = ["syncthing", "serve", f"--home={self.home}", "--no-browser", "--no-restart", "--no-upgrade"]
            with (self.home / "log").open("ab") as log:
                self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def stop(self) -> None:
        """Stop the process, if it runs."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(30)
            self.process = None


@contextmanager
def carriers(folder: Path) -> Iterator[dict[str, Carrier]]:
    """Start two processes that carry the targets of the devices a and b; stop them afterwards."""
    homes, targets = [folder / f"syncthing-{name}" for name in "ab"], [folder / f"target-{name}" for name in "ab"]
    for target in targets:
        target.mkdir()
    configured(homes, targets)
    found = {name: Carrier(home) for name, home in zip("ab", homes, strict=True)}
    try:
        for one in found.values():
            one.start()
        yield found
    finally:
        for one in found.values():
            one.stop()


def joined(made: Device, target: str) -> None:
    """Join as soon as the sync space has arrived here."""
    for _ in range(LONGEST):
        try:
            join(made.store, inspect_space(made.store, target, made.name, words_of(KEY)))
        except TargetUnreachable:
            time.sleep(1)
        else:
            return
    raise SystemExit("the space was not carried to the second device")


def synced(one: Device) -> PassResult:
    """Make one sync pass."""
    with one.here() as store:
        return sync(store, one.space)


def hour(made: dict[str, Device], carried: dict[str, Carrier], rng: random.Random) -> tuple[int, int, int]:
    """Work for an hour; return the numbers of passes, of segments read, and of passes that had to wait."""
    passes = read = waited = 0
    for minute in range(MINUTES):
        for name, one in made.items():
            one.at = 60 * minute * clock.SECOND
            carried[name].stop() if minute in AWAY[name] else carried[name].start()
            with one.here() as store:
                act(store, rng)
            if rng.random() < 0.3:
                done = synced(one)
                passes, read, waited = passes + 1, read + done.folded, waited + bool(done.waiting or done.problems)
        time.sleep(0.7)
    return passes, read, waited


def main(seed: int) -> None:
    """Run the hour, wait until everything has arrived, and print the result."""
    if shutil.which("syncthing") is None:
        raise SystemExit("syncthing is not on the path")
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name, carriers(Path(name)) as carried:
        folder = Path(name)
        made = {one: device(folder, one) for one in "ab"}
        with made["a"].here() as store:
            create(store, f"folder:{folder / 'target-a'}", "a", KEY)
        with made["b"].here():
            joined(made["b"], f"folder:{folder / 'target-b'}")
        passes, read, waited = hour(made, carried, random.Random(seed))
        print(f"{passes} passes in {MINUTES} minutes of the script; {read} segments read, {waited} passes had to wait")
        states: set[str] = set()
        ended = time.monotonic()
        while time.monotonic() - ended < LONGEST:
            found = [synced(one) for one in made.values()]
            states = {one.store.sync.digest() for one in made.values()}
            if len(states) == 1 and not any(done.written or done.folded or done.waiting for done in found):
                break
            time.sleep(2)
        lost = [problem for done in found for problem in done.problems]
        files = sorted(file.name for file in (folder / "target-a").rglob("*") if "sync-conflict" in file.name)
        print(f"everything had arrived after {time.monotonic() - ended:.0f} s; {len(files)} files in conflict")
        print(*lost, sep="\n", end="\n" if lost else "")
        print("equal:", len(states) == 1, f"  {time.monotonic() - began:.0f} s in total")
        differences = [difference for one in made.values() for difference in one.store.differences()]
        for one in made.values():
            one.store.close()
    sys.exit(len(states) > 1 or bool(lost or differences))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
