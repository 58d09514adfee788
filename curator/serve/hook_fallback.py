"""Answer hooks while no server runs: search a prompt's memories by words, import a log. Standard library only."""

from curator.paths import store_folder
from curator.serve import client
from curator.serve.hooks import output, parse


def answer(host: str, name: str, text: str) -> str:
    """Return what a hook prints without a server, and start one for the next hook; empty without a store."""
    event = parse(host, name, text)
    if event is None or not (store_folder() / "record.sqlite").is_file():  # no memories: nothing is made by a hook
        return ""
    if name in ("compact", "end"):
        if event.transcript:
            client.start("curator.serve.session_import", host, event.transcript)
        return ""
    client.start()
    return words_for(host, name, text)


def words_for(host: str, name: str, text: str) -> str:
    """Return what a hook prints by words alone: what fits a prompt; what is always given, at the start of a session.

    Raises sqlite3.Error, OSError, ValueError.
    """
    event = parse(host, name, text)
    if event is None or not (name == "prompt" or (name == "session-start" and event.source != "resume")):
        return ""
    from curator.serve.word_recall import block_by_words

    return output(event, block_by_words(event.prompt if name == "prompt" else "", event.folder))
