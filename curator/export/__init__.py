"""Output from the store: sanitized text, JSON objects, and export files."""
