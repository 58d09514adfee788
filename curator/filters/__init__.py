"""Filter languages for memories, conflicts and history."""
