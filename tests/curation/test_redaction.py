"""Secrets in names: no way of writing a memory stores them."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from curator import curation
from curator.curation.names import redact_names
from curator.services.secret_scan import scan
from effort import exhaustive
from factories import memory, put
from store import Filter, Store

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def holds(store: Store) -> bool:
    """Return True if any file of the store holds the token, in any case."""
    folded = TOKEN.casefold().encode()
    return any(folded in path.read_bytes().lower() for path in store.folder.rglob("*") if path.is_file())


def test_no_write_path_stores_a_secret_in_a_name(store: Store) -> None:
    one = curation.add(store, "I like tea", tags=[TOKEN, f"#{TOKEN[:-1]}b", "drinks"], project=TOKEN)
    assert one.tags == ("[redacted]", "drinks") and one.project == "[REDACTED]"
    assert one.scope == "project:[REDACTED]"
    (two,) = put(store, "I like coffee")
    curation.tag(store, [two], add=[TOKEN])
    curation.set_scope(store, [two], f"session:{TOKEN}")
    assert store.get(two).scope == "session:[REDACTED]"
    curation.merge(store, put(store, "I have a dog", "I have a cat"), f"I have a dog and {TOKEN}", two + 1)
    curation.edit(store, two, f"I like {TOKEN}")
    assert not holds(store) and not scan(store).found and not store.differences()


def test_a_memory_of_a_distiller_is_cleaned_whole() -> None:
    names = dict.fromkeys(("project", "session", "subject", "relation", "object"), TOKEN)
    clean = redact_names(memory("I like tea", scope=f"project:{TOKEN}", tags=(TOKEN, "a"), **names))
    assert {getattr(clean, name) for name in names} == {"[REDACTED]"}
    assert clean.scope == "project:[REDACTED]" and clean.tags == ("[REDACTED]", "a")


@pytest.mark.parametrize("text", ["I like \udcff tea", "\udce9"])
def test_bytes_that_are_no_text_are_refused_with_words(store: Store, text: str) -> None:
    writes: tuple[Callable[[], object], ...] = (
        lambda: curation.add(store, text),
        lambda: curation.add(store, "I like tea", project=text),
        lambda: curation.add(store, "I like tea", tags=[text.replace(" ", "")]),
    )
    for write in writes:
        with pytest.raises(ValueError, match="not UTF-8 text"):
            write()
    assert not store.list_ids(Filter())


@exhaustive
@pytest.mark.skipif(sys.platform == "win32", reason="arguments are no bytes there")
@pytest.mark.parametrize("piped", [False, True])
def test_the_command_refuses_them_too(piped: bool) -> None:
    words = [b"-"] if piped else [b"I like \xff\xfe tea"]
    ran = subprocess.run(
        [sys.executable, "-m", "curator", "add", *words], input=b"I like \xff\xfe tea", capture_output=True, check=False
    )
    assert ran.returncode == 2 and b"not UTF-8 text" in ran.stderr, ran.stderr
