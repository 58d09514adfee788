"""Texts and statements of, for or about other people."""
