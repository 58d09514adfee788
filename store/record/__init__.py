"""The record: one SQLite file that holds everything that cannot be rebuilt."""
