"""Tasks for a chat model, one per call: extract memories, score them, judge a pair, merge, name a topic.

Each task has a version, which is stored with its results, a schema, and a parser that validates every reply.
"""
