"""Empty stand-in for LanceDB's client of a remote catalogue, which these tests never call.

Importing the real client takes a second in each process that opens an index; `CURATOR_TESTS=all` imports it.
"""

import sys
from typing import Any

MODELS = (
    "json_arrow_data_type",
    "json_arrow_field",
    "json_arrow_schema",
    "query_table_request",
    "query_table_request_columns",
    "query_table_request_full_text_query",
    "query_table_request_vector",
    "string_fts_query",
)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {})


for module in ("models", *(f"models.{model}" for model in MODELS)):
    sys.modules[f"{__name__}.{module}"] = sys.modules[__name__]
