"""Labels of projects by folder: the project names that memories have, without secrets."""

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
"""Name that means no particular project: memories of all projects, or a global memory."""
_LISTED = 12  # known projects listed in the message for an unknown one
_READ = 4_000  # trailing characters of an identity that are searched for secrets
_LONGEST = 100  # characters of the suffix that distinguishes projects with the same name


def label_of(store: Store, folder: str | None) -> str | None:
    """Return the label of a folder's project, or None if it has no project or label."""
    project = project_of(folder) if folder else None
    return None if project is None else store.projects.label(*_label_parts(project))


def claim_label(writer: Writer, folder: str) -> str | None:
    """Return the label of a folder's project, assigning one if it has none; None if the folder has no project."""
    project = project_of(folder)
    return None if project is None else Projects.claim(writer, *_label_parts(project))


def project_here(store: Store, folder: str | None, roots: Sequence[str] = ()) -> str | None:
    """Return the label of the project that a client works in, by its folder and the roots it offers, or None.

    A folder counts as a project if it is in a git work tree or has memories; the home folder does not. If the roots
    belong to one project, that is returned; if they belong to several, the folder must be in one of them.
    """
    here = _qualifying_label(store, folder) if folder else None
    offered = {label for root in roots if (label := _qualifying_label(store, root)) is not None}
    if not offered or here in offered:
        return here
    return next(iter(offered)) if len(offered) == 1 else None


def _qualifying_label(store: Store, folder: str) -> str | None:
    label = label_of(store, folder)
    in_tree = os.path.isabs(folder) and "\0" not in folder and work_tree(Path(folder)) is not None  # noqa: PTH117
    return label if in_tree or (label is not None and _has_memories(store, label)) else None


def _has_memories(store: Store, label: str) -> bool:
    named = (Filter(projects=(label,)), Filter(scopes=(f"project:{label}",)))
    return any(store.list_ids(memory_filter, Sort.CREATED, 1) for memory_filter in named)


def known_project(store: Store, name: str) -> str:
    """Return `name` if a project of this name has memories. Raises NotFound with suggestions otherwise."""
    if problem := project_problem(store, name):
        raise NotFound(problem)
    return name


def project_problem(store: Store, name: str) -> str:
    """Return a message for a project without memories, suggesting similar or existing names; "" for a known one."""
    if _has_memories(store, name):
        return ""
    disclosure = Disclosure(store)
    counted = store.project_counts()
    near = get_close_matches(name.casefold(), [project.casefold() for project, _ in counted], n=1)
    named = [project for project, _ in counted if not near or project.casefold() == near[0]]
    shown = [
        sanitised(words, 60)
        for project in named[:_LISTED]
        if (words := disclosure.words(project))
        and store.list_ids(Filter(projects=(project,), quarantine=False), limit=1)
    ]
    there = "no memory has a project"
    if near and shown:
        there = f"did you mean {shown[0]}?"
    elif shown:
        there = f"there are {', '.join(shown)}{f' and {more} more' if (more := len(named) - len(shown)) else ''}"
    return f"there is no project {truncate(sanitised(name), 60)}; {there}"


def _label_parts(project: Project) -> tuple[tuple[str, ...], str, str]:
    """Return a project's identities, its name, and its name with a suffix that makes it unique."""
    name = " ".join(without_secrets(project.name).split()) or "project"
    identity, home = project.identity, os.path.expanduser("~").rstrip(os.sep)  # noqa: PTH111, "~" if there is none
    below = home and (identity == home or identity.startswith(f"{home}{os.sep}"))
    where = " ".join(without_secrets(f"~{identity[len(home) :]}" if below else identity[-_READ:]).split())
    short = where if len(where) <= _LONGEST else f"…{where[-_LONGEST:]}"
    return project.known_by, name, f"{name} ({short})"
