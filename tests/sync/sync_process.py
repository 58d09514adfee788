"""Sync once in a process of its own, which a test kills: `python sync_process.py`, with CURATOR_HOME."""

import sys

from curator.paths import store_folder
from curator.sync.key import saved
from curator.sync.run import sync
from store import Store

if __name__ == "__main__":
    store, space = Store.open(store_folder()), saved()
    assert space is not None
    print("begins", flush=True)
    sys.stdin.readline()
    sync(store, space)
    print("done", flush=True)
