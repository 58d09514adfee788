"""Scores of sentences by the classifier and by linear models, and what is recognised by them."""
