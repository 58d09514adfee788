"""DuckDB over the record, in memory: orders and counts for browsing, and SQL for the person.

One process, one copy, nothing shared and nothing on disk: a DuckDB file would lock every other process out.
"""

from store.analytics.browse import Analytics, Facet
from store.analytics.query import TABLES, BadQuery, Result, query

__all__ = ["TABLES", "Analytics", "BadQuery", "Facet", "Result", "query"]
