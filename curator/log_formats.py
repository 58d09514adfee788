"""The supported chat formats and their display names; light enough for the app to import before its first paint."""

from enum import StrEnum
from typing import Self


class Format(StrEnum):
    """A supported chat format. The value is the `source` of its conversations, `display_name` is shown in the app."""

    display_name: str

    def __new__(cls, source: str, display_name: str = "") -> Self:
        """Return a member that is equal to its source."""
        member = str.__new__(cls, source)
        member._value_ = source
        member.display_name = display_name or source
        return member

    CHATGPT = "chatgpt", "ChatGPT"
    CLAUDE = "claude", "Claude"
    CLAUDE_CODE = "claude-code", "Claude Code"
    DEEPSEEK = "deepseek", "DeepSeek"
    GROK = "grok", "Grok"
    CODEX = "codex", "Codex"
    CONTINUE = "continue", "Continue"
    GOOSE = "goose", "Goose"
    JAN = "jan", "Jan"
    LM_STUDIO = "lm-studio", "LM Studio"
    OLLAMA = "ollama", "Ollama"
    OPENCODE = "opencode"
    ZED = "zed", "Zed"
    GEMINI_CLI = "gemini-cli", "Gemini CLI"
    COPILOT_CLI = "copilot-cli", "Copilot CLI"
    AIDER = "aider"
    GROK_CLI = "grok-cli", "Grok CLI"
    AMP = "amp", "Amp"
    CLINE = "cline", "Cline"
    COPILOT_CHAT = "copilot-chat", "Copilot in VS Code"
    QWEN_CODE = "qwen-code", "Qwen Code"
    ANTIGRAVITY = "antigravity", "Antigravity"
    CODEX_CLOUD = "codex-cloud", "Codex in the cloud"
    DEVIN = "devin", "Devin"
    DROID = "droid", "Factory Droid"
    DTI = "dti", "portable history"
    FX = "fx"
    HERMES = "hermes", "Hermes"
    KIMI = "kimi", "Kimi"
    KIRO = "kiro", "Kiro"
    MAKI = "maki", "Maki"
    MASTRA = "mastra", "Mastra"
    OPENROUTER = "openrouter", "OpenRouter"
    PI = "pi", "Pi"
    WORKBUDDY = "workbuddy", "WorkBuddy"
    OPEN_WEBUI = "open-webui", "Open WebUI"
    CURSOR = "cursor", "Cursor"
    LIBRECHAT = "librechat", "LibreChat"
    AI_STUDIO = "ai-studio", "AI Studio"
    GEMINI = "gemini", "Gemini"
    LE_CHAT = "le-chat", "Le Chat"
    HUGGINGCHAT = "huggingchat", "HuggingChat"
    COPILOT = "copilot", "Microsoft Copilot"
    PERPLEXITY = "perplexity", "Perplexity"
    SHAREGPT = "sharegpt", "ShareGPT"
    SILLYTAVERN = "sillytavern", "SillyTavern"
    OPENAI = "openai", "OpenAI"
    MARKDOWN = "markdown", "Markdown"
    MEMORIES = "memories"
    NOTES = "notes"
    CONTEXT = "context-file", "instructions"
    LETTA = "letta", "Letta"
    BASIC_MEMORY = "basic-memory", "Basic Memory"
    MEMORY_SERVER = "memory-server", "MCP memory server"
    MEM0 = "mem0"
    TELEGRAM = "telegram", "Telegram"
    DISCORD = "discord", "Discord"
    WHATSAPP = "whatsapp", "WhatsApp"
    SLACK = "slack", "Slack"
