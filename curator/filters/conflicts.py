"""Filter language for conflicts: `class:update score:>=0.8 source:claude is:later words to find`."""

import re
from dataclasses import replace

from curator.curation.pairs import Which
from curator.filters.memories import BadFilter, brief, memory_id
from store.filter import parse_terms
from store.model import Relation

_CLASSES = (Relation.DUPLICATE, Relation.UPDATE, Relation.CONTRADICTION, Relation.UNSURE)


def parse_conflicts(words: str) -> Which:
    """Parse a filter. Words without a colon must occur in either text.

    Several classes or memories match any of them. Raises BadFilter.
    """
    found = Which()
    for name, value in parse_terms(words):
        match name.casefold():
            case "":
                found = replace(found, words=(*found.words, value))
            case "class":
                if value.casefold() not in _CLASSES:
                    raise BadFilter(f"class is one of {', '.join(_CLASSES)}, not {brief(value)}")
                found = replace(found, relations=(*found.relations, Relation(value.casefold())))
            case "score":
                match = re.fullmatch(r"(?:>=)?(\d*\.?\d+)", value, re.ASCII)
                if match is None or float(match[1]) > 1:
                    raise BadFilter(f"score is written like >=0.8, from 0 to 1, not {brief(value)}")
                found = replace(found, least_score=max(found.least_score, float(match[1])))
            case "source":
                found = replace(found, source=value)
            case "memory":
                found = replace(found, memories=(*found.memories, memory_id(value)))
            case "is" if value == "later":
                found = replace(found, put_off=True)
            case "is" if value in ("resolved", "settled"):
                found = replace(found, settled=True)
            case _:
                term = brief(f"{name}:{value}")
                known = "class, score, source, memory, is:later, is:resolved"
                raise BadFilter(f"{term} is not a filter for conflicts; filters are {known}")
    return found
