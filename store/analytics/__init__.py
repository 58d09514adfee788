"""In-memory DuckDB copy of the record: sorting and counts for browsing, and SQL for the person.

Each process has its own copy: a DuckDB file would lock every other process out. For a large store, a process saves its
rows as a file for the next one.
"""

from store.analytics.memory_view import FACETS, Analytics, Stopped

__all__ = ["FACETS", "Analytics", "Stopped"]
