"""Labels of projects by folder: the names that memories have, without secrets."""

import os
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from curator.block_text import sanitised
from curator.curation.disclosure import Disclosure
from curator.curation.names import without_secrets
from curator.display import truncate
from curator.paths import work_tree
from curator.project import Project, project_of
from store import Filter, NotFound, Sort, Store, Writer
from store.record.projects import Projects

ALL = "all"
"""The name that stands for no project: memories of all of them, or one that holds everywhere."""
_LISTED = 12  # projects named where one is unknown
_READ = 4_000  # characters of an identity that are looked at, the last ones
_LONGEST = 100  # characters of what tells a project from others of its name


def label_of(store: Store, folder: str | None) -> str | None:
    """Return the label of a folder's project, or None for none."""
    project = project_of(folder) if folder else None
    return None if project is None else store.projects.label(*_named(project))


def claim_label(writer: Writer, folder: str) -> str | None:
    """Return the label of a folder's project, which it keeps from now on, or None for none."""
    project = project_of(folder)
    return None if project is None else Projects.claim(writer, *_named(project))


def project_here(store: Store, folder: str | None, roots: Sequence[str] = ()) -> str | None:
    """Return the label of the project that a client works in, or None: of its folder, and of the roots that it offers.

    A folder is a project if it is in a git work tree, or has memories of its own; a home folder is none. Roots of one
    project name it; among those of several, the folder decides.
    """
    here = _own(store, folder) if folder else None
    offered = {label for root in roots if (label := _own(store, root)) is not None}
    if not offered or here in offered:
        return here
    return next(iter(offered)) if len(offered) == 1 else None


def _own(store: Store, folder: str) -> str | None:
    label = label_of(store, folder)
    in_tree = os.path.isabs(folder) and "\0" not in folder and work_tree(Path(folder)) is not None  # noqa: PTH117
    return label if in_tree or (label is not None and _has_memories(store, label)) else None


def _has_memories(store: Store, label: str) -> bool:
    named = (Filter(projects=(label,)), Filter(scopes=(f"project:{label}",)))
    return any(store.list_ids(one, Sort.CREATED, 1) for one in named)


def known_project(store: Store, name: str) -> str:
    """Return the name of a project that has memories. Raises NotFound, with the near one or those that there are."""
    if problem := project_problem(store, name):
        raise NotFound(problem)
    return name


def project_problem(store: Store, name: str) -> str:
    """Return what to say of a project without memories: the near one, else those that there are; "" for a known one."""
    if _has_memories(store, name):
        return ""
    disclosure = Disclosure(store)
    counted = store.project_counts()
    near = get_close_matches(name.casefold(), [one.casefold() for one, _ in counted], n=1)
    named = [one for one, _ in counted if not near or one.casefold() == near[0]]
    shown = [
        sanitised(words, 60)
        for one in named[:_LISTED]
        if (words := disclosure.words(one)) and store.list_ids(Filter(projects=(one,), quarantine=False), limit=1)
    ]
    there = "no memory has a project"
    if near and shown:
        there = f"did you mean {shown[0]}?"
    elif shown:
        there = f"there are {', '.join(shown)}{f' and {more} more' if (more := len(named) - len(shown)) else ''}"
    return f"there is no project {truncate(sanitised(name), 60)}; {there}"


def _named(project: Project) -> tuple[tuple[str, ...], str, str]:
    """Return what a project is known by, the name, and the name with what tells it from others of this name."""
    name = " ".join(without_secrets(project.name).split()) or "project"
    identity, home = project.identity, os.path.expanduser("~").rstrip(os.sep)  # noqa: PTH111, "~" if there is none
    below = home and (identity == home or identity.startswith(f"{home}{os.sep}"))
    where = " ".join(without_secrets(f"~{identity[len(home) :]}" if below else identity[-_READ:]).split())
    short = where if len(where) <= _LONGEST else f"…{where[-_LONGEST:]}"
    return project.known_by, name, f"{name} ({short})"
