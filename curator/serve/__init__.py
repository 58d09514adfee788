"""The resident process: keeps the record, the search index and the embedder open for clients on this machine.

`client`, `hook_client` and `relay` import the standard library only, since prompt hooks wait for them.
"""
