"""The command line: every verb of the app, in plain text, tables or JSON."""
