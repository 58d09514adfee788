"""Places of logs on Linux, macOS and Windows, of every format that has any."""

import os
import re
import sys
from pathlib import Path

import pytest

from curator.importers import Format, find_logs
from curator.importers.formats import FORMATS

ROOTS = {  # folders of programs' settings, and of their data
    "linux": (".config", ".local/share"),
    "darwin": ("Library/Application Support", "Library/Application Support"),
    "win32": ("AppData/Roaming", "AppData/Local"),
}
TASK = "User/globalStorage/saoudrizwan.claude-dev/tasks"
CHATS = "User/workspaceStorage"
COWORK = "Claude/local-agent-mode-sessions"
PACKAGE = "AppData/Local/Packages/Claude_x/LocalCache/Roaming"
# A format, the place that is found (in CONFIG or DATA of ROOTS), and the file that is created in it.
EVERYWHERE = f"""
    claude-code    .claude/projects                    -home-ann/s.jsonl
    claude-code    .qoder/projects                     -home-ann/s.jsonl
    claude-code    CONFIG/{COWORK}                     a/b/local_1/.claude/projects/p/s.jsonl
    codex          .codex/sessions                     2026/01/01/rollout-1.jsonl
    codex          .codex/archived_sessions            rollout-1.jsonl.zst
    codex          .codex/memories                     MEMORY.md
    continue       .continue/sessions                  s.json
    lm-studio      .lmstudio/conversations             1.conversation.json
    gemini-cli     .gemini/tmp                         f/chats/session-1.jsonl
    copilot-cli    .copilot/session-state              s/events.jsonl
    aider          .aider.chat.history.md              -
    grok-cli       .grok/sessions                      f/s/chat_history.jsonl
    amp            .local/share/amp/threads            T-1.json
    cline          CONFIG/Code/{TASK}                  1/api_conversation_history.json
    cline          .cline/data/tasks                   1/api_conversation_history.json
    copilot-chat   CONFIG/Code/{CHATS}                 w/chatSessions/c.json
    copilot-chat   CONFIG/VSCodium/{CHATS}             w/chatSessions/c.jsonl
    qwen-code      .qwen/projects                      p/chats/s.jsonl
    antigravity    .gemini/antigravity/brain           a/.system_generated/logs/transcript.jsonl
    droid          .factory/sessions                   p/s.jsonl
    fx             .fx/sessions                        s/events.jsonl
    kimi           .kimi/sessions                      f/s/wire.jsonl
    kiro           .kiro/sessions                      cli/s.jsonl
    maki           .local/state/maki/sessions          s.jsonl
    pi             .pi/agent/sessions                  p/s.jsonl
    pi             .openclaw/agents                    a/s.jsonl
    workbuddy      .workbuddy/projects                 p/s.jsonl
    open-webui     .open-webui/webui.db                -
    opencode       .local/share/opencode/opencode.db   -
    opencode       .local/share/kilo/kilo.db           -
    cursor         CONFIG/Cursor/User/globalStorage/state.vscdb  -
    cursor         .cursor/chats                       h/s/store.db
    basic-memory   basic-memory                        note.md
    sillytavern    SillyTavern/data/default-user/chats/Assistant  a.jsonl
    jan            jan/threads                         t/messages.jsonl
"""
PLACES = {
    "linux": """
    goose          .local/share/goose/sessions         sessions.db
    jan            DATA/Jan/data/threads               t/messages.jsonl
    zed            DATA/zed/threads/threads.db         -
    ollama         .ollama/db.sqlite                   -
    devin          .local/share/devin/cli/sessions.db  -
    hermes         .hermes/state.db                    -
    hermes         .hermes/profiles/work/state.db      -
    mastra         DATA/mastracode/mastra.db           -
    memory-server  .npm/_npx/1/node_modules/@modelcontextprotocol/server-memory/dist/memory.jsonl  -
    """,
    "darwin": """
    goose          .local/share/goose/sessions         sessions.db
    jan            DATA/Jan/data/threads               t/messages.jsonl
    zed            DATA/Zed/threads/threads.db         -
    ollama         DATA/Ollama/db.sqlite               -
    devin          .local/share/devin/cli/sessions.db  -
    hermes         .hermes/sessions                    session_1.json
    mastra         DATA/mastracode/mastra.db           -
    memory-server  .npm/_npx/1/node_modules/@modelcontextprotocol/server-memory/dist/memory.json  -
    """,
    "win32": f"""
    claude-code    {PACKAGE}/{COWORK}                  a/b/local_1/.claude/projects/p/s.jsonl
    goose          CONFIG/Block/goose/data/sessions    sessions.db
    jan            CONFIG/Jan/data/threads             t/messages.jsonl
    zed            DATA/Zed/threads/threads.db         -
    ollama         DATA/Ollama/db.sqlite               -
    devin          CONFIG/devin/cli/sessions.db        -
    hermes         DATA/hermes/state.db                -
    mastra         CONFIG/mastracode/mastra.db         -
    memory-server  DATA/npm-cache/_npx/1/node_modules/@modelcontextprotocol/server-memory/dist/memory.jsonl  -
    """,
}


def rows(platform: str) -> list[tuple[Format, str, str]]:
    """Return formats, their places, and the files in them; "-" if the place is a file."""
    config, data = ROOTS[platform]
    lines = [re.split(r"  +", line.strip()) for line in (EVERYWHERE + PLACES[platform]).splitlines() if line.strip()]
    return [
        (Format(form), place.replace("CONFIG", config).replace("DATA", data), inner) for form, place, inner in lines
    ]


@pytest.mark.parametrize("platform", PLACES)
def test_logs_are_found_where_programs_keep_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name in ("APPDATA", "LOCALAPPDATA") or name.endswith(("_HOME", "_DIR", "_ROOT", "_PATH")):
            monkeypatch.delenv(name)
    expected = rows(platform)
    for _, place, inner in expected:
        path = tmp_path / place if inner == "-" else tmp_path / place / inner
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert sorted(find_logs()) == sorted((form, tmp_path / place) for form, place, _ in expected)
    assert {form for form, _, _ in expected} == {one.name for one in FORMATS if one.places}
