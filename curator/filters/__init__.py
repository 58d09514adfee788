"""Filter languages of memories, conflicts and history."""
