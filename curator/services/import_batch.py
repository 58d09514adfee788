"""Collect items of logs and write them to the store in chunks.

For ready memories, this also decides which claims count, links quotes to messages, and finds matches with forgotten
memories.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from curator.compare import relate
from curator.conflicts import pair_classifier
from curator.curation import MatchCertainty, Revision, find_forgotten, like_forgotten_flag, match_texts
from curator.curation.forgotten_match import tells_retellings
from curator.export.notes import exported_hash, exported_now
from curator.importers import Format, Item, Problem, ReadyMemory, Skipped
from curator.importers.json_stream import as_list
from curator.injection import FLAG, flag_memory
from curator.models import Embedder
from curator.secrets import redact
from curator.services import edited_lines
from curator.services.admission import expiry_on_admission
from curator.services.import_run import ImportRun
from curator.services.import_summary import ForgottenMatch, Summary
from curator.services.neighbours import nearest_stored
from curator.services.projects import claim_label, label_of
from curator.services.search_session import embed_missing
from curator.signature import own_fingerprint, trust, trusted
from curator.text import content_key
from store import PurgedTexts, Store, StoreError, Writer, uids
from store.model import (
    Channel,
    FileMark,
    ImportCounts,
    Life,
    NewConversation,
    NewEvidence,
    NewMemory,
    Review,
    Role,
)

_CHUNK = 2_000_000  # characters per transaction; it holds the lock for a fraction of a second
_ITEM = 1_000  # overhead of an item, counted as characters
_BLOCK = re.compile(r'<memories id="(r[0-9a-f]{10})"')

Ask = Callable[[str], bool]
"""Asks the person whether to trust the key with this fingerprint."""


@dataclass(slots=True)
class ClaimCheck:
    """Decides by signature whether the claims of ready memories count.

    `proven` collects the external ids of memories with a trusted signature.
    """

    store: Store
    summary: Summary
    ask: Ask | None = None
    proven: set[str | None] = field(default_factory=set)
    _trusted: dict[str, bool] = field(default_factory=dict)  # by fingerprint

    def resolve_claims(self, item: ReadyMemory, path: Path) -> NewMemory:
        """Return the memory to store, without claims that are not proven; count those by reason.

        An id of another store is a claim too, but ignoring it is not counted.
        """
        summary = self.summary
        if item.unknown_kind is not None:
            summary.unknown_kinds[item.unknown_kind] += 1
        if item.signer is not None and self._trusts(item.signer):
            memory = self._identified(item.claimed)
            self.proven.add(memory.external_id)
            return memory
        if item.changed:
            summary.unproven["bad_signature"] += 1
        elif item.unproven != item.claimed:
            summary.unproven["unsigned" if item.signer is None else "untrusted_key"] += 1
            if item.signer is not None:
                summary.signers[item.signer] += 1
                summary.signed_files.setdefault(item.signer, {})[str(path)] = None
        memory = item.unproven
        name = None if memory.external_id is None else uids.mark_unproven(memory.external_id)
        end = memory.expires_at or expiry_on_admission(memory.kind, memory.text, memory.created_at)
        return self._identified(replace(memory, external_id=name, expires_at=end))

    def _trusts(self, signer: str) -> bool:
        if signer not in self._trusted:
            is_trusted = signer == own_fingerprint() or signer in trusted()
            if not is_trusted and self.ask is not None and self.ask(signer):
                trust(signer)
                is_trusted = True
            self._trusted[signer] = is_trusted
        return self._trusted[signer]

    def _identified(self, memory: NewMemory) -> NewMemory:
        """Replace an external id that contains a secret by its keyed hash, which keeps ids distinct.

        A memory imported by an earlier version, which redacted such ids, keeps its redacted id.
        """
        if memory.external_id is None or not (redacted := redact(memory.external_id)).count:
            return memory
        former = replace(memory, external_id=redacted.text)
        memory_id = self.store.peek_memory(former).known
        if memory_id is not None and self.store.get(memory_id).text == memory.text:
            return former
        return replace(memory, external_id=self.store.hashed_id(memory.external_id))


def without_purged(store: Store, memory: NewMemory, texts: PurgedTexts | None) -> NewMemory:
    """Return a memory without the versions, quotes and titles that contain purged words.

    `texts` recognises purged words within a longer text.
    """
    if not (memory.versions or memory.evidence) or not store.tombstones.any():
        return memory

    def purged(text: str | None) -> bool:
        if not text:
            return False
        in_part = texts is not None and texts.cover_text(text) != text
        return in_part or store.tombstones.matching(content_key(text), purged_only=True) is not None

    quotes = [quote for quote in memory.evidence if not purged(quote.quote)]
    return replace(
        memory,
        versions=tuple(version for version in memory.versions if not purged(version.text)),
        evidence=tuple(replace(quote, title=None) if purged(quote.title) else quote for quote in quotes),
    )


def link_evidence(memory: NewMemory, messages: Mapping[str, tuple[int, str]]) -> NewMemory:
    """Link quotes to the stored messages that contain them verbatim, and flag memories that instruct a model.

    `messages` maps a reference to the id and text of a message.
    """

    def link(quote: NewEvidence) -> NewEvidence:
        message, text = messages.get(quote.reference or "", (None, ""))
        return quote if text[quote.start : quote.end] != quote.quote else replace(quote, message=message)

    memory = replace(memory, evidence=tuple(map(link, memory.evidence)))
    flag = flag_memory(memory.text, memory.project, memory.tags)
    return memory if flag is None else with_flag(memory, memory.flag or flag)


def with_flag(memory: NewMemory, flag: str) -> NewMemory:
    """Return a memory with a flag and without a validation: only a person may release it, not even a signed file."""
    review = Review.OPEN if memory.review is Review.VALIDATED else memory.review
    return replace(memory, flag=flag, review=review)


def find_matches(
    store: Store, texts: Sequence[str], embedder: Embedder | None = None
) -> dict[int, tuple[int, MatchCertainty]]:
    """Return the forgotten memory that each text matches and the certainty, by index of the text.

    Without an embedder, only words are compared.
    """
    matched: dict[int, tuple[int, MatchCertainty]] = {}
    near: Sequence[Sequence[tuple[int, float]]] = [()] * len(texts)
    if embedder is not None:
        near = nearest_stored(store, embedder, embedder.embed(texts), Life.FORGOTTEN)
    close = sorted({memory_id for row in near for memory_id, _ in row})
    forgotten = store.tombstones.texts(close)
    by_meaning = embedder is not None and tells_retellings(embedder)
    junk = {memory.id for memory in store.get_many(close) if not by_meaning or memory.review is Review.REJECTED}
    for index, text in enumerate(texts):
        same = find_forgotten(store, text)
        if same is not None:
            matched[index] = (same, MatchCertainty.SAME)
            continue
        for memory_id, cosine in near[index]:
            if (old := forgotten.get(memory_id)) is None:
                continue
            verdict = relate(old, text, cosine)
            match = match_texts(old, text, verdict, 0.0 if memory_id in junk else cosine, pair_classifier)
            if match is not None and (index not in matched or match is MatchCertainty.SAME):
                matched[index] = (memory_id, match)
            if match is MatchCertainty.SAME:
                break
    return matched


@dataclass(slots=True)
class ImportBatch:
    """Collects items and writes them in chunks, so that other processes can write in between.

    Without a `run`, items are only counted. `known_claims` are proven claims on memories that the store already
    has, by memory; `known_marks` are the marks that readers were given, and yield for a file that they skip.
    """

    store: Store
    summary: Summary
    claims: ClaimCheck
    run: ImportRun | None = None
    reveal: bool = True
    embedder: Embedder | None = None
    known_marks: Collection[FileMark] = ()
    known_claims: dict[int, NewMemory] = field(default_factory=dict)
    _waiting: list[NewConversation | NewMemory | FileMark] = field(default_factory=list)
    _size: int = 0
    _folders: set[str] = field(default_factory=set)  # folders of ready memories, whose labels are to be claimed
    _instructions: dict[str, set[str]] = field(default_factory=dict)  # quotes by instruction file
    _added: set[int] = field(default_factory=set)
    _labels: dict[str, str | None] = field(default_factory=dict)  # label of the project by folder
    _purged: PurgedTexts | None = None
    _counted: set[str] = field(default_factory=set)  # identities of messages counted by a preview

    @property
    def writer(self) -> Writer | None:
        """The run's writer, or None if items are only counted."""
        return None if self.run is None else self.run.writer

    def add(self, item: Item, path: Path) -> None:
        """Add an item of a log; write the pending items once they exceed the chunk size."""
        if isinstance(item, Problem | Skipped):
            self.summary.add_problem(item)
            return
        if isinstance(item, ReadyMemory) and item.note and item.changed and self.take_note_edit(item):
            return
        content = self.claims.resolve_claims(item, path) if isinstance(item, ReadyMemory) else item
        if isinstance(item, ReadyMemory) and isinstance(content, NewMemory) and content.source == Format.CONTEXT:
            if item.folder and (label := label_of(self.store, item.folder)):
                self._folders.add(item.folder)
                content = replace(content, project=label, scope=f"project:{label}")
            for quote in content.evidence:
                self._instructions.setdefault(quote.reference or "", set()).add(quote.quote)
        self._waiting.append(content)
        texts = item.messages if isinstance(item, NewConversation) else ()
        self._size += _ITEM + sum(len(message.text) for message in texts)
        if self._size >= _CHUNK:
            self.flush()

    def take_note_edit(self, item: ReadyMemory) -> bool:
        """Count an exported note and its edits; return False if it is of no memory here: it becomes a new one."""
        uid, written = item.note or ("", "")
        try:
            memory = self.store.get(self.store.by_uid(uid))
        except (ValueError, StoreError):
            return False
        self.summary.known += 1
        edited, now = item.claimed, exported_now(self.store, memory)
        tags = {tag for tag in memory.tags if tag in as_list(now["tags"])}
        wanted = Revision(
            text=None if edited.text == memory.text else edited.text,
            kind=None if edited.kind is memory.kind else edited.kind,
            tier=None if edited.tier is memory.tier else edited.tier,
            importance=None if edited.importance == memory.importance else edited.importance,
            pinned=None if edited.pinned is memory.pinned else edited.pinned,
            given=None if edited.given is memory.given else edited.given,
            add_tags=[tag for tag in edited.tags if tag not in memory.tags],
            remove_tags=sorted(tags.difference(edited.tags)),
        )
        if wanted == Revision(add_tags=[], remove_tags=[]):
            return True
        if exported_hash(now) == written:
            self.summary.edited[memory.id] = wanted
        else:
            why = f"memory {memory.id} was changed since this note was written; delete the note, and export it again"
            self.summary.add_problem(Problem(f"the note of {memory.text[:40]!r}", why))
        return True

    def flush(self) -> None:
        """Write the pending items in one transaction."""
        items, self._waiting, self._size = self._waiting, [], 0
        ready = [item for item in items if isinstance(item, NewMemory)]
        references = sorted({quote.reference for memory in ready for quote in memory.evidence if quote.reference})
        messages = self.store.raw.find_messages(references) if references else {}
        matches = self._find_forgotten([memory for memory in ready if memory.life is Life.LIVE])
        if self.writer is not None and items:
            self.writer.resume()
            self._purged = self.store.tombstones.purged_texts(content_key)  # another process may have purged
            for folder in self._folders:
                claim_label(self.writer, folder)
            self._folders.clear()
        for item in items:
            if isinstance(item, NewConversation):
                self._put_conversation(item)
            elif isinstance(item, FileMark):
                self._put_mark(item)
            elif id(item) not in matches and self._is_purged_in_part(item):
                self.summary.reasons["forgotten"] += 1
            else:
                memory = link_evidence(without_purged(self.store, item, self._purged), messages)
                self._admit(memory, matches.get(id(item)))
        if self.run is not None and items:
            self.run.save(self.summary)
            self.run.writer.pause()

    def supersede_edited(self, writer: Writer) -> None:
        """Supersede the memories of edited lines in instruction files by those of the new lines.

        The writer must be paused, and is paused again at the end: comparing lines takes seconds.
        """
        if not self._instructions:
            return
        edits = {}
        stopped = () if self.run is None else self.run.stopped
        added = self._added | self.store.journal.added_by([run.command for run in stopped])
        for file, quotes in self._instructions.items():
            found_edits = edited_lines.find_edits(edited_lines.memories_of_file(self.store, file, quotes), added)
            if found_edits is None:
                self.summary.warnings.append(f"{file}: too many lines changed to find what they were before")
            edits[file] = found_edits or {}
        writer.resume()
        for file, quotes in self._instructions.items():
            cited = edited_lines.memories_of_file(self.store, file, quotes)  # another process may have written
            edited_lines.supersede_edited(self.store, writer, cited, edits[file])
        writer.pause()

    def _put_conversation(self, conversation: NewConversation) -> None:
        raw = self.store.raw
        if self.writer is None:
            fresh = tuple(message for message in conversation.messages if message.identity not in self._counted)
            self._counted.update(message.identity for message in fresh)
            conversation = replace(conversation, messages=fresh)
            counts: ImportCounts = raw.peek_conversation(conversation)
        else:
            folder = conversation.folder
            if folder and folder not in self._labels:
                self._labels[folder] = claim_label(self.writer, folder)
            if folder:
                conversation = replace(conversation, project=self._labels[folder])
            counts = raw.put_conversation(self.writer, conversation, self.reveal, self._purged)
            for recall, answer in _recall_answers(conversation, counts.fresh):
                clean = self._purged.cover_text(answer) if self._purged else answer
                self.store.recalls.put_logged_answer(self.writer, recall, clean)
        self.summary.add_conversation(conversation, counts)

    def _put_mark(self, mark: FileMark) -> None:
        """Store how far a file was read, or count the conversations of a file that its reader skipped."""
        if mark in self.known_marks:
            self.summary.known += mark.conversations
        elif self.writer is not None:
            self.store.raw.put_file_mark(self.writer, mark)

    def _find_forgotten(self, ready: Sequence[NewMemory]) -> dict[int, tuple[int, MatchCertainty]]:
        """Return the forgotten memory that each ready memory matches, by the `id()` of the ready memory."""
        if not ready or not self.store.tombstones.any():
            return {}
        texts = [memory.text for memory in ready]
        if self.embedder is not None:
            embed_missing(self.store, self.embedder)
        return {id(ready[index]): match for index, match in find_matches(self.store, texts, self.embedder).items()}

    def _is_purged_in_part(self, memory: NewMemory) -> bool:
        """Return True for an unknown memory whose text contains purged words."""
        if self._purged is None or self._purged.cover_text(memory.text) == memory.text:
            return False
        outcome = self.store.peek_memory(memory)
        return outcome.known is None and outcome.forgotten is None

    def _admit(self, memory: NewMemory, match: tuple[int, MatchCertainty] | None) -> None:
        """Admit, quarantine or refuse a ready memory, depending on its match with a forgotten memory."""
        if match is not None and self.store.peek_memory(memory).known is None:
            if match[1] is MatchCertainty.SAME:
                self._refuse(memory, match[0])
                return
            self.summary.held += memory.flag is None
            memory = with_flag(memory, memory.flag or like_forgotten_flag(self.store, match[0]))
        outcome = self.store.peek_memory(memory) if self.writer is None else self.store.admit(self.writer, memory)
        if outcome.forgotten is not None:
            self._refuse(memory, outcome.forgotten)
        elif outcome.known is None:
            self.summary.memories += 1
            self._added.update(() if outcome.added is None else (outcome.added,))
            self.summary.quarantined += outcome.added is not None and memory.flag == FLAG
        else:
            self.summary.known += 1
            if match is None and memory.external_id in self.claims.proven:
                self.known_claims[outcome.known] = memory

    def _refuse(self, memory: NewMemory, forgotten: int) -> None:
        self.summary.reasons["forgotten"] += 1
        self.summary.add_forgotten(ForgottenMatch(forgotten, memory.text, memory.source, None, memory.created_at))


def _recall_answers(conversation: NewConversation, fresh: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Yield the id of each recall whose block occurs in a conversation, with the assistant's next message if new.

    The answer shows whether the memories of the block were used. `fresh` are the indexes of new messages.
    """
    new, messages = set(fresh), conversation.messages
    for index, message in enumerate(messages):
        recalls = _BLOCK.findall(message.text) if "<memories id=" in message.text else []
        if not recalls:
            continue
        answers = (
            later
            for later in range(index + 1, len(messages))
            if (reply := messages[later]).role is Role.ASSISTANT
            and reply.channel is Channel.SPOKEN
            and reply.text.strip()
        )
        if (answer := next(answers, None)) is not None and answer in new:
            yield from ((recall, messages[answer].text) for recall in dict.fromkeys(recalls))
