"""Background work: each sweep asks the store what is missing and does it, one item at a time.

There is no queue to lose. An item is leased in the record, so that the app and `curator work` never do it twice; its
result is written in one transaction that checks that the lease is still held.
"""

from curator.sweeps.base import Failed
from curator.sweeps.progress import State, SweepStatus
from curator.sweeps.scheduler import NAMES, Sweeper

__all__ = ["NAMES", "Failed", "State", "SweepStatus", "Sweeper"]
