"""Expiry by kind: never before a date that the memory names, never for something that recurs."""

import pytest

from curator.curation.expiry import expiry_of
from curator.filters import parse_filter
from curator.recall.project_block import project_context
from curator.services.admission import expiry_on_admission
from curator.services.layers import build_layers
from curator.text.stated_expiry import stated_expiry
from factories import put
from store import Store, clock
from store.model import Kind

SAID = clock.from_iso("2025-01-11T09:00:00")


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("Our wedding anniversary is 8 August.", None),
        ("My sister's birthday is on 3 March", None),
        ("I pick up Tuva from preschool at 17:00.", None),
        ("I have yoga every Friday", None),
        ("I must call the plumber tomorrow at 17:00", "2025-04-11"),
        ("My interview is at 5 pm", "2025-04-11"),
        ("We are moving to Malmö in June (2025) because Emil got a position there.", "2025-07-01"),
        ("I run the half marathon on 14 June 2026", "2026-06-15"),
        ("I'll send the report", "2025-04-11"),
        ("Call the dentist at 3 pm", "2025-04-11"),
        ("We celebrate my birthday on Saturday", "2025-04-11"),
    ],
)
def test_a_kind_ends_no_plan_before_its_date_and_nothing_that_recurs(text: str, end: str | None) -> None:
    found = expiry_of(Kind.COMMITMENT, SAID, None, text)
    assert (None if found is None else clock.to_iso(found)[:10]) == end


def test_what_recurs_is_not_due() -> None:
    assert expiry_on_admission(Kind.COMMITMENT, "I promised to call my mother every week on Friday", SAID) is None


def test_an_end_of_one_clause_ends_no_allergy_beside_it() -> None:
    assert stated_expiry("I'm vegetarian (until 2025-09-20) and Emil is allergic to walnuts.", None) is None
    assert stated_expiry("I'm vegetarian (until 2025-09-20).", None) == clock.from_iso("2025-09-21")


def test_what_has_ended_is_in_no_context_and_no_next_action(store: Store) -> None:
    old = clock.now() - 400 * clock.DAY
    put(store, "I must buy ash glaze", kind=Kind.TASK, created_at=old)
    put(store, "I must fire the kiln", kind=Kind.TASK, created_at=clock.now())
    put(store, "I pick up Tuva at 17:00", kind=Kind.TASK, created_at=old)
    block = project_context(store, None)
    assert "kiln" in block.text and "Tuva" in block.text and block.dropped == {1: "expired"}
    (topic,) = (one for name, one in build_layers(store).documents.items() if name.endswith("topic_memory"))
    actions = {one["text"] for one in topic["state"]["next_actions"]}
    assert actions == {
        "I must fire the kiln",
        "I pick up Tuva at 17:00",
    }


def test_what_is_past_its_own_date_is_found_as_expired(store: Store) -> None:
    past = clock.now() - clock.DAY
    ids = put(store, "The pass is valid", "The lease runs", "I like tea", expires_at=past)
    with store.command("pin") as writer:
        writer.update("memories", [ids[1]], {"pinned": True})
    put(store, "The ticket holds", expires_at=clock.now() + clock.DAY)
    assert sorted(store.list_ids(parse_filter("is:expired"))) == [ids[0], ids[2]]
    assert store.list_ids(parse_filter("is:expired tea")) == [ids[2]]


@pytest.mark.parametrize(
    "text",
    [
        "I start at Rijkswaterstaat on 1 September 2026 as a data analyst",
        "I'm starting my new job on 1 September 2026",
        "I start work on 1 September 2026",
        "Joris starts school on 1 September 2026",
        "I begin my PhD on 1 September 2026",
        "I'm joining Acme on 1 September 2026 as an engineer",
        "I live at Schiekade 88B in Rotterdam from 1 May 2027",
        "I'm working for Havbruk from 1 May 2027",
    ],
)
def test_the_start_of_what_goes_on_ends_on_no_day(text: str) -> None:
    assert expiry_on_admission(Kind.COMMITMENT, text, SAID) is None
    assert expiry_of(Kind.COMMITMENT, SAID, None, text) is None


@pytest.mark.parametrize(
    "text",
    [
        "I start my shift at 9 on 1 September 2026",
        "I'm joining the call on 1 September 2026",
        "I'm starting the marathon on 1 September 2026",
        "I'm working from home on 1 September 2026",
        "I work at the fair from 1 September 2026 until 3 September 2026",
        "The meeting starts on 1 September 2026",
        "The meeting starts at Acme on 1 September 2026",
        "I start work at 7 on 1 September 2026",
        "I'll start working on the report on 1 September 2026",
        "I begin studying for the exam on 1 September 2026",
        "I'm joining the team dinner on 1 September 2026",
        "I'm renting a van from 1 September 2026 to 3 September 2026",
    ],
)
def test_what_takes_a_day_ends_with_it(text: str) -> None:
    assert expiry_on_admission(Kind.COMMITMENT, text, SAID) is not None
