"""Propose a name for a topic with the configured chat model. Nothing is stored."""

import asyncio
from dataclasses import dataclass

from curator.config import settings
from curator.curation.disclosure import Disclosure
from curator.llm.client import Asker
from curator.llm.name import VERSION, name
from curator.models import NO_MODEL, BadReply, ModelMissing
from curator.services.model_servers import chat_server
from curator.text import tokens
from curator.topics import TAG, Topic
from store import Conflict, Store


@dataclass(frozen=True, slots=True)
class ProposedName:
    """A name for a topic, and the prompt and model that it is by."""

    name: str
    by: str


async def propose_topic_name(store: Store, topic: Topic) -> ProposedName:
    """Return the chat model's proposal for a topic's name.

    Raises ModelError (BadReply if the name is refused), and Conflict if the topic is named by the person or a project,
    or if all of its memories are in quarantine.
    """
    wanted = settings().ollama.model
    if not wanted:
        raise ModelMissing(NO_MODEL)

    def shown() -> list[str]:
        memories = store.get_many(topic.memories)
        if topic.project or any(tag.startswith(TAG) for memory in memories for tag in memory.tags):
            raise Conflict(f"{topic.name} has its name from you, or from a project; a model gives no other")
        shown_texts = [memory.text for memory in memories if not memory.suspect]
        if not shown_texts:
            raise Conflict(f"all memories of {topic.name} are in quarantine; validate some first")
        return shown_texts

    texts = await asyncio.to_thread(shown)
    secret = await asyncio.to_thread(store.replies.secret)
    async with chat_server() as server:
        chat = await server.chat(wanted)
        try:
            proposed = await name(Asker(chat, None, secret, asyncio.to_thread), texts)
        except BadReply as error:
            raise BadReply(f"refused the name by {chat.model.name}: {error}", error.reply) from error
    new = not tokens(proposed) <= tokens("\n".join(texts))
    if new and await asyncio.to_thread(lambda: Disclosure(store).name(proposed)) is None:
        raise BadReply(f"refused the name by {chat.model.name}: it says what you have forgotten")
    return ProposedName(proposed, f"{VERSION} {chat.model.label}")
