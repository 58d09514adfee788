"""Rule-based distilling of messages into candidates for memories.

The name of the distiller is here, apart from the rules, which take a quarter of a second to import.
"""

DISTILLER = "rules/1"
"""Name and version of the rule distiller, recorded on the conversations it has read."""
