"""Settings files as people have them, with comments, other servers and unusual formatting."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """A settings file of a host, below the person's home."""

    host: str
    path: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.host} {self.path.rpartition('/')[2]}"


CLAUDE = """{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(git status)", "Read(~/notes/**)"],
    "deny": []
  },
  "hooks": {
    "UserPromptSubmit": [
      {
        "hooks": [
          { "type": "command", "command": "~/bin/log-prompt", "timeout": 10 }
        ]
      }
    ],
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] }
    ]
  },
  "env": {"EDITOR": "vim"}
}
"""
CODEX = """# Codex
model = "gpt-5.1-codex"   # the small one is too eager
approval_policy = "on-request"

[mcp_servers.github]
command = "github-mcp"
args = [
  "--read-only", # safer
]
env = { GITHUB_HOST = "example.org" }

# --- folders I trust ---
[projects."/home/ada/my work"]
trust_level = "trusted"
"""
CODEX_HOOKS = """{
    "hooks": {
        "SessionStart": [
            {"matcher": "startup", "hooks": [{"type": "command", "command": "echo hello", "timeout": 1}]}
        ]
    }
}"""
GEMINI = """{
\t// the dark one hurts less
\t"theme": "GitHub",
\t"mcpServers": {
\t\t"files": {
\t\t\t"command": "npx",
\t\t\t"args": ["-y", "files-mcp", "/home/ada/my work"] // only there
\t\t}, /* others come and go */
\t},
\t"hooks": {"BeforeAgent": [], "AfterAgent": [{"hooks": [{"type": "command", "command": "bell"}]}]}
}
"""
CURSOR = '{"mcpServers": {"db": {"command": "db-mcp", "args": []}}}'
VSCODE = """{
    "servers": {},
    "inputs": [
        {"id": "key", "type": "promptString", "password": true}
    ]
}
"""
ZED = """// Zed settings
//
// For information on how to configure Zed, see the documentation.
{
  "theme": {
    "mode": "system",
    "light": "One Light",
  },
  "buffer_font_size": 15, // on the laptop
  // "vim_mode": true,
}
"""
OPENCODE = """{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    // "old": { "type": "remote", "url": "https://example.org" },
    "search": { "type": "local", "command": ["search-mcp", "--quiet"], "enabled": true }
  }
}
"""
GOOSE = """GOOSE_PROVIDER: anthropic   # at work: azure
extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    timeout: 300
    type: builtin
  "my server":
    args:
    - --flag
    - "a: b"
    cmd: /home/ada/my work/server
    enabled: false
    type: stdio
  # the memory extension was too chatty

GOOSE_MODE: smart_approve
"""
DESKTOP = """{
  "mcpServers": {
    "files": {
      "command": "/usr/local/bin/files-mcp",
      "args": ["/home/ada"]
    }
  },
  "globalShortcut": "Ctrl+Space"
}
"""

SAMPLES = (
    Sample("claude-code", ".claude/settings.json", CLAUDE),
    Sample("codex", ".codex/config.toml", CODEX),
    Sample("codex", ".codex/hooks.json", CODEX_HOOKS),
    Sample("gemini", ".gemini/settings.json", GEMINI),
    Sample("cursor", ".cursor/mcp.json", CURSOR),
    Sample("vscode", ".config/Code/User/mcp.json", VSCODE),
    Sample("zed", ".config/zed/settings.json", ZED),
    Sample("opencode", ".config/opencode/opencode.jsonc", OPENCODE),
    Sample(
        "opencode", ".config/opencode/opencode.json", OPENCODE.replace("    // ", "    ").replace("},\n", "},\n", 1)
    ),
    Sample("goose", ".config/goose/config.yaml", GOOSE),
    Sample("claude-desktop", ".config/Claude/claude_desktop_config.json", DESKTOP),
)
"""One file of each host and format."""

ANNOTATION = {
    "json": ('"command": "/opt/my tools/python"', '"note": "mine", "command": "/opt/my tools/python"'),
    "toml": ("startup_timeout_sec = 20", "startup_timeout_sec = 60 # slow disk"),
    "yaml": ("timeout: 60", "timeout: 90 # slow disk"),
}
"""A manual edit inside Curator's entry, by format."""
