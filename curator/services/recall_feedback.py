"""Recall blocks that come back in a log: the turn that followed one says whether its memories were of use."""

import re
from collections.abc import Iterator, Sequence

from store.model import Channel, NewConversation, Role

_BLOCK = re.compile(r'<memories id="(r[0-9a-f]{10})"')


def heard(conversation: NewConversation, fresh: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Each recall whose block stands in a conversation, with the assistant's next turn, where that is new."""
    new = set(fresh)
    messages = conversation.messages
    for place, message in enumerate(messages):
        idents = _BLOCK.findall(message.text) if "<memories id=" in message.text else []
        if not idents:
            continue
        for later in range(place + 1, len(messages)):
            answer = messages[later]
            if answer.role is Role.ASSISTANT and answer.channel is Channel.SPOKEN and answer.text.strip():
                if later in new:
                    yield from ((ident, answer.text) for ident in dict.fromkeys(idents))
                break
