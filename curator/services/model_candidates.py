"""Filter the candidates of a chat model before they are compared with the memories.

Small models note nearly everything that is said. The classifier of sentences, which reads chats for the rules, refuses
what it is sure does not last.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from curator import safety
from curator.distill.candidate import Candidate
from curator.distill.language import is_english
from curator.distill.mask import mask_foreign_text
from curator.distill.scores.chats import SentenceClassifier
from curator.distill.statements.clauses import sentences
from curator.llm.extract import Extracted
from curator.llm.validate import repeats
from store.model import Channel, Evidence, Message, Refusal

UNLIKELY = -2.0
"""A sentence whose highest score is below this does not last, whoever says it does.

Of 82 statements worth keeping in a year of one person's chats, two are lost by this; of 323 sentences of the messages
without any, it refuses 270.
"""


def filter_candidates(
    extracted: Extracted,
    messages: Mapping[int, Message],
    quotes: Mapping[int, list[Evidence]],
    classifier: SentenceClassifier | None,
) -> Extracted:
    """Return what a model found, without candidates that do not last or repeat a quote.

    `messages` and `quotes` are by message; the quotes are those of live memories. Without a classifier, only
    repetitions are refused: texts that say no more than a passage that memories were made from, in its words.
    """
    kept: list[Candidate] = []
    refusals = [*extracted.refusals]
    counts = Counter(extracted.counts)
    for candidate in extracted.candidates:
        message = messages[candidate.message]
        reason: str | None = None
        start, end = candidate.start, candidate.end
        spans = [(quote.start, quote.end) for quote in quotes.get(candidate.message, ())]
        around = (start, end) not in spans and any(start <= a and b <= end for a, b in spans)
        if around and repeats(candidate.whole or candidate.text, candidate.quote):
            reason = "low_surprise"
        elif classifier is not None and message.channel is Channel.SPOKEN:
            low, _ = mask_foreign_text(message.text)
            texts = [message.text[a:b] for a, b, _ in sentences(low) if a < end and b > start]
            readable = bool(texts) and is_english(" ".join(texts).lower()) and not any(map(safety.states, texts))
            if readable and max(max(row.lasting, row.order, row.request) for row in classifier(texts)) < UNLIKELY:
                reason = "transient"
        if reason is None:
            kept.append(candidate)
        else:
            counts[reason] += 1
            refusals.append(Refusal(candidate.message, start, end, reason, candidate.kind, candidate.confidence))
    return replace(extracted, candidates=tuple(kept), refusals=tuple(refusals), counts=dict(counts))
