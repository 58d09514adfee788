"""Use cases shared by the command line, the app, the server and the API."""
