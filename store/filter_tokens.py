"""How a filter is written: terms like `kind:preference`, `project:"my site"`, or a word alone; not what they mean.

Quotes around a value hold spaces together; a quote inside of them is written twice.
"""

import re

_TERM = re.compile(r'(?:(\w+):)?(?:"([^"]*(?:""[^"]*)*)"|(\S+))')


def terms(text: str) -> list[str]:
    """The terms of a filter text as they are written, quotes kept."""
    return [match[0] for match in _TERM.finditer(text)]


def split(text: str) -> list[tuple[str, str]]:
    """The terms of a filter text as (name, value); the name is "" for a word alone."""
    return [
        (match[1] or "", match[3] if match[2] is None else match[2].replace('""', '"'))
        for match in _TERM.finditer(text)
    ]


def term_of(name: str, value: str) -> str:
    """A term as it is written; quoted only where the value would be read otherwise without. No name, a word alone."""
    front = f"{name}:" if name else ""
    bare = front + value
    if '"' not in value and split(bare) == [(name, value)]:
        return bare
    quoted = value.replace('"', '""')
    return f'{front}"{quoted}"'


def closed(term: str) -> str:
    """A term that others can follow: one that opens a quote and does not close it would swallow them."""
    ((name, value),) = split(term)
    return term_of(name, value) if value.startswith('"') and term.count('"') % 2 else term
