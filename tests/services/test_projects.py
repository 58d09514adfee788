"""Two folders of the same name are two projects, from the log to the recall block."""

import json
from pathlib import Path

import pytest

from curator.curation import purge
from curator.models import load_embedder
from curator.paths import store_folder
from curator.recall.project_block import project_context
from curator.services.import_logs import import_paths
from curator.services.projects import claim_label, label_of
from effort import thorough
from factories import block_by_words, put
from store import Filter, Store
from store.model import Kind
from store.record.projects import Projects
from test_project import tree

DECISIONS = {
    "github.com:nora/api": "We decided to keep the ledger in PostgreSQL 16 for the payments.",
    "gitlab.com:ben/api": "We decided to serve the harbour maps with Elixir and Phoenix.",
}


def session(folder: Path, name: str, text: str) -> Path:
    """Write a Claude Code session of a folder."""
    file = folder.parent / f"{name}.jsonl"
    row = {"type": "user", "sessionId": name, "cwd": str(folder), "timestamp": "2026-11-20T10:00:00Z"}
    file.write_text(json.dumps({**row, "uuid": name, "message": {"role": "user", "content": text}}) + "\n")
    return file


@pytest.fixture
def apis(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Create two work trees called `api`, each with an imported session."""
    monkeypatch.setenv("CURATOR_DISTIL__AGENT_MESSAGES", "0")
    folders = []
    for number, (remote, text) in enumerate(DECISIONS.items()):
        folders.append(tree(tmp_path / f"at{number}" / "api", f"git@{remote}.git"))
        import_paths(store, [session(folders[-1], f"s{number}", text)], load_embedder("hashing", tmp_path))
    return folders


def test_two_folders_of_one_name_never_mix(store: Store, apis: list[Path]) -> None:
    labels = [label_of(store, str(folder / "src")) for folder in apis]
    assert labels == ["api", "api (gitlab.com/ben/api)"]
    for label, own, other in ((labels[0], "PostgreSQL", "Elixir"), (labels[1], "Elixir", "PostgreSQL")):
        assert label is not None
        text = project_context(store, label).text
        assert own in text and other not in text
        assert store.list_ids(Filter(scopes=(f"project:{label}",)))


def test_another_clone_and_another_way_to_the_remote_are_the_same_project(
    store: Store, apis: list[Path], tmp_path: Path
) -> None:
    clone = tree(tmp_path / "clone" / "api-2", "https://ben:token@gitlab.com/ben/api")
    assert label_of(store, str(clone)) == "api (gitlab.com/ben/api)"
    third = tmp_path / "third" / "api"
    assert label_of(store, str(third)) == f"api ({third})"


BEGUN = "0000 abcd Nora <nora@example.org> 1700000000 +0100\tcommit (initial): Begin"


def claimed(store: Store, *folders: Path) -> list[str | None]:
    """Return the labels that an import in each folder claims, in order."""
    with store.command("import") as writer:
        return [claim_label(writer, str(folder)) for folder in folders]


@pytest.mark.parametrize("begun", ["", BEGUN])
def test_memories_stay_when_a_remote_is_added_renamed_or_removed(store: Store, tmp_path: Path, begun: str) -> None:
    site = tree(tmp_path / "site")  # no commit yet
    assert claimed(store, site) == ["site"]
    for url in ("git@github.com:nora/site", "https://github.com/harbour/pages", None, "git@gitlab.com:harbour/pages"):
        tree(site, url, begun)
        assert label_of(store, str(site)) == "site", url
        assert claimed(store, site) == ["site"]
    clone = tree(tmp_path / "clone" / "pages", "https://github.com/nora/site")
    assert label_of(store, str(clone)) == "site"


def test_another_project_at_the_same_place_is_another_project(store: Store, tmp_path: Path) -> None:
    site = tree(tmp_path / "site", begun=BEGUN)
    assert claimed(store, site) == ["site"]
    assert claimed(store, tree(site, "git@github.com:nora/site")) == ["site"]
    site.rename(tmp_path / "former")
    tree(site, "git@github.com:ben/site", BEGUN.replace("Nora", "Ben"))
    assert claimed(store, site, tmp_path / "former") == ["site (github.com/ben/site)", "site"]
    copy = tree(tmp_path / "copy" / "site", "git@github.com:type/site", BEGUN)  # a clone that became another project
    assert claimed(store, copy, tree(tmp_path / "d" / "site")) == [
        "site (github.com/type/site)",
        f"site ({tmp_path}/d/site)",
    ]


def test_projects_that_were_claimed_by_their_remote_alone_keep_their_label(store: Store, tmp_path: Path) -> None:
    site = tree(tmp_path / "site", "git@github.com:nora/site", BEGUN)
    with store.command("import") as writer:
        Projects.claim(writer, ("github.com/nora/site",), "shop", "shop (github.com/nora/site)")
    assert claimed(store, site) == ["shop"]
    assert claimed(store, tree(site, "git@github.com:nora/shop")) == ["shop"]


def test_names_of_older_stores_belong_to_the_folder_of_that_name(store: Store, tmp_path: Path) -> None:
    put(store, "The site uses plain SQL.", project="site", scope="project:site", kind=Kind.DECISION)
    assert label_of(store, str(tree(tmp_path / "site", "git@github.com:nora/site"))) == "site"
    assert label_of(store, None) is None


def test_neither_a_folder_nor_a_token_is_stored(store: Store, apis: list[Path]) -> None:
    with store.sqlite() as connection:
        rows = connection.execute("SELECT ident, label FROM projects").fetchall()
    assert len(rows) == 4  # remote and folder of both
    assert all(len(ident) == 32 and "/" not in ident for ident, _ in rows)
    assert str(apis[0]) not in str([tuple(row) for row in rows])


@thorough
def test_a_label_is_short_and_without_secrets(store: Store, apis: list[Path], tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    label = label_of(store, str(tree(tmp_path / "long" / "api", f"https://host/{'deep/' * 300}{token}")))
    assert label is not None and label.startswith("api (…") and len(label) < 120
    assert token not in label


def test_a_home_is_short_only_at_the_beginning_of_a_folder(
    store: Store, apis: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "nora"
    for folder, shown in ((home / "x" / "api", "~/x/api"), (tmp_path / "norah" / "api", f"{tmp_path}/norah/api")):
        monkeypatch.setenv("HOME", str(home))
        assert label_of(store, str(folder)) == f"api ({shown})"
    monkeypatch.setenv("HOME", "/nora")
    assert (
        label_of(store, str(tree(tmp_path / "c" / "api", "git@github.com:x/nora/api"))) == "api (github.com/x/nora/api)"
    )
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("Could not determine home")))
    assert label_of(store, str(tmp_path / "d" / "api")) == f"api ({tmp_path}/d/api)"


def test_a_log_from_a_folder_that_no_system_has_is_imported(store: Store, tmp_path: Path) -> None:
    log = session(tmp_path / "site", "s", DECISIONS["github.com:nora/api"])
    log.write_text(log.read_text().replace("/site", f"/{'n' * 300}/si\\u0000te"))
    import_paths(store, [log], load_embedder("hashing", tmp_path))
    assert [store.raw.conversation(one).project for one in store.raw.conversation_ids()] == ["site"]


def test_a_purge_erases_words_in_labels(store: Store, tmp_path: Path) -> None:
    folder = tree(tmp_path / "zanzibar")
    import_paths(store, [session(folder, "s", DECISIONS["github.com:nora/api"])], load_embedder("hashing", tmp_path))
    assert label_of(store, str(folder)) == "zanzibar"
    (memory,) = put(store, "zanzibar")
    purge(store, [memory])
    with store.sqlite() as connection:
        assert "zanzibar" not in str([tuple(row) for row in connection.execute("SELECT label FROM projects")])


@thorough
def test_words_alone_find_a_folders_own_memories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_DISTIL__AGENT_MESSAGES", "0")
    store = Store.open(store_folder())
    for number, (remote, text) in enumerate(DECISIONS.items()):
        folder = tree(tmp_path / f"at{number}" / "api", f"git@{remote}.git")
        import_paths(store, [session(folder, f"s{number}", text)], load_embedder("hashing", tmp_path))
    tree(tmp_path / "at0" / "api", "git@github.com:harbour/payments")  # its remote was renamed
    for number, own, other in ((0, "PostgreSQL", "Elixir"), (1, "Elixir", "PostgreSQL")):
        text = block_by_words("payments ledger PostgreSQL harbour maps Elixir", str(tmp_path / f"at{number}" / "api"))
        assert own in text and other not in text
    assert not block_by_words("payments ledger PostgreSQL harbour Elixir", str(tmp_path / "third" / "api"))
