"""Memories and judgments of a model: labelled as such, filterable, and accepted by the person only."""

from curator.tui.glyphs import ASCII, UNICODE
from effort import thorough
from factories import put
from store import Store, clock
from store.model import Actor, Judgment, Kind, NewMemory, Origin, Relation, Review
from tui.driver import Driven, opened

pytestmark = thorough

LABEL = "extract/1 qwen3:4b@0123456789ab"
JUDGE = "judge/1 qwen3:4b@0123456789ab"


def modelled(store: Store, text: str) -> int:
    """Store a memory that a model distilled."""
    with store.command("distil", Actor.MODEL) as writer:
        memory = NewMemory(
            text=text, key=text, kind=Kind.FACT, origin=Origin.MODEL, distiller=LABEL, created_at=clock.now()
        )
        added = store.admit(writer, memory).added
    assert added is not None
    return added


def propose(store: Store, memory: int, text: str) -> None:
    """Store a model's other wording of a memory."""
    with store.command("distil", Actor.MODEL) as writer:
        store.wordings.put(writer, memory, LABEL, text)


def line(app: Driven, words: str) -> str:
    return next(line for line in app.seen().splitlines() if words in line)


async def test_it_has_a_sign_and_the_detail_names_model_and_prompt(store: Store) -> None:
    put(store, "by rule")
    modelled(store, "by a model")
    async with opened(store) as app:
        assert UNICODE.made in line(app, "by a model").split("by a model")[0]
        assert UNICODE.made not in line(app, "by rule").split("by rule")[0]
        await app.press("enter")
        assert "○ found by qwen3:4b · prompt extract/1" in " ".join(app.seen().split())


def test_the_sign_has_a_letter() -> None:
    others = (ASCII.mark, ASCII.validated, ASCII.alert, ASCII.quarantined, ASCII.pinned)
    assert ASCII.made == "m" and ASCII.made not in others


async def test_it_can_be_filtered_by_words_and_by_facet(store: Store) -> None:
    put(store, "by rule")
    made = modelled(store, "by a model")
    async with opened(store, (150, 36)) as app:
        await app.press("slash")
        await app.write("origin:model")
        assert app.ids == [made]
        await app.press("escape", "escape")
        await app.pilot.pause(0.3)
        assert "ORIGIN" in app.seen().upper() and len(app.ids) == 2


async def test_it_can_be_filtered_in_the_inbox_too(store: Store) -> None:
    put(store, "by rule")
    made = modelled(store, "by a model")
    async with opened(store, first="inbox") as app:
        assert len(app.ids) == 2
        await app.press("slash")
        await app.write("origin:model")
        assert app.ids == [made]


async def test_better_words_are_shown_and_taken_as_an_edit_of_the_person(store: Store) -> None:
    (tea,) = put(store, "likes tea")
    propose(store, tea, "Prefers tea to coffee")
    async with opened(store, (140, 36)) as app:
        assert "SUGGESTED WORDING  by qwen3:4b" in app.seen() and "W accept wording" in app.seen()
        await app.press("W")
        memory = store.get(tea)
        assert memory.text == "Prefers tea to coffee" and memory.review is Review.OPEN
        assert "SUGGESTED WORDING" not in app.seen() and "W accept wording" not in app.seen()
        command = store.journal.log(1)[0]
        assert command.actor is Actor.PERSON and command.summary == f"in the words of {LABEL}"
        assert store.versions(tea)[0].text == "likes tea"
        await app.press("u")
        assert store.get(tea).text == "likes tea" and "SUGGESTED WORDING" in app.seen()


async def test_better_words_can_be_dropped(store: Store) -> None:
    (tea,) = put(store, "likes tea")
    propose(store, tea, "Prefers tea to coffee")
    async with opened(store, (140, 36)) as app:
        await app.press("L")
        assert "SUGGESTED WORDING" not in app.seen() and app.status.startswith("kept your wording of")
        assert store.get(tea).text == "likes tea" and store.wordings.of(tea) == []
    propose(store, tea, "Likes his tea")
    assert store.wordings.of(tea) == []


async def test_without_better_words_the_keys_do_nothing(store: Store) -> None:
    (one,) = put(store, "one")
    async with opened(store) as app:
        await app.press("W", "L")
        assert store.get(one).text == "one" and not app.status


async def test_words_that_are_gone_are_not_taken(store: Store) -> None:
    (tea,) = put(store, "likes tea")
    propose(store, tea, "Prefers tea to coffee")
    async with opened(store) as app:
        store.wordings.drop(tea)
        await app.press("W")
        assert "no longer available" in app.status and store.get(tea).text == "likes tea"


async def test_what_a_model_says_of_an_alert_stands_below_it(store: Store) -> None:
    lisbon, porto = put(store, "lives in Lisbon", "lives in Porto")
    with store.command("alert", Actor.SWEEP) as writer:
        store.alerts.put(writer, lisbon, porto, Relation.CONTRADICTION, 0.8, ["same slot"])
    (alert,) = store.alerts.open()
    with store.sqlite() as connection:
        judgment = Judgment(alert.id, JUDGE, Relation.UPDATE, ("they [b]moved[/b] in May",), 5)
        store.judgments.put(connection, judgment)
    async with opened(store) as app:
        await app.press("enter")
        assert "qwen3:4b says: update, because they [b]moved[/b] in May" in " ".join(app.seen().split())
