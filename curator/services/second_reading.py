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


def read_again(
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
        reason = "low_surprise" if _is_covered(one, quotes.get(one.message, [])) else None
        if reason is None and classifier is not None and message.channel is Channel.SPOKEN:
            reason = None if _may_last(one, message.text, classifier) else "transient"
        if reason is None:
            kept.append(one)
        else:
            counts[reason] += 1
            refusals.append(Refusal(one.message, one.start, one.end, reason, one.kind, one.confidence))
    return replace(found, candidates=tuple(kept), refusals=tuple(refusals), counts=dict(counts))


def _is_covered(one: Candidate, quotes: list[Evidence]) -> bool:
    """Return True if a candidate only repeats a passage that contains the quote of a memory and is longer."""
    within = (one.start <= quote.start and quote.end <= one.end for quote in quotes)
    same = any((quote.start, quote.end) == (one.start, one.end) for quote in quotes)
    return not same and any(within) and repeats(one.whole or one.text, one.quote)


def _may_last(one: Candidate, text: str, classifier: SentenceClassifier) -> bool:
    """Return True if a sentence of a candidate's quote may last, by its scores, or is not English."""
    low, _ = mask_foreign_text(text)
    said = [text[start:end] for start, end, _ in sentences(low) if start < one.end and end > one.start]
    if not said or not is_english(" ".join(said).lower()) or any(safety.states(words) for words in said):
        return True
    return any(max(row.lasting, row.order, row.request) >= UNLIKELY for row in classifier(said))
