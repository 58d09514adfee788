"""The Conflicts view."""
