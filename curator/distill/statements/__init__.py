"""Statements of a person about themselves: where they begin and end, and which are taken back or corrected."""
