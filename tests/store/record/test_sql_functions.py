"""SQL functions for erasing and redacting texts."""

import pytest

from factories import conversation
from store import Store
from store.record import database


@pytest.mark.parametrize("error", [KeyboardInterrupt, RecursionError, ValueError])
def test_what_a_function_raises_is_raised_as_it_was(store: Store, error: type[BaseException]) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "hello"))

    def failing(_text: str) -> str:
        raise error

    with pytest.raises(error), store.command("redact") as writer, database.functions(writer.connection, f=failing):
        writer.connection.execute("SELECT f(text) FROM messages").fetchall()
    assert store.differences() == []
