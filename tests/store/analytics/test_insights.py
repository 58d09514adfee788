"""Data of the charts: exact counts of a small store, and filters that list exactly what a bar counts."""

from collections.abc import Iterator, Sequence
from dataclasses import fields

import pytest

from curator import curation
from curator.filters import parse_filter
from effort import thorough
from factories import conversation, memory, put, quote
from store import Filter, Store, clock
from store.analytics import Analytics
from store.analytics.insights import Bar, ImportJunk, Insights, Waiting, insights
from store.analytics.stats import stats
from store.model import Given, Kind, NewEvidence, Origin, Refusal, Tier

NOW = clock.from_iso("2026-03-15T12:00:00")


@pytest.fixture
def copy(store: Store) -> Iterator[Analytics]:
    """Return a copy that has not been updated yet."""
    analytics = Analytics(store)
    yield analytics
    analytics.close()


def counted(store: Store, copy: Analytics) -> Insights:
    copy.follow()
    return insights(copy, store, NOW)


def pairs(bars: Sequence[Bar]) -> dict[str, int]:
    """Return the counts by label in order, without zeros."""
    return {bar.label: bar.count for bar in bars if bar.count}


def on(day: str) -> int:
    return clock.from_iso(day)


def test_an_empty_store_has_no_bars_of_its_own(store: Store, copy: Analytics) -> None:
    found = counted(store, copy)
    assert (found.growth, found.kinds, found.sources, found.calendar) == ((), (), (), ())
    assert (found.most_recalled, found.oldest_open, found.imports) == ((), (), ())
    assert [bar.label for bar in found.tiers] == ["core", "medium", "low"]
    assert [bar.label for bar in found.use] == ["never", "1-2", "3-9", "10+"]
    assert len(found.confidence) == 10
    assert {bar.count for bar in (*found.tiers, *found.use, *found.confidence, *found.reviews)} == {0}


@thorough
def test_only_live_memories_are_counted(store: Store, copy: Analytics) -> None:
    tea, rye, oats = put(store, "I like tea", "I like rye", "I like oats", kind=Kind.PREFERENCE, source="claude")
    (rain, old) = put(store, "It rains", "It rained", tier=Tier.CORE)
    curation.validate(store, [tea])
    curation.forget(store, [rye])
    curation.reject(store, [oats])
    with store.command("supersede") as writer:
        writer.update("memories", [old], {"life": "superseded", "superseded_by": rain})
    found = counted(store, copy)
    assert pairs(found.kinds) == {"fact": 1, "preference": 1}
    assert pairs(found.tiers) == {"core": 1, "medium": 1}
    assert pairs(found.reviews) == {"open": 1, "validated": 1, "rejected": 1}
    assert pairs(found.sources) == {"claude": 1, "typed": 1}
    assert [bar.term for bar in found.sources] == ["source:claude", "source:typed"]
    assert sum(bar.count for bar in found.growth) == 2
    since = store.get(rain).created_at
    assert since is not None and found.oldest_open == (Waiting(rain, since),)
    store.undo()
    store.undo()
    assert counted(store, copy).kinds == (Bar("fact", 2, "kind:fact"), Bar("preference", 2, "kind:preference"))


@thorough
def test_growth_has_every_month_between_and_the_calendar_only_days(store: Store, copy: Analytics) -> None:
    put(store, "a", "b", created_at=on("2025-11-30T23:59:59.999999"))
    put(store, "c", created_at=on("2026-02-01"))
    put(store, "d", created_at=on("2026-02-28T10:00:00"))
    put(store, "e", created_at=on("2026-03-15T23:59:59"))
    found = counted(store, copy)
    assert found.growth == (
        Bar("2025-11", 2, "said:2025-11"),
        Bar("2025-12", 0, "said:2025-12"),
        Bar("2026-01", 0, "said:2026-01"),
        Bar("2026-02", 2, "said:2026-02"),
        Bar("2026-03", 1, "said:2026-03"),
    )
    assert found.calendar == (
        Bar("2025-11-30", 2, "said:2025-11-30"),
        Bar("2026-02-01", 1, "said:2026-02-01"),
        Bar("2026-02-28", 1, "said:2026-02-28"),
        Bar("2026-03-15", 1, "said:2026-03-15"),
    )


def test_the_calendar_is_of_53_weeks(store: Store, copy: Analytics) -> None:
    today = on("2026-03-15")
    first = today - (53 * 7 - 1) * clock.DAY
    for number, moment in enumerate((first - 1, first, today + clock.DAY - 1, today + clock.DAY)):
        put(store, f"memory {number}", created_at=moment)
    assert pairs(counted(store, copy).calendar) == {"2025-03-10": 1, "2026-03-15": 1}


@thorough
def test_times_before_1970_and_beyond_the_calendar(store: Store, copy: Analytics) -> None:
    put(store, "a", created_at=on("1969-12-31T23:00:00"))
    put(store, "b", created_at=on("1970-01-01"))
    assert pairs(counted(store, copy).growth) == {"1969-12": 1, "1970-01": 1}
    put(store, "c", created_at=clock.EARLIEST - 1)
    put(store, "d", created_at=clock.LATEST + 1)
    growth = counted(store, copy).growth
    assert (growth[0], growth[-1]) == (Bar("0001-01", 1, "said:0001-01"), Bar("9999-12", 1, "said:9999-12"))
    assert len(growth) == 9999 * 12


@thorough
def test_confidence_falls_into_ten_bins_by_the_persons_score_first(store: Store, copy: Analytics) -> None:
    for confidence in (0.0, 0.0999, 0.1, 0.3, 0.7, 0.6999, 0.9, 1.0):
        put(store, f"sure by {confidence}", confidence=confidence)
    (mine,) = put(store, "I am sure of this", confidence=0.2)
    curation.score(store, [mine], 3)
    found = counted(store, copy)
    assert [bar.count for bar in found.confidence] == [2, 1, 0, 2, 0, 0, 1, 1, 0, 2]
    assert [bar.term for bar in found.confidence[::3]] == [
        "score:<0.1",
        "score:>=0.3 score:<0.4",
        "score:>=0.6 score:<0.7",
        "score:>=0.9",
    ]


def test_what_is_always_given_is_counted_apart_from_what_prompts_bring(store: Store, copy: Analytics) -> None:
    used, always = put(store, "My sister drinks tea", "Always answer in metric")
    curation.set_given(store, [always], Given.ALWAYS)
    store.recalls.record_use([used])
    found = counted(store, copy)
    assert [(bar.label, bar.count) for bar in found.use] == [
        ("never", 0),
        ("1-2", 1),
        ("3-9", 0),
        ("10+", 0),
        ("always", 1),
    ]


def test_use_is_counted_by_how_often(store: Store, copy: Analytics) -> None:
    never, once, twice, thrice, nine, ten = put(store, *(f"memory {n}" for n in range(6)))
    for number, times in ((once, 1), (twice, 2), (thrice, 3), (nine, 9), (ten, 10)):
        for _ in range(times):
            store.recalls.record_use([number])
    (gone,) = put(store, "forgotten")
    store.recalls.record_use([gone])
    curation.forget(store, [gone])
    found = counted(store, copy)
    assert [bar.count for bar in found.use] == [1, 2, 2, 1]
    assert [(item.memory, item.times) for item in found.most_recalled] == [
        (ten, 10),
        (nine, 9),
        (thrice, 3),
        (twice, 2),
        (once, 1),
    ]
    assert abs((found.most_recalled[0].last_at or 0) - clock.now()) < 600 * clock.SECOND
    assert never in [item.memory for item in found.oldest_open]


@thorough
def test_the_oldest_open_are_ten_at_most_and_the_oldest_first(store: Store, copy: Analytics) -> None:
    ids = [put(store, f"memory {n}", created_at=on("2024-01-01") - n * clock.DAY)[0] for n in range(13)]
    curation.validate(store, ids[-1:])
    assert [item.memory for item in counted(store, copy).oldest_open] == ids[-2:-12:-1]
    curation.later(store, ids[-3:-1])
    assert [item.memory for item in counted(store, copy).oldest_open] == ids[-4:-14:-1], "snoozed ones do not wait"


@thorough
def test_every_bar_leads_to_what_it_counts(store: Store, copy: Analytics) -> None:
    for number, source in enumerate(("claude", "claude code", 'the "old" one', "日本語", "a:b", "", "O'Hara", None)):
        ids = put(
            store,
            f"first of {number}",
            f"second of {number}",
            source=source,
            kind=list(Kind)[number],
            tier=list(Tier)[number % 3],
            confidence=number / 8,
            created_at=NOW - number * 30 * clock.DAY,
            tags=("日本語", "plain"),
        )
        for _ in range(number):
            store.recalls.record_use(ids[:1])
        (curation.validate, curation.reject, curation.forget, curation.pin)[number % 4](store, ids[1:])
    found = counted(store, copy)
    bars = [bar for field in fields(found) for bar in getattr(found, field.name) if isinstance(bar, Bar)]
    assert len(bars) > 40
    for bar in bars:
        meant = parse_filter(bar.term, now=NOW)
        assert copy.count(meant) == store.count(meant) == bar.count, bar
    assert "typed" in [bar.label for bar in found.sources]
    live = store.count(Filter())
    for bins in (found.growth, found.kinds, found.tiers, found.confidence, found.use, found.sources, found.calendar):
        assert sum(bar.count for bar in bins) == live


def logged(store: Store, name: str, refused: dict[str, int], kept: Sequence[str]) -> tuple[int, list[int]]:
    """Import a conversation whose first message has these refusals and memories; return the command and memories."""
    with store.command("import", summary=f"import of {name}") as writer:
        store.raw.put_conversation(writer, conversation(name, " ".join(kept) or "nothing", "I see"))
    (number,) = [c.id for c in store.raw.get_conversations() if c.external_id == name]
    message = store.raw.messages(number)[0]
    reasons = [reason for reason, count in refused.items() for _ in range(count)]
    with store.command("distil") as distilling:
        found = [Refusal(message.id, place, place + 1, reason, None, None) for place, reason in enumerate(reasons)]
        store.distillation.put_refusals(distilling, "rules-1", found)
    ids = [put(store, text, evidence=(quote(text, message.text, message.id),))[0] for text in kept]
    return writer.id, ids


def test_what_came_of_each_import(store: Store, copy: Analytics) -> None:
    first, (tea, rye) = logged(store, "one", {"vague": 2, "question": 4}, ["I like tea", "I like rye"])
    second, again = logged(store, "two", {}, ["I like tea", "I like oats", "I like salt"])
    logged(store, "three", {}, [])
    third, _ = logged(store, "four", {"日本語": 1}, [])
    assert again[0] == tea, "known already: it has evidence in both imports"
    curation.reject(store, [rye, again[1]])
    curation.forget(store, [again[2]])
    message = store.raw.messages(store.evidence(rye)[0].conversation or 0)[0]
    with store.command("add") as writer:
        more = quote("like", message.text, message.id)  # quotes a known memory again
        store.add_evidence(writer, tea, (more,))
    with store.command("import") as writer:
        store.admit(writer, memory("an imported memory", origin=Origin.IMPORT, external_id="x-1"))
    found = counted(store, copy)
    assert [item.command for item in found.imports] == [third, second, first], "not those that gave nothing"
    newest, middle, oldest = found.imports
    at = {command.id: command.at for command in store.journal.log()}
    assert oldest == ImportJunk(first, at[first], "import of one", 2, 6, 1, (("question", 4), ("vague", 2)))
    assert (middle.admitted, middle.refused, middle.rejected, middle.reasons) == (3, 0, 1, ())
    assert (newest.admitted, newest.refused, newest.reasons) == (0, 1, (("日本語", 1),))
    assert (newest.junk, middle.junk, oldest.junk) == (1.0, 0.0, 0.75)


def test_what_was_refused_and_taken_in_later_is_junk_no_more(store: Store, copy: Analytics) -> None:
    command, _ = logged(store, "one", {"vague": 2, "question": 1}, [])
    (message, _) = store.raw.messages(store.raw.get_conversations()[0].id)
    (taken,) = put(store, "Nothing at all", evidence=(NewEvidence(message.text[:1], 0, 1, message.id),))
    (item,) = counted(store, copy).imports
    assert (item.command, item.admitted, item.refused) == (command, 1, 2)
    assert item.reasons == (("question", 1), ("vague", 1))
    assert sum(number for _, number in store.distillation.refused_counts()) == item.refused
    curation.reject(store, [taken])
    (item,) = counted(store, copy).imports
    assert (item.admitted, item.refused, item.rejected) == (1, 3, 1)


def test_an_import_taken_back_is_not_counted_until_it_is_there_again(store: Store, copy: Analytics) -> None:
    command, _ = logged(store, "one", {"vague": 2}, [])
    store.undo(command)
    assert counted(store, copy).imports == ()
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("one", "nothing", "I see"))
    (shown,) = counted(store, copy).imports
    assert (shown.command, shown.refused) == (command, 2)


def test_another_owners_imports_and_memories_are_not_counted(store: Store) -> None:
    logged(store, "one", {"vague": 2}, ["I like tea"])
    other = Store.open(store.folder, owner="ana")
    theirs = Analytics(other)
    found = counted(other, theirs)
    assert (found.imports, found.kinds, found.growth) == ((), (), ())
    theirs.close()
    other.close()


@thorough
def test_the_app_and_the_command_line_count_the_same(store: Store, copy: Analytics) -> None:
    _, (tea, rye, oats) = logged(store, "one", {"vague": 2}, ["I like tea", "I like rye", "I like oats"])
    curation.validate(store, [tea])
    curation.forget(store, [rye])
    with store.command("later") as writer:
        writer.update("memories", [oats], {"later_until": NOW + clock.DAY})
    printed = stats(store, NOW)
    assert printed.insights == counted(store, copy)
    assert printed.memories.live == copy.count(Filter()) == sum(bar.count for bar in printed.insights.kinds) == 2
    assert printed.memories.groups["state"] == {"forgotten": 1, "new": 2}
    assert (printed.memories.inbox, store.count(parse_filter("is:inbox", now=NOW))) == (0, 0), "put off until tomorrow"
    assert stats(store, NOW + clock.DAY).memories.inbox == 1
