"""Requests of a person to remember something, and orders for every later prompt."""
