"""The History view."""
