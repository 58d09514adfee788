"""Merge: several memories become one, in words the person has seen. Nothing is lost: the others stay behind it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from curator.curation.commands import restore_hint
from curator.curation.create import MAX_LENGTH, checked
from curator.curation.forgotten_match import refuse_forgotten
from curator.curation.unique_statements import alone, beyond
from store import Conflict, Store, Value, Writer
from store.model import Kind, Life, Memory, Relation, Review, Tier

MOST = 1_000
"""Memories that are merged at once."""

_SENTENCE = re.compile(
    r"(?<=[.!?…])(?<!\b[A-Z]\.)(?<!\b[A-Z][a-z]\.)\s+(?![a-z])|(?<=[。！？])|\s*\n\s*"  # not after Dr. or e.g.
)
_OWN = frozenset({"i", "me", "my", "mine", "we", "us", "our", "ours"})
_AGAINST = frozenset({Relation.UPDATE, Relation.CONTRADICTION})
_TIERS = (Tier.CORE, Tier.MEDIUM, Tier.LOW)  # most central first


@dataclass(frozen=True, slots=True)
class Draft:
    """Proposed result of a merge. `left_out` are statements that found no room in the text.

    With `opposed` an alert says that the two cannot both be true: only one is heard on what both speak of.
    """

    text: str
    kind: Kind
    tier: Tier
    survivor: int
    memories: tuple[int, ...]
    left_out: tuple[str, ...] = ()
    opposed: bool = False
    quarantined: bool = False  # one of them is in quarantine, and so will be what is made of them


def draft(store: Store, memories: Sequence[int], kept: int | None = None) -> Draft:
    """A proposal by rule, the same every time. Raises what `merge` would, and writes nothing.

    The survivor is a validated memory before others, then a pinned one, then the one with most quotes, then the newest.
    The text is its words and, sentence by sentence, what the others say that it does not; where a number, a name or a
    negation differs both stay, for the person to see.

    Of two that an open alert says cannot both be true it is the later one, or `kept`, that survives. The text is its
    words and only such statements of the other as it does not speak of, and that can be read alone.
    """
    store.check_owned(memories)
    found = _mergeable(store, memories)
    ids = tuple(dict.fromkeys(memories))
    alerts = store.alerts.open(ids[0]) if len(ids) == 2 else ()
    opposed = any({alert.a, alert.b} == set(ids) and alert.relation in _AGAINST for alert in alerts)
    taken: list[str] = []
    left_out: list[str] = []
    if opposed:
        other, survivor = sorted(found, key=lambda one: (one.id == kept, one.said_order, one.id))
        taken.append(" ".join(survivor.text.split()))
        for statement in alone(beyond(survivor.text, other.text)):
            more = statement[0].upper() + statement[1:]
            (taken if len(_joined([*taken, more])) <= MAX_LENGTH else left_out).append(more)
    else:
        counts = store.evidence_counts(list(ids))
        found.sort(key=lambda one: (one.review is Review.VALIDATED, one.pinned, counts[one.id], one.said_order, one.id))
        survivor, *others = reversed(found)
        own = list(_sentences(survivor.text))
        for sentence in own:
            _take(sentence, taken, left_out)
        for other in others:
            for sentence in _sentences(other.text):
                if not _said(sentence, taken) and not _said(sentence, left_out):
                    _take(sentence, taken, left_out)
        if taken == own:
            taken = [" ".join(survivor.text.split())]
    held = any(one.quarantined for one in found)
    text, tier = _joined(taken), _most_central(found)
    return Draft(text, survivor.kind, tier, survivor.id, ids, tuple(left_out), opposed, held)


def merge(store: Store, memories: Sequence[int], text: str, survivor: int) -> int:
    """Make one memory of several: the survivor says `text`, the others are superseded by it. Returns how many changed.

    What the survivor said and what the others say become its versions; it gets their quotes and tags, the highest
    importance and tier, the pin if one is pinned, no expiry unless all have one, and is validated; but it is open and
    in quarantine if one of them is. Alerts between them are settled.

    Raises Refused for a text that cannot be a memory, Forgotten or Conflict if it says what was let go or what another
    live one says, Conflict unless all are live and hold in one scope, ValueError for too few or many.
    """
    words = checked(text)
    store.check_owned(memories)
    if survivor not in memories:
        raise ValueError(f"memory {survivor} is not among those that are merged")
    with store.command("merge", summary=f"into memory {survivor}") as writer:
        return merge_into(store, writer, memories, words, survivor)


def merge_into(
    store: Store, writer: Writer, memories: Sequence[int], words: str, survivor: int, *, validated: bool = True
) -> int:
    """Merge as a part of a command; `words` are `checked`. A machine does not validate what it merges."""
    from curator.text import content_key

    found = _mergeable(store, memories)
    others = [memory.id for memory in found if memory.id != survivor]
    (former,) = (memory for memory in found if memory.id == survivor)
    store.absorb(writer, survivor, others)
    writer.update("memories", others, {"life": "superseded", "superseded_by": survivor})
    if words not in (memory.text for memory in found):
        refuse_forgotten(store, words)
    if former.text != words:
        store.reword(writer, former, words, content_key(words))
    expiries = [memory.expires_at for memory in found]
    after: dict[str, Value] = {
        "tier": _most_central(found).value,
        "pinned": int(any(memory.pinned for memory in found)),
        "importance": max(memory.importance for memory in found),
        "expires_at": None if None in expiries else max(at for at in expiries if at is not None),
    }
    held = next((memory.flag for memory in (former, *found) if memory.quarantined), None)
    if held is not None:
        after |= {"flag": held, "review": "open"}
    elif validated:
        after["review"] = "validated"
    writer.update("memories", [survivor], after)
    store.alerts.resolve_between(writer, [memory.id for memory in found], "merged")
    return len(found)


def _mergeable(store: Store, memories: Sequence[int]) -> list[Memory]:
    chosen = list(dict.fromkeys(memories))
    if not 2 <= len(chosen) <= MOST:
        raise ValueError(f"2 to {MOST:,} memories can be merged at once, not {len(chosen):,}")
    found = store.get_many(chosen)
    for memory in found:
        if memory.life is not Life.LIVE:
            raise Conflict(f"memory {memory.id} is {memory.life}: only live ones can be merged{restore_hint(memory)}")
        if memory.scope != found[0].scope:
            ids = " ".join(map(str, chosen[:5])) + (" …" if len(chosen) > 5 else "")
            raise Conflict(
                f"memory {found[0].id} holds in {found[0].scope}, memory {memory.id} in {memory.scope}:"
                f" give them one scope first, e.g. `curator scope {ids} --to global`"
            )
    return found


def _most_central(memories: Sequence[Memory]) -> Tier:
    return min((memory.tier for memory in memories), key=_TIERS.index)


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a text; one that is too long for any memory comes in parts."""
    for part in _SENTENCE.split(text):
        sentence = " ".join(part.split())
        while len(sentence) > MAX_LENGTH:
            place = sentence.rfind(" ", 1, MAX_LENGTH) if " " in sentence[1:MAX_LENGTH] else MAX_LENGTH
            yield sentence[:place]
            sentence = sentence[place:].strip()
        if sentence:
            yield sentence


def _take(sentence: str, kept: list[str], left_out: list[str]) -> None:
    """Keep a sentence, in the place of one that says less of the same, if all remains short enough."""
    place = next((n for n, other in enumerate(kept) if _said(other, [sentence])), len(kept))
    longer = [*kept[:place], sentence, *kept[place + 1 :]]
    if len(_joined(longer)) <= MAX_LENGTH:
        kept[:] = longer
    else:
        left_out.append(sentence)


def _said(sentence: str, others: Sequence[str]) -> bool:
    """Return whether one of these has every content word of a sentence, the same person, and no guard differs."""
    from curator.compare import differences
    from curator.text import plain_words, tokens

    wanted, own = tokens(sentence), _OWN.intersection(plain_words(sentence))
    return any(
        wanted <= tokens(other) and own.issubset(plain_words(other)) and not differences(other, sentence)
        for other in others
    )


def _joined(sentences: Sequence[str]) -> str:
    if len(sentences) == 1:
        return sentences[0]
    return " ".join(sentence if sentence[-1] in ".!?…。！？:;" else f"{sentence}." for sentence in sentences)


def gather(store: Store, groups: Mapping[int, Sequence[int]], alone: Sequence[int] = ()) -> int:
    """Each key stays as it is worded and is validated, its others are superseded by it (`merge`); `alone` validated.

    One command. Returns how many memories changed. Raises Conflict, and changes nothing, unless all are live, and those
    of a group hold in one scope.
    """
    store.check_owned([*groups, *(other for others in groups.values() for other in others), *alone])
    with store.command("merge", summary=f"into memory {' '.join(map(str, list(groups)[:5]))}") as writer:
        texts = {memory.id: memory.text for memory in store.get_many(list(groups))}
        changed = sum(
            merge_into(store, writer, [taken, *others], texts[taken], taken) for taken, others in groups.items()
        )
        gone = writer.where("life <> 'live'", list(alone))
        if gone:
            raise Conflict(f"memory {gone[0]} is not live; `curator restore {gone[0]}` brings it back")
        return changed + len(writer.update("memories", list(alone), {"review": "validated"}))
