"""Command line: every action of the app, with output as plain text, tables or JSON."""
