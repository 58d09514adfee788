"""The knowledge graph of the reference MCP memory server: `memory.jsonl`, or `memory.json` with the same lines.

`{"type": "entity", "name", "entityType", "observations": []}` and `{"type": "relation", "from", "to", "relationType"}`;
its tool `read_graph` returns `{"entities": [], "relations": []}`. Each observation and each relation becomes a memory.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from curator.importers.formats.memories import kind_of, ready
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress
from curator.importers.json_stream import JsonObject, as_dict, as_dicts, as_list, as_str, digest, records
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.projects import settings_in
from curator.paths import config_home, data_home, expanded
from store import is_record
from store.model import Kind

_PACKAGE = "@modelcontextprotocol/server-memory"
_SELF = frozenset({"default_user", "user", "the_user", "me"})


def fits(record: JsonObject) -> bool:
    """Return True for an entity, a relation or a graph of this format."""
    if record.get("type") in ("entity", "relation") and ("observations" in record or "relationType" in record):
        return True
    return isinstance(record.get("entities"), list) and isinstance(record.get("relations"), list)


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield a memory for each observation and each relation of these files."""
    for log in files:
        for record in records(log, progress):
            if isinstance(record, Problem):
                yield record
                continue
            fields = as_dict(record.value)
            graph = [*as_dicts(fields.get("entities")), *as_dicts(fields.get("relations"))]
            for one in graph or [fields]:
                yield from _Node(one, record.place).memories()


@dataclass(frozen=True, slots=True)
class _Node:
    """An entity or a relation."""

    fields: JsonObject
    place: str

    def name(self, field: str) -> str:
        """Return a name as words; empty for the person."""
        text = as_str(self.fields.get(field))
        return "" if text.lower() in _SELF else text.replace("_", " ").strip()

    def memories(self) -> Iterator[Item]:
        """Yield the observations of an entity (prefixed with its name if they lack it), or the relation."""
        if "relationType" in self.fields:
            verb, last = self.name("relationType"), self.name("to") or "me"
            if verb and as_str(self.fields.get("from")) and as_str(self.fields.get("to")):
                text = f"{self.name('from')} {verb} {last}".strip()
                kind = str(Kind.RELATIONSHIP)
                yield self.memory(text, kind, text, subject=self.name("from") or None, relation=verb, object=last)
            else:
                yield Problem(self.place, "a relation without a name")
        elif isinstance(self.fields.get("observations"), list):
            shown, kind = self.name("name"), str(kind_of(as_str(self.fields.get("entityType"))) or "")
            for observation in as_list(self.fields.get("observations")):
                text = as_str(observation) or as_str(as_dict(observation).get("content"))
                about = f"{shown}: " if text and shown.casefold() not in text.casefold() else ""
                yield self.memory(f"{about}{text}", kind if shown else "", f"{shown} {text}", subject=shown or None)
        else:
            yield Problem(self.place, "neither an entity nor a relation")

    def memory(self, text: str, kind: str, key: str, **more: str | None) -> Item:
        """Return a memory, identified by `key` in later imports."""
        source = Format.MEMORY_SERVER
        row = {"id": f"{source}:{digest(key)}", "text": text, "kind": kind or None, "source": source, **more}
        return ready(row, self.place)


def places() -> Iterator[Path]:
    """Yield the graphs named by an environment variable or settings of assistants, and those in npm's cache."""
    named = [os.environ.get("MEMORY_FILE_PATH", "")]
    for file in (config_home() / "Claude" / "claude_desktop_config.json", Path.home() / ".cursor" / "mcp.json"):
        for server in as_dict(settings_in(file).get("mcpServers")).values():
            named.append(as_str(as_dict(as_dict(server).get("env")).get("MEMORY_FILE_PATH")))
    cache = data_home() / "npm-cache" if sys.platform == "win32" else Path.home() / ".npm"
    cached = cache.glob(f"_npx/*/node_modules/{_PACKAGE}/dist/memory.json*")
    for path in dict.fromkeys((*(expanded(one) for one in named if one), *sorted(cached))):
        if path.is_absolute() and path.is_file() and not is_record(path):
            yield path


FORMAT = LogFormat(Format.MEMORY_SERVER, "a graph of the MCP memory server", read, fits=fits, places=places)
