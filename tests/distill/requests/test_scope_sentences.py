"""Scope of memories from coding sessions: the project, or global."""

from time import process_time

import pytest
from labelled_lines import AGENT, typed

from curator.curation.names import scope_of
from curator.distill.requests.scope_sentences import is_scope_sentence
from store.model import Kind


def scopes(text: str) -> list[tuple[str, str]]:
    """Return what is kept of a message, with its scope."""
    kept = typed(text).candidates
    return [(one.text, scope_of(AGENT, one.kind, one.text, one.everywhere, one.in_project)) for one in kept]


@pytest.mark.parametrize(
    "reach",
    [
        "any repo.",
        "and that goes for all my projects",
        "same in every repo, not just this one",
        "applies to everything i write in Rust",
        "everywhere, same in billing-api",
        "you do this in every repo and it drives me mad",
    ],
)
def test_a_sentence_on_where_another_holds_is_no_memory_of_its_own(reach: str) -> None:
    order = "Never squash merge commits."
    assert scopes(f"{order} that bit me twice. {reach}") == [(order, "global")]
    assert scopes(order) == [(order, "project:shop")]
    assert scopes(reach) == []


@pytest.mark.parametrize(
    "limit",
    [
        "Just in this repo.",
        "that's for this project only",
        "Only here, not in the other repos.",
        "that goes for this codebase, not everywhere",
    ],
)
def test_a_sentence_that_limits_another_to_the_project_is_heeded(limit: str) -> None:
    wish = "I prefer German commit messages."
    assert scopes(wish) == [(wish, "global")]
    assert scopes(f"{wish} {limit}") == [(wish, "project:shop")]


@pytest.mark.parametrize(
    "said",
    [
        "Not just in this repo.",
        "For all my projects.",
        "There is a bug in this repo.",
        "In this repo the tests fail.",
        "Look here.",
        "Run the linter in this project.",
        "Thanks!",
    ],
)
def test_other_sentences_about_the_project_limit_nothing(said: str) -> None:
    wish = "I prefer German commit messages."
    assert scopes(f"{wish} {said}") == [(wish, "global")]


def test_a_rule_for_this_repo_is_one_of_the_project() -> None:
    for rule in ("In this repo, commit messages in German", "In this project my commits are always in German"):
        assert scopes(rule) == [(rule, "project:shop")]


def test_a_message_on_where_the_order_before_it_holds_is_no_memory_of_its_own() -> None:
    order = "no exclamation marks please"
    (one,) = typed(order, "that goes for everything you write for me").candidates
    assert (one.text, one.always, one.everywhere) == ("No exclamation marks please", True, True)
    (other,) = typed(order, "the build is red. that goes for every letter").candidates
    assert not other.always and not other.everywhere


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("I moved to Antwerp last week, I no longer live in Ghent", "global"),
        ("I moved to a flat in Antwerp", "global"),
        ("I moved to Postgres last week", "project:shop"),
        ("I moved the house style to a linter", "project:shop"),
        ("The users live in the shop's own table", "project:shop"),
    ],
)
def test_where_the_person_lives_holds_everywhere(text: str, scope: str) -> None:
    assert scope_of(AGENT, Kind.DECISION, text) == scope


def test_the_parts_of_a_task_are_no_memory() -> None:
    assert scopes("Node 24 upgrade. everything, ci, docker, package.json") == []


@pytest.mark.parametrize(
    ("line", "scope"),
    [
        ("never add co-authored-by trailers", "global"),
        ("don't put ticket numbers in my commit messages", "global"),
        ("always ask me before you delete files, applies to all my repos", "global"),
        ("i prefer short answers", "global"),
        ("i want short answers unless i ask for more", "global"),
        ("i want every endpoint to return problem+json from now on", "project:shop"),
        ("timestamps are stored in utc everywhere", "project:shop"),
    ],
)
def test_the_words_of_an_order_say_where_it_holds(line: str, scope: str) -> None:
    assert [found for _, found in scopes(line)] == [scope]


@pytest.mark.parametrize("tail", ["a" * 2_000, "go" + " same in aa" * 200])
def test_a_sentence_made_to_hang_is_read_in_time(tail: str) -> None:
    low, start = f"everything i write for {tail}?", process_time()
    assert not is_scope_sentence(low, 0, len(low))
    assert process_time() - start < 0.5
