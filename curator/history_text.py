"""Commands of the journal in words, for the history."""

from store.model import Command
from store.record.archive_words import is_for_an_export
from store.record.sync.context import ELSEWHERE

_SHOWN_VERBS = {"later": "snooze", "settle": "resolve", "take in": "admit", "until": "end date"}
"""Names of stored verbs that are shown to people as another word."""


def shown_verb(verb: str) -> str:
    """Return the word for a command's verb."""
    return _SHOWN_VERBS.get(verb, verb)


def shown_summary(command: Command) -> str:
    """Return the summary of a command for people."""
    if is_for_an_export(command.verb, command.summary):
        return "words of forgotten memories, left out of the export that this store came from"
    if command.verb == "purge" and command.summary.startswith(ELSEWHERE):
        return f"follows the purge of another device{command.summary.removeprefix(ELSEWHERE)}"
    return command.summary
