"""Items of logs, collected and written to the store in chunks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from curator.curation import Return, quarantine
from curator.importers import Item, Problem, ReadyMemory, Skipped
from curator.injection import FLAG
from curator.models import Embedder
from curator.services.embeddings import embed_missing
from curator.services.import_summary import ForgottenMatch, Summary
from curator.services.ready_memories import ClaimCheck, find_matches, link_evidence, quarantined, without_purged
from store import Store, Writer
from store.model import Channel, FileMark, ImportCounts, Life, NewConversation, NewMemory, Role

_CHUNK = 2_000_000  # characters stored in one transaction: locks for a fraction of a second
_ITEM = 1_000  # characters added per item for its overhead beside the text
_BLOCK = re.compile(r'<memories id="(r[0-9a-f]{10})"')


@dataclass(slots=True)
class ImportBatch:
    """Collects items and writes them in chunks, so that others can write in between; only counts without `writer`.

    `known_claims` are the decisions that verified rows claim for known memories, by memory.
    """

    store: Store
    summary: Summary
    claims: ClaimCheck
    writer: Writer | None = None
    reveal: bool = True
    embedder: Embedder | None = None
    known_claims: dict[int, NewMemory] = field(default_factory=dict)
    _waiting: list[NewConversation | NewMemory | FileMark] = field(default_factory=list)
    _size: int = 0
    _counted: set[str] = field(default_factory=set)  # message ids, where nothing is written

    def add(self, item: Item, path: Path) -> None:
        """Add one item of a log; write the pending items once they are large."""
        if isinstance(item, Problem | Skipped):
            self.summary.add_problem(item)
            return
        self._waiting.append(self.claims.checked(item, path) if isinstance(item, ReadyMemory) else item)
        texts = item.messages if isinstance(item, NewConversation) else ()
        self._size += _ITEM + sum(len(message.text) for message in texts)
        if self._size >= _CHUNK:
            self.flush()

    def flush(self) -> None:
        """Write the pending items in one transaction."""
        items, self._waiting, self._size = self._waiting, [], 0
        ready = [item for item in items if isinstance(item, NewMemory)]
        references = sorted({one.reference for memory in ready for one in memory.evidence if one.reference})
        messages = self.store.raw.find_messages(references) if references else {}
        matches = self._find_forgotten([memory for memory in ready if memory.life is Life.LIVE])
        if self.writer is not None and items:
            self.writer.resume()
        for item in items:
            if isinstance(item, NewConversation):
                self._put_conversation(item)
            elif isinstance(item, FileMark):
                self._put_mark(item)
            else:
                memory = link_evidence(without_purged(self.store, item), messages)
                self._admit(memory, matches.get(id(item)))
        if self.writer is not None and items:
            self.writer.pause()

    def _put_conversation(self, conversation: NewConversation) -> None:
        raw = self.store.raw
        if self.writer is None:
            fresh = tuple(one for one in conversation.messages if one.identity not in self._counted)
            self._counted.update(one.identity for one in fresh)
            conversation = replace(conversation, messages=fresh)
            counts: ImportCounts = raw.peek_conversation(conversation)
        else:
            counts = raw.put_conversation(self.writer, conversation, self.reveal)
            for recall, answer in _recall_answers(conversation, counts.fresh):
                self.store.recalls.put_logged_answer(self.writer, recall, answer)
        self.summary.add_conversation(conversation, counts)

    def _put_mark(self, mark: FileMark) -> None:
        """Store how far a file was read; a known mark means that the file has not grown and was not read again."""
        if self.store.raw.file_mark(mark.path) == mark:
            self.summary.known += mark.conversations
        elif self.writer is not None:
            self.store.raw.put_file_mark(self.writer, mark)

    def _find_forgotten(self, ready: Sequence[NewMemory]) -> dict[int, tuple[int, Return]]:
        """Return the forgotten memory that each memory matches, by `id()` of the memory."""
        if not ready or not self.store.tombstones.any():
            return {}
        texts = [memory.text for memory in ready]
        if self.embedder is not None:
            embed_missing(self.store, self.embedder)
        return {id(ready[place]): match for place, match in find_matches(self.store, texts, self.embedder).items()}

    def _admit(self, memory: NewMemory, match: tuple[int, Return] | None) -> None:
        """Admit a ready memory, or refuse it; quarantine one that may match a forgotten memory."""
        if match is not None and self.store.peek_memory(memory).known is None:
            if match[1] is Return.SAME:
                self._refuse(memory, match[0])
                return
            self.summary.held += memory.flag is None
            memory = quarantined(memory, memory.flag or quarantine(match[0]))
        found = self.store.peek_memory(memory) if self.writer is None else self.store.admit(self.writer, memory)
        if found.forgotten is not None:
            self._refuse(memory, found.forgotten)
        elif found.known is None:
            self.summary.memories += 1
            self.summary.quarantined += found.added is not None and memory.flag == FLAG
        else:
            self.summary.known += 1
            if match is None and memory.external_id in self.claims.proven:
                self.known_claims[found.known] = memory

    def _refuse(self, memory: NewMemory, forgotten: int) -> None:
        self.summary.reasons["forgotten"] += 1
        self.summary.add_forgotten(ForgottenMatch(forgotten, memory.text, memory.source, None, memory.created_at))


def _recall_answers(conversation: NewConversation, fresh: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Yield each recall whose block occurs in a conversation, with the assistant's next turn, if that is new.

    That turn shows whether the memories of the block were used.
    """
    new, messages = set(fresh), conversation.messages
    for place, message in enumerate(messages):
        recalls = _BLOCK.findall(message.text) if "<memories id=" in message.text else []
        answers = (
            (later, one.text)
            for later, one in enumerate(messages[place + 1 :], place + 1)
            if one.role is Role.ASSISTANT and one.channel is Channel.SPOKEN and one.text.strip()
        )
        if recalls and (answer := next(answers, None)) is not None and answer[0] in new:
            yield from ((recall, answer[1]) for recall in dict.fromkeys(recalls))
