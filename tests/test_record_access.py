"""Only SQLite opens the files of a record, and only in one module.

Closing any other descriptor of these files drops this process's locks, and another process then deletes the log under a
live writer. So each place that opens a file by other means is listed here with the check that it is not a record; a new
place fails until it is listed.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from effort import thorough

ROOT = Path(__file__).parents[1]
CONNECTS = "store/record/database.py"
OTHERS = "curator/importers/database.py"  # databases of other programs; `is_record` rejects records
OPENERS = frozenset(
    "open read_bytes read_text write_bytes write_text hardlink_to copyfile copyfileobj copy2 copytree copy_into "
    "ZipFile is_zipfile TarFile file_digest mmap memmap from_file fdopen FileIO make_archive unpack_archive".split()
)
MODULES = frozenset({"shutil", "os", "io", "tarfile", "zipfile", "mmap", "codecs"})  # COMMON counts on these only
COMMON = frozenset({"copy", "move", "link", "open", "sendfile"})
NO_FILES = frozenset(
    "Store Index super() self self.view self.line self._line area sweep.work store.alerts log self.log archive".split()
)  # their `open` opens no file; that of a LogFile is `importers/inputs.py:LogFile.of_file`
OPENED = {
    "curator/cli/output.py:flush": "the null device",
    "curator/cli/backup.py:check_named": "check_target",
    "curator/cli/output.py:read_lines": "check_no_record",
    "curator/cli/sweeps.py:_answer_in": "check_no_record",
    "curator/serve/hook_given.py": "a file of a fixed name beside the store",
    "curator/text_files.py:read": "settings and lists, by their names",
    "curator/text_files.py:replace": "a new file (written_whole)",
    "curator/connect/changes.py:_text": "check_no_record",
    "curator/connect/claude_server.py:registered": "settings of Claude Code, by their name",
    "curator/connect/plugin.py:_text": "a file of the plugin, by its name",
    "curator/connect/program.py:_belongs": "check_no_record",
    "curator/connect/status.py:unreviewed_hooks": "settings of Codex, by their name",
    "curator/editor.py:edited": "a new file in a folder of its own",
    "curator/cli/archive.py:known_passphrase": "check_no_record",
    "curator/export/archive.py:is_archive": "is_record",
    "curator/export/archive.py:open_archive": "check_no_record",
    "curator/export/archive.py:write_archive.write": "a new file (written_whole)",
    "curator/export/files.py:export_file.write": "a new file (written_whole)",
    "curator/export/notes.py:_write_notes": "notes that notes_in has looked at, and new files (written_whole)",
    "curator/export/notes.py:notes_in": "is_record",
    "curator/export/layer_files.py:bytes_of": "check_no_record",
    "curator/export/layer_files.py:put_list": "a new file (written_whole)",
    "curator/export/layer_files.py:write_layers": "a new file (written_whole)",
    "curator/importers/database.py:_read_only": "is_record",
    "curator/importers/database.py:database": "a new file in a folder of its own",
    "curator/importers/database.py:_copied_with_log": "looked at by _read_only before",
    "curator/importers/database.py:_stamp": "looked at by state_of and _read_only before",
    "curator/importers/formats/lm_studio.py:places": "check_no_record",
    "curator/importers/file_walk.py:_Archive.open": "looked at by parts and _folder before",
    "curator/importers/inputs.py:LogFile.of_file.source": "is_record",
    "curator/importers/file_walk.py:entries_of": "looked at by walk_files, _folder and downloads before",
    "curator/importers/file_walk.py:walk_files": "is_record",
    "curator/importers/inputs.py:text_beside": "is_record",
    "curator/importers/reader.py:_Inputs.failure": "looked at by LogFile.of_file before",
    "curator/models/minilm.py:open_graph": "weights, by their names",
    "curator/models/tokens.py:_tokenizer": "check_no_record",
    "curator/secrets/scan.py:switched_off": "the settings file",
    "curator/serve/http/keys.py:_write": "a new file (written_whole)",
    "curator/serve/http/keys.py:stored": "keys of the HTTP API, by their name",
    "curator/secrets/numbers.py:bip39": "ships with the program",
    "curator/models/weights.py": "weights, by their names, and what was downloaded to a folder of its own",
    "curator/serve/client.py:connect": "the port of the server, by its name",
    "curator/serve/client.py:run": "the null device",
    "curator/serve/server.py:Server._listen": "the address of the server, by its name",
    "curator/serve/server.py:Server._status": "what Linux says of this process",
    "curator/serve/word_recall.py:_only_validated": "the settings file",
    "curator/services/block_files.py:_read_text": "check_no_record",
    "curator/services/block_files.py:_write": "a new file (written_whole)",
    "curator/signature.py": "keys, by their names",
    "curator/project.py:_text": "a file of git that is no record: tested by `is_record`",
    "curator/serve/hook_failures.py": "the failures of hooks, beside the store",
    "curator/serve/sessions.py:_tail": "the log that a host names; no record: tested by `is_record`",
    "curator/share/project.py": "the keys of shared projects, by their name",
    "curator/snapshot/reader.py": "parts of a snapshot, in a folder of the cache for them",
    "curator/snapshot/writer.py": "where the snapshot is, in its folder",
    "curator/sync/key.py": "the key of the sync space, by its name",
    "curator/targets.py": "segments in a folder for them, by their names, and new files",
    "curator/tui/keymap.py:_place": "the settings file",
    "curator/tui/looks.py:load": "the settings file",
    "curator/tui/themes.py:load": "a theme, by its name: one that ships with the program or a person's",
    "store/analytics/snapshot.py": "the snapshot, in a folder of its own",
    "store/index/corrections.py": "a database in memory",
    "store/index/matrix.py": "the vectors of the index, in a folder of its own",
    "store/index/remote.py": "where the tables of the index are, in its folder",
    "store/index/versions.py": "the index, in a folder of its own",
    "store/index/words.py": "the words of the index, in a folder of its own, which SQLite opens",
    "store/record/database.py:is_remote": "what Linux says of its mounts",
    "store/record/schema/__init__.py:": "ships with the program",
    "store/record/archive.py": "entries of a zip in a file that was opened before",
    "store/record/archive_reader.py": "entries of a zip in a file that was opened before",
    "store/record/device.py:_machine": "what names this machine, where the system says so",
    "store/record/restore.py:_keep": "a damaged record, which no store can write to once it is replaced",
    "store/atomic_write.py:_sync": "a new file that is finished, and a folder",
}  # by function, or by module if all it opens is its own


def functions(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield every node with the qualified name of the function around it."""
    left: list[tuple[str, ast.AST]] = [("", tree)]
    while left:
        outer, node = left.pop()
        for child in ast.iter_child_nodes(node):
            name = outer
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{outer}.{child.name}".lstrip(".")
            yield name, child
            left.append((name, child))


def opens_file(call: ast.Call) -> bool:
    """Return True if a call opens a file other than through SQLite."""
    if isinstance(call.func, ast.Name):
        return call.func.id in OPENERS
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in OPENERS | COMMON:
        return False
    name, owner = call.func.attr, ast.unparse(call.func.value)
    if owner in MODULES:
        return True
    if owner.lstrip("(").startswith("files("):  # files that ship with the program
        return False
    mode = any(isinstance(given, ast.Constant) and isinstance(given.value, str) for given in call.args)
    return name in OPENERS and not (name == "open" and owner in NO_FILES and not mode)


def connects(node: ast.AST) -> bool:
    """Return True if a node opens a SQLite database in any way."""
    if isinstance(node, ast.ImportFrom):
        taken = {alias.name for alias in node.names}
        return node.module == "sqlite3" and bool(taken & {"connect", "Connection", "*"})
    if isinstance(node, ast.Import):
        return any(alias.name in ("apsw", "aiosqlite", "sqlite_utils", "_sqlite3") for alias in node.names)
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in ("connect", "Connection"):
            return False
        return ast.unparse(node.func.value) in ("sqlite3", "sqlite3.dbapi2")
    if isinstance(node, ast.ClassDef):
        return any(ast.unparse(base) == "sqlite3.Connection" for base in node.bases)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        words = node.value.casefold()
        return "sqlite_scan" in words or "sqlite_attach" in words or words.lstrip().startswith("attach ")
    return False


def found(source: str, path: str) -> set[str]:
    """Return the functions of a module that open a file, and its lines that connect where they must not."""
    nodes = list(functions(ast.parse(source)))
    opened = {f"{path}:{name}" for name, node in nodes if isinstance(node, ast.Call) and opens_file(node)}
    if path in (CONNECTS, OTHERS):
        return opened
    return opened | {f"{path}:{node.lineno} connects" for _, node in nodes if connects(node)}  # type: ignore[attr-defined]


@thorough
def test_nothing_but_sqlite_opens_the_record() -> None:
    places: set[str] = set()
    for file in sorted(file for part in ("curator", "store") for file in (ROOT / part).rglob("*.py")):
        places |= found(file.read_text(encoding="utf-8"), file.relative_to(ROOT).as_posix())
    allowed = {place for place in places if place in OPENED or place.split(":")[0] in OPENED}
    new = sorted(places - allowed)
    assert new == [], (
        f"{new}: a database is opened in {CONNECTS} only; where another file is opened that a person or a log names, "
        f"`store.check_no_record` comes first; then say in OPENED what keeps it from being a record"
    )
    used = allowed | {place.split(":")[0] for place in allowed}
    assert sorted(OPENED.keys() - used) == [], "no longer opened: take it out of OPENED"


def test_what_is_kept_from_records_by_a_check_calls_it() -> None:
    for place, why in OPENED.items():
        if why not in ("check_no_record", "is_record", "check_target"):
            continue
        path, _, name = place.partition(":")
        nodes = functions(ast.parse((ROOT / path).read_text(encoding="utf-8")))
        called = {ast.unparse(node.func) for inside, node in nodes if inside == name and isinstance(node, ast.Call)}
        assert why in called, f"{place} opens without {why}"


@pytest.mark.parametrize(
    "planted",
    [
        "import sqlite3\ndef f(path): return sqlite3.connect(path)",
        "from sqlite3 import connect\ndef f(path): return connect(path)",
        "import sqlite3\nclass Mine(sqlite3.Connection): pass",
        "import apsw",
        "def f(part): return part.open('rb')",
        "def f(path): return path.read_bytes()[:16]",
        "def f(path):\n    with path.open('rb') as file: return file.read(16)",
        "def f(path): return open(path, 'rb')",
        "import os\ndef f(path): os.close(os.open(path, os.O_RDONLY))",
        "import shutil\ndef f(path): shutil.copy(path, 'copy')",
        "import zipfile\ndef f(path): return zipfile.is_zipfile(path)",
        "import hashlib\ndef f(file): return hashlib.file_digest(file, 'sha256')",
        "import duckdb\ndef f(c, path): c.execute('ATTACH ? (TYPE sqlite)', [path])",
        "def f(c, path): c.execute(f\"SELECT * FROM sqlite_scan('{path}', 'memories')\")",
    ],
)
def test_any_other_way_is_found(planted: str) -> None:
    assert found(planted, "curator/planted.py")
    assert not found(planted, "curator/planted.py") & OPENED.keys()
