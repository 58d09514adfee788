"""Measure speed and memory of a large import.

    python tests/bench/import_speed.py 100          # megabytes of generated ChatGPT export
    python tests/bench/import_speed.py 1000 --distil

Prints megabytes per second for parsing, redacting and storing, and the peak memory of the process. With --distil the
rules and the embedder run too.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from installed import environment
from store_builder import write_chatgpt_export


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("megabytes", type=int)
    parser.add_argument("--distil", action="store_true")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="curator-bench-") as folder:
        export = Path(folder) / "conversations.json"
        count = write_chatgpt_export(export, wanted.megabytes)
        size = export.stat().st_size / 1e6
        print(f"{size:,.0f} MB, {count:,} conversations")
        run(Path(folder), size, "import", str(export), "--no-distil")
        run(Path(folder), size, "import", str(export), "--no-distil")
        if wanted.distil:
            run(Path(folder), size, "distil")


def run(folder: Path, size: float, *words: str) -> None:
    """Run one command in a process of its own and print time and peak memory."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "curator", *words, "--json"]
    done = subprocess.run(command, env=environment(folder / "home"), capture_output=True, text=True, check=True)
    taken = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"curator {words[0]}: {taken:,.1f} s, {size / taken:,.1f} MB/s, peak so far {peak:,.0f} MB")
    print(f"  {done.stdout.strip()[:400]}")


if __name__ == "__main__":
    main()
