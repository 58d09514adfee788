"""Improve the text of a rule-based merge draft with the configured chat model. Nothing is stored."""

import asyncio
from dataclasses import replace

from curator.config import settings
from curator.curation import MergeDraft
from curator.curation.unique_statements import beyond
from curator.llm.client import Asker, Run
from curator.llm.judge import DatedText
from curator.llm.merge import VERSION, merge
from curator.models import NO_MODEL, BadReply, ModelMissing
from curator.services.model_servers import chat_server
from store import Conflict, Store
from store.model import Life

_CHANGED = "the memories were changed meanwhile: draft again"


async def propose_merge_text(store: Store, draft: MergeDraft, run: Run = asyncio.to_thread) -> MergeDraft:
    """Return the draft with a text proposed by the chat model and checked against the memories.

    Raises ModelError (BadReply if the check fails), ConfigError, ValueError if the memories' texts cannot be checked,
    and Conflict if the memories are changed or forgotten meanwhile.
    """
    name = settings().ollama.model
    if not name:
        raise ModelMissing(NO_MODEL)

    def read_statements() -> list[DatedText]:
        memories = store.get_many(draft.memories)
        if any(memory.life is not Life.LIVE for memory in memories):
            raise Conflict(_CHANGED)
        memories.sort(key=lambda memory: (memory.id == draft.survivor, memory.said_order))
        return [DatedText(memory.text, memory.created_at) for memory in memories]

    statements = await run(read_statements)
    secret = await run(store.replies.secret)
    async with chat_server() as server:
        chat = await server.chat(name)
        try:
            text = await merge(Asker(chat, None, secret, run), statements, draft.opposed)
        except BadReply as error:
            raise BadReply(f"refused the draft of {chat.model.name}: {error}", error.reply) from error
    if await run(read_statements) != statements:
        raise Conflict(_CHANGED)
    left_out = await run(lambda: tuple(each for statement in statements for each in beyond(text, statement.text)))
    return replace(draft, text=text, left_out=left_out, by=f"{VERSION} {chat.model.label}")
