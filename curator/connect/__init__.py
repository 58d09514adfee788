"""Connect assistants: add Curator's MCP server and hooks to their settings, and remove them byte for byte."""
