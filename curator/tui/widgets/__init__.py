"""Widgets of the screens. None of them accesses the store."""
