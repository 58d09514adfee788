"""Commands that do not belong to a single view: import, undo, settings, models, lifecycle."""
