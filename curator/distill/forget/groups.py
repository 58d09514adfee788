"""Groups of people whom a person has at work, and of whom nothing may be kept."""

import re

GROUPS = (
    r"(?:patients|clients|customers|students|pupils|colleagues|co-?workers|employees|tenants|residents|users"
    r"|service users|candidates|applicants|suppliers|members|guests|parishioners)"
)
ABOUT = r"(?:(?:any|every|no)thing|all|all (?:that|the) stuff) (?:about|on|regarding|concerning|to do with) "
"""The start of a request about all that is known of somebody."""
_RULE = re.compile(
    r"(?:n['’]t|\b(?:not|never|no longer))\b(?: (?:ever|you|to))*"
    r" (?:remember|keep|store|save|retain|hold|memori[sz]e|record|log|note)"
    rf"(?: (?:any|every|no)thing| any (?:details?|facts?|information|info|notes?|records?))? (?:about|on|of)"
    rf" (?:(?:my|our|the|any|other|all|these) )*{GROUPS}\b"
)
_LASTING = re.compile(
    r"\b(?:ever|never|always|from (?:now|here|today) on|in (?:the )?future|going forwards?|in general|at all|as a rule"
    r"|under (?:no|any) circumstances|at any time)\b"
)


def is_rule(low: str) -> bool:
    """Return True if a lower-case sentence orders never to keep anything about a group of people.

    It asks to forget what is known of them, and it is an order for the future that names no secret.
    """
    return _RULE.search(low) is not None and _LASTING.search(low) is not None
