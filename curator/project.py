"""Projects: a folder belongs to the git remote of its work tree, else to its root folder. Standard library only.

A remote that is added, renamed or removed leaves the root folder, by which the project is known, too.

Remotes are compared in normal form (`github.com/nora/site`), however they are reached: by SSH, HTTPS or a short form.
User names and tokens in them are dropped. Git itself is not started, but its settings and reflog are read.
"""

import contextlib
import os
import re
from pathlib import Path
from typing import NamedTuple

from curator.paths import work_tree

_LARGEST = 256 * 1024  # bytes of a git file that are read
_LINE = 2_000  # characters of a line, or of an address, that is read
_PATH = 4_096  # characters of a folder that is looked for; longer ones cannot be there
_NAME = 255  # characters of a folder's name
_HELPER = re.compile(r"[a-z0-9]+::", re.IGNORECASE)  # how git is told which program reaches the remote
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*", re.IGNORECASE)
_HOST = re.compile(r"(\[[^\]]*\]|[^:]*)(?::\d*)?")
_SHORT = re.compile(r"(?:[^/@:]*@)?(\[[^\]/]*\]|[^/:@\\]{2,}):(?!//)(.*)")  # one letter is a drive of Windows
_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)')


class Project(NamedTuple):
    """A project: its identity, the name of its root folder, and the ids that it is recognised by, the surest first.

    It is known by its remote, by its root folder with the first line of the reflog there, which tells it from a former
    work tree at that place, and by its root folder alone.
    """

    identity: str
    name: str
    known_by: tuple[str, ...]


def project_of(folder: str) -> Project | None:
    """Return the project of a folder, which may be gone, or of another system; None for none.

    Linked work trees belong to the project of the main one, submodules to their own. The home folder is a project only
    if it is in a work tree.
    """
    folder = folder.replace("\0", "") if folder.strip() else ""
    if os.path.isabs(folder) and len(folder) <= _PATH:  # noqa: PTH117, else named in a log of another system
        with contextlib.suppress(OSError, ValueError):  # no right to look at it, or a name that no folder can have
            tree = work_tree(Path(folder))
            if tree is None and os.path.realpath(folder) == os.path.realpath(os.path.expanduser("~")):  # noqa: PTH111
                return None
            root = tree or Path(folder)
            settings, shared = git_settings(root)
            root = root if shared is None else shared
            remote = remote_identity(remote_url(settings))
            root_path = os.path.realpath(root)
            first = _text(settings.parent / "logs" / "HEAD").partition("\n")[0][:_LINE]
            known_by = tuple(filter(None, (remote, first and f"{root_path}\n{first}", root_path)))
            return Project(remote or root_path, root.name, known_by) if root.name else None
    plain = os.path.normpath(folder) if os.path.isabs(folder) else folder.replace("\\", "/").rstrip("/")  # noqa: PTH117
    name = plain.rpartition("/")[2][:_NAME]
    return Project(plain, name, (plain,)) if name else None


def remote_identity(url: str) -> str:
    """Return a git remote as host and path; its path alone if it is on this machine, and "" if it cannot be read."""
    url = url.strip()
    if len(url) > _LINE:
        return ""
    while helper := _HELPER.match(url):
        url = url[helper.end() :]
    scheme, marked, rest = url.partition("://")
    if marked and _SCHEME.fullmatch(scheme):
        host, _, path = rest.partition("/")
        match = _HOST.fullmatch(host.rpartition("@")[2])
    elif match := _SHORT.fullmatch(url):
        path = match[2]
    if not match or "://" in path or (not marked and "@" in path.partition("/")[0]):  # it may hold a password
        return ""
    path = re.split("[?#]", path, maxsplit=1)[0].rstrip("/").removesuffix(".git").strip("/")
    if marked and scheme.lower() == "file":
        return f"/{path}" if path else ""
    return f"{match[1].lower()}/{path}" if match[1] and path else ""


def git_settings(root: Path) -> tuple[Path, Path | None]:
    """Return the git settings file of a work tree, and the root of the main work tree if this is a linked one."""
    git = root / ".git"
    if git.is_file():
        named = _text(git).partition("gitdir:")[2].strip()
        own = Path(os.path.normpath(root / named))
        common = _text(own / "commondir").strip()
        git = Path(os.path.normpath(own / common)) if common else own
        if common:
            return git / "config", git.parent if git.name == ".git" else git
    return git / "config", None


def remote_url(settings: Path) -> str:
    """Return the address of the remote `origin` in a git settings file, else of the first remote, or ""."""
    urls: dict[str, str] = {}
    remote = None
    for line in map(str.strip, _text(settings).splitlines()):
        if len(line) > _LINE:
            continue
        if section := _SECTION.fullmatch(line):
            remote = section[2] if section[1].lower() == "remote" else None
            line = section[3]
        name, _, value = line.partition("=")
        if remote is not None and name.strip().lower() == "url":
            value = value.strip()
            quoted = value.startswith('"')
            urls.setdefault(remote, value.split('"')[1] if quoted else re.split(r"\s[#;]", value, maxsplit=1)[0])
    return urls.get("origin") or next(iter(urls.values()), "")


def _text(file: Path) -> str:
    """Return a file's beginning; "" if it cannot be read, is no regular file (which could block) or is a record."""
    from store import is_record

    try:
        if not file.is_file() or is_record(file):
            return ""
        with file.open("rb") as stream:
            return stream.read(_LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""
