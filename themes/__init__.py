"""The colour themes: one TOML file each, read as package data."""
