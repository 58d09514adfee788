"""A second look at what a chat model found, before it is compared with what is known.

Small models note nearly everything that is said. The classifier of sentences, which reads chats for the rules, refuses
what it is sure does not last.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from curator import safety
from curator.distill.candidate import Candidate
from curator.distill.chat_score import SentenceClassifier
from curator.distill.clauses import sentences
from curator.distill.language import is_english
from curator.distill.mask import mask_foreign_text
from curator.llm.extract import Extracted
from curator.llm.validate import repeats
from store.model import Channel, Evidence, Message, Refusal

UNLIKELY = -2.0
"""A sentence whose highest score is below this does not last, whoever says it does.

Of 82 statements worth keeping in a year of one person's chats, two are lost by this; of 323 sentences of the messages
without any, it refuses 270.
"""


def worth_keeping(
    found: Extracted,
    messages: Mapping[int, Message],
    quotes: Mapping[int, list[Evidence]],
    classifier: SentenceClassifier | None,
) -> Extracted:
    """Return what was found, without what does not last, and without repetitions.

    `messages` and `quotes` are by message; the quotes are those of live memories. Without a classifier, only
    repetitions are refused: texts that say no more than a passage that memories were made from, in its words.
    """
    kept: list[Candidate] = []
    refusals = [*found.refusals]
    counts = Counter(found.counts)
    for one in found.candidates:
        message = messages[one.message]
        reason: str | None = None
        spans = [(quote.start, quote.end) for quote in quotes.get(one.message, ())]
        around = (one.start, one.end) not in spans and any(one.start <= a and b <= one.end for a, b in spans)
        if around and repeats(one.whole or one.text, one.quote):
            reason = "low_surprise"
        elif classifier is not None and message.channel is Channel.SPOKEN:
            low, _ = mask_foreign_text(message.text)
            said = [message.text[a:b] for a, b, _ in sentences(low) if a < one.end and b > one.start]
            read = bool(said) and is_english(" ".join(said).lower()) and not any(map(safety.states, said))
            if read and max(max(row.lasting, row.order, row.request) for row in classifier(said)) < UNLIKELY:
                reason = "transient"
        if reason is None:
            kept.append(one)
        else:
            counts[reason] += 1
            refusals.append(Refusal(one.message, one.start, one.end, reason, one.kind, one.confidence))
    return replace(found, candidates=tuple(kept), refusals=tuple(refusals), counts=dict(counts))
