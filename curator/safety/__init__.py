"""Facts that hurt somebody if an assistant does not know them: allergies, diets, illnesses, disabilities.

The package needs the standard library only, since a hook that must not wait reads it.
"""

from curator.safety.facts import clauses, fact_clauses, is_grave, may_deny, states
from curator.safety.vocabulary import FACTS, LASTING, pattern_of, plain_text, roots_of, words_of

__all__ = [
    "FACTS",
    "LASTING",
    "clauses",
    "fact_clauses",
    "is_grave",
    "may_deny",
    "pattern_of",
    "plain_text",
    "roots_of",
    "states",
    "words_of",
]
