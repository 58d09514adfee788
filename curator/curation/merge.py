"""Merge of several memories into one, in words the person has seen. The others stay as superseded versions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from curator import safety
from curator.curation.commands import (
    given_once_validated,
    restore_hint,
    unless_said,
    validate_within,
)
from curator.curation.create import MAX_LENGTH, checked
from curator.curation.forgotten_match import refuse_forgotten
from curator.curation.personal_facts import facts_lost
from curator.curation.text_parts import kept_parts
from curator.curation.unique_statements import SENTENCE_END, alone, beyond, more_complete
from store import Conflict, Store, Value, Writer
from store.model import Given, Kind, Life, Memory, Relation, Review, Tier

MOST = 1_000
"""Maximum memories per merge."""

_SENTENCE = re.compile(rf"{SENTENCE_END}|(?<=[。！？])|\s*\n\s*")
_OWN = frozenset({"i", "me", "my", "mine", "we", "us", "our", "ours"})
_TIERS = (Tier.CORE, Tier.MEDIUM, Tier.LOW)  # most central first


@dataclass(frozen=True, slots=True)
class MergeDraft:
    """Proposed result of a merge. `left_out` are statements that do not fit into the text.

    With `opposed`, an alert says that two of them cannot both be true: only one is used where they overlap. `by` is the
    label of the model that worded it, e.g. `merge/1 qwen3:4b@0123456789ab`; empty for the rules.
    """

    text: str
    kind: Kind
    tier: Tier
    survivor: int
    memories: tuple[int, ...]
    left_out: tuple[str, ...] = ()
    opposed: bool = False
    quarantined: bool = False  # a member is in quarantine that a merge does not end, and so will be the result
    by: str = ""

    def author(self, text: str) -> str:
        """Return the label of the model whose words a text is; empty if a person or the rules worded it."""
        return self.by if " ".join(text.split()) == self.text else ""


def draft(store: Store, memories: Sequence[int], kept: int | None = None) -> MergeDraft:
    """Return a deterministic draft by rule, without writing. Raises the errors of `merge`.

    The survivor is a validated memory, else a pinned one, else the one with most quotes, else the newest. The text is
    its own, or that of one that says the same and more, followed by statements of the others that it does not contain;
    if a number, a name or a negation differs both stay, for the person to decide.

    If an open alert says that two cannot both be true, the later one, or `kept`, survives. The text is its own and
    those statements and parts of the other that it does not replace; `left_out` are those that cannot be read alone.
    """
    from curator.compare.both_hold import known_to_hold

    store.check_owned(memories)
    found = _mergeable(store, memories)
    ids = tuple(dict.fromkeys(memories))
    alerts = store.alerts.open(ids[0]) if len(ids) == 2 else ()
    opposed = any({alert.a, alert.b} == set(ids) and alert.relation.is_opposed for alert in alerts)
    opposed = opposed and not known_to_hold(*(memory.text for memory in found))
    taken: list[str] = []
    left_out: list[str] = []
    if opposed:
        other, survivor = sorted(found, key=lambda one: (one.id == kept, one.said_order, one.id))
        taken.append(" ".join(survivor.text.split()))
        statements = beyond(survivor.text, other.text)
        readable = alone(statements)
        for statement in statements:
            more = statement[0].upper() + statement[1:]
            fits = statement in readable and len(_joined([*taken, more])) <= MAX_LENGTH
            (taken if fits else left_out).append(more)
        facts = "" if statements else "; ".join(facts_lost(survivor.text, other.text))
        rest = kept_parts(survivor.text, other.text, " ".join((*taken, *left_out, facts)))
        for more in filter(None, (facts, *rest)):
            fits = len(_joined([*taken, more])) <= MAX_LENGTH
            (taken if fits else left_out).append(more[0].upper() + more[1:])
    else:
        counts = store.evidence_counts(list(ids))
        found.sort(key=lambda one: (one.review is Review.VALIDATED, one.pinned, counts[one.id], one.said_order, one.id))
        survivor, *others = reversed(found)
        repeats = [alert for alert in store.alerts.open(survivor.id) if alert.relation is Relation.DUPLICATE]
        judged = {one for alert in repeats for one in (alert.a, alert.b)}
        best, beside = survivor.text, list[Memory]()
        for other in others:
            whole = more_complete(best, other.text, other.id in judged)
            if whole is None:
                beside.append(other)
            best = whole or best
        own, text = list(_sentences(best)), _DraftText()
        for sentence in own:
            text.add(sentence)
        for sentence in (sentence for other in beside for sentence in _sentences(other.text)):
            if not text.says(sentence):
                text.add(sentence)
        taken = [" ".join(best.split())] if text.taken == own else [one.text for one in text.taken]
        left_out = [one.text for one in text.left_out]
    held = any(stays_quarantined(one) for one in found)
    tier = _most_central(found)
    return MergeDraft(_joined(taken), survivor.kind, tier, survivor.id, ids, tuple(left_out), opposed, held)


def merge(store: Store, memories: Sequence[int], text: str, survivor: int, by: str = "") -> int:
    """Merge memories: the survivor gets `text`, the others are superseded by it. Return the number changed.

    The former texts become versions of the survivor. It gets all quotes and tags, the highest importance and tier, the
    pin if any is pinned, no end date unless all have one, and is validated; a safety fact is always given then, as by
    `validate`, also if only the former texts say whose it is. But it is open and in quarantine if any of them is,
    unless that only may be forgotten. Alerts between them are resolved. `by` names the model that worded the text in
    the journal.

    Raises Refused for an invalid text, Forgotten or Conflict if it says what a forgotten or another live memory says,
    Conflict unless all are live and of one scope, ValueError for too few or too many.
    """
    words = checked(text)
    store.check_owned(memories)
    if survivor not in memories:
        raise ValueError(f"memory {survivor} is not one of the merged memories")
    with store.command("merge", summary=f"into memory {survivor}{worded_by(by)}") as writer:
        return merge_into(store, writer, memories, words, survivor)


def worded_by(label: str) -> str:
    """Return the end of a summary that names the model of a label; empty without one."""
    return f", in the words of {label}" if label else ""


def merge_into(
    store: Store, writer: Writer, memories: Sequence[int], words: str, survivor: int, *, validated: bool = True
) -> int:
    """Merge within a command; `words` are `checked`. An automatic merge does not validate."""
    from curator.text import content_key

    found = _mergeable(store, memories)
    others = [memory.id for memory in found if memory.id != survivor]
    once_validated = given_once_validated(store, [memory.text for memory in found])  # one may say whose child Max is
    (former,) = (memory for memory in found if memory.id == survivor)
    store.absorb(writer, survivor, others)
    writer.update("memories", others, {"life": "superseded", "superseded_by": survivor})
    if words not in (memory.text for memory in found):
        refuse_forgotten(store, words)
    if former.text != words:
        store.reword(writer, former, words, content_key(words))
    given = {memory.given for memory in found}
    expiries = [memory.expires_at for memory in found]
    after: dict[str, Value] = {
        "tier": _most_central(found).value,
        "pinned": int(any(memory.pinned for memory in found)),
        "given": next(one for one in (Given.NEVER, Given.ALWAYS, Given.RELEVANT) if one in given),
        "importance": max(memory.importance for memory in found),
        "expires_at": None if None in expiries else max(at for at in expiries if at is not None),
    }
    held = next((memory.flag for memory in (former, *found) if stays_quarantined(memory)), None)
    if held is not None:
        after |= {"flag": held, "review": "open"}
    writer.update("memories", [survivor], after)
    if validated and held is None:
        validate_within(store, writer, [survivor])
        said = len(unless_said(store, [memory.id for memory in found])) < len(found)  # when one of them is given
        always = [given_once_validated(store, [words])[0], *(once_validated if safety.states(words) else ())]
        if after["given"] == Given.RELEVANT and Given.ALWAYS in always and not said:
            writer.update("memories", [survivor], {"given": Given.ALWAYS})
        elif said:  # validating is no reason to change it
            writer.update("memories", [survivor], {"given": after["given"]})
    store.alerts.resolve_between(writer, [memory.id for memory in found], "merged")
    return len(found)


def stays_quarantined(memory: Memory) -> bool:
    """Return True if a memory is in quarantine, and stays so when the person keeps it."""
    return memory.quarantined and not memory.may_be_forgotten


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


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence with its content words and all its words, since it is compared with many others."""

    text: str
    content: frozenset[str]
    words: frozenset[str]


def _sentences(text: str) -> Iterator[_Sentence]:
    """Yield the sentences of a text; one too long for a memory is split."""
    from curator.text import plain_words, tokens

    for part in _SENTENCE.split(text):
        rest = " ".join(part.split())
        while rest:
            index = len(rest)
            if index > MAX_LENGTH:
                index = rest.rfind(" ", 1, MAX_LENGTH) if " " in rest[1:MAX_LENGTH] else MAX_LENGTH
            sentence, rest = rest[:index], rest[index:].strip()
            yield _Sentence(sentence, tokens(sentence), frozenset(plain_words(sentence)))


@dataclass(frozen=True, slots=True)
class _DraftText:
    """The sentences of a draft, and those that do not fit; these also by each of their content words."""

    taken: list[_Sentence] = field(default_factory=list)
    left_out: list[_Sentence] = field(default_factory=list)
    by_word: dict[str, list[_Sentence]] = field(default_factory=dict)

    def add(self, sentence: _Sentence) -> None:
        """Add a sentence, in place of one that says less of the same, if the text stays short enough."""
        index = next((n for n, other in enumerate(self.taken) if _said(other, [sentence])), len(self.taken))
        longer = [*self.taken[:index], sentence, *self.taken[index + 1 :]]
        if len(_joined([one.text for one in longer])) <= MAX_LENGTH:
            self.taken[:] = longer
            return
        self.left_out.append(sentence)
        for word in sentence.content:
            self.by_word.setdefault(word, []).append(sentence)

    def says(self, sentence: _Sentence) -> bool:
        """Return True if any of them says what a sentence says; only those with its rarest word are compared."""
        alike = min((self.by_word.get(word, []) for word in sentence.content), key=len, default=self.left_out)
        return _said(sentence, self.taken) or _said(sentence, alike)


def _said(sentence: _Sentence, others: Sequence[_Sentence]) -> bool:
    """Return True if a text has every content word of a sentence and the same person, and no guard differs."""
    from curator.compare import differences

    return any(
        sentence.content <= other.content
        and sentence.words & _OWN <= other.words
        and not differences(other.text, sentence.text)
        for other in others
    )


def _joined(sentences: Sequence[str]) -> str:
    if len(sentences) == 1:
        return sentences[0]
    return " ".join(sentence if sentence[-1] in ".!?…。！？:;" else f"{sentence}." for sentence in sentences)


def gather(store: Store, groups: Mapping[int, Sequence[int]], alone: Sequence[int] = ()) -> int:
    """Validate each key, unedited, and supersede its group by it (as `merge` does); validate `alone`.

    One command. Return the number of memories changed. Raises Conflict, and changes nothing, unless all are live, and
    those of a group are of one scope.
    """
    store.check_owned([*groups, *(other for others in groups.values() for other in others), *alone])
    with store.command("merge", summary=f"into memory {' '.join(map(str, list(groups)[:5]))}") as writer:
        texts = {memory.id: memory.text for memory in store.get_many(list(groups))}
        changed = sum(
            merge_into(store, writer, [taken, *others], texts[taken], taken) for taken, others in groups.items()
        )
        return changed + len(validate_within(store, writer, alone))
