"""Projects are identified by their git remotes, else by their folders."""

import os
import time
from pathlib import Path

import pytest

from curator.project import project_of, remote_identity


def tree(folder: Path, url: str | None = None, begun: str = "") -> Path:
    """Make a git work tree, or change the remote of one; `begun` is the first line of its reflog."""
    (folder / ".git" / "logs").mkdir(parents=True, exist_ok=True)
    if begun:
        (folder / ".git" / "logs" / "HEAD").write_text(f"{begun}\nlater\n")
    settings = "[core]\n\tbare = false\n"
    settings += f'[remote "origin"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n' if url else ""
    (folder / ".git" / "config").write_text(settings)
    return folder


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/nora/site",
        "https://github.com/nora/site.git",
        "https://GitHub.com:443/nora/site.git/",
        "https://nora:ghp_token@github.com/nora/site.git",
        "https://x@y:ghp_token@github.com/nora/site.git?ref=main#top",
        "git@github.com:nora/site.git",
        "github.com:nora/site",
        "nora@GITHUB.COM:/nora/site.git",
        "ssh://git@github.com/nora/site.git",
        "ssh://git@github.com:2222/nora/site",
        "git+ssh://git@github.com/nora/site.git",
        "git://github.com//nora/site",
        "hg::https://nora:ghp_token@github.com/nora/site.git",
        "gcrypt::rsync://u:pw@github.com/nora/site",
    ],
)
def test_a_remote_is_the_same_however_it_is_reached(url: str) -> None:
    assert remote_identity(url) == "github.com/nora/site"


def test_remotes_that_differ_stay_apart() -> None:
    urls = (
        "git@github.com:nora/site",
        "git@gitlab.com:nora/site",
        "git@github.com:ben/site",
        "git@github.com:nora/api",
    )
    assert len({remote_identity(url) for url in urls}) == 4
    assert remote_identity("file:///srv/git/site.git") == "/srv/git/site"
    assert remote_identity("ssh://git@[2001:DB8::1]:22/x/y.git") == "[2001:db8::1]/x/y"
    for nothing in (
        "",
        "https://",
        "https://github.com",
        "../site",
        "/srv/git/site",
        r"C:\git\site",
        "a:b",
        "https://a:b/c",
        "nora:ghp_token@github.com:nora/site",
        "weird//::https://nora:ghp_token@github.com/a",
        f"https://github.com/{'a' * 2_000}",
        f"https://{'@' * 1_900}:x/a",
        "hg::" * 400,
    ):
        assert remote_identity(nothing) == "", nothing


def test_a_folder_belongs_to_its_work_tree(tmp_path: Path) -> None:
    site = tree(tmp_path / "site", "https://nora:secret@github.com/nora/site.git")
    (site / "src" / "pages").mkdir(parents=True)
    found = project_of(str(site / "src" / "pages"))
    assert found is not None and found == project_of(str(site)) and found[:2] == ("github.com/nora/site", "site")
    other = tree(tmp_path / "elsewhere" / "site")
    assert project_of(str(other))[:2] == (os.path.realpath(other), "site")  # type: ignore[index]
    plain = tmp_path / "plain" / "site"
    assert project_of(str(plain))[:2] == (os.path.realpath(plain), "site")  # type: ignore[index] # gone


def test_linked_work_trees_belong_to_the_main_one_and_submodules_to_themselves(tmp_path: Path) -> None:
    for url in (None, "git@github.com:nora/site.git"):
        site = tree(tmp_path / str(bool(url)) / "site", url)
        own = site / ".git" / "worktrees" / "draft"
        own.mkdir(parents=True)
        (own / "commondir").write_text("../..\n")
        draft = site.parent / "draft"
        draft.mkdir()
        (draft / ".git").write_text(f"gitdir: {own}\n")
        assert project_of(str(draft)) == project_of(str(site))
    module = site / ".git" / "modules" / "fonts"
    module.mkdir(parents=True)
    (module / "config").write_text('[remote "origin"] url = "https://github.com/type/fonts" ; theirs\n')
    (site / "fonts").mkdir()
    (site / "fonts" / ".git").write_text("gitdir: ../.git/modules/fonts\n")
    assert project_of(str(site / "fonts"))[:2] == ("github.com/type/fonts", "fonts")  # type: ignore[index]


def test_folders_of_other_systems_are_taken_by_their_names() -> None:
    assert project_of(r"C:\Users\nora\site\\")[:2] == ("C:/Users/nora/site", "site")  # type: ignore[index]
    for nothing in ("", "  ", "/", "\\"):
        assert project_of(nothing) is None


def test_what_is_no_file_of_git_is_never_waited_for(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / ".git").mkdir(parents=True)
    os.mkfifo(site / ".git" / "config")
    assert project_of(str(site))[:2] == (os.path.realpath(site), "site")  # type: ignore[index]
    for broken in (b"gitdir: \0", b"\xff\xfe", b"gitdir: /nowhere"):
        other = tmp_path / f"other{len(broken)}"
        other.mkdir()
        (other / ".git").write_bytes(broken)
        assert project_of(str(other))[:2] == (os.path.realpath(other), other.name)  # type: ignore[index]


@pytest.mark.parametrize("below", ["n" * 300, "a/" * 100_000 + "end", "no\0where", "\ud800"])
def test_a_folder_that_cannot_be_looked_at_is_a_project_by_its_name(tmp_path: Path, below: str) -> None:
    found = project_of(f"{tmp_path}/{below}")
    assert found is not None
    assert found.name == below.rpartition("/")[2].replace("\0", "")[:255]
    assert found.identity.startswith(str(tmp_path))


def test_a_folder_that_is_forbidden_is_a_project_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(path: object, **kwargs: object) -> object:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "stat", forbidden)
    monkeypatch.setattr(os, "lstat", forbidden)
    assert project_of(f"{tmp_path}/site/src/..")[:2] == (str(tmp_path / "site"), "site")  # type: ignore[index]


@pytest.mark.parametrize(
    "lines",
    [
        'url = "' + " " * 200_000 + "x",
        "url = " + "x " * 100_000 + "\v",
        "url = https://" + "@" * 200_000,
        "\n".join(["url = https://" + "@" * 1_900 + ":x"] * 120),
        "\n".join(["url = " + " \t" * 900 + '"'] * 120),
        "\n".join(["[remote " + " " * 1_900 + "x"] * 120),
        "\n".join(['[remote "' + "\\" * 1_900] * 120),
    ],
)
def test_git_settings_are_read_in_linear_time(tmp_path: Path, lines: str) -> None:
    site = tree(tmp_path / "site")
    (site / ".git" / "config").write_text(f'[remote "origin"]\n{lines}\n')
    began = time.process_time()
    project_of(str(site))
    assert time.process_time() - began < 0.5


def test_values_of_git_settings_are_read_as_git_does(tmp_path: Path) -> None:
    site = tree(tmp_path / "site")
    for line in (
        'URL="https://github.com/nora/site" # theirs',
        "url = git@github.com:nora/site ; theirs",
        "  url\t=git@github.com:nora/site\t",
        f"fetch = {'x' * 3_000}\nurl = git@github.com:nora/site",
    ):
        (site / ".git" / "config").write_text(f'[core]\nurl = no\n[remote "origin"]\n{line}\n')
        assert project_of(str(site))[0] == "github.com/nora/site"  # type: ignore[index]


def test_a_record_behind_a_link_is_not_opened(tmp_path: Path) -> None:
    record = tmp_path / "store" / "record.sqlite"
    record.parent.mkdir()
    record.write_text('[remote "origin"]\nurl = https://github.com/nora/secret\n')
    (tmp_path / "site" / ".git").mkdir(parents=True)
    (tmp_path / "site" / ".git" / "config").symlink_to(record)
    assert project_of(str(tmp_path / "site"))[:2] == (os.path.realpath(tmp_path / "site"), "site")  # type: ignore[index]


def test_the_home_folder_is_a_project_only_as_a_work_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert project_of(str(tmp_path)) is None and project_of(f"{tmp_path}/") is None
    assert project_of(str(tmp_path / "site"))[1] == "site"  # type: ignore[index]
    assert project_of(str(tree(tmp_path)))[1] == tmp_path.name  # type: ignore[index]
