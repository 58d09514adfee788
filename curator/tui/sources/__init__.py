"""The Sources view."""
