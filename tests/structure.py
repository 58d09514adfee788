"""Figures of the source's structure, each with its bound: `python tests/structure.py [FOLDER] [-v]`.

Sizes, names, docstrings, private functions, import cycles, imports that run upward inside the app, and the files that a
keypress passes through. Exits with 1 if a bound that is not in `OPEN` is exceeded. With -v it names each item counted.
"""

import ast
import math
import re
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import key_path

ROOTS = ("curator", "store")
NOUNS = frozenset({"string"})
OPEN: frozenset[str] = frozenset()
"""Bounds that are not reached yet; the commit that reaches one removes its name."""
QUESTIONS = re.compile(r"(What|Whether|How|Where|Which|Why)\b")


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    path: Path
    tree: ast.Module
    text: str


def modules(folder: Path, roots: tuple[str, ...] = ROOTS) -> list[Module]:
    found = []
    for root in roots:
        for path in sorted((folder / root).rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            text = path.read_text(encoding="utf-8")
            found.append(Module(".".join(parts).removesuffix(".__init__"), path, ast.parse(text), text))
    return found


def docstrings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield text


def documented(found: list[Module]) -> list[str]:
    """Return the first line of each docstring, prefixed with its module's name."""
    return [f"{module.name}: {text.splitlines()[0]}" for module in found for text in docstrings(module.tree)]


def asking(lines: list[str]) -> list[str]:
    """Return the lines of `documented` whose docstring begins with a question word."""
    return [line for line in lines if QUESTIONS.match(line.partition(": ")[2])]


def statements(tree: ast.Module) -> int:
    """Return the number of statements, docstrings excluded."""
    total = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        ):
            total += 1
    return total


def imports(module: Module, known: set[str]) -> set[str]:
    """Return the modules of this source that a module imports, including in functions and under TYPE_CHECKING."""
    found = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in known else node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return (found & known) - {module.name}


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that import each other in a cycle (Tarjan, 1972)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in graph[name]:
            if other not in order:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], order[other])
        if low[name] == order[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                groups.append(sorted(group))

    for name in graph:
        if name not in order:
            visit(name)
    return groups


def private(found: list[Module]) -> list[tuple[str, str, int]]:
    """Return private module functions: module, name, and mentions outside their own definition."""
    words: Counter[str] = Counter()
    for module in found:
        words.update(re.findall(r"\w+", module.text))
    out = []
    for module in found:
        for node in module.tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("_"):
                inside = Counter(re.findall(r"\w+", ast.unparse(node)))[node.name]
                here = Counter(re.findall(r"\w+", module.text))[node.name]
                out.append((module.name, node.name, here - inside))
    return out


def level(name: str) -> int:
    """Return the layer of an app module: app, main screen, views, their parts, widgets, queries and labels."""
    folder, _, last = name.removeprefix("curator.tui.").rpartition(".")
    if folder == "":
        return {"app": 5, "view": 2, "list_view": 2}.get(last, 0)
    if folder == "screens" and last == "main":
        return 4
    if folder == "widgets":
        return 1
    if folder not in ("screens", "commands") and last in ("view", "browser", "inbox"):
        return 3
    return 0 if last.endswith(("queries", "render")) else 2


def upward(graph: dict[str, set[str]]) -> list[str]:
    """Return the imports inside the app that reach a higher layer."""
    inside = {name: targets for name, targets in graph.items() if name.startswith("curator.tui.")}
    return [
        f"{name} -> {target}"
        for name, targets in inside.items()
        for target in sorted(targets & inside.keys())
        if level(target) > level(name)
    ]


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table. `least` is the lower bound, if there is one."""

    name: str
    value: float
    most: float
    named: tuple[str, ...] = ()
    least: float = 0

    @property
    def good(self) -> bool:
        """Return True if the figure is within its bounds."""
        return self.least <= self.value <= self.most


def named_by_gerund(found: list[Module]) -> list[str]:
    """Return the names of modules that end in a gerund."""
    return [module.name for module in found if (last := module.path.stem).endswith("ing") and last not in NOUNS]


def figures(folder: Path) -> list[Figure]:
    """Measure the source of a checkout."""
    found = modules(folder)
    graph = {module.name: imports(module, {other.name for other in found}) for module in found}
    lines = {module.name: len(module.text.splitlines()) for module in found}
    long = max(lines, key=lambda name: lines[name])
    tests = modules(folder, ("tests",))
    docs, tested = documented(found), documented(tests)
    questions, asked = asking(docs), asking(tested)
    helpers = private(found)
    once = [f"{module}.{name}" for module, name, mentions in helpers if mentions <= 1]
    gerunds = named_by_gerund(found)
    groups = circles(graph)
    down, back = key_path.main(folder)
    total = sum(lines.values())
    return [
        Figure("statements", sum(statements(module.tree) for module in found), math.inf),
        Figure("modules named by a gerund", len(gerunds), 0, tuple(gerunds)),
        Figure("docstrings that begin with a question, %", 100 * len(questions) / len(docs), 2, tuple(questions)),
        Figure("tests: files named by a gerund", len(named := named_by_gerund(tests)), 0, tuple(named)),
        Figure("tests: docstrings that begin so, %", 100 * len(asked) / len(tested), 0, tuple(asked)),
        Figure("private functions per 1,000 lines", 1000 * len(helpers) / total, 10),
        Figure("private functions used once", len(once), 205, tuple(once)),
        Figure("import circles", len(groups), 0, tuple(" ".join(group) for group in groups)),
        Figure("upward imports in the app", len(up := upward(graph)), 0, tuple(up)),
        Figure("files passed by a in the Inbox, down", len(down), 8, tuple(sorted(down))),
        Figure("files passed by a in the Inbox, back", len(back), 6, tuple(sorted(back))),
        Figure("lines of the largest file", lines[long], 450, (long,)),
        Figure("lines of the median file", statistics.median(lines.values()), 180, least=100),
    ]


def main() -> int:
    """Print the table; return exit code 1 if a bound is exceeded."""
    folder = Path(next((word for word in sys.argv[1:] if word != "-v"), ".")).resolve()
    sys.path[:0] = [str(folder), str(folder / "tests")]
    failed = False
    for figure in figures(folder):
        bound = f"{figure.least:g} to {figure.most:g}" if figure.least else f"at most {figure.most:,}"
        bound = "" if figure.most == math.inf else bound
        note = "" if figure.good else "not reached yet" if figure.name in OPEN else "TOO MUCH"
        note = "reached: take it out of OPEN" if figure.good and figure.name in OPEN else note
        failed |= not figure.good and figure.name not in OPEN
        print(f"{figure.name:<42}{round(figure.value, 1):>9,}   {bound:<16}{note}".rstrip())
        if "-v" in sys.argv:
            print(*(f"    {name}" for name in figure.named), sep="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
