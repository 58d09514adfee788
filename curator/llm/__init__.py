"""Tasks for a chat model, one per call: extract, score, judge a pair, merge.

Each task has a version that is marked on what it made, a schema, a reader that trusts nothing it reads, and a rule
that does without a model. Heavy imports are inside functions.
"""
