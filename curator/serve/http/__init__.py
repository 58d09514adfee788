"""The HTTP server of the resident process: routes for memories, MCP, events and metrics behind one guard.

Everything here is loaded only when HTTP is on; `keys` imports the standard library and filelock.
"""
