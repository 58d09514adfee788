"""The record: the SQLite file with all data that cannot be rebuilt."""
