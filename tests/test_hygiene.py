"""Import times and network access: what starting imports, and which modules can reach a network."""

import ast
import subprocess
import sys
from pathlib import Path

from effort import thorough

ROOT = Path(__file__).parents[1]
NETWORK = {
    "aiohttp",
    "ftplib",
    "http",
    "httpx",
    "obstore",
    "ollama",
    "requests",
    "smtplib",
    "ssl",
    "urllib3",
    "websockets",
}
SENDERS = {
    "curator/models/ollama/client.py",
    "curator/models/openai/client.py",
    "curator/models/transport.py",  # used by both clients
    "curator/serve/http/webhook.py",
    "curator/targets.py",
}
PROCESSES = {"multiprocessing", "pty", "subprocess"}
HEAVY = {"lancedb", "duckdb", "pyarrow", "numpy", "onnxruntime", "tokenizers", "textual", "pydantic"}


def loaded_by(code: str) -> set[str]:
    """Return the heavy libraries that code imports when run in a fresh process."""
    script = f"import sys\n{code}\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    return HEAVY & {name.split(".")[0] for name in done.stdout.split()}


def test_importing_the_package_loads_nothing() -> None:
    code = "import sys; before = set(sys.modules); import curator; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.split() == ["curator"]


@thorough
def test_the_command_line_starts_without_heavy_libraries() -> None:
    assert loaded_by("import curator.cli.commands") == set()


@thorough
def test_the_store_opens_without_its_projections(tmp_path: Path) -> None:
    opening = f"from pathlib import Path; from store import Store; Store.open(Path({str(tmp_path / 's')!r})).close()"
    assert loaded_by(opening) == set()


@thorough
def test_writing_down_a_memory_loads_no_engine(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from store import Store; from curator import curation;"
        f"curation.add(Store.open(Path({str(tmp_path / 's')!r})), 'I like tea')"
    )
    assert loaded_by(code) == set()


@thorough
def test_searching_a_small_store_loads_no_lancedb(tmp_path: Path) -> None:
    opened = (
        "from pathlib import Path; from store import Filter, Store; from store.index import Index;"
        "from store.model import Fingerprint; from curator import curation;"
        f"store = Store.open(Path({str(tmp_path / 's')!r}));"
        "index = Index(store, Fingerprint('test', 'plain', '1', 8));"
    )
    add = "curation.add(store, 'I like tea'); index.catch_up(); curation.add(store, 'I keep bees')"
    subprocess.run([sys.executable, "-c", opened + add], cwd=ROOT, check=True)
    search = (
        "assert len(index.search_text('tea and bees', Filter(), 5)) == 2; index.search_vector(b'\\1' * 32, Filter(), 5)"
    )
    assert loaded_by(opened + search) == {"numpy"}


def test_counting_what_is_not_distilled_loads_no_rules() -> None:
    code = "import sys; from curator.distill import DISTILLER; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert not [name for name in done.stdout.split() if name.startswith(("curator.secrets", "curator.distill."))]


@thorough
def test_listing_memories_loads_no_comparison_of_texts() -> None:
    code = "import sys, curator.cli.results; sys.exit('curator.compare' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@thorough
def test_a_store_with_all_distilled_is_told_without_settings(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from store import Store; from curator.cli.output import undistilled;"
        f"undistilled(Store.open(Path({str(tmp_path / 's')!r})))"
    )
    assert loaded_by(code) == set()


def test_nothing_advises_to_install_what_is_not_released() -> None:
    """Before a release, a person can only install from a clone."""
    files = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    files += [file for package in ("curator", "store") for file in (ROOT / package).rglob("*.py")]
    assert not [file for file in files if "memory-curator" in file.read_text("utf-8")]


@thorough
def test_the_app_paints_before_engines_load() -> None:
    assert loaded_by("import curator.tui.app") & {"lancedb", "duckdb", "pyarrow", "onnxruntime"} == set()
    assert loaded_by("import curator.tui.app, curator.tui.memories.inbox") & {"pydantic"} == set()


def test_the_architecture_names_all_that_send_data() -> None:
    rule = (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("places can send data")[2]
    others = {"curator/models/weights.py", "curator/snapshot/writer.py", "store/index/remote.py"}  # through libraries
    named = {word for word in rule.split("`") if word.endswith(".py")} - {"tests/test_hygiene.py"}
    assert named == SENDERS - {"curator/models/transport.py"} | others


@thorough
def test_only_known_modules_reach_a_network_or_start_a_process() -> None:
    files = [file for package in ("curator", "store") for file in (ROOT / package).rglob("*.py")]
    imported = {file.relative_to(ROOT).as_posix(): _imported(file) for file in files}
    assert {name for name, packages in imported.items() if packages & NETWORK} == SENDERS
    assert {name for name, packages in imported.items() if packages & PROCESSES} == {
        "curator/connect/claude_server.py",  # runs Claude Code's program to register servers
        "curator/connect/hosts.py",  # only quotes words as Windows does
        "curator/editor.py",
        "curator/models/weights.py",  # runs pip to fetch the weights
        "curator/serve/client.py",  # starts the resident process
    }


def _imported(file: Path) -> set[str]:
    """Return the top-level packages that a module imports, also inside functions; `urllib.request` counts as `http`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {"http" if name.startswith("urllib.request") else name.split(".")[0] for name in found}
