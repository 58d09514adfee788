"""Requests to forget made in chats, as the person is shown them: what they decided to keep is not marked."""

from dataclasses import replace

import pytest

from curator import curation
from curator.services.asked_memories import AskedWords, asked_words, match_asked
from factories import conversation, put
from store import Store, clock
from store.model import ASKED


@pytest.fixture(autouse=True)
def _words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")


SALARY = "My salary is 62,000 euros."


def ask(store: Store, text: str, day: str, *spans: str) -> None:
    """Store a chat of a day, with requests to forget the `spans` of its one message."""
    made = conversation(f"asked {day}", text)
    said = made.messages[0]._replace(created_at=clock.from_iso(day))
    with store.command("import") as writer:
        store.raw.put_conversation(writer, replace(made, messages=(said,)))
        message = store.raw.find_identity(writer, said.identity)
        store.forget_requests.put(writer, [(message, at := text.index(one), at + len(one)) for one in spans])


def shown(store: Store, words: str) -> tuple[list[int], dict[int, str]]:
    """Return the marked memories of a request, and the reasons of those in doubt."""
    (found,) = match_asked(store, [words])
    return [memory.id for memory in found.sure], {one.memory.id: one.why for one in found.doubtful}


def test_what_was_validated_pinned_or_edited_after_asking_is_in_doubt(store: Store) -> None:
    validated, pinned, edited, other = put(store, SALARY, "I earn 3,000", "I earn 4,000", "I earn 5,000", created_at=1)
    ask(store, "Forget my salary.", "2026-03-10", "my salary")
    assert sorted(shown(store, "my salary")[0]) == [validated, pinned, edited, other]
    curation.validate(store, [validated])
    curation.pin(store, [pinned])
    curation.edit(store, edited, "I earn 4,500")
    marked, doubts = shown(store, "my salary")
    assert marked == [other]
    assert [doubts[one].split()[1] for one in (validated, pinned)] == ["validated", "pinned"]
    assert set(doubts) == {validated, pinned, edited}
    assert all(why.endswith("it after you asked") for why in doubts.values())


def test_what_was_validated_before_asking_is_marked(store: Store) -> None:
    (salary,) = put(store, SALARY, created_at=1)
    curation.validate(store, [salary])
    ask(store, "Forget my salary.", "2099-03-10", "my salary")
    assert shown(store, "my salary") == ([salary], {})


def test_an_undone_decision_does_not_count(store: Store) -> None:
    (salary,) = put(store, SALARY, created_at=1)
    ask(store, "Forget my salary.", "2026-03-10", "my salary")
    curation.validate(store, [salary])
    store.undo()
    assert shown(store, "my salary")[0] == [salary]


def test_a_safety_fact_is_in_doubt(store: Store) -> None:
    pen, choir = put(store, "No nuts at all please, Dilys carries an EpiPen", "Dilys left the choir", created_at=1)
    ask(store, "Forget what I said about Dilys.", "2026-03-10", "Dilys")
    assert shown(store, "Dilys") == ([choir], {pen: "a health or safety fact"})


def test_the_later_of_two_equal_requests_counts(store: Store) -> None:
    (salary,) = put(store, SALARY, created_at=1)
    curation.validate(store, [salary])
    ask(store, "Forget my salary.", "2020-03-10", "my salary")
    assert shown(store, "my salary")[0] == []
    ask(store, "Please forget my salary", "2099-03-10", "my salary")
    assert shown(store, "my salary")[0] == [salary]


def test_the_words_of_the_latest_request_are_quoted_with_their_day(store: Store) -> None:
    (salary,) = put(store, SALARY, created_at=1, flag=ASKED)
    (free,) = put(store, "I earn 3,000", created_at=1)
    ask(store, "Hi. forget my salary please, I don't want it kept. Thanks", "2026-03-10", "my salary")
    ask(store, "forget my wage", "2026-03-12", "my wage")
    assert asked_words(store, store.get(salary)) == AskedWords("forget my wage", clock.from_iso("2026-03-12"))
    store.erase_logs([one.conversation for one in store.forget_requests.page() if "wage" in one.words], clock.LATEST)
    quoted = asked_words(store, store.get(salary))
    assert quoted is not None and quoted.words == "forget my salary please, I don't want it kept."
    assert asked_words(store, store.get(free)) is None
    curation.validate(store, [salary])
    assert asked_words(store, store.get(salary)) is None


def test_a_request_that_points_back_is_quoted_with_what_it_points_at(store: Store) -> None:
    text = "I earn 62,000. Delete that last thing."
    ask(store, text, "2026-03-10", "I earn 62,000")
    (salary,) = put(store, "I earn 62,000", created_at=1, flag=ASKED)
    assert asked_words(store, store.get(salary)) == AskedWords(text, clock.from_iso("2026-03-10"))
