"""Commands of no single view: import, undo, settings, models, lifecycle."""
