"""Why a candidate was kept out: what each reason code means, in words."""

from collections.abc import Mapping

SHORT_SESSION = "short_session"

REASONS: Mapping[str, str] = {
    "code": "code, not words",
    "confirmation": "yes, thanks and the like",
    "do_not_remember": "you had told the log's program not to remember it",
    "example": "from the example that the model was shown",
    "forgotten": "you let it go before",
    "generic": "holds for anybody",
    "greeting": "hello and goodbye",
    "heading": "a heading",
    "hypothetical": "an if, not a fact",
    "invalid": "a record that could not be read",
    "language": "in a language without patterns",
    "limit": "more than `distil.per_exchange` of one message",
    "lost": "leaves out a number, a date or a name that was said",
    "low_confidence": "said with too much doubt",
    "low_surprise": "little new beside what is known",
    "no_mapping": "a damaged conversation: the export holds none of its messages",
    "no_messages": "an empty conversation",
    "no_pattern": "nothing about you was recognised in it",
    "no_quote": "a quote of the model's that you never said",
    "not_a_message": "the log's own bookkeeping",
    "not_own": "said by the model, not by you",
    "not_said": "has a number, a name or words that you did not say",
    "other_file": "a part of the export without conversations",
    "pasted": "pasted, not said",
    "question": "a question or a request",
    "quoted": "somebody else's words, or a part played",
    "repetition": "the same opening over and over",
    "schema_echo": "the form the model was to fill in, not an answer",
    "secret": "held a secret",
    SHORT_SESSION: "a coding session with fewer messages than `distil.agent_messages`",
    "too_long": "beyond what is read of one message",
    "too_short": "too short to mean something",
    "transient": "of the moment",
    "turned": "says something else than its quote",
    "vague": "points at something said elsewhere",
    "wordy": "longer than a memory may be",
}
