"""The Recall view."""
