"""Recall by words only, for a hook without a resident process.

It reads the record with SQLite and the standard library only, because importing the store, the index and the settings
takes longer than a prompt may wait. The score of a memory is the sum of the inverse document frequencies of the
prompt's words in it; memories with less than half of the best score are omitted. As in every block, memories are
excluded if they are not live, rejected, expired, in quarantine, or of other projects, and a standing memory is if a
conflicting one was said later.

The model of `curator.recall.select.needed_mask` needs cosines and all candidates, so a minimum share of the best score
and a minimum rarity of words take its place.
"""

from __future__ import annotations

import contextlib
import os
import re
import tomllib
from collections import Counter
from hashlib import blake2b
from math import log
from typing import TYPE_CHECKING

from curator import attributes
from curator.paths import config_file, store_folder
from curator.project import project_of
from curator.safety import concerns, relevance
from curator.safety.animals import AnimalNames
from curator.safety.subjects import subjects_of
from curator.serve.word_block import Memory, Search, block_of, without_outdated
from curator.stem import stem
from store.clock import now
from store.record.database import open_copy
from store.record.schema import NEWEST

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

HITS = 10
"""Maximum hits in the block."""
STANDING = 20
"""Maximum memories in the block that are always given."""
URGENT = 6
"""Maximum safety facts about the prompt's subject in the block."""
STATED = 5
"""Maximum memories in the block that state an attribute of the person that the prompt asks for."""
LOOKED_AT = 1_000
"""Characters at the start of a prompt in which its subject is looked for."""
MOST_WORDS = 12
"""Maximum words of a prompt that are searched for, the longest ones."""
_PART = 500  # texts read at once
_SHARE = 0.5  # minimum score of a hit, as a share of the best score
_LEAST = 2.0  # minimum score of a hit; a word that one memory in six contains scores less
_SMALL = 30
"""Minimum size of a store in the computation of scores, since a word is not common if two of three memories have it.

In stores of 12 memories, 0.56 instead of 0.50 of the memories that the task prompts need are found, with one more
needless memory in 14 prompts; in stores of 25, 0.63 instead of 0.62, with one more in 28. Larger stores do not change
(`tests/bench/word_recall.py`).
"""
_WORD = re.compile(r"[^\W_]{3,}")
_COMMON = frozenset(
    "about after all also and any are because been before but can could did does don for from get give had has have her"
    " here him his how into its just like make may me more most much my need not now one only other our out over please"
    " she should show some such than that the their them then there these they this those too use very want was way we"
    " well were what when where which while who why will with would you your write help tell okay yes yeah yep thanks"
    " thank continue sure great good perfect nice cool proceed next done hello new old".split()
)
_GIVEN = (
    "owner = 'me' AND life = 'live' AND review <> 'rejected' AND (flag IS NULL OR review = 'validated')"
    " AND (expires_at IS NULL OR expires_at > ? OR pinned) AND scope IN ('global', ?) AND given <> 'never'"
)


def recall_by_words(prompt: str, folder: str, had: Collection[int] = ()) -> tuple[str, tuple[int, ...]]:
    """Return the block for a prompt in a folder and its memories, without memories that the model `had` before.

    Raises sqlite3.Error, OSError, ValueError.
    """
    record, words = store_folder() / "record.sqlite", words_of(prompt)
    if not record.exists():
        return "", ()
    with contextlib.closing(open_copy(record)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != NEWEST:
            return "", ()
        search = search_in(connection, folder)
        found = [*stated_attributes(search, prompt), *(ranked(search, words) if words else [])]
        return block_of(search, standing(search), urgent_matters(search, prompt), found, had)


def search_in(connection: sqlite3.Connection, folder: str) -> Search:
    """Return a search of the memories that may be given in a folder."""
    given = f"{_GIVEN} AND review = 'validated'" if _only_validated() else _GIVEN
    return Search(connection, given, (now(), f"project:{label_of(connection, folder)}"))


def standing(search: Search) -> list[Memory]:
    """Return the memories that are always given, as `curator.recall.always_given.standing_memories` does."""
    orders = " AND given = 'always' ORDER BY review DESC, importance DESC, id DESC LIMIT"
    return search.in_force(list(search.memories(f"{orders} {STANDING}")))


def stated_attributes(search: Search, prompt: str) -> list[Memory]:
    """Return memories that state attributes of the person that a prompt asks for, the newest of each first."""
    names = attributes.asked(prompt[:LOOKED_AT])
    if not names:
        return []
    wanted = ", ".join(str(number) for number, text in search.texts() if attributes.states(text, names))
    newest = "ORDER BY review DESC, created_at DESC, id DESC"
    found = list(search.memories(f"AND id IN ({wanted}) {newest}"))
    ranks = attributes.ranks_of_stated([(one.text, one.said or 0) for one in found], names)
    first = [found[place] for place in sorted(range(len(found)), key=ranks.__getitem__)]
    return without_outdated(search.connection, first[: 2 * STATED])[:STATED]


def urgent_matters(search: Search, prompt: str) -> list[Memory]:
    """Return the safety facts about the subject of a prompt, the life-threatening ones first."""

    def texts_with(name: str) -> list[str]:
        return [memory.text for memory in search.memories(f"AND instr(lower(text), '{name}')")]

    asked, animals = prompt[:LOOKED_AT], AnimalNames(texts_with)
    about = relevance.with_animals(asked, subjects_of(asked), animals)
    if not about:
        return []
    order, kinds = "ORDER BY review DESC, created_at DESC", relevance.kinds_of(about)
    facts = [(number, text) for number, text in search.texts(order) if relevance.matters(text, asked, about, animals)]
    texts = [text for _, text in facts]
    of_animals = {text for text in texts if animals.has_fact(text, kinds)}
    places = concerns.relevant_facts(texts, asked, about, texts_with, 2 * URGENT, of_animals)
    first = {facts[place][0]: rank for rank, place in enumerate(places)}
    found = list(search.memories(f"AND id IN ({', '.join(map(str, first))})"))
    return sorted(without_outdated(search.connection, found), key=lambda memory: first[memory.id])[:URGENT]


def label_of(connection: sqlite3.Connection, folder: str) -> str:
    """Return the stored label of a folder's project, or else its name, or "" if another project has that."""
    project = project_of(folder)
    if project is None:
        return ""
    (key,) = connection.execute("SELECT value FROM meta WHERE name = 'key'").fetchone()
    known = dict(connection.execute("SELECT ident, label FROM projects WHERE owner = 'me'").fetchall())
    for one in project.known_by:
        ident = blake2b(one.encode(errors="replace"), key=key, digest_size=16).hexdigest()
        if ident in known:
            return str(known[ident])
    return "" if project.name in known.values() else project.name


def words_of(prompt: str) -> list[str]:
    """Return the longest words of a prompt without a plural s, ignoring case and common words."""
    found: dict[str, str] = {}
    for word in _WORD.findall(prompt[:4_000]):
        if _folded(word) not in _COMMON:
            singular = word[:-1] if word[-1] in "sS" and len(word) > 4 else word
            found.setdefault(_folded(singular), singular)
    return sorted(found.values(), key=lambda word: (-len(word), _folded(word)))[:MOST_WORDS]


def _folded(text: str) -> str:
    """Return a case-folded text, with İ as i: folding leaves a combining dot that would end the word."""
    return text.casefold().replace("i\u0307", "i")


_COMPOUND = 6
"""Minimum letters of a word that may begin another one, as in German compounds; "car" does not begin "Cardiff"."""
_ENDINGS = ("", "s", "es", "ed", "ing")


def text_condition(word: str) -> tuple[str, list[str]]:
    """Return an SQL condition, with its values, for texts that contain a word in lower, upper or title case.

    SQLite ignores case only for ASCII letters.
    """
    if word.isascii():
        return "text LIKE ?", [f"%{word}%"]
    forms = {word, word.lower(), word.capitalize(), word.upper()}
    return " OR ".join(["instr(text, ?)"] * len(forms)), sorted(forms)


def ranked(search: Search, words: list[str]) -> list[Memory]:
    """Return the memories with the highest scores.

    SQLite returns the words that occur in each memory as a bit mask, and only texts that may be among the best are
    read: with 100,000 memories, this takes a third of the time of reading all with a common word. The table is scanned
    in its own order, because looking up each row from the index over owner and life takes six times as long.
    """
    conditions = [text_condition(word) for word in words]
    bits = " | ".join(f"(({condition}) << {place})" for place, (condition, _) in enumerate(conditions))
    rows: list[tuple[int, int]] = search.connection.execute(
        f"SELECT id, {bits} AS mask FROM memories NOT INDEXED WHERE {search.condition} AND mask > 0",
        (*(value for _, values in conditions for value in values), *search.values),
    ).fetchall()
    (total,) = search.connection.execute(
        "SELECT count(*) FROM memories WHERE owner = 'me' AND life = 'live'"
    ).fetchone()
    counts = Counter(mask for _, mask in rows)
    held = [sum(count for mask, count in counts.items() if mask >> place & 1) for place in range(len(words))]
    worth = {
        _folded(word): log(1 + max(total, _SMALL) / count) for word, count in zip(words, held, strict=True) if count
    }
    most = {mask: sum(worth[_folded(word)] for place, word in enumerate(words) if mask >> place & 1) for mask in counts}
    near = sorted((-most[mask], -memory) for memory, mask in rows)  # of equal scores, the last added first
    stems = {word: (stem(word), stem(f"{word}s")) for word in worth}  # `words_of` has dropped an s
    compound = {word for word in worth if len(word) >= _COMPOUND or not word.isascii()}
    forms = {
        word: {word + ending for ending in _ENDINGS} | ({f"{word}d"} if word.endswith("e") else set()) for word in worth
    }  # the stem of "bleed" is not that of "bleeding"
    found: list[tuple[float, Memory]] = []
    for start in range(0, len(near), _PART):  # until none of the rest can score higher
        if len(found) >= HITS and found[HITS - 1][0] >= -near[start][0]:
            break
        ids = ", ".join(str(-memory) for _, memory in near[start : start + _PART])
        for memory in search.memories(f"AND id IN ({ids}) ORDER BY id DESC"):
            own = set(_WORD.findall(_folded(memory.text)))
            score = sum(
                value
                for word, value in worth.items()
                if any(one.startswith(word) and (word in compound or stem(one) in stems[word]) for one in own)
                or not own.isdisjoint(forms[word])
            )
            if score:
                found.append((score, memory))
        found.sort(key=lambda one: -one[0])
    least = max(_LEAST, found[0][0] * _SHARE if found else 0.0)
    return [memory for score, memory in found[:HITS] if score >= least]


def _only_validated() -> bool:
    """Return the setting `recall.require_validation`; true if the settings cannot be read."""
    variable = os.environ.get("CURATOR_RECALL__REQUIRE_VALIDATION")
    if variable is not None:
        return variable.strip().casefold() not in ("0", "false", "no", "off", "f", "n")
    try:
        recall = tomllib.loads(config_file().read_text("utf-8")).get("recall", {})
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    return bool(recall.get("require_validation", False)) if isinstance(recall, dict) else True
