"""Answer hooks while no server runs: search a prompt's memories by words, import a log. Standard library only."""

from typing import NamedTuple

from curator.paths import store_folder
from curator.serve import client
from curator.serve.hook_given import given, note
from curator.serve.hooks import HookEvent, output, parse


class HookOutput(NamedTuple):  # dataclasses take 10 ms to import
    """Output of a hook, and the memories in it."""

    text: str = ""
    event: HookEvent | None = None
    memories: tuple[int, ...] = ()

    def note(self) -> None:
        """Record that the session was given these memories, so that it does not get them again."""
        if self.event is not None and self.text:
            note(self.event, self.memories)


def answer(host: str, name: str, text: str) -> HookOutput:
    """Return the output of a hook while no server runs, and start one for the next hook; empty without a store."""
    event = parse(host, name, text)
    if event is None or not (store_folder() / "record.sqlite").is_file():  # a hook does not create a store
        return HookOutput()
    if name == "compact":  # not every host sends another event when the session continues
        note(event, None)
    if name in ("compact", "end"):
        if event.transcript:
            client.start("curator.serve.session_import", host, event.transcript)
        return HookOutput()
    client.start()
    return words_for(host, name, text)


def words_for(host: str, name: str, text: str) -> HookOutput:
    """Return the output of a hook from a search by words only.

    A prompt gets the memories that match it, without those that its session was given before; the start of a session
    gets the memories that are always given. Raises sqlite3.Error, OSError, ValueError.
    """
    event = parse(host, name, text)
    if event is None or not (name == "prompt" or (name == "session-start" and event.source != "resume")):
        return HookOutput()
    from curator.serve.word_recall import recall_by_words

    if name == "session-start":
        note(event, None)
    block, memories = recall_by_words(event.prompt if name == "prompt" else "", event.folder, given(event))
    return HookOutput(output(event, block), event, memories)
