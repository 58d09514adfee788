"""Promises about the code itself: what starting imports, and that each command is documented."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAVY = {"lancedb", "duckdb", "pyarrow", "numpy", "onnxruntime", "tokenizers", "textual", "pydantic"}


def loaded_by(code: str) -> set[str]:
    """The heavy libraries that running some code in a fresh process imports."""
    script = f"import sys\n{code}\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    return HEAVY & {name.split(".")[0] for name in done.stdout.split()}


def test_the_command_line_starts_without_heavy_libraries() -> None:
    assert loaded_by("import curator.cli") == set()


def test_the_store_opens_without_its_projections(tmp_path: Path) -> None:
    opening = f"from pathlib import Path; from store import Store; Store.open(Path({str(tmp_path / 's')!r})).close()"
    assert loaded_by(opening) == set()


def test_writing_down_a_memory_loads_no_engine(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from store import Store; from curator import curation;"
        f"curation.add(Store.open(Path({str(tmp_path / 's')!r})), 'I like tea')"
    )
    assert loaded_by(code) == set()


def test_the_app_paints_before_engines_load() -> None:
    assert loaded_by("import curator.tui.app") & {"lancedb", "duckdb", "pyarrow", "onnxruntime"} == set()
