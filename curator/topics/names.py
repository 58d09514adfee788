"""Names of topics, from the words that best distinguish their memories from others."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from math import log

from curator.topics.lists import general_things, generic, unnamed
from curator.topics.people import Names
from curator.topics.words import Usage, Words, words_of
from store.sanitize import replace_invisible

OTHER = "other"
"""Name of what belongs to no topic."""
SAMPLE = 80
"""Memories of a topic that are read for its name: the first ones, so that the name stays."""
_MOST = 3  # words of a name
_SECOND = (0.3, 0.4)  # share of the best word's score from which another one is named beside it, or beside its phrase
_AGAIN = 0.6  # weight of a text for the second word, if it has the first one too
_ONCE = 0.35  # weight of a word that one memory says
_TITLE = 0.7  # weight of a word in a title at least, whatever it is elsewhere
_PHRASE = 0.4  # share of the rarer of two words beside the other, from which they are a phrase
_OFTEN = 0.3  # share of a word's texts in which another stands beside it, from which they are named together
_JOINED = 1.2  # weight of a word that is part of a phrase
_NOUN = 0.5  # weight as a noun that the last word of a phrase has at least
_ABOUT = (0.3, 0.5)  # share of memories that name somebody, from which they are about them: if alone, and in any case
_LONGEST = 60  # characters of a name that is given


@dataclass(frozen=True, slots=True)
class TopicTexts:
    """Texts of a topic's memories, those with words to name it by, and titles.

    `titles` are those of the conversations where the memories were said. Their words are named only if they are in a
    sayable text too. A topic with a `given` name has that.
    """

    members: Sequence[str]
    sayable: Sequence[str]
    titles: Sequence[str] = ()
    given: str | None = None


def names(topics: Sequence[TopicTexts]) -> list[str]:
    """Return a name for each topic, the largest topic first; all different, but for given ones."""
    members = [[words_of(text) for text in topic.members] for topic in topics]
    store = _StoreWords.of(topics, [words for texts in members for words in texts])
    taken = {OTHER} | {plain_name(topic.given).casefold() for topic in topics if topic.given is not None}
    found: list[str] = []
    for topic, texts in zip(topics, members, strict=True):
        if topic.given is not None:
            found.append(plain_name(topic.given))
            continue
        proposals = _Naming(topic, texts, store).proposals()
        found.append(next(name for name in proposals if name.casefold() not in taken))
        taken.add(found[-1].casefold())
    return found


@dataclass(frozen=True, slots=True)
class _StoreWords:
    """Statistics of the texts of all topics: the number that has each word, its uses, and people's names."""

    counts: Counter[str]
    total: int
    usage: Usage
    people: Names
    relations: Counter[tuple[str, str]]  # of a name, in sayable texts

    @classmethod
    def of(cls, topics: Sequence[TopicTexts], texts: Sequence[Words]) -> "_StoreWords":
        """Collect them; `texts` are the members of the topics."""
        return cls(
            Counter(word for words in texts for word in words.tokens),
            len(texts),
            Usage(texts),
            Names.of(words.people for words in texts),
            Counter(pair for topic in topics for text in topic.sayable for pair in words_of(text).people.relations),
        )


class _Naming:
    """The words of one topic, with their scores."""

    def __init__(self, topic: TopicTexts, texts: Sequence[Words], store: _StoreWords) -> None:
        self._texts, self._store = texts, store
        self._usage, self._people = store.usage, store.people
        self._sayable = topic.sayable
        self._said = [words_of(text) for text in topic.sayable]
        self._titles = Counter(word for title in topic.titles for word in words_of(title).tokens)
        self._count = Counter(word for words in texts for word in words.tokens)
        self._stems = Counter(word for words in texts for word in set(words.stems) if word)
        self._about = self._somebody()
        said = frozenset[str]().union(*(words.tokens for words in self._said))
        named = {word for word in said - unnamed() if nameable(word) and word not in self._people}
        self._allowed = named | (self._about & said)
        pairs = Counter(pair for words in texts for pair in words.pairs)
        rarer = {pair: min(self._stems[word] for word in pair) for pair, n in pairs.items() if n > 1}
        self._pairs = {
            pair: pairs[pair] for pair, n in rarer.items() if pairs[pair] >= _PHRASE * n and self._is_phrase(*pair)
        }
        self._scores = {word: self._score(word) for word in self._allowed if self._is_named(word)}

    def _somebody(self) -> set[str]:
        """Return the names of those whom the topic is about."""
        size, people = len(self._texts), self._people
        named = {word: n for word, n in self._count.items() if word in people and word not in people.own}
        alone, enough = _ABOUT
        return {
            word
            for word, n in named.items()
            if n > 1
            and (
                n >= enough * size
                or (n >= alone * size and all(2 * m <= n for other, m in named.items() if other != word))
            )
        }

    def _is_phrase(self, first: str, second: str) -> bool:
        """Return True if two words can be a name side by side."""
        if not {first, second} <= self._allowed or first in general_things() or self._usage.is_verb(first):
            return False
        return (second not in generic() or second in general_things()) and self._usage.weight(second) >= _NOUN

    def _is_named(self, word: str) -> bool:
        """Return True if a word can be named alone."""
        return word not in generic() or self._usage.is_proper(word) or word in self._about

    def _score(self, word: str) -> float:
        """Score a word by how many memories of the topic have it, and how few of others; nouns more than others."""
        n, everywhere = self._count[word], self._store.counts[word]
        noun = 1 if word in self._about else max(self._usage.weight(word), _TITLE if self._titles[word] else 0)
        titled = 1 + min(1.0, 2 * self._titles[word] / len(self._texts))
        joined = _JOINED if self._phrases(word) else 1
        rare: float = log((self._store.total + 1) / everywhere) * (n / everywhere) ** 0.5
        return n * rare * noun * titled * joined * (1 if n > 1 else _ONCE)

    def proposals(self) -> Iterator[str]:
        """Yield names, the best one first, without end."""
        best = self._ranked(self._scores)
        for word in best:
            words, name = self._called(word)
            for other in self._seconds(word, words):
                more, beside = self._called(other) if len(words) + 2 <= _MOST else ((other,), self._form(other))
                if len(words) + len(more) <= _MOST and not set(more) & set(words):
                    yield f"{name}, {beside}"
            yield name
        number = 1
        while True:
            yield f"topic {number}"
            number += 1

    def _called(self, word: str) -> tuple[tuple[str, ...], str]:
        """Return a word as it is named: with its relation, in its phrase, or alone."""
        if word in self._about:
            relations = {relation: n for (name, relation), n in self._store.relations.items() if name == word}
            if relations:
                relation = max(relations, key=lambda one: (relations[one], one))
                return (relation, word), f"{relation} {self._form(word)}"
        phrases = {pair: n * self._scores.get(pair[pair[0] == word], 0.1) for pair, n in self._phrases(word).items()}
        for pair in sorted(phrases, key=lambda pair: (-phrases[pair], pair)):
            forms = Counter(
                " ".join(spelled)
                for words in self._said
                for known, spelled in zip(pairwise(words.stems), pairwise(words.forms), strict=True)
                if known == pair
            )
            if forms:
                return pair, max(forms, key=lambda form: (forms[form], form))
        return (word,), self._form(word)

    def _phrases(self, word: str) -> dict[tuple[str, str], int]:
        """Return the phrases in which a word stands often, with the number of memories."""
        return {pair: n for pair, n in self._pairs.items() if word in pair and n >= _OFTEN * self._stems[word]}

    def _form(self, word: str) -> str:
        """Return a word as it is mostly spelled."""
        forms = Counter(
            form for words in self._said for known, form in zip(words.stems, words.forms, strict=True) if known == word
        )
        if not forms:
            return self._grown(word)
        form = max(forms, key=lambda form: (forms[form], form.islower(), form))
        return form[0].upper() + form[1:] if word in self._people or self._usage.is_proper(word) else form

    def _grown(self, part: str) -> str:
        """Return a part of a word, in a script without spaces, with the letters that always stand around it."""
        around = [text.partition(part)[::2] for text in self._sayable if part in text]
        before, after = [text[::-1] for text, _ in around], [text for _, text in around]
        return f"{_shared(before)[::-1]}{part}{_shared(after)}" if len(around) > 1 else part

    def _seconds(self, first: str, named: Collection[str]) -> list[str]:
        """Return words to name beside the first: strong ones, and best those of memories that it does not cover."""
        least, scores = _SECOND[len(named) > 1] * self._scores[first], {}
        for word, score in self._scores.items():
            if score < least or word not in self._stems or any(map(word.startswith, named)):
                continue
            if self._count[word] > 1 or self._count[first] == 1:
                new = sum(word in words.tokens and words.tokens.isdisjoint(named) for words in self._texts)
                scores[word] = score * (new + _AGAIN * (self._count[word] - new)) / self._count[word]
        return [word for word in self._ranked(scores) if scores[word] >= least][:3]

    def _ranked(self, scores: dict[str, float]) -> list[str]:
        return sorted(scores, key=lambda word: (-scores[word], -len(word), word))


def _shared(texts: Sequence[str]) -> str:
    """Return the letters with which all texts begin."""
    letters = takewhile(lambda chars: len(set(chars)) == 1 and chars[0].isalpha(), zip(*texts, strict=False))
    return "".join(chars[0] for chars in letters)


def plain_name(text: str) -> str:
    """Return a label as a name: on one line, without what hides, acts on a terminal or ends a quoted filter term."""
    visible = replace_invisible(text, lambda char: " ")
    return " ".join(visible.replace('"', "'").split())[:_LONGEST].strip() or "unnamed"


def nameable(word: str) -> bool:
    """Return True for a word with letters; a single letter only of a script that writes words with one."""
    letters = [char for char in word if char.isalpha()]
    return bool(letters) and (len(word) > 2 or not letters[0].isascii()) and not any(map(str.isdigit, word))
