"""Work in the background: each sweep asks the store what is missing and does it, an item at a time.

There is no queue to lose. An item is taken with a lease that stands in the record, so that the app and `curator work`
never do one twice; what came of it is written in one transaction that sees to it that the lease is still held.
"""

from curator.sweeps.base import Failed
from curator.sweeps.progress import State, SweepStatus
from curator.sweeps.scheduler import NAMES, Sweeper

__all__ = ["NAMES", "Failed", "State", "SweepStatus", "Sweeper"]
