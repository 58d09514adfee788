"""Why a candidate was kept out: what each reason code means, in words."""

from collections.abc import Mapping

REASONS: Mapping[str, str] = {
    "code": "code, not words",
    "confirmation": "yes, thanks and the like",
    "do_not_remember": "you had told the log's program not to remember it",
    "forgotten": "you let it go before",
    "generic": "holds for anybody",
    "greeting": "hello and goodbye",
    "heading": "a heading",
    "hypothetical": "an if, not a fact",
    "invalid": "a record that could not be read",
    "language": "in a language without patterns",
    "limit": "more than `distil.per_exchange` of one message",
    "low_confidence": "said with too much doubt",
    "low_surprise": "little new beside what is known",
    "no_messages": "an empty conversation",
    "no_pattern": "nothing about you was recognised in it",
    "not_a_message": "the log's own bookkeeping",
    "other_file": "a part of the export without conversations",
    "pasted": "pasted, not said",
    "question": "a question or a request",
    "quoted": "somebody else's words, or a part played",
    "repetition": "the same opening over and over",
    "secret": "held a secret",
    "short_session": "a coding session with fewer messages than `distil.agent_messages`",
    "too_long": "beyond what is read of one message",
    "too_short": "too short to mean something",
    "transient": "of the moment",
    "vague": "points at something said elsewhere",
}
