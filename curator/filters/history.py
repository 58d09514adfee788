"""Filter language for the history: `forget by:sweep memory:7 undone words to find`."""

from collections.abc import Sequence
from dataclasses import replace

from curator.filters.memories import BadFilter, brief, memory_id
from store import LogFilter
from store.filter import parse_terms
from store.model import Actor
from store.record.command_log import LONGEST

_ACTORS = {actor.value: actor for actor in Actor} | {"you": Actor.PERSON, "me": Actor.PERSON, "program": Actor.SERVER}


def parse_history(words: str, verbs: Sequence[str]) -> LogFilter:
    """Parse a filter. `verbs` are the existing verbs (`Store.journal.verbs`).

    A verb alone, `undone` and `standing` are terms; any other word alone must be the command's id, begin its verb, or
    occur in its summary or in a memory that it changed. Raises BadFilter.
    """
    found = LogFilter()
    for name, value in parse_terms(words):
        match name.casefold():
            case "":
                word = value.casefold()
                if word in ("undone", "standing"):
                    if found.undone not in (None, word == "undone"):
                        raise BadFilter("a command is undone or standing, not both")
                    found = replace(found, undone=word == "undone")
                elif word in verbs:
                    found = replace(found, verbs=(*found.verbs, word))
                elif len(value) > LONGEST:
                    raise BadFilter(f"a word to find is at most {LONGEST:,} characters, this is {len(value):,}")
                else:
                    found = replace(found, words=(*found.words, value))
            case "verb":
                if value.casefold() not in verbs:
                    there = f"there are {', '.join(verbs)}" if verbs else "no commands yet"
                    raise BadFilter(f"{brief(value)} is not a command; {there}")
                found = replace(found, verbs=(*found.verbs, value.casefold()))
            case "by":
                if value.casefold() not in _ACTORS:
                    raise BadFilter(f"by is one of {', '.join(Actor)}, not {brief(value)}")
                found = replace(found, actors=(*found.actors, _ACTORS[value.casefold()]))
            case "memory":
                found = replace(found, memories=(*found.memories, memory_id(value)))
            case _:
                raise BadFilter(
                    f"{brief(name)} is not a filter for the history; filters are verb, by, memory, undone, standing"
                )
    return found
