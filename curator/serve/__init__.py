"""The resident process, which keeps the record, the search index and the embedder open for local clients.

`client`, `hook_client` and `relay` import only the standard library, because prompts wait for them.
"""
