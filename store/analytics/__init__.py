"""DuckDB over the record, in memory: orders and counts for browsing, and SQL for the person.

One process, one copy, nothing shared: a DuckDB file would lock every other process out. What a process read of a large
store it leaves to the next as a file of rows.
"""

from store.analytics.memory_view import Analytics, Facet, Stopped
from store.analytics.sql_console import TABLES, BadQuery, Result, query

__all__ = ["TABLES", "Analytics", "BadQuery", "Facet", "Result", "Stopped", "query"]
