"""Curator: see and fix what your AI remembers about you.

`from curator import Curator` is the Python API (docs/python.md). Importing this package loads nothing else: a prompt
hook waits for it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from curator.api import *  # noqa: F403

__version__ = "0.1.0"
__all__ = [  # noqa: F405
    "Block",
    "Curator",
    "Event",
    "Given",
    "Hit",
    "Kind",
    "Life",
    "Memory",
    "Proposal",
    "Review",
    "SearchResult",
    "Status",
    "Tier",
]


def __getattr__(name: str) -> object:
    """Import the API when it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module("curator.api"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
