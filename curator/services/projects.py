"""Labels of projects by folder: the names that memories have, without secrets."""

import os

from curator.curation.names import without_secrets
from curator.project import Project, project_of
from store import Store, Writer
from store.record.projects import Projects

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


def _named(project: Project) -> tuple[tuple[str, ...], str, str]:
    """Return what a project is known by, the name, and the name with what tells it from others of this name."""
    name = " ".join(without_secrets(project.name).split()) or "project"
    identity, home = project.identity, os.path.expanduser("~").rstrip(os.sep)  # noqa: PTH111, "~" if there is none
    below = home and (identity == home or identity.startswith(f"{home}{os.sep}"))
    where = " ".join(without_secrets(f"~{identity[len(home) :]}" if below else identity[-_READ:]).split())
    short = where if len(where) <= _LONGEST else f"…{where[-_LONGEST:]}"
    return project.known_by, name, f"{name} ({short})"
