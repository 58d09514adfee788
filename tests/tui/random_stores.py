"""Stores for random walks: some hundred memories in every state, optionally with hostile text in every field."""

from collections.abc import Callable
from itertools import count
from random import Random

from curator import curation
from curator.distill.reasons import REASONS
from curator.text import content_key
from store import Filter, Store, StoreError
from store.model import (
    Actor,
    Channel,
    Kind,
    NewConversation,
    NewEvidence,
    NewMemory,
    NewMessage,
    NewVersion,
    Origin,
    Refusal,
    Relation,
    Review,
    Role,
    Surprise,
    Tier,
)
from store.record.alerts import Alerts
from store.sanitize import storable
from tui.sample_store import NOW

_DAY = 86_400_000_000
_THINGS = "tea coffee trains Porto Lisbon kiln viola bread running Ines hazelnuts PostgreSQL fish-shell paper".split()
_WAYS = ("likes", "no longer likes", "decided on", "is allergic to", "wants to learn about", "promised", "works with")

HOSTILE = (
    "[red]hi[/red] [@click=app.quit]x[/] [/] [$accent] [link=file:///]y[/link]",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]52;c;eA==\x1b\\ \x9b31m \x1b[2J",
    "\u202egnp.exe\u2069 \u2066\u061c a\u200bb\u2060c\ufeffd\u00ade \U000e0041\U000e0042",
    "می‌خواهم a\u200cb شَ\u0600\u06dd ‏עברית‎",
    "one\r\ntwo\rthree\vfour\ffive\u2028six\u2029seven\x85eight\tnine",
    "👩‍👩‍👧‍👦 🏳️‍🌈 🇵🇹 ❤️ e\u0301\u0327\u0324" + "\u0301" * 40,
    "日本語のテキスト、改行なしで長い" * 6,
    "\u0301begins with a mark \u3164\u115f\uffa0 \ufff9x\ufffb \ue000 \ufffe",
    "%s {0} {self} $HOME `id` ${jndi:x} \\x1b[0m 'q' \"d\" <b>&amp;",
    "x" * 10_000,
    "word and " * 1_200,
    "\x00\x01\x02\x7f\x80\x9f\ud800 end",
)
"""Texts that act on a terminal, hide, look like markup, or have an unexpected width."""


def _plain(random: Random, number: int) -> str:
    return f"{random.choice(_WAYS)} {random.choice(_THINGS)} {number}"


def _hostile(random: Random, number: int) -> str:
    said = storable(random.choice(HOSTILE))
    return f"{number} {said}" if random.random() < 0.8 else f"{said} {number}"


def fill(store: Store, seed: int, memories: int = 300, talks: int = 24, hostile: bool = False) -> None:
    """Fill a store by commands of machines, so that the person has nothing to undo."""
    random, numbers = Random(seed), count(1)
    words: Callable[[], str] = lambda: (_hostile if hostile else _plain)(random, next(numbers))  # noqa: E731
    with store.command("import", Actor.SWEEP, words() if hostile else f"{talks} new conversations") as writer:
        for talk in range(talks):
            store.raw.put_conversation(writer, _talk(random, talk, words))
        said = [message for talk in store.raw.get_conversations() for message in store.raw.messages(talk.id)]
        for _ in range(memories):
            message = random.choice(said) if said and random.random() < 0.7 else None
            store.admit(writer, _memory(random, words, None if message is None else (message.id, message.text)))
        reasons = [*REASONS, *([words()] if hostile else ["of another version"])]
        refused = [
            Refusal(message.id, start, min(start + 40, len(message.text)), random.choice(reasons), Kind.FACT, 0.4)
            for message in random.sample(said, len(said) // 3)
            for start in (0, 60)
            if start < len(message.text)
        ]
        store.distillation.put_refusals(writer, "rules/1", refused)
        (last,) = writer.connection.execute("SELECT coalesce(max(id), 0) FROM memories").fetchone()
        for _ in range(min(memories // 20, last // 3)):
            a, b = random.sample(range(1, last + 1), 2)
            relation = random.choice((Relation.DUPLICATE, Relation.CONTRADICTION, Relation.UPDATE))
            Alerts.put(writer, a, b, relation, random.random(), (words() if hostile else "same slot",))
        writer.update("memories", random.sample(range(1, last + 1), last // 12), {"life": "expired"})
    store.recalls.record_use([random.randint(1, last) for _ in range(memories)] if last else [])


def decide(store: Store, seed: int, times: int = 12) -> None:
    """Apply random undoable decisions of a person."""
    random = Random(seed)
    ids = store.list_ids(Filter(lives=()))
    verbs: tuple[Callable[[list[int]], object], ...] = (
        lambda some: curation.validate(store, some),
        lambda some: curation.reject(store, some),
        lambda some: curation.forget(store, some),
        lambda some: curation.later(store, some),
        lambda some: curation.pin(store, some),
        lambda some: curation.tag(store, some, ["home", "a-b"]),
        lambda some: curation.set_scope(store, some, "project:kiln"),
        lambda some: curation.supersede(store, some[1:], some[0]),
        lambda some: store.undo(),
    )
    for _ in range(times if ids else 0):
        try:
            random.choice(verbs)(random.sample(ids, min(random.randint(1, 4), len(ids))))
        except (StoreError, ValueError):
            continue


def _talk(random: Random, number: int, words: Callable[[], str]) -> NewConversation:
    began = NOW - random.randint(1, 900) * _DAY
    turns = random.choice((1, 2, 3, 8, 8, 30))
    messages = tuple(
        NewMessage(
            identity=f"talk-{number}-{turn}",
            role=Role.ASSISTANT
            if turn % 2
            else random.choice((Role.USER, Role.USER, Role.USER, Role.SYSTEM, Role.TOOL)),
            text="\n\n".join(words() for _ in range(random.choice((1, 1, 1, 3)))),
            channel=Channel.SPOKEN if random.random() < 0.8 else random.choice([*Channel]),
            created_at=None if random.random() < 0.1 else began + turn * 60_000_000,
            active=random.random() < 0.9,
            hidden=random.random() < 0.05,
        )
        for turn in range(turns)
    )
    return NewConversation(
        identity=f"talk-{number}",
        source=random.choice(("chatgpt", "claude", "claude-code", "markdown")),
        messages=messages,
        external_id=words(),
        title=words() if random.random() < 0.8 else None,
        created_at=began if random.random() < 0.9 else None,
        project=words() if random.random() < 0.2 else None,
        agent=random.random() < 0.2,
    )


def _memory(random: Random, words: Callable[[], str], message: tuple[int, str] | None) -> NewMemory:
    def some(share: float) -> str | None:
        return words() if random.random() < share else None

    text, said = words(), NOW - random.randint(0, 900) * _DAY
    evidence = [NewEvidence(message[1][:60], 0, min(60, len(message[1])), message[0])] if message and message[1] else []
    if random.random() < 0.2:
        quote = words()
        evidence.append(NewEvidence(quote, 0, len(quote), None, words(), some(0.5), some(0.5), said))
    project = some(0.15)
    return NewMemory(
        text=text,
        key=content_key(text),
        kind=random.choice([*Kind]),
        origin=random.choice((Origin.RULES, Origin.RULES, Origin.MODEL, Origin.IMPORT, Origin.PERSON)),
        tier=random.choice([*Tier]),
        review=random.choice((Review.OPEN, Review.OPEN, Review.VALIDATED)),
        pinned=random.random() < 0.1,
        confidence=random.random(),
        user_score=random.choice((None, None, 0, 7, 10)),
        importance=random.randint(1, 10),
        scope=f"project:{project}" if project else "global",
        project=project,
        source=random.choice(("chatgpt", "claude", None)) if random.random() < 0.8 else words(),
        session=some(0.1),
        subject=some(0.1),
        relation=some(0.1),
        object=some(0.1),
        span=some(0.1),
        flag=random.choice((None,) * 9 + ("injection",)),
        surprise=Surprise(*(round(random.random(), 2) for _ in range(5))) if random.random() < 0.7 else None,
        distiller="rules/1",
        created_at=said,
        evidence=tuple(evidence),
        versions=tuple(NewVersion(words(), said - 30 * _DAY) for _ in range(random.choice((0, 0, 0, 1, 2)))),
        tags=tuple(filter(None, (some(0.2), random.choice(("home", "work", None, None))))),
    )
