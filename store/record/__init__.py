"""The record: one SQLite file with everything that cannot be rebuilt."""
