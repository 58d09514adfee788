"""In-memory DuckDB copy of the record, for sorting and counting in lists, and for SQL queries of the person.

Each process has its own copy, because a DuckDB file would be locked for all other processes. The rows of a large store
are saved as a file, from which the next process fills its copy.
"""

from store.analytics.memory_view import FACETS, Analytics, Stopped

__all__ = ["FACETS", "Analytics", "Stopped"]
