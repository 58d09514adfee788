"""Connecting keeps the rest of a file, is idempotent, and is undone byte for byte."""

import os
import stat
import sys
import threading
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from connect.conftest import COMMAND
from connect.samples import ANNOTATION, SAMPLES, Sample
from curator.connect import changes, edit_yaml, jsonc, state
from curator.connect.hosts import HOSTS, shell_line
from curator.connect.program import is_hook, is_server
from curator.errors import ConfigError
from curator.paths import connections_folder
from effort import some, thorough

CONNECTABLE = [name for name, host in HOSTS.items() if host.files]
VARIANTS = {
    "as it is": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "BOM": lambda text: "\ufeff" + text,
    "no newline at the end": lambda text: text.rstrip("\n"),
    "blank lines at the end": lambda text: text + "\n\n",
}
each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
each_variant = pytest.mark.parametrize(
    ("sample", "variant"),
    some([(sample, variant) for sample in SAMPLES for variant in VARIANTS], 22),
    ids=lambda value: value if isinstance(value, str) else value.name,
)


def put(home: Path, sample: Sample, text: str | None = None) -> Path:
    """Write a sample's file and return its path."""
    file = home / sample.path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes((sample.text if text is None else text).encode())
    return file


def connect(name: str, command: Sequence[str] = COMMAND) -> int:
    """Connect a host and return the number of files written."""
    planned = changes.connection(HOSTS[name], command)
    changes.write(HOSTS[name], planned)
    return len(planned)


def disconnect(name: str) -> int:
    """Disconnect a host and return the number of files written."""
    planned = changes.disconnection(HOSTS[name])
    changes.write(HOSTS[name], planned)
    return len(planned)


def format_of(sample: Sample, home: Path) -> str:
    return next(part.format for part in HOSTS[sample.host].files if part.file() == home / sample.path)


def snapshot(home: Path) -> dict[str, bytes]:
    """Return every file and folder below the home with its bytes."""
    return {str(path): b"" if path.is_dir() else path.read_bytes() for path in sorted(home.rglob("*"))}


@each_variant
def test_disconnecting_restores_every_byte(home: Path, sample: Sample, variant: str) -> None:
    file = put(home, sample, VARIANTS[variant](sample.text))
    before = snapshot(home)
    assert connect(sample.host)
    written = file.read_bytes().decode()
    assert "curator" in written
    if variant == "CRLF":
        assert "\n" not in written.replace("\r\n", "")
    assert written.startswith("\ufeff") == (variant == "BOM")
    assert connect(sample.host) == 0, "connected already"
    assert disconnect(sample.host)
    assert snapshot(home) == before
    assert disconnect(sample.host) == 0


@each_variant
def test_without_the_copies_the_entries_are_taken_out(home: Path, sample: Sample, variant: str) -> None:
    file = put(home, sample, VARIANTS[variant](sample.text))
    before = file.read_bytes()
    connect(sample.host)
    (connections_folder() / "state.json").unlink()
    disconnect(sample.host)
    after = file.read_bytes()
    if "{}" not in sample.text and "[]" not in sample.text and '"hooks"' not in sample.text and "mcp" in sample.text:
        assert after == before
    assert b"curator" not in after


@each_sample
def test_only_characters_are_added_and_comments_stay_on_their_lines(home: Path, sample: Sample) -> None:
    file = put(home, sample)
    connect(sample.host)
    written = file.read_text("utf-8")
    rest = iter(written)
    assert all(character in rest for character in sample.text)
    comments = [line for line in sample.text.splitlines() if "//" in line or "# " in line]
    assert all(line in written or line.replace(" //", ", //") in written for line in comments)


@pytest.mark.parametrize("name", CONNECTABLE)
def test_a_file_that_was_not_there_is_deleted_again_with_its_folders(home: Path, name: str) -> None:
    connect(name)
    assert all(part.file().is_file() for part in HOSTS[name].files)
    assert all(stat.S_IMODE(part.file().stat().st_mode) == 0o600 for part in HOSTS[name].files)
    assert disconnect(name) == len(HOSTS[name].files)
    assert snapshot(home) == {}


@pytest.mark.parametrize("name", CONNECTABLE)
@pytest.mark.parametrize("text", ["", "\n", "\r\n"])
def test_an_empty_file_is_empty_again(home: Path, name: str, text: str) -> None:
    for part in HOSTS[name].files:
        part.file().parent.mkdir(parents=True, exist_ok=True)
        part.file().write_bytes(text.encode())
    before = snapshot(home)
    connect(name)
    assert connect(name) == 0
    disconnect(name)
    assert snapshot(home) == before


@each_sample
def test_edits_by_hand_stay(home: Path, sample: Sample) -> None:
    file = put(home, sample)
    connect(sample.host)
    form = format_of(sample, home)
    comment = "// by hand" if form == "json" else "# by hand"
    file.write_text(comment + "\n" + file.read_text("utf-8"), "utf-8")
    connect(sample.host)
    disconnect(sample.host)
    after = file.read_text("utf-8")
    assert after.startswith(comment) and "curator" not in after
    assert connect(sample.host) and disconnect(sample.host)
    assert file.read_text("utf-8") == after


@each_sample
def test_entries_that_were_created_empty_go_even_after_an_edit(home: Path, sample: Sample) -> None:
    file = put(home, sample)
    connect(sample.host)
    form = format_of(sample, home)
    comment = "// by hand\n" if form == "json" else "# by hand\n"
    file.write_text(comment + file.read_text("utf-8"), "utf-8")
    disconnect(sample.host)
    left = file.read_text("utf-8").removeprefix(comment)
    if form == "json":
        (was, now) = (jsonc.parse(sample.text), jsonc.parse(left))
        assert was is not None and now is not None and was.value == now.value
    else:
        assert left == sample.text


@each_sample
def test_another_program_is_brought_up_to_date(home: Path, sample: Sample) -> None:
    file = put(home, sample)
    connect(sample.host)
    first = file.read_text("utf-8")
    old, new = ANNOTATION[format_of(sample, home)]
    edited = old in first and "hooks.json" not in sample.path and sample.host != "claude-code"
    if edited:
        file.write_text(first.replace(old, new), "utf-8")
    assert connect(sample.host, ("/usr/bin/curator",)) == len(HOSTS[sample.host].files)
    written = file.read_text("utf-8")
    assert "/usr/bin/curator" in written and COMMAND[0] not in written
    if edited:
        assert new.split('"command"')[0] in written, "what was added by hand to the entry is kept"
    assert connect(sample.host, ("/usr/bin/curator",)) == 0
    disconnect(sample.host)
    assert "curator" not in file.read_text("utf-8")
    if not edited:
        assert file.read_text("utf-8") == sample.text


def test_a_handler_that_was_added_to_curators_group_stays(home: Path) -> None:
    file = put(home, SAMPLES[0])
    connect("claude-code")
    text = file.read_text("utf-8")
    (part,) = HOSTS["claude-code"].files
    mine: dict[str, jsonc.Json] = {"type": "command", "command": "mine"}
    file.write_text(jsonc.insert(text, ("hooks", "SessionEnd", 0, "hooks"), None, mine), "utf-8")
    disconnect("claude-code")
    left = jsonc.find(file.read_text("utf-8"), ("hooks", "SessionEnd"))
    assert left is not None and left.value == [{"hooks": [mine]}]
    assert changes.without_entries(part, file.read_text("utf-8")) == file.read_text("utf-8")
    assert jsonc.find(file.read_text("utf-8"), ("hooks", "SessionStart")) is None


TAKEN = {
    "gemini": (
        ".gemini/settings.json",
        '{\n  "mcpServers": {\n    "curator": {"httpUrl": "https://example.org"}\n  }\n}',
    ),
    "codex": (".codex/config.toml", 'model = "x"\n[mcp_servers.curator]\ncommand = "museum"\nargs = ["mcp"]\n'),
    "goose": (".config/goose/config.yaml", "extensions:\n  curator:\n    cmd: museum\n    args:\n    - mcp\n"),
    "opencode": (".config/opencode/opencode.json", '{"mcp": {"curator": {"type": "remote", "url": "x"}}}'),
}


@pytest.mark.parametrize("name", TAKEN)
def test_an_entry_of_the_persons_own_is_left_alone(home: Path, name: str) -> None:
    path, text = TAKEN[name]
    file = put(home, Sample(name, path, text))
    before = snapshot(home)
    with pytest.raises(ConfigError, match=r", line \d+: the server curator there was not made by Curator"):
        connect(name)
    assert disconnect(name) == 0
    assert snapshot(home) == before and file.is_file()


BROKEN = {
    "gemini": (".gemini/settings.json", '{\n  "theme": "x"\n  "a": 1\n}', "line 3: a comma is missing"),
    "cursor": (".cursor/mcp.json", '{\n  "mcpServers": {', "line 2: it ends too early"),
    "zed": (".config/zed/settings.json", "[1, 2]", "line 1: there must be an object"),
    "vscode": (".config/Code/User/mcp.json", '{\n\n"servers": null}', "line 3: servers must be an object"),
    "claude-code": (".claude/settings.json", '{"hooks": {"SessionEnd": {}}}', "line 1: SessionEnd must be an array"),
    "claude-desktop": (".config/Claude/claude_desktop_config.json", "{'a': 1}", "line 1: a name in quotes is missing"),
    "codex": (".codex/config.toml", 'a = 1\nb = "\n', "line 2: illegal character"),
    "goose": (".config/goose/config.yaml", "a: 1\nextensions: {developer: {}}\n", "line 2: extensions is not in block"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_named_with_its_line_and_nothing_changes(home: Path, name: str) -> None:
    path, text, told = BROKEN[name]
    file = put(home, Sample(name, path, text))
    before = snapshot(home)
    with pytest.raises(ConfigError) as error:
        connect(name)
    assert f"{file}, {told}" in str(error.value) and "correct it" in str(error.value)
    assert snapshot(home) == before


def test_a_file_that_is_not_utf_8_is_refused(home: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_bytes('{"é": 1}'.encode("utf-16"))
    with pytest.raises(ConfigError, match="not UTF-8"):
        connect("cursor")


def test_a_link_and_the_files_mode_stay(home: Path) -> None:
    sample = SAMPLES[0]
    kept = put(home, Sample(sample.host, "dotfiles/claude.json", sample.text))
    kept.chmod(0o640)
    link = home / sample.path
    link.parent.mkdir()
    link.symlink_to(kept)
    connect(sample.host)
    assert link.is_symlink() and "curator" in kept.read_text("utf-8")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    disconnect(sample.host)
    assert link.is_symlink() and kept.read_text("utf-8") == sample.text


@thorough
def test_two_hosts_connected_at_once_are_both_restored(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".codex").mkdir()
    before, errors = snapshot(home), list[BaseException]()
    other = threading.Thread(target=connect, args=("codex",))
    real = state.save

    def save_late(known: Mapping[str, state.WrittenFile]) -> None:
        if other.ident is None:
            other.start()
            other.join(0.5)
        real(known)

    monkeypatch.setattr(state, "save", save_late)
    monkeypatch.setattr(threading, "excepthook", lambda args: errors.append(args.exc_value))
    connect("cursor")
    other.join(20)
    assert not errors and len(state.load()) == sum(len(HOSTS[name].files) for name in ("cursor", "codex"))
    for name in ("cursor", "codex"):
        assert disconnect(name)
    assert snapshot(home) == before


def test_a_write_protected_file_keeps_the_others_unchanged(home: Path) -> None:
    config, hooks = (put(home, sample) for sample in SAMPLES if sample.host == "codex")
    hooks.chmod(0o400)
    before = snapshot(home)
    with pytest.raises(ConfigError, match="write-protected"):
        connect("codex")
    assert snapshot(home) == before and config.is_file()


def test_a_file_that_changes_before_it_is_written_is_not_overwritten(home: Path) -> None:
    file = put(home, SAMPLES[0])
    planned = changes.connection(HOSTS["claude-code"], COMMAND)
    file.write_text("{}", "utf-8")
    with pytest.raises(ConfigError, match="changed meanwhile"):
        changes.write(HOSTS["claude-code"], planned)
    assert file.read_text("utf-8") == "{}"


def test_a_copy_is_kept_for_the_owner_alone(home: Path) -> None:
    put(home, SAMPLES[0])
    (copy,) = changes.write(HOSTS["claude-code"], changes.connection(HOSTS["claude-code"], COMMAND))
    assert copy.parent == connections_folder() and copy.read_text("utf-8") == SAMPLES[0].text
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_after_the_entries_were_removed_by_hand_connecting_begins_anew(home: Path) -> None:
    file = put(home, SAMPLES[0])
    connect("claude-code")
    file.write_text('{"mine": 1}', "utf-8")
    connect("claude-code")
    disconnect("claude-code")
    assert file.read_text("utf-8") == '{"mine": 1}'


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { a = { command = "x" } } # all of them\n',
        '[mcp_servers]\na = { command = "x" }\n\n[other]\nb = 1\n',
        'mcp_servers.a.command = "x"\n',
        '[mcp_servers.a]\ncommand = "x"\n[other]\nb = """\n[mcp_servers.curator]\n"""\n[mcp_servers.c]\nurl = "y"\n',
    ],
)
def test_codex_tables_are_written_in_any_way(home: Path, text: str) -> None:
    file = put(home, Sample("codex", ".codex/config.toml", text))
    connect("codex")
    written = tomllib.loads(file.read_text("utf-8"))
    assert written["mcp_servers"].pop("curator")["args"] == ["-P", "-m", "curator", "mcp"]
    assert written == tomllib.loads(text)
    file.write_text("# by hand\n" + file.read_text("utf-8"), "utf-8")
    disconnect("codex")
    assert tomllib.loads(file.read_text("utf-8")) == tomllib.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "extensions: {} # none\nb: 1\n",
        "---\na: 1\nextensions:\n    x:\n        cmd: y\n        args: [a, b]\n\n# tail\nb: |\n  text\n  extensions:\n",
        "extensions:\n  x:\n    enabled: true\n    # c\n  # d\n\n\n# about z\nz: {a: 1}\n",
        "extensions: # list\n  x:\n    description: >-\n      curator: x\n        y\n    cmd: z\n",
        "# only a comment\n",
    ],
)
def test_yaml_of_goose_is_written_in_any_block_style(text: str) -> None:
    (part,) = HOSTS["goose"].files
    for variant in (text, text.replace("\n", "\r\n"), text.rstrip("\n")):
        edited = edit_yaml.connect(variant, part, COMMAND)
        assert edit_yaml.connect(edited.text, part, COMMAND).text == edited.text
        assert edit_yaml.disconnect(edited.text, part, edited.created) == variant


def test_folders_of_hosts_follow_their_variables(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.setenv(variable, str(home / variable))
    for name in CONNECTABLE:
        connect(name)
    files = {os.path.relpath(path, home) for path in home.rglob("*") if path.is_file()}
    assert {
        "CLAUDE_CONFIG_DIR/settings.json",
        "CODEX_HOME/hooks.json",
        "GEMINI_CLI_HOME/.gemini/settings.json",
        "XDG_CONFIG_HOME/goose/config.yaml",
        "XDG_CONFIG_HOME/Code/User/mcp.json",
        ".cursor/mcp.json",
    } <= files


def test_a_variable_may_name_a_folder_by_the_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv("CODEX_HOME", "~/settings of codex")
    connect("codex")
    assert {path.parent for path in home.rglob("*") if path.is_file()} >= {home / "settings of codex"}
    assert not (home / "~").exists()


@pytest.mark.parametrize(
    ("platform", "name", "path"),
    [
        ("darwin", "vscode", "Library/Application Support/Code/User/mcp.json"),
        ("darwin", "claude-desktop", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("darwin", "zed", ".config/zed/settings.json"),
        ("win32", "claude-desktop", "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("win32", "goose", "AppData/Roaming/Block/goose/config/config.yaml"),
        ("win32", "zed", "AppData/Roaming/Zed/settings.json"),
        ("win32", "gemini", ".gemini/settings.json"),
    ],
)
def test_files_of_other_platforms(
    home: Path, monkeypatch: pytest.MonkeyPatch, platform: str, name: str, path: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert [part.file() for part in HOSTS[name].files] == [home / path]


def test_a_crash_while_writing_leaves_what_can_be_undone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put(home, SAMPLES[0])

    def crash(*args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(changes, "replace", crash)
        with pytest.raises(KeyboardInterrupt):
            connect("claude-code")
    assert file.read_text("utf-8") == SAMPLES[0].text and disconnect("claude-code") == 0
    assert connect("claude-code") and disconnect("claude-code")
    assert file.read_text("utf-8") == SAMPLES[0].text


def test_windows_programs_are_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    path = r"C:\Users\Ada Lovelace\bin\curator.exe"
    assert is_server({"command": path, "args": ["mcp"]})
    assert is_hook({"command": shell_line([path, "hook", "codex", "prompt"])}, "codex")
    assert not is_hook({"command": r"C:\museum\curators.exe hook codex prompt"}, "codex")
    assert shell_line(["claude", "add-json", '{"a": 1}']) == r'claude add-json "{\"a\": 1}"'
    assert not is_server({"command": "museum", "args": ["mcp"]}) and not is_server(None)
