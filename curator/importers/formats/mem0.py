"""mem0 memories, as returned by `get_all` and `search`, as JSON or one per line.

`{"results": [{"id", "memory", "user_id", "agent_id", "created_at", "updated_at", "categories", "metadata"}]}`, or only
the list. A project may have the memories of several people, by `user_id`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from curator.importers.formats.memories import kind_of, ready
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped
from curator.importers.json_stream import JsonObject, as_dict, as_dicts, as_list, as_str, first_text, records
from curator.importers.log_format import Format, LogFormat, Options, SurveyedChats

_KINDS = {"personal_details": "identity", "professional_details": "identity", "family": "relationship",
          "user_preferences": "preference", "milestones": "event"}  # fmt: skip
_LISTS = ("results", "memories")


def fits(record: JsonObject) -> bool:
    """Return True for a memory of this format, or a list of them under a key."""
    if isinstance(record.get("memory"), str):
        return bool({"id", "hash", "user_id", "agent_id"} & record.keys())
    return any(isinstance(one.get("memory"), str) for name in _LISTS for one in as_dicts(record.get(name))[:1])


def chats(files: Sequence[LogFile]) -> SurveyedChats:
    """Survey these lists; the names are the ids of the people with memories, none if there is only one."""
    rows = (one for log in files for place, one in _rows(log, ReadProgress()) if not isinstance(one, Problem))
    counts = Counter(first_text(one, "user_id") for one in rows)
    del counts[""]
    several = len(counts) > 1
    return SurveyedChats(counts if several else {}, partial(read, files, several))


def read(files: Sequence[LogFile], several: bool, progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the person's memories in these files; those of agents and other people are counted as skipped."""
    for log in files:
        for place, row in _rows(log, progress):
            if isinstance(row, Problem):
                yield row
                continue
            owner = first_text(row, "user_id")
            if (several and not options.own_names([owner])) or (not owner and first_text(row, "agent_id")):
                yield Skipped("not_own", place)
                continue
            categories = [one for one in map(as_str, as_list(row.get("categories"))) if one]
            kinds = (_KINDS.get(one) or kind_of(one) for one in categories)
            memory: JsonObject = {
                "id": f"{Format.MEM0}:{first_text(row, 'id', 'hash') or as_str(row.get('memory'))}",
                "text": row.get("memory"),
                "kind": next((str(kind) for kind in kinds if kind), None),
                "tags": categories,
                "created_at": row.get("created_at"),
                "project": first_text(as_dict(row.get("metadata")), "project") or None,
                "source": Format.MEM0,
            }
            yield ready(memory, place)


def _rows(log: LogFile, progress: ReadProgress) -> Iterator[tuple[str, JsonObject | Problem]]:
    """Yield the memories of a file with their places."""
    for record in records(log, progress):
        if isinstance(record, Problem):
            yield log.name, record
            continue
        fields = as_dict(record.value)
        lists = [fields[name] for name in _LISTS if isinstance(fields.get(name), list)]
        for row in as_dicts(lists[0]) if lists else (fields,):
            known = isinstance(row.get("memory"), str)
            yield record.place, row if known else Problem(record.place, "no memory: its text is missing")


FORMAT = LogFormat(Format.MEM0, "a list of mem0's memories", None, fits=fits, chats=chats, exported=True)
