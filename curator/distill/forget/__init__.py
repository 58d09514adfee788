"""Requests to forget or not to keep something."""
