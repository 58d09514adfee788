"""Tasks for a chat model, one per call: extract, score, judge a pair.

Each task has a version that is marked on what it made, a schema, and a reader that trusts nothing it reads.
"""
