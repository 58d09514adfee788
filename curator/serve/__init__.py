"""The resident process: keeps the record, the search index and the embedder open for whoever asks on this machine.

`curator.serve.client` and `curator.serve.relay` import the standard library only, since prompt hooks wait for them.
"""
