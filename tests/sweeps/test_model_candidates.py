"""A model's candidates beside the rules' memories: equal ones, several of one passage, forgotten ones."""

import pytest
from scripted_sweeps import models, stored, talk, texts

from curator import curation
from curator.distill.candidate import Candidate
from curator.services.admission import admit
from curator.services.import_logs import distil_all
from curator.services.import_summary import Summary
from curator.services.neighbours import Distiller, SourcedCandidate, compare
from store import Filter, Store
from store.model import Actor, Channel, Kind, Origin, Tier

SAID = "I bake rye bread on weekends with my neighbour"
MODEL = Distiller("extract/1 m@1", Origin.MODEL)


@pytest.fixture(autouse=True)
def _all_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_DISTIL__SURPRISE", "0")


def said(store: Store, whole: str = f"{SAID}. Any tips?") -> tuple[int, int]:
    """Store a conversation distilled by the rules; return its id, and that of the person's message."""
    (number,) = stored(store, talk("bread", whole))
    distil_all(store, models().embedder)
    return number, store.raw.messages(number)[0].id


def propose(store: Store, conversation: int, message: int, *given: tuple[str, str]) -> Summary:
    """Admit candidates (quote, text) of one message, as the sweep does."""
    whole = store.raw.message(message).text
    drafts = [
        SourcedCandidate(
            Candidate(message, at, at + len(quote), quote, text, Kind.FACT, Tier.MEDIUM, 0.8, 6),
            store.raw.conversation(conversation),
            Channel.SPOKEN,
        )
        for quote, text in given
        for at in (whole.index(quote),)
    ]
    embedder, summary = models().embedder, Summary()
    compared = compare(store, embedder, drafts, MODEL)
    with store.command("distil", Actor.MODEL) as writer:
        admit(writer, compared, (), summary)
    return summary


def test_of_two_statements_of_one_passage_the_nearer_is_the_rules_and_the_other_its_own(store: Store) -> None:
    conversation, message = said(store)
    (ruled,) = store.list_ids(Filter())
    given = ((SAID, "My neighbour and I meet"), (SAID, "I bake rye bread on weekends"))
    propose(store, conversation, message, *given)
    assert texts(store) == [store.get(ruled).text, "My neighbour and I meet"]
    assert [one.text for one in store.wordings.of(ruled)] == ["I bake rye bread on weekends"]
    before = store.state_hash()
    summary = propose(store, conversation, message, *given)
    assert (store.state_hash(), summary.memories, summary.evidence) == (before, 0, 0)


def test_a_hard_difference_or_another_passage_makes_it_another_memory(store: Store) -> None:
    conversation, message = said(store, f"{SAID}. It takes 40 minutes and much flour from the mill.")
    before = len(texts(store))
    propose(store, conversation, message, (SAID, "I never bake rye bread on weekends with my neighbour"))
    propose(store, conversation, message, ("flour from the mill", "The mill has flour"))
    assert len(texts(store)) == before + 2
    assert all(not store.wordings.of(number) for number in store.list_ids(Filter()))


def test_what_was_forgotten_stands_for_all_that_its_passage_says(store: Store) -> None:
    conversation, message = said(store)
    curation.reject(store, store.list_ids(Filter()))
    summary = propose(store, conversation, message, (SAID, "My neighbour and I meet"), (SAID, "Rye bread is baked"))
    assert (texts(store), summary.reasons["forgotten"]) == ([], 2)


def test_what_says_the_same_as_the_forgotten_is_refused_wherever_it_was_said(store: Store) -> None:
    said(store)
    curation.forget(store, store.list_ids(Filter()))
    (number,) = stored(store, talk("later", "On weekends with my neighbour I bake rye bread, as ever."))
    whole = store.raw.messages(number)[0]
    summary = propose(store, number, whole.id, (whole.text[:-1], "I bake rye bread on weekends with my neighbour!"))
    assert (texts(store), summary.reasons["forgotten"]) == ([], 1)


def test_what_was_superseded_takes_the_quote_and_the_one_in_its_place_stays(store: Store) -> None:
    conversation, message = said(store)
    (old,) = store.list_ids(Filter())
    new = curation.add(store, "I bake wheat bread on Mondays").id
    curation.supersede(store, [old], new)
    propose(store, conversation, message, (SAID[:-14], "I bake rye bread on weekends"))
    assert store.list_ids(Filter()) == [new]
    assert len(store.evidence(old)) == 2
