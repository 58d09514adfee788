"""The command line: every action of the app, in plain text, tables or JSON."""
