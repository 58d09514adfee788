"""A program in a pseudo-terminal: its output over time, CPU cost, memory and time to exit."""

import os
import pty
import signal
import struct
import sys
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from fcntl import ioctl
from pathlib import Path

ESCAPE, ENTER, DOWN, PAGE_DOWN = b"\x1b", b"\r", b"\x1b[B", b"\x1b[6~"
WIDTH, HEIGHT = 160, 36


class Terminal:
    """Python with some arguments, in a terminal of 160 × 36.

    Times are those of `time.perf_counter`, which processes share.
    """

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        self.began = time.perf_counter()
        self.pid, self._handle = pty.fork()
        if self.pid == 0:
            looks = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TEXTUAL_ANIMATIONS": "none"}
            os.execve(sys.executable, [sys.executable, *arguments], {**environment, **looks})
        ioctl(self._handle, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
        self.shown, self.ended = b"", False
        self.last = self.began  # time of the latest output
        self._came = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                some = os.read(self._handle, 1 << 20)
            except OSError:
                return
            with self._came:
                self.shown += some
                self.last = time.perf_counter()
                self._came.notify_all()

    def until(self, text: bytes, limit: float = 60) -> float:
        """Return seconds from the start until a text is shown. Raises TimeoutError with the end of the output."""
        with self._came:
            if not self._came.wait_for(lambda: text in self.shown, limit):
                raise TimeoutError(f"{text!r} is not in {self.shown[-2000:]!r}")
            return self.last - self.began

    def press(self, *keys: bytes, rate: float = 20) -> float:
        """Press keys one after the other, `rate` per second; return when the last one was pressed."""
        for number, key in enumerate(keys):
            if number:
                time.sleep(1 / rate)
            os.write(self._handle, key)
        return time.perf_counter()

    def hold(self, key: bytes, seconds: float, rate: float = 30) -> float:
        """Hold a key down; return when it was last repeated."""
        began = time.perf_counter()
        for number in range(round(seconds * rate)):
            time.sleep(max(began + number / rate - time.perf_counter(), 0))
            os.write(self._handle, key)
        return time.perf_counter()

    def answer(self, key: bytes, limit: float = 0.5) -> float:
        """Press a key; return the seconds until the next output. Raises TimeoutError if there is none."""
        with self._came:
            before = len(self.shown)
            pressed = self.press(key)
            if not self._came.wait_for(lambda: len(self.shown) > before, limit):
                raise TimeoutError(f"no answer to {key!r}")
            return self.last - pressed

    def cpu(self) -> tuple[float, float]:
        """Return processor seconds so far, of the event loop's thread and of all threads."""
        tasks = Path(f"/proc/{self.pid}/task")
        used = {int(task.name): int((task / "schedstat").read_text().split()[0]) / 1e9 for task in tasks.iterdir()}
        return used[self.pid], sum(used.values())

    def memory(self) -> tuple[float, float]:
        """Return resident megabytes, now and at most so far."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        fields = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith(("VmRSS", "VmHWM"))}
        return int(fields["VmRSS"]) / 1024, int(fields["VmHWM"]) / 1024

    def end(self, key: bytes = b"q", limit: float = 60) -> float:
        """Press a key that quits; return the seconds until exit, or infinity if the process had to be killed."""
        if self.ended:
            return 0.0
        self.ended, pressed = True, self.press(key)
        while time.perf_counter() < pressed + limit:
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                taken = time.perf_counter() - pressed
                os.close(self._handle)
                return taken
            time.sleep(0.002)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return float("inf")
