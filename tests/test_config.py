"""Settings: file, environment, error messages, and changing one."""

import os
import re
import stat
import subprocess
import sys
import threading
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator import paths, text_files
from curator.config import Look, explained, overridden, save, settings
from curator.errors import ConfigError
from curator.main import main
from curator.settings_file import with_value
from curator.tui.looks import load
from curator.ui_defaults import Looks
from effort import thorough


def write(text: str) -> Path:
    file = paths.config_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    settings.cache_clear()
    return file


def test_the_environment_comes_before_the_file_and_the_file_before_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    write("[recall]\nlimit = 7\nbudget = 300\n")
    monkeypatch.setenv("CURATOR_RECALL__LIMIT", "9")
    found = settings()
    assert (found.recall.limit, found.recall.budget, found.distil.per_exchange) == (9, 300, 5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[recall\n", "not TOML"),
        ("[recall]\nlimit = 'many'\n", "recall.limit"),
        ("[recall]\nlimmit = 3\n", "no setting recall.limmit; did you mean recall.limit\\?"),
        ("[colours]\nred = 1\n", r"no section \[colours\]; `curator config"),
        ("[distil]\nsurprise = 3\n", "distil.surprise: takes at most 1, not 3"),
        ("[secrets]\noff = ['pinn']\n", "secrets.off: [^V]*pin"),
        ("[look]\nkeymap = 'emacs'\n", "look.keymap: takes one of vim or plain, not emacs"),
        ("[look]\nlayout = 'round'\n", "look.layout: takes one of auto, columns, rows or list, not round"),
        ("[look]\nmouse = 'perhaps'\n", "look.mouse: takes true or false, not perhaps"),
        ("[keys]\ndown = 3\n", 'keys.down: it takes a key, a list of keys, or "" for none'),
        ("[keys]\ndown = ['j', 3]\n", "keys.down: it takes"),
        ("keys = 'j'\n", "keys: it takes"),
        ("look = 3\n", "setting look: takes a table of settings, not 3"),
        ("a = " + "[" * 3000 + "]" * 3000, "not TOML"),
        ("n = " + "9" * 5000, "not TOML"),
    ],
    ids=lambda value: value[:40],
)
def test_what_is_wrong_is_named_with_its_file(text: str, said: str) -> None:
    file = write(text)
    for read in (settings, load):
        with pytest.raises(ConfigError, match=said) as caught:
            read()
        assert str(file) in str(caught.value)


def test_a_file_that_is_not_text_is_named() -> None:
    file = write("")
    file.write_bytes(b"[look]\ntheme = '\xff'")
    for read in (settings, load):
        with pytest.raises(ConfigError, match=r"is not UTF-8 text \(byte 16\)"):
            read()


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("CURATOR_LOOK__MOUSE", "perhaps", r"look.mouse: .* \(in the variable CURATOR_LOOK__MOUSE\)"),
        ("CURATOR_LOOK__THEM", "x", r"no setting look.them; did you mean look.theme.*CURATOR_LOOK__THEM\)"),
        (
            "CURATOR_LOOK",
            "garbage",
            "variable CURATOR_LOOK is not a JSON object; set one value with CURATOR_LOOK__NAME",
        ),
        ("CURATOR_KEYS", '{"down": 3}', r"keys.down: it takes .*CURATOR_KEYS\)"),
        ("CURATOR_KEYS__DOWN__X", "3", r"keys.down: it takes .*CURATOR_KEYS__DOWN__X\)"),
    ],
)
def test_what_is_wrong_in_the_environment_is_named_with_its_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError, match=said):
        load()


def test_every_setting_is_explained() -> None:
    names = [name for name, _, _ in explained()]
    assert {"look.theme", "look.keymap", "look.layout", "look.mouse", "keys", "recall.limit"} <= set(names)
    assert all(text for _, _, text in explained())


def test_without_a_home_the_platforms_folders_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CURATOR_HOME")
    assert "curator" in str(paths.store_folder())
    assert paths.config_file().name == "config.toml"
    monkeypatch.delenv("CURATOR_CACHE")
    assert paths.cache_folder().is_absolute()
    monkeypatch.setenv("CURATOR_HOME", os.sep + "somewhere")
    assert paths.store_folder() == Path(os.sep + "somewhere") / "store"
    assert paths.themes_folder() == Path(os.sep + "somewhere") / "themes"


# How the app looks


def test_the_defaults_of_the_looks_stand_in_one_place() -> None:
    now = settings()
    assert Looks() == Looks(**now.look.model_dump(), keys=now.keys)
    assert {field.name for field in fields(Looks)} == {*Look.model_fields, "keys"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing yet\n",
        '[look]\ntheme = "paper"\nkeymap = "plain"\nlayout = "rows"\nmouse = false\n',
        '[keys]\ndown = "n"\nup = ["e", "up"]\nreject = []\n',
        '[look]\nmouse = "off"\n',
        "[look]\nmouse = true\n[recall]\nlimit = 5\n",
    ],
)
def test_the_short_way_to_the_looks_comes_to_the_same(text: str) -> None:
    write(text)
    now = settings()
    assert load() == Looks(**now.look.model_dump(), keys=now.keys)


def test_the_environment_comes_first_for_the_looks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    write('[look]\ntheme = "paper"\nlayout = "rows"\n[keys]\nup = "e"\n')
    monkeypatch.setenv("CURATOR_LOOK__THEME", "ember")
    monkeypatch.setenv("CURATOR_KEYS__DOWN", "n")
    assert load() == Looks("ember", "vim", "rows", True, {"up": "e", "down": "n"})


@pytest.mark.parametrize("text", [None, '[look]\ntheme = "paper"\n[keys]\ndown = "n"\n'])
def test_plain_looks_are_read_without_the_library_that_checks_settings(text: str | None) -> None:
    if text is not None:
        write(text)
    code = "import sys; from curator.tui.looks import load; load(); sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1]).returncode == 0


# Changing one


def test_the_first_setting_makes_file_and_folder() -> None:
    file = paths.config_file()
    assert settings().look.theme == "curator-dark"
    save("look.theme", "paper")
    assert settings().look.theme == "paper"
    first, *_ = file.read_text().splitlines()
    assert first.startswith("# Settings")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {path.name for path in file.parent.iterdir()} == {"config.toml", "config.toml.lock"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# a\n\n[look]\n# b\ntheme = 'x'   # why\n\n\n[recall]\nlimit = 5\n",) * 2,
        ("[recall]\nlimit = 4 # x", '[recall]\nlimit = 4 # x\n\n[look]\ntheme = "paper"\n'),
        ("[look]\r\ntheme = 'x' # why\r\n\r\n[recall]\r\nlimit = 4\r\n",) * 2,
        ("[recall]\r\nlimit = 4\r\n", '[recall]\r\nlimit = 4\r\n\r\n[look]\r\ntheme = "paper"\r\n'),
        ("look = {theme = 'x', mouse = false} # in one line\n",) * 2,
        ("look.theme = 'x'\nrecall.limit = 3\n",) * 2,
        ("[keys]\n'down' = ['n',\n  # arrows too\n  'down']\n[look]\n\"theme\" = 'x'",) * 2,
    ],
)
def test_all_else_in_the_file_stays_as_it_is(before: str, after: str) -> None:
    file = write(before)
    save("look.theme", "paper")
    assert file.read_bytes().decode().rstrip("\r\n") == after.replace("'x'", '"paper"').rstrip("\r\n")
    assert settings().look.theme == "paper"


def test_two_settings_saved_at_once_are_both_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    other = threading.Thread(target=save, args=("look.layout", "rows"))
    real = text_files.replace

    def replace_late(file: Path, text: str, named: Path) -> None:
        if other.ident is None:
            other.start()
            other.join(0.5)
        real(file, text, named)

    monkeypatch.setattr(text_files, "replace", replace_late)
    save("look.theme", "paper")
    other.join(20)
    settings.cache_clear()
    assert (settings().look.theme, settings().look.layout) == ("paper", "rows")


def test_a_value_becomes_what_the_setting_is_made_of() -> None:
    file = write("")
    for name, value in (("look.mouse", "off"), ("recall.limit", "7"), ("distil.surprise", 0.5), ("keys.down", "n")):
        save(name, value)
    content = tomllib.loads(file.read_text())
    assert content == {
        "look": {"mouse": False},
        "recall": {"limit": 7},
        "distil": {"surprise": 0.5},
        "keys": {"down": "n"},
    }


KEPT = st.dictionaries(st.text(max_size=8), st.one_of(st.text(max_size=20), st.lists(st.text(max_size=5), max_size=3)))


@thorough
@given(kept=KEPT, name=st.text(min_size=1, max_size=8), value=st.text(max_size=20))
def test_whatever_the_keys_are_one_is_changed_and_no_other(kept: dict[str, str], name: str, value: str) -> None:
    import tomlkit

    before = tomlkit.dumps({"keys": kept, "recall": {"limit": 3}})
    after = with_value(before, "keys", name, value)
    assert after is not None
    assert tomllib.loads(after) == {"keys": {**kept, name: value}, "recall": {"limit": 3}}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("look.them", "paper", "no setting look.them; did you mean look.theme"),
        ("lok.theme", "paper", "no setting lok.theme; did you mean look.theme"),
        ("look", "paper", "no setting look; did you mean look.theme or look.keymap"),
        ("keys", "j", "no setting keys;"),
        ("look.keymap", "emacs", "look.keymap: takes one of vim or plain, not emacs"),
        ("recall.limit", 900, "recall.limit: takes at most 200, not 900"),
        ("recall.limit", "many", "recall.limit: takes a whole number, not many"),
        (
            "index.uri",
            "/tmp",
            "index.uri: takes a prefix on object storage like s3://bucket/prefix, or nothing, not /tmp",
        ),
        (
            "snapshot.target",
            "bucket",
            "takes s3://bucket/prefix or folder:/PATH, or nothing, not bucket",
        ),
        ("snapshot.target", "folder:here", "not folder:here"),
        ("snapshot.target", "folder:C:here", "not folder:C:here"),
        ("lifecycle.retention", 0, "lifecycle.retention: takes at least 1, not 0"),
        ("sweep_tidy.window", "5", "sweep_tidy.window: takes hours like 22:00-07:00, or nothing, not 5"),
        ("sweep_tidy.interval", 0, "sweep_tidy.interval: takes more than 0, not 0"),
        ("secrets.off", "pinn", "secrets.off: (?!Value error).*pin"),
        ("look.theme", True, "look.theme: takes text, not True"),
    ],
)
def test_what_is_not_a_setting_is_not_written(name: str, value: str | int, said: str) -> None:
    file = write("# mine\n")
    with pytest.raises(ConfigError, match=said):
        save(name, value)
    assert file.read_text() == "# mine\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[look\n", "is not TOML"),
        ("look = 3\n", r"look is not a table of values; write it as \[look\] with theme below"),
        ("[[look]]\ntheme = 'x'\n", "look is not a table"),
        ("[look.theme]\ndark = 'x'\n", "look is not a table of values"),
        ("a = " + "[" * 3000 + "]" * 3000, "is not TOML"),
    ],
    ids=lambda value: value[:40],
)
def test_a_file_that_cannot_be_changed_is_left_alone(text: str, said: str) -> None:
    file = write(text)
    with pytest.raises(ConfigError, match=said) as caught:
        save("look.theme", "paper")
    assert str(file) in str(caught.value)
    assert file.read_text() == text


def test_permissions_stay_and_a_link_stays_a_link(tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("[look]\ntheme = 'x'\n")
    kept.chmod(0o640)
    paths.config_file().parent.mkdir()
    paths.config_file().symlink_to(kept)
    save("look.theme", "paper")
    assert paths.config_file().is_symlink()
    assert kept.read_text() == '[look]\ntheme = "paper"\n'
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640


def test_a_write_protected_file_is_left_alone() -> None:
    file = write("[look]\n")
    file.chmod(0o444)
    with pytest.raises(ConfigError, match="is write-protected; allow yourself"):
        save("look.theme", "paper")
    assert file.read_text() == "[look]\n"


def test_what_stops_the_writing_leaves_the_old_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    file = write("[look]\n")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match=r"cannot be written \(No space left on device\); check"):
        save("look.theme", "paper")
    assert file.read_text() == "[look]\n"
    assert {path.name for path in file.parent.iterdir()} == {"config.toml", "config.toml.lock"}


@pytest.mark.parametrize(
    ("variable", "value", "name", "found"),
    [
        ("CURATOR_LOOK__THEME", "x", "look.theme", True),
        ("curator_look__theme", "x", "look.theme", True),
        ("CURATOR_LOOK", '{"theme": "x"}', "look.theme", True),
        ("CURATOR_LOOK", '{"mouse": false}', "look.theme", False),
        ("CURATOR_LOOK__MOUSE", "off", "look.theme", False),
        ("CURATOR_KEYS__DOWN", "n", "keys.down", True),
    ],
)
def test_the_variable_that_comes_before_a_setting_is_told(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, name: str, found: bool
) -> None:
    monkeypatch.setenv(variable, value)
    assert overridden(name) == (variable if found else None)


# From the command line


def set_(monkeypatch: pytest.MonkeyPatch, change: str) -> int:
    monkeypatch.setattr(sys, "argv", ["curator", "config", change])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code if isinstance(ended.value.code, int) else 0


def test_the_command_line_changes_a_setting(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set_(monkeypatch, "look.theme=paper") == 0
    assert set_(monkeypatch, "keys.down = f9") == 0
    assert str(paths.config_file()) in capsys.readouterr().out
    assert (settings().look.theme, settings().keys) == ("paper", {"down": "f9"})
    monkeypatch.setenv("CURATOR_LOOK__THEME", "ember")
    assert set_(monkeypatch, "look.theme=curator-light") == 0
    assert "CURATOR_LOOK__THEME overrides this" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("look.theme=no-such", "unknown theme no-such; choose one of ansi, .*curator-dark"),
        ("look.them=x", "no setting look.them; did you mean look.theme"),
        ("keys.dwon=n", "unknown action 'dwon'; did you mean down"),
        ("keys.down=ctrl+i", r"cannot tell ctrl\+i from tab"),
        ("keys.down=x", "down and reject both have the key x"),
    ],
)
def test_the_command_line_refuses_what_the_app_could_not_use(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], change: str, said: str
) -> None:

    assert set_(monkeypatch, change) == 2
    assert re.search(said, capsys.readouterr().err)
    assert not paths.config_file().exists()


@pytest.fixture
def renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that earlier versions had other names for some settings."""
    former = {"retrieval": "search", "search": "recall", "recall.most": "recall.limit", "look.colours": "look.theme"}
    monkeypatch.setattr("curator.settings_file.RENAMED", former)


@pytest.mark.usefixtures("renamed")
def test_former_names_go_on_working_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    file = write("[retrieval]\nmost = 7\nbudget = 300\n[recall]\nbudget = 400\n[look]\ncolours = 'x'\n")
    found = settings()
    assert (found.recall.limit, found.recall.budget, found.look.theme) == (7, 400, "x")
    save("search.most", 9)
    assert settings().recall.limit == 9
    assert "most = 7" in file.read_text(encoding="utf-8"), "what the person wrote stays"
    write("[retrieval]\nunheard = 1\n")
    with pytest.raises(ConfigError, match=r"there is no setting recall\.unheard"):
        settings()


@pytest.mark.usefixtures("renamed")
def test_former_names_go_on_working_as_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    write("[recall]\nlimit = 7\n")
    monkeypatch.setenv("CURATOR_RETRIEVAL__MOST", "9")
    monkeypatch.setenv("CURATOR_LOOK__COLOURS", "former")
    monkeypatch.setenv("CURATOR_LOOK__THEME", "present")
    settings.cache_clear()
    assert (settings().recall.limit, settings().look.theme) == (9, "present")
    assert overridden("recall.limit") == "CURATOR_RETRIEVAL__MOST"


def test_the_former_name_of_session_recaps_works() -> None:
    write("[serve]\nlifeboats = false\n")
    assert settings().serve.session_recaps is False


def test_every_former_name_leads_to_a_setting_there_is() -> None:
    from curator.settings_file import RENAMED, present_name

    known = {name for name, _, _ in explained()}
    for name in RENAMED:
        assert any(one == present_name(name) or one.startswith(f"{present_name(name)}.") for one in known)


def test_a_folder_in_the_place_of_the_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        text_files.read(tmp_path / "config.toml")
