"""Connections of assistants: their settings gain Curator's MCP server and hooks, and lose them again, byte for byte."""
