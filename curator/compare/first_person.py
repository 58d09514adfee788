"""First and third person: "User prefers tea" says what "I prefer tea" says."""

import re

_OF_USER = re.compile(r"\b(?:the )?user(?:'s|s')(?= \w)")
_VERB_OF_USER = re.compile(r"\b(?:the )?user(?: (also|always|never|really|often|usually|currently|only))? ([a-z]+)\b")
_IRREGULAR = {"is": "am", "isn": "am not", "has": "have", "does": "do", "was": "was", "goes": "go", "doesn": "don"}


def _first(found: re.Match[str]) -> str:
    adverb = f"{found[1]} " if found[1] else ""
    verb = found[2]
    if verb in _IRREGULAR:
        plain = _IRREGULAR[verb]
    elif verb.endswith("ies") and len(verb) > 4:
        plain = verb[:-3] + "y"
    elif verb.endswith(("sses", "shes", "ches", "xes", "zes")):
        plain = verb[:-2]
    elif verb.endswith("s") and not verb.endswith("ss") and len(verb) > 2:
        plain = verb[:-1]
    else:
        plain = verb
    return f"i {adverb}{plain}"


def first_person(text: str) -> str:
    """Lower-case `text` with "the user" as "I" and its verb to match; other subjects stay as they are.

    Only a text that begins with the user is rewritten: elsewhere "user" is somebody who uses something.
    """
    if not text.startswith(("user", "the user")):
        return text
    return _VERB_OF_USER.sub(_first, _OF_USER.sub("my", text), count=1)
