"""Reader of standing instructions and of memories saved by another program: every sentence is a candidate."""

import re
from dataclasses import replace

from curator.distill.collector import Collector, cut
from curator.distill.language import english
from curator.distill.mask import lower
from curator.distill.other_languages import family_of, long_enough, unaccented
from curator.distill.statements.atoms import parts_of
from curator.distill.statements.clauses import sentences
from curator.secrets import MARK
from curator.text import first_person
from store.model import Channel, Kind, Tier

_HEADING = re.compile(r"#{1,6}\s.*|(\*\*|__)[^*_]+\1:?|\*\*[^*]+:\*\*")


def read_saved(collector: Collector) -> None:
    """Add every sentence of a message as a candidate or a refusal."""
    text, is_saved = collector.message.text, collector.message.channel is Channel.SAVED
    low = collector.low = lower(text)
    for start, end, _ in sentences(low):
        line_end = low.find("\n", end)
        line = low[low.rfind("\n", 0, start) + 1 : line_end if line_end >= 0 else len(low)].strip()
        if not long_enough(low[start:end]):
            collector.refuse(start, end, "too_short")
        elif MARK in text[start:end]:
            collector.refuse(start, end, "secret")
        elif _HEADING.fullmatch(line):
            collector.refuse(start, end, "heading")
        else:
            plain, last = first_person(low[start:end]), cut(low, start, end)
            family = english().family(plain, 0, len(plain), plain)
            family = family or family_of(unaccented(low[start:end]), text[start:end])
            for part in parts_of(low, text, start, last, family, english()):
                collector.candidates.append(
                    replace(
                        collector.candidate(part, text[start:last]),
                        kind=part.family.kind if part.family else Kind.FACT if is_saved else Kind.PREFERENCE,
                        confidence=0.85 if is_saved else 0.8,
                        importance=8,
                        tier=Tier.MEDIUM if is_saved else Tier.CORE,
                    )
                )
