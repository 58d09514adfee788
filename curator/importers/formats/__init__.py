"""The supported formats, one module each; a file is the first in this order whose sign it shows."""

from curator.importers.formats import (
    ai_studio,
    chatgpt,
    claude,
    claude_code,
    codex,
    context_files,
    cursor,
    deepseek,
    gemini,
    gemini_cli,
    grok,
    le_chat,
    librechat,
    markdown,
    memories,
    open_webui,
    openai,
    qwen_code,
    slack,
    whatsapp,
)

FORMATS = (  # those known by one field first, the most general last
    deepseek.FORMAT,  # has a mapping, as ChatGPT's
    chatgpt.FORMAT,
    claude.FORMAT,
    qwen_code.FORMAT,  # some of its lines, and of Gemini CLI's, look like those of Claude Code
    gemini_cli.FORMAT,
    claude_code.FORMAT,
    cursor.FORMAT,
    grok.FORMAT,
    codex.FORMAT,
    open_webui.FORMAT,
    librechat.FORMAT,
    ai_studio.FORMAT,
    gemini.FORMAT,
    le_chat.FORMAT,
    slack.FORMAT,
    markdown.FORMAT,
    whatsapp.FORMAT,
    openai.FORMAT,
    memories.FORMAT,
    context_files.FORMAT,
)
