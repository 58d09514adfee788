"""The supported formats, one module each; a file is the first in this order whose sign it shows."""

from curator.importers.formats import (
    chatgpt,
    claude,
    claude_code,
    codex,
    context_files,
    discord,
    librechat,
    markdown,
    mem0,
    memories,
    memory_server,
    open_webui,
    openai,
    slack,
    telegram,
    whatsapp,
)

FORMATS = (  # those known by one field first, the most general last
    chatgpt.FORMAT,
    claude.FORMAT,
    claude_code.FORMAT,
    codex.FORMAT,
    open_webui.FORMAT,
    librechat.FORMAT,
    slack.FORMAT,
    discord.FORMAT,
    telegram.FORMAT,
    mem0.FORMAT,
    memory_server.FORMAT,
    markdown.FORMAT,
    whatsapp.FORMAT,
    openai.FORMAT,
    memories.FORMAT,
    context_files.FORMAT,
)
