"""A tiny deterministic "model" that reads the data blocks of a prompt and answers the schema by simple rules.

Blocks stand between markers, `<name-badofukiza note>` and `</name-badofukiza>`. The fields of the schema's items show
which task is requested.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fake_ollama.scenario import Body

_BLOCK = re.compile(
    r"<(?P<name>[a-z]+)-(?P<nonce>[a-z]{10})(?P<note>[^>\n]*)>\n(?P<text>.*?)\n</(?P=name)-(?P=nonce)>", re.S
)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_OPENING = re.compile(r"^(?:(?:hi|hello|hey|thanks|also|btw|by the way|well|so|oh|and|fyi)\b[\s,!]*)+", re.I)
_SELF = re.compile(r"^(?:i|i'm|i've|my|we|our)\b", re.I)
_PASSING = re.compile(
    r"^i(?:'m| am)? (?:(?:was |am )?wonder|need (?:you|help|to know)|have a question|want you|think|guess|mean|see\b"
    r"|trying|looking|ask|can|could|tried|got it|should)|^(?:my|our) (?:question|bad|mistake)",
    re.I,
)
_SHORT = {"i": "I", "i'm": "I am", "i've": "I have", "don't": "do not", "can't": "cannot", "doesn't": "does not"}
_KINDS = (  # the first kind with a word in the sentence is used
    ("relationship", "wife husband sister brother mother father daughter son partner friend colleague"),
    ("preference", "prefer like love hate enjoy favourite favorite rather"),
    ("constraint", "never always allergic must cannot"),
    ("decision", "decided chose settled"),
    ("commitment", "will going booked promised"),
    ("identity", "live am work born"),
    ("project", "building writing working project app"),
)
_LITTLE = frozenset("a am an and are as at be for from has have i in is it me my of on or our so the to we".split())
_MOST = 12


@dataclass(frozen=True, slots=True)
class Block:
    """A data block in a prompt; `note` is the text inside its opening marker."""

    name: str
    note: str
    text: str

    @property
    def number(self) -> int:
        """The first number in the note."""
        found = re.search(r"\d+", self.note)
        return int(found[0]) if found else 0


def answer(body: Body) -> str | None:
    """Return the model's reply to a request, or None if no task matches."""
    fields = asked_for(body)
    task = next((task for named, task in _TASKS if named <= fields), None)
    return json.dumps({"items": list(task(blocks(body)))}, ensure_ascii=False) if task else None


def blocks(body: Body) -> list[Block]:
    """Return the data blocks in a request."""
    return [
        Block(found["name"], found["note"].strip(), found["text"])
        for message in body.get("messages") or ()
        for found in _BLOCK.finditer(message.get("content", ""))
    ]


def asked_for(body: Body) -> frozenset[str]:
    """Return the fields that a request's schema requires of each item."""
    form = body.get("format")
    items = form.get("properties", {}).get("items", {}).get("items", {}) if isinstance(form, Mapping) else {}
    return frozenset(items.get("properties", {}))


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, without their opening words."""
    for found in _SENTENCE.finditer(text):
        if words := _OPENING.sub("", found[0].strip()):
            yield words


def stated(sentence: str) -> bool:
    """Return True if a sentence states something lasting about the person."""
    return bool(
        _SELF.match(sentence)
        and not _PASSING.match(sentence)
        and not sentence.endswith("?")
        and 3 <= len(sentence.split()) <= 40
        and not re.search(r"[<>{}`=\[\]…]", sentence)
    )


def reworded(sentence: str) -> str:
    """Return a sentence without contractions, with a capital and a full stop."""
    words = [_SHORT.get(word.lower(), word) for word in sentence.split()]
    text = " ".join(words).rstrip(".!")
    return f"{text[0].upper()}{text[1:]}."


def _extracted(blocks: list[Block]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for block in blocks:
        for sentence in sentences(block.text) if block.name == "turn" else ():
            if stated(sentence):
                item = {"turn": block.number, "quote": sentence, "text": reworded(sentence)}
                found.append({**item, "kind": _kind(sentence), "confidence": "high"})
    return found[:_MOST]


def _kind(sentence: str) -> str:
    words = set(re.findall(r"[\w'-]+", sentence.lower()))
    return next((kind for kind, cues in _KINDS if words & set(cues.split())), "fact")


def _telling(text: str) -> set[str]:
    return set(re.findall(r"[\w'-]+", text.lower())) - _LITTLE


def _scored(blocks: list[Block]) -> list[dict[str, Any]]:
    """Score each numbered block by the share of its words in the unnumbered ones, and quote their longest run there."""
    reply = " ".join(block.text for block in blocks if not block.number)
    heard = _telling(reply)
    found = []
    for block in blocks:
        if words := _telling(block.text) if block.number else set():
            known = words | _LITTLE
            runs = re.findall(rf"(?:\b(?:{'|'.join(map(re.escape, known))})\b[ ]?)+", reply, re.I)
            shown = max((run.strip() for run in runs if _telling(run)), key=len, default="")
            share = len(words & heard) / len(words)
            found.append({"number": block.number, "words": shown, "score": 1 + round(4 * share)})
    return found


def _judged(blocks: list[Block]) -> list[dict[str, Any]]:
    first, second = (_telling(block.text) for block in blocks[:2])
    dates = {tuple(re.findall(r"\d{4}-\d\d-\d\d", block.note)) for block in blocks[:2]}
    alike = len(first & second) / max(1, len(first | second))
    apart = first ^ second
    if not apart:
        relation, why = "duplicate", "none"
    elif alike < 0.3:
        relation, why = "unrelated", "they are about different things"
    elif first < second or second < first:
        relation, why = "coexist", "one says more than the other"
    else:
        relation, why = "update" if len(dates) == 2 else "contradiction", ", ".join(sorted(apart)[:6])
    return [{"difference": why, "relation": relation, "confidence": "high" if alike > 0.6 else "medium"}]


def _merged(blocks: list[Block]) -> list[dict[str, Any]]:
    """Return the longest statement, followed by those that say more."""
    whole, *others = sorted((block.text.strip() for block in blocks), key=len, reverse=True)
    for other in others:
        if not _telling(other) <= _telling(whole):
            whole = f"{whole.rstrip('.')}; {other}"
    return [{"text": whole}]


def _named(blocks: list[Block]) -> list[dict[str, Any]]:
    """Return the word that occurs in most statements."""
    words = [word for block in blocks for word in sorted(_telling(block.text))]
    return [{"name": max(words, key=lambda word: (words.count(word), len(word), word))}] if words else []


_Task = Callable[[list[Block]], list[dict[str, Any]]]
_TASKS: tuple[tuple[frozenset[str], _Task], ...] = (
    (frozenset({"turn", "quote", "text"}), _extracted),
    (frozenset({"number", "score"}), _scored),
    (frozenset({"relation"}), _judged),
    (frozenset({"text"}), _merged),
    (frozenset({"name"}), _named),
)
