"""DuckDB over the record, in memory: orders and counts for browsing, and SQL for the person.

One process, one copy, nothing shared: a DuckDB file would lock every other process out. What a process read of a large
store it leaves to the next as a file of rows.
"""

from store.analytics.memory_view import Analytics, Facet, Stopped

__all__ = ["Analytics", "Facet", "Stopped"]
