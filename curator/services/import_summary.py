"""Counts and progress of an import or a distil run."""

import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from curator.curation import Revision
from curator.display import counted
from curator.distill.reasons import OTHER_FILE
from curator.errors import ImportFailure
from curator.importers.inputs import Problem, Skipped
from curator.importers.log_format import Format
from store.model import ImportCounts, NewConversation

_EXAMPLES = 20
_SIGNERS_NAMED = 3


@dataclass(frozen=True, slots=True)
class ForgottenMatch:
    """A candidate that was refused because it matches a forgotten memory, with its origin if known."""

    memory_id: int
    words: str
    source: str | None = None
    title: str | None = None
    said_at: int | None = None


@dataclass(slots=True)
class Summary:
    """Counts of one run over all of its paths. `known` and `grown` count conversations and ready memories."""

    files: int = 0
    unreadable_paths: int = 0  # in which nothing could be read
    formats: set[str] = field(default_factory=set)
    batch: int | None = None
    conversations: int = 0
    messages: Counter[str] = field(default_factory=Counter)
    memories: int = 0
    evidence: int = 0  # quotes added to known memories
    known: int = 0
    grown: int = 0
    invalid: int = 0
    undistilled: int = 0  # stored conversations that an import would also distil; only counted by a dry run
    redacted: int = 0  # secrets removed before storing
    covered: int = 0  # passages with purged words, covered before storing
    reasons: Counter[str] = field(default_factory=Counter)
    unknown_kinds: Counter[str] = field(default_factory=Counter)  # of ready memories, stored as facts
    unproven: Counter[str] = field(default_factory=Counter)  # memories whose claims are ignored, by reason
    signers: Counter[str] = field(default_factory=Counter)  # untrusted keys, with the number of memories they signed
    signed_files: dict[str, dict[str, None]] = field(default_factory=dict)  # paths with such memories, by key
    edited: dict[int, Revision] = field(default_factory=dict)  # changes that edited notes make, by memory id
    decided: int = 0  # known memories updated with the claims of a trusted key
    forgotten: Counter[int] = field(default_factory=Counter)  # forgotten memories matched by refused candidates
    matches: list[ForgottenMatch] = field(default_factory=list)  # the first few of these candidates
    quarantined: int = 0  # memories in quarantine because they instruct a model
    held_back: int = 0  # memories in quarantine because a request to forget refers to them
    held: int = 0  # memories in quarantine because they may match a forgotten one
    unreadable: list[str] = field(default_factory=list)  # the first few unreadable records, with their locations
    warnings: list[str] = field(default_factory=list)  # what is missing although everything was read
    other_files: list[str] = field(default_factory=list)  # the first few files without conversations
    forget_requests: list[str] = field(default_factory=list)
    _unchanged: bool = False  # no part of the last conversation had new messages

    @property
    def unread_notes(self) -> bool:
        """Return True if an edited note may not have been read: the person waits for what it says."""
        return bool(self.invalid) and Format.NOTES in self.formats

    def add_forgotten(self, match: ForgottenMatch) -> None:
        """Count a candidate refused as forgotten; its reason is counted with the others."""
        self.forgotten[match.memory_id] += 1
        if len(self.matches) < _EXAMPLES:
            self.matches.append(match)

    def add_conversation(self, conversation: NewConversation, counts: ImportCounts) -> None:
        """Count a conversation and its new messages; a conversation in several parts is counted once."""
        self.formats.add(conversation.source)
        changed = counts.new or counts.grown
        if not conversation.continues:
            self.conversations += counts.new
            self.grown += counts.grown
            self.known += not changed
            self._unchanged = not changed
        elif self._unchanged and changed:
            self.known -= 1
            self.grown += 1
            self._unchanged = False
        self.covered += counts.covered
        fresh = [conversation.messages[index] for index in counts.fresh]
        for role, times in Counter("hidden" if message.hidden else message.role for message in fresh).items():
            self.messages[str(role)] += times
        self.redacted += sum(message.redactions for message in fresh)

    def add_problem(self, item: Problem | Skipped) -> None:
        """Count an unread record; store the first few, and files without conversations."""
        if isinstance(item, Skipped):
            self.reasons[item.reason] += item.count
            if item.reason == OTHER_FILE and len(self.other_files) < _EXAMPLES:
                self.other_files.append(item.place)
            return
        self.invalid += item.code == "invalid"
        self.reasons[item.code] += 1
        if len(self.unreadable) < _EXAMPLES:
            self.unreadable.append(f"{item.place}: {item.reason}")

    def add_unreadable(self, path: Path, error: ImportFailure) -> None:
        """Count an unreadable path, and store the reason."""
        self.unreadable_paths += 1
        self.add_problem(Problem(str(path), str(error).removeprefix(f"{path}: ")))


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a run.

    The unit of `done` and `total` depends on `stage`: files ("looking", of an unknown total), bytes ("reading"),
    conversations ("distilling", with fractions) or memories ("embedding", "indexing", "comparing").
    """

    stage: str
    done: float
    total: int
    summary: Summary

    @property
    def counts(self) -> str:
        """Return the progress in words, for example "12 of 40 memories"."""
        if self.stage == "looking":
            return f"{int(self.done):,} files, {self.summary.files:,} with chats"
        if self.stage == "reading":
            return f"{self.summary.conversations:,} conversations"
        if self.stage == "distilling":
            return f"{int(self.done):,} of {self.total:,} conversations"
        if self.stage == "indexing" and self.done >= self.total:
            return "writing the search index"  # one step of some seconds
        return f"{int(self.done):,} of {self.total:,} memories"


_CLAIMS = {
    "unsigned": "not signed by you",
    "untrusted_key": "signed by a key you do not trust",
    "bad_signature": "changed after it was signed",
}


def covered_line(summary: Summary) -> str:
    """Return a line about purged words that were found and covered; empty if there were none."""
    if not summary.covered:
        return ""
    return (
        f"{counted(summary.covered, 'passage')} with purged words came back, and"
        f" {'was' if summary.covered == 1 else 'were'} covered"
    )


def ready_memory_lines(summary: Summary) -> list[str]:
    """Return lines about unknown kinds, ignored and applied claims of ready memories, and untrusted keys."""
    lines = [
        f"{counted(count, 'memory')} of unknown kind {name!r} imported as facts"
        for name, count in summary.unknown_kinds.most_common(_SIGNERS_NAMED)
    ]
    lines += [
        f"claims ignored, {why}: {summary.unproven[reason]:,}; what a file says was validated, pinned or forgotten"
        " is for you to decide"
        for reason, why in _CLAIMS.items()
        if summary.unproven[reason]
    ]
    lines += [
        f"  {signer} signed {count:,} of them; if that key is yours:"
        f" `curator import {shlex.join(summary.signed_files[signer])} --trust {signer}`"
        for signer, count in summary.signers.most_common(_SIGNERS_NAMED)
    ]
    if summary.decided:
        lines.append(f"known, now with the decisions that your key signed: {summary.decided:,}")
    return lines


Report = Callable[[Progress], None]
