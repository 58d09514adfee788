"""Descriptions of the reasons for refusing a candidate or skipping a record."""

from collections.abc import Mapping

SHORT_SESSION = "short_session"
OTHER_FILE = "other_file"
IMPORT_REASONS = frozenset(
    (
        "curator_store",
        "do_not_remember",
        "invalid",
        "no_mapping",
        "no_messages",
        "not_a_message",
        OTHER_FILE,
        "whose_chat",
    )
)
"""Reasons for skipping records of a log; an import only counts them."""

REASONS: Mapping[str, str] = {
    "code": "code, not words",
    "confirmation": "a confirmation or thanks",
    "curator_store": "a Curator store, left alone",
    "do_not_remember": "marked as not to be remembered in the chat program",
    "example": "from the example that the model was shown",
    "forgotten": "you forgot it earlier",
    "generic": "true of anyone",
    "greeting": "hello and goodbye",
    "heading": "a heading",
    "hypothetical": "hypothetical",
    "invalid": "a record that could not be read",
    "language": "in a language that is not supported",
    "limit": "over the limit per message (`distil.per_exchange`)",
    "lost": "drops a number, a date or a name that was said",
    "low_confidence": "too uncertain",
    "low_surprise": "adds little to what is known",
    "no_mapping": "a damaged conversation: the export holds none of its messages",
    "no_messages": "an empty conversation",
    "no_pattern": "nothing about you",
    "no_quote": "the model's quote is not in your words",
    "not_a_message": "the log's own bookkeeping",
    "not_own": "said by the model, not by you",
    "not_said": "has a number, a name or words that you did not use",
    OTHER_FILE: "part of the export without conversations",
    "pasted": "pasted, not said",
    "question": "a question or a request",
    "quoted": "someone else's words, or role play",
    "repetition": "the same opening over and over",
    "retracted": "you took it back at once",
    "routine": "a routine step or a temporary workaround",
    "schema_echo": "the model repeated its form instead of answering",
    "secret": "contained a secret",
    SHORT_SESSION: "a short coding session, which an earlier version did not read; `curator distil` does",
    "too_long": "past the part of a message that is read",
    "too_short": "too short",
    "transient": "temporary",
    "turned": "does not say what its quote says",
    "vague": "unclear without context",
    "whose_chat": "a chat of several people: say which one you are with --me NAME",
    "withheld": "you asked not to keep it",
    "wordy": "longer than a memory may be",
}
