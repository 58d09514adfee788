"""Use cases shared by the CLI, the app and the server: importing, distilling, embedding, searching."""
