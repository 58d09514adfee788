"""Filter for words from logs that leave the store: titles, quotes, project names, tags.

A memory's text was flagged, or refused as forgotten, before it was stored; these words were not. They are checked when
they leave, to a model or into a file. The store stays as it is.
"""

import re
from weakref import WeakKeyDictionary

from curator.curation.forgotten_match import match_texts, tokenizer, without_lookalikes
from curator.curation.unique_statements import pieces
from curator.injection import flag_injection
from store import Store
from store.model import Evidence

_FRAGMENT = re.compile(r"[,;:()\n—–]+|\s-\s|\b(?:and|but|so|because|since|though|although|while|as well as)\b")
_ABOUT = 2 / 3  # share of a title's words that occur in a forgotten text, from which it is about that
_ROOT = 5  # common first letters of related words: `allergy`, `allergic`


_KEPT = 20_000  # answers cached per state of a store
_Answers = dict[tuple[str, bool], bool]
_answers: "WeakKeyDictionary[Store, tuple[tuple[str, int], _Answers]]" = WeakKeyDictionary()


class Disclosure:
    """Decides which words may leave the store. Answers are cached: use one instance per block or export.

    A new instance shares the cache until the journal changes, since comparing with all forgotten memories is slow.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._any_forgotten = store.tombstones.any()
        state = (store.epoch, store.journal.seq())
        former, answers = _answers.get(store, (state, _Answers()))
        self._answers = answers if former == state and len(answers) < _KEPT else _Answers()
        _answers[store] = (state, self._answers)

    def title(self, said: Evidence) -> str | None:
        """Return the title of the source of a quote, or None if it must not leave.

        It must not leave if `words` would refuse it, if it is about a forgotten memory, or if its conversation
        contained purged words, of which nothing is left to compare.
        """
        if not said.title or self.name(said.title) is None:
            return None
        held = self._any_forgotten and said.conversation is not None
        return None if held and self._store.tombstones.purged_in(said.conversation or 0) else said.title

    def name(self, text: str) -> str | None:
        """Return a name, or a title that belongs to no conversation; None if it is about a forgotten memory."""
        return text if self._may_leave(text, True) else None

    def words(self, text: str | None) -> str | None:
        """Return a quote, project or tag; None if it gives instructions to a model or repeats a forgotten memory."""
        return text if text and self._may_leave(text, False) else None

    def _may_leave(self, text: str, title: bool) -> bool:
        asked = (text, title)
        if asked not in self._answers:
            self._answers[asked] = flag_injection(text) is None and not (
                self._any_forgotten and self._says_forgotten(text, title)
            )
        return self._answers[asked]

    def _says_forgotten(self, text: str, title: bool) -> bool:
        from curator.compare import differences, relate
        from curator.text import content_key, tokens

        said = [text]  # the whole, its statements, and their fragments
        for piece in pieces(text):
            said += [piece, *(part.strip() for part in _FRAGMENT.split(piece) if part.strip())]
        gone, (whole, *parts) = self._store.tombstones, dict.fromkeys(map(without_lookalikes, said))
        if any(gone.matching(content_key(part)) for part in (whole, *parts)):
            return True
        words = tokens(whole)
        for old in gone.mentioned_in(whole, tokenizer(), _ABOUT, title):
            forgotten = tokens(old)
            roots = {word[:_ROOT] for word in forgotten}  # related words count as forgotten too
            among = sum(word in forgotten or (len(word) >= _ROOT and word[:_ROOT] in roots) for word in words)
            if title and among >= len(words) * _ABOUT:
                return True
            if forgotten <= words and not differences(old, whole):
                return True
            if any(match_texts(old, part, relate(old, part)) is not None for part in (whole, *parts)):
                return True
        return False
