"""Whole screens, and the small questions that are laid over them."""
