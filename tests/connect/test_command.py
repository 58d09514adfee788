"""`curator connect` shows its changes, asks, writes, and says what is left to do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.runner import Curator
from connect.conftest import COMMAND, PYTHON
from connect.samples import CLAUDE, GEMINI
from connect.test_changes import snapshot
from curator import __version__
from curator.connect.hosts import HOSTS
from curator.connect.program import curator_command
from curator.serve.hooks import EVENTS
from effort import some, thorough

ROOT = Path(__file__).parents[2]


def gemini(home: Path) -> Path:
    file = home / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text(GEMINI, "utf-8")
    return file


def test_without_yes_the_change_is_only_shown(curator: Curator, home: Path) -> None:
    file = gemini(home)
    before = snapshot(home)
    ran = curator("connect", "gemini")
    assert ran.code == 2 and "--yes" in ran.err and "not confirmed" in ran.err
    assert f"+++ {file}" in ran.out and '"curator": {' in ran.out
    assert snapshot(home) == before


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("", 1)])
def test_on_a_terminal_it_asks(
    curator: Curator, home: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    file = gemini(home)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda question: answer)
    assert curator("connect", "gemini").code == code
    assert ("curator" in file.read_text("utf-8")) == (code == 0)


def test_connecting_again_and_removing(curator: Curator, home: Path) -> None:
    file = gemini(home)
    first = curator("connect", "gemini", "--yes")
    assert first.code == 0 and "connected Gemini CLI" in first.out and "kept a copy" in first.out
    again = curator("connect", "gemini")
    assert again.code == 0 and "already connected" in again.out
    assert curator("connect", "gemini", "--remove", "--yes").code == 0
    assert file.read_text("utf-8") == GEMINI
    assert "is not connected" in curator("connect", "gemini", "--remove").out


def test_secrets_of_other_servers_are_not_printed(curator: Curator, home: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"mcpServers": {"hub": {"env": {"TOKEN": token}}}}, indent=2), "utf-8")
    ran = curator("connect", "cursor", "--yes")
    assert ran.code == 0 and token not in ran.out + ran.err and token in file.read_text("utf-8")


@pytest.mark.parametrize(
    "words",
    [
        ("emacs",),
        ("--remove",),
        ("codex", "--plugin", "x"),
        ("codex", "--json"),
        ("codex", "--status", "--remove"),
    ],
)
def test_options_that_do_not_fit_are_refused(curator: Curator, home: Path, words: tuple[str, ...]) -> None:
    assert curator("connect", *words).code == 2


@thorough
def test_status_says_which_are_found_connected_and_outdated(
    curator: Curator, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gemini(home)
    (home / ".codex").mkdir()
    (home / ".cursor").mkdir()
    (home / ".config" / "zed").mkdir(parents=True)
    (home / ".config" / "zed" / "settings.json").write_text("{,}", "utf-8")
    for name in ("gemini", "codex", "goose"):
        assert curator("connect", name, "--yes").code == 0
    (row,) = curator("connect", "--status", "--json").rows
    states = {one["host"]: one["state"] for one in row["assistants"]}
    assert row["program"] == list(COMMAND)
    assert states == {
        "claude-code": "not found",
        "codex": "connected",
        "gemini": "connected",
        "cursor": "not connected",
        "vscode": "not found",
        "zed": "blocked",
        "opencode": "not found",
        "goose": "connected",
        "claude-desktop": "not found",
        "librechat": "by hand",
        "open-webui": "by hand",
    }
    monkeypatch.setattr(sys, "executable", "/opt/new/python")
    (row,) = curator("connect", "gemini", "--status", "--json").rows
    assert [one["state"] for one in row["assistants"]] == ["outdated"]
    assert "outdated" in curator("connect").out


def test_status_of_codex_names_hooks_that_were_not_reviewed(curator: Curator, home: Path) -> None:
    curator("connect", "codex", "--yes")
    assert "SessionStart, UserPromptSubmit, PreCompact, SessionEnd" in curator("connect", "codex", "--status").out
    hooks, config = home / ".codex" / "hooks.json", home / ".codex" / "config.toml"
    reviewed = "".join(
        f'\n[hooks.state."{hooks}:{event}:0:0"]\ntrusted_hash = "sha256:00"\n'
        for event in ("session_start", "pre_compact", "session_end")
    )
    config.write_text(config.read_text("utf-8") + reviewed, "utf-8")
    out = curator("connect", "codex", "--status").out
    assert "not reviewed: UserPromptSubmit;" in out and "/hooks" in out


@pytest.mark.parametrize(("name", "told"), [("librechat", "mcpServers:"), ("open-webui", "mcpo")])
def test_hosts_without_a_file_get_something_to_paste(curator: Curator, home: Path, name: str, told: str) -> None:
    ran = curator("connect", name)
    assert ran.code == 0 and told in ran.out and PYTHON in ran.out and snapshot(home) == {}
    assert curator("connect", name, "--remove").code == 0


def fake_claude(home: Path, body: str, version: str = "2.1.139") -> Path:
    """Put a program `claude` on the path, which prints its version or logs its arguments, one per line."""
    folder = home.parent / "bin"
    folder.mkdir()
    log = folder / "log"
    first = f'[ "$1" = --version ] && echo "{version} (Claude Code)" && exit'
    (folder / "claude").write_text(
        f'#!/bin/sh\n{first}\nfor word in "$@"; do echo "$word" >> "{log}"; done\n{body}\n', "utf-8"
    )
    (folder / "claude").chmod(0o755)
    return log


def test_claude_registers_its_server_itself(curator: Curator, home: Path) -> None:
    log = fake_claude(home, "exit 0")
    ran = curator("connect", "claude-code", "--yes")
    assert ran.code == 0 and "run: claude mcp add-json curator" in ran.out
    words = log.read_text("utf-8").splitlines()
    assert words[:3] == ["mcp", "add-json", "curator"] and words[4:] == ["--scope", "user"]
    entry = json.loads(words[3])
    assert entry == {"type": "stdio", "command": PYTHON, "args": ["-P", "-m", "curator", "mcp"]}
    assert not (home / ".claude.json").exists(), "only claude writes it"
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"curator": entry}}), "utf-8")
    assert "already connected" in curator("connect", "claude-code").out
    log.unlink()
    assert curator("connect", "claude-code", "--remove", "--yes").code == 0
    assert log.read_text("utf-8").split() == ["mcp", "remove", "curator", "--scope", "user"]
    assert not (home / ".claude" / "settings.json").exists()


@thorough
@pytest.mark.parametrize(
    ("version", "told"), some([("2.1.128", True), ("2.2.0", False), ("2.1.139", False), ("", False)], 2)
)
def test_a_claude_that_drops_the_arguments_of_hooks_is_told(
    curator: Curator, home: Path, version: str, told: bool
) -> None:
    fake_claude(home, "exit 0", version)
    assert "drops the arguments" not in curator("doctor").err
    for words in (("connect", "claude-code", "--yes"), ("connect",), ("doctor",)):
        said = f"Claude Code {version} drops the arguments of hooks: `claude update` brings 2.1.139 or newer"
        assert (said in curator(*words).err) is told, words


def test_a_failure_of_claude_is_told_with_the_command(curator: Curator, home: Path) -> None:
    fake_claude(home, "echo no network >&2; exit 3")
    ran = curator("connect", "claude-code", "--yes")
    assert ran.code == 2 and "no network" in ran.err and "claude mcp add-json" in ran.err


@thorough
def test_without_claude_the_command_is_printed(curator: Curator, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(CLAUDE, "utf-8")
    ran = curator("connect", "claude-code", "--yes")
    assert ran.code == 0 and "claude mcp add-json curator" in ran.out and "trust the folder" in ran.out
    assert "MCP: skipped, `claude` not found" in ran.out.split("connected")[0]
    assert "`claude` not found. Run this later to register the MCP server:\n  claude mcp add-json" in ran.out
    again = curator("connect", "claude-code")
    assert again.code == 0 and "without its MCP server" in again.out
    out = curator("connect", "claude-code", "--status").out
    assert "outdated" not in out and "hooks connected, MCP server not registered" in out
    assert "`claude` is not found; once it is installed, run `claude mcp add-json curator" in out
    (row,) = curator("connect", "claude-code", "--status", "--json").rows
    assert row["assistants"][0]["state"] == "incomplete"
    fake_claude(home, "exit 0")
    out = curator("connect", "claude-code", "--status").out
    assert "incomplete" in out and "`curator connect claude-code` registers it" in out
    other = {"type": "stdio", "command": "/opt/old/python", "args": ["-P", "-m", "curator", "mcp"]}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"curator": other}}), "utf-8")
    assert "outdated" in curator("connect", "claude-code", "--status").out


def test_a_server_of_claudes_that_is_the_persons_own_is_left(curator: Curator, home: Path) -> None:
    log = fake_claude(home, "exit 0")
    (home / ".claude.json").write_text('{"mcpServers": {"curator": {"type": "http", "url": "x"}}}', "utf-8")
    ran = curator("connect", "claude-code", "--yes")
    assert ran.code == 2 and "not made by Curator" in ran.err
    assert curator("connect", "claude-code", "--remove", "--yes").code == 0
    assert not log.exists() and not (home / ".claude").exists()


def test_a_plugin_is_written_to_an_empty_or_its_own_folder(curator: Curator, home: Path) -> None:
    folder = home / "my plugin"
    assert curator("connect", "claude-code", "--plugin", folder).code == 0
    server = json.loads((folder / ".mcp.json").read_text("utf-8"))["mcpServers"]["curator"]
    assert [server["command"], *server["args"]] == [*COMMAND, "mcp"]
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"}
    assert json.loads((folder / ".claude-plugin" / "plugin.json").read_text("utf-8"))["name"] == "curator"
    assert "up to date" in curator("connect", "claude-code", "--plugin", folder).out
    (folder / ".mcp.json").write_text("{}", "utf-8")
    assert ".mcp.json" in curator("connect", "claude-code", "--plugin", folder).out
    other = home / "other"
    other.mkdir()
    (other / "file").touch()
    refused = curator("connect", "claude-code", "--plugin", other)
    assert refused.code == 2 and [file.name for file in other.iterdir()] == ["file"]


def test_hooks_are_the_events_that_curator_answers() -> None:
    named = {
        part.hooks.host: {event.word: event.name for event in part.hooks.events}
        for host in HOSTS.values()
        for part in host.files
        if part.hooks is not None
    }
    assert named == EVENTS


@thorough
def test_a_package_in_the_folder_of_a_project_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "curator").mkdir()
    (tmp_path / "curator" / "__main__.py").write_text("print('not Curator')", "utf-8")
    program = [sys.executable, *COMMAND[1:], "--version"]
    folders = os.pathsep.join(map(str, (ROOT, *sys.path)))
    done = subprocess.run(
        program, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": folders}
    )
    assert done.stdout == f"curator {__version__}\n"


def test_the_program_is_found_by_its_name_only_if_it_is_this_installation(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool, shims = home / "tools" / "bin", home.parent / "bin"
    tool.mkdir(parents=True)
    shims.mkdir()
    monkeypatch.setattr(sys, "executable", str(tool / "python"))
    program = tool / "curator"
    program.write_text("#!/somewhere/python\n", "utf-8")
    program.chmod(0o755)
    assert curator_command() == (str(tool / "python"), "-P", "-m", "curator"), "not on the path"
    (shims / "curator").symlink_to(program)
    assert curator_command() == (str(shims / "curator"),), "the link stays when its target is updated"
    (shims / "curator").unlink()
    (shims / "curator").write_text(f"#!{tool / 'python3.12'}\n", "utf-8")
    (shims / "curator").chmod(0o755)
    assert curator_command() == (str(tool / "python"), "-P", "-m", "curator"), "another installation's"
    (shims / "curator").write_text(f"#!{tool / 'python'}\n", "utf-8")
    assert curator_command() == (str(shims / "curator"),)
