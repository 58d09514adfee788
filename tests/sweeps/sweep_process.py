"""A process that runs all sweeps: `sweep_process.py STORE LEASE`, the lease in seconds; prints when it begins."""

import asyncio
import sys
from pathlib import Path

from curator.sweeps import Sweeper
from store import Store


def main() -> None:
    store = Store.open(Path(sys.argv[1]))
    print("begins", flush=True)
    asyncio.run(Sweeper(store, lease=float(sys.argv[2]), tick=0.02).work(once=True))
    store.close()


if __name__ == "__main__":
    main()
