"""Change one thing in a module, run its tests, and list the changes that no test detects.

    python tests/bench/mutants.py                        # 50 mutants of each target, by a fixed seed
    python tests/bench/mutants.py --only purge --count 3
    python tests/bench/mutants.py OLD_CHECKOUT --target old=store/record/log.py:tests/store/test_undo.py,tests/store

A mutant is one change of the syntax tree: a comparison reversed, a number changed, `and` for `or`, a condition negated,
a statement removed, a result replaced by None. It is caught if a test fails or takes longer than the limit. The tests
that reach the changed line run first, and all the others only if none of those fails. The checkout is copied first, so
nothing in it changes. Results are stored in a file (`--results`): an interrupted run is resumed, as long as the modules
are the same.
"""

import argparse
import ast
import contextlib
import copy
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

COPIED = ("curator", "store", "themes", "tests", "docs", "pyproject.toml")
FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
SWAPPED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
MOST = 400
"""Maximum number of tests named on a command line; above it, their files are named."""
REMOVABLE = (ast.Expr, ast.AugAssign, ast.Raise, ast.Continue, ast.Break, ast.Delete)


@dataclass(frozen=True)
class Target:
    """Modules to change, and the tests that cover them, the quickest first."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


TARGETS = {
    "journal": Target(
        ("store/record/journal.py", "store/record/undo.py"),
        (
            "tests/store/record/test_undo.py",
            "tests/store/record/test_undo_edges.py",
            "tests/store/record/test_command_log.py",
            "tests/store/record/test_command_effects.py",
            "tests/store/record/test_event_size.py",
            "tests/store/record/test_memories.py",
            "tests/lifecycle/test_reasons.py",
            "tests/curation/test_commands.py",
            "tests/store/test_uids.py",
            "tests/store/test_concurrent_restore.py",
            "tests/store/test_kill.py",
        ),
    ),
    "purge": Target(
        ("store/record/purge.py", "store/record/erasure.py"),
        (
            "tests/store/record/test_purge.py",
            "tests/store/record/test_purge_merged.py",
            "tests/store/record/test_erased_words.py",
            "tests/store/record/test_word_variants.py",
            "tests/store/record/test_alerts.py",
            "tests/store/record/test_sweep_state.py",
            "tests/store/test_restore_erased.py",
            "tests/lifecycle/test_concurrent_purge.py",
            "tests/lifecycle/test_purged_bytes.py",
            "tests/store/record/test_purge_walk.py",
            "tests/cli/test_purge_killed.py",
        ),
    ),
    "admission": Target(
        ("curator/services/admission.py",),
        (
            "tests/services/test_due_dates.py",
            "tests/services/test_novelty.py",
            "tests/services/test_forgotten_matches.py",
            "tests/services/test_import_logs.py",
            "tests/services/test_forget_requests.py",
            "tests/conflicts/test_import_conflicts.py",
            "tests/sweeps/test_model_candidates.py",
            "tests/sweeps/test_distill.py",
            "tests/services/test_forgotten_walk.py",
        ),
    ),
    "block": Target(
        ("curator/recall/block.py",),
        (
            "tests/recall/test_block.py",
            "tests/recall/test_project.py",
            "tests/recall/test_omissions.py",
            "tests/curation/test_disclosure.py",
            "tests/store/test_unknown_dates.py",
            "tests/cli/test_recall.py",
        ),
    ),
}


@dataclass(frozen=True)
class Mutant:
    """One change of a module; `place` is its index among all changeable places of the module, in tree order."""

    module: str
    place: int
    line: int
    kind: str
    before: str
    after: str
    source: str
    """The source of the whole module with the change."""


def sites(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield the nodes that can be changed, each with the kind of change, in a fixed order."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        annotation = [getattr(node, name, None) for name in ("annotation", "returns")]
        guarded = [node] if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) else []
        imported = [node] if isinstance(node, ast.Import | ast.ImportFrom) else []
        for part in (*annotation, *guarded, *imported):
            if part is not None:
                skipped.update(id(inner) for inner in ast.walk(part))
    for node in ast.walk(tree):
        if id(node) not in skipped:
            yield from ((node, kind) for kind in kinds(node))


def kinds(node: ast.AST) -> Iterator[str]:
    """Yield the changes that fit a node."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in FLIPPED:
        yield "comparison"
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield "constant"
    if isinstance(node, ast.BoolOp):
        yield "and/or"
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPPED:
        yield "operator"
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "condition negated"
    if isinstance(node, ast.comprehension) and node.ifs:
        yield "filter removed"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not removed"
    if isinstance(node, ast.Return) and node.value is not None and not is_none(node.value):
        yield "None returned"
    if isinstance(node, REMOVABLE) and not is_docstring(node):
        yield "statement removed"
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Subscript):
        yield "statement removed"


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def change(node: ast.AST, kind: str) -> ast.AST:
    """Return the replacement of a node, which may be the node itself, changed."""
    if isinstance(node, ast.Compare):
        node.ops[0] = FLIPPED[type(node.ops[0])]()
    elif isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1  # type: ignore[operator]
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.BinOp):
        node.op = SWAPPED[type(node.op)]()
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.comprehension):
        node.ifs = node.ifs[1:]
    elif isinstance(node, ast.UnaryOp):
        return node.operand
    elif isinstance(node, ast.Return):
        node.value = ast.Constant(None)
    elif kind == "statement removed":
        return ast.Pass()
    return node


class Replacement(ast.NodeTransformer):
    """Replace one node of a tree by another."""

    def __init__(self, old: ast.AST, kind: str) -> None:
        self.old, self.kind = old, kind

    def visit(self, node: ast.AST) -> ast.AST:
        """Return the node or its replacement, without descending into the replaced one."""
        if node is self.old:
            return change(node, self.kind)
        visited: ast.AST = self.generic_visit(node)
        return visited


def short(node: ast.AST) -> str:
    """Return the first line of a node's source."""
    return ast.unparse(node).splitlines()[0][:90]


def mutate(folder: Path, module: str, place: int) -> Mutant:
    """Return the mutant of a module at one of its places."""
    tree = ast.parse((folder / module).read_text(encoding="utf-8"))
    node, kind = list(sites(tree))[place]
    line = getattr(node, "lineno", 0) or getattr(getattr(node, "target", None), "lineno", 0)
    before, after = short(node), short(change(copy.deepcopy(node), kind))
    changed = ast.fix_missing_locations(Replacement(node, kind).visit(tree))
    return Mutant(module, place, line, kind, before, after, ast.unparse(changed) + "\n")


def chosen(folder: Path, target: Target, count: int, seed: int) -> list[Mutant]:
    """Return random mutants of a target, spread over all places of its modules."""
    places = [
        (module, place)
        for module in target.modules
        for place, _ in enumerate(sites(ast.parse((folder / module).read_text(encoding="utf-8"))))
    ]
    some = random.Random(seed).sample(places, min(count, len(places)))
    return [mutate(folder, module, place) for module, place in some]


def passed(folder: Path, tests: Sequence[str], limit: float, *options: str) -> tuple[bool, str, float]:
    """Run tests in a copy: whether all passed, the first that failed or `time`, and the seconds it took."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
    command += options
    environment = {**os.environ, "PYTHONPATH": str(folder), "CURATOR_TESTS": ""}
    started = time.monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.Popen(
            [*command, *tests],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            return False, "time", time.monotonic() - started
        finally:
            if hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            process.wait()
        output.seek(0)
        lines = output.read().splitlines()
    failed = next((line for line in lines if line.startswith(("FAILED", "ERROR"))), lines[-1] if lines else "")
    return code == 0, failed[:160], time.monotonic() - started


Reached = dict[str, dict[int, set[str]]]
"""Tests that reach each line of each module. An empty name stands for module import, which all tests do."""


def reached(folder: Path, target: Target) -> Reached:
    """Return the tests that ran each line, from the coverage file of the run without a change."""
    from coverage import CoverageData

    data = CoverageData(str(folder / ".coverage"))
    data.read()
    return {
        module: {
            line: {context.partition("|")[0] for context in contexts}
            for line, contexts in data.contexts_by_lineno(str((folder / module).resolve())).items()
        }
        for module in target.modules
    }


def tests_of(mutant: Mutant, target: Target, known: Reached) -> tuple[str, ...]:
    """Return the tests that reach a mutant's line, in the order of the target's files."""
    names = known[mutant.module].get(mutant.line, set())
    if not names or "" in names or len(names) > MOST:
        return target.tests
    order = {file: place for place, file in enumerate(target.tests)}
    return tuple(sorted(names, key=lambda name: (order.get(name.partition("::")[0], len(order)), name)))


def put(folder: Path, module: str, source: str) -> None:
    """Write a module, and delete Python's compiled version of the previous source."""
    path = folder / module
    path.write_text(source, encoding="utf-8")
    for kept in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        kept.unlink()


def key_of(mutant: Mutant, original: str) -> str:
    """Return the key of a mutant in the results file; it changes with the module's source."""
    return f"{mutant.module}:{hashlib.sha256(original.encode()).hexdigest()[:12]}:{mutant.place}"


def read_results(file: Path) -> dict[str, dict[str, object]]:
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {str(row["key"]): row for row in map(json.loads, lines)}


def attack(folder: Path, name: str, target: Target, options: argparse.Namespace) -> list[dict[str, object]]:
    """Run the mutants of a target in a copy of the checkout; return the result of each."""
    originals = {module: (folder / module).read_text(encoding="utf-8") for module in target.modules}
    mutants = chosen(folder, target, options.count, options.seed)
    known = read_results(options.results)
    limit, known_tests = options.limit, Reached()
    if any(key_of(mutant, originals[mutant.module]) not in known for mutant in mutants):
        traced = ["--cov=curator", "--cov=store", "--cov-context=test", "--cov-report=", "--cov-fail-under=0"]
        well, failed, seconds = passed(folder, target.tests, 3600, *traced)
        known_tests = reached(folder, target)
        if not well:
            sys.exit(f"{name}: the tests fail without a change: {failed}")
        limit = limit or max(60.0, 3 * seconds)
        print(f"{name}: {len(mutants)} mutants, {seconds:.0f} s for the tests of the unchanged source", flush=True)
    for mutant in mutants:
        key = key_of(mutant, originals[mutant.module])
        if key in known:
            continue
        put(folder, mutant.module, mutant.source)
        try:
            near = tests_of(mutant, target, known_tests)
            survived, by, seconds = passed(folder, near, limit)
            if survived and near != target.tests:  # tests that start a process may reach the line there
                survived, by, more = passed(folder, target.tests, limit)
                seconds += more
        finally:
            put(folder, mutant.module, originals[mutant.module])
        known[key] = {
            "key": key,
            "survived": survived,
            "where": f"{mutant.module}:{mutant.line}",
            "kind": mutant.kind,
            "before": mutant.before,
            "after": mutant.after,
            "by": by,
            "seconds": round(seconds, 1),
        }
        with options.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(known[key]) + "\n")
        print(f"  {'SURVIVED' if survived else 'caught  '} {seconds:5.0f} s  {known[key]['where']}", flush=True)
    return [known[key_of(mutant, originals[mutant.module])] for mutant in mutants]


def target_of(text: str) -> tuple[str, Target]:
    """Parse `NAME=MODULE,MODULE:TEST,TEST`."""
    name, _, rest = text.partition("=")
    modules, _, tests = rest.partition(":")
    if not modules or not tests:
        raise argparse.ArgumentTypeError("NAME=MODULE,MODULE:TEST,TEST")
    return name, Target(tuple(modules.split(",")), tuple(tests.split(",")))


def main() -> int:
    """Run the mutants, and print the table and the survivors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parents[2], help="a checkout")
    parser.add_argument("--only", action="append", help="the name of a target; may be given several times")
    parser.add_argument("--target", action="append", type=target_of, help="instead of the built-in targets")
    parser.add_argument("--count", type=int, default=50, help="mutants of each target")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument(
        "--limit", type=float, default=0, help="seconds for a mutant's tests; default: three times the usual"
    )
    parser.add_argument("--results", type=Path, default=Path("mutants.jsonl"))
    options = parser.parse_args()
    targets = dict(options.target or TARGETS.items())
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        work = Path(temporary) / "checkout"
        work.mkdir()
        for name in (*COPIED, *(path.name for path in options.folder.glob("*.md"))):
            source = options.folder / name
            if source.is_dir():
                shutil.copytree(source, work / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copyfile(source, work / name)
        found = {
            name: attack(work, name, target, options)
            for name, target in targets.items()
            if not options.only or name in options.only
        }
    print(f"\n{'target':<12}{'mutants':>8}{'caught':>8}{'survived':>10}{'seconds':>9}")
    for name, rows in found.items():
        survivors = [row for row in rows if row["survived"]]
        seconds = sum(float(str(row["seconds"])) for row in rows)
        print(f"{name:<12}{len(rows):>8}{len(rows) - len(survivors):>8}{len(survivors):>10}{seconds:>9.0f}")
    for row in (row for rows in found.values() for row in rows if row["survived"]):
        print(f"\n{row['where']}  {row['kind']}\n  - {row['before']}\n  + {row['after']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
