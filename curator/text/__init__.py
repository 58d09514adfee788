"""Text of unknown origin: what can be in it, and what is made of it."""
