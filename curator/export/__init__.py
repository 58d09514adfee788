"""Out of the store: plain text that can be printed anywhere, JSON objects, and files that hold everything."""
