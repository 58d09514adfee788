"""Relative dates, resolved from the day on which they were said."""

import re
from datetime import UTC, date, datetime, timedelta
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.compare import differences, relate
from curator.text.date_resolution import resolve
from curator.text.dates import comparable, with_dates, without_dates
from curator.text.stated_expiry import last_stated_day
from effort import share, thorough
from store.clock import from_iso
from store.model import Relation

MONDAY = "2026-05-04"
ROWS = [  # a text with the added date in brackets, and the day it was said if not MONDAY
    ("I moved here Today [2026-05-04]",),
    ("I saw USA Today today [2026-05-04]",),
    ("We moved to Oslo Today [2026-05-04]",),
    ("I flew back from New York Yesterday [2026-05-03]",),
    ("I'm Moving Today [2026-05-04]",),
    ("LEAVING TOMORROW [2026-05-05]",),
    ("Great news. Today [2026-05-04] I got the job",),
    ("So Tomorrow [2026-05-05] I fly",),
    ("My sister is due in march [2027]",),
    ("My sister is due in March [2026]", "2026-01-31"),
    ("The meeting moved to 21 oct [2025]", "2025-09-18"),
    ("Juno turns 7 on 14 June [2026], she's into octopuses",),
    ("Gift for Haakon, turns 45 on 3 dec [2026].",),
    ("Physio twice a week till end of june [2026]",),
    ("Surgery 28 april [2026] at Haukeland", "2026-04-02"),
    ("Surgery 28 april [2026] at Haukeland", "2026-05-19"),
    ("My knee op on 28 april [2026]", "2026-04-02"),
    ("My surgery was pushed to 5 March [2026] and it went well", "2026-03-14"),
    ("My left knee will be done on the 9th of September [2026]",),
    ("The stitches will then be taken out and the cast removed on 9 September [2025]",),
    ("Her stitches are being removed on the 9th of September [2026]",),
    ("The roof is going to be finally replaced on 9 September [2026]",),
    ("The bridge is to be opened on 9 September [2026]",),
    ("The deposit can be collected on 9 September [2026]",),
    ("We'll have the boiler serviced on 9 September [2026]",),
    ("I'm getting my wisdom teeth removed on 9 September [2026]",),
    ("My aunt has her cataract done already on the 9th of January [2027]", "2026-11-10"),
    ("Jo gets the boiler fixed on 9 January [2027]", "2026-11-10"),
    ("On 9 January [2027] I have my hip replaced", "2026-11-10"),
    ("My aunt had her cataract done on the 9th of January [2026]", "2026-11-10"),
    ("My knee was done on the 9th of September [2025]",),
    ("It has been done on 9 September [2025]",),
    ("The parcel must have been sent on 9 September [2025]",),
    ("I have the mug she painted on 9 September [2025]",),
    ("I have already done the exam on 9 September [2025]",),
    ("He will love the house we viewed on 9 September [2025]",),
    ("the quiz is sat 12 december [2026] at ours", "2026-11-20"),
    ("we sat on 12 december [2025] in the rain", "2026-11-20"),
    ("we got a new boiler in july [2026]", "2026-11-20"),
    ("I got an exam in July [2027]", "2026-11-20"),
    ("ive got an exam in July [2027]", "2026-11-20"),
    ("Yesterday [2026-05-03] I signed the lease",),
    ("Yesterday [2025-12-31] I signed the lease", "2026-01-01"),
    ("I fly to Oslo the day after tomorrow [2026-05-06]",),
    ("We moved here two weeks ago [about 2026-04-20]",),
    ("I quit smoking 10 years ago [2016]",),
    ("I was in Rome about three years ago [about 2023]",),
    ("I got the dog a month ago [April 2026]",),
    ("I started the job last month [December 2025]", "2026-01-15"),
    ("I'm moving next month [June 2026]",),
    ("I'm moving next month [January 2027]", "2026-12-31"),
    ("I want to change jobs this year [2026]",),
    ("I finish my degree next year [2027]",),
    ("I ran a marathon last summer [2025]",),
    ("I ran a marathon last summer [2026]", "2026-11-04"),
    ("I broke my leg last winter [2025/26]",),
    ("We're going skiing this winter [2026/27]",),
    ("We're going skiing this winter [2025/26]", "2026-02-01"),
    ("I'll be in Lyon this weekend [2026-05-09]",),
    ("I was ill last week [week of 2026-04-27]",),
    ("The exam is on Thursday [2026-05-07]",),
    ("I saw the dentist on Thursday [2026-04-30]",),
    ("I've worked there since Monday [2026-04-27]", "2026-05-01"),
    ("The release is due by Wednesday [2026-05-06]",),
    ("The demo is next Friday [2026-05-08 or 2026-05-15]",),
    ("The demo is next Friday [2026-05-15]", "2026-05-07"),
    ("The demo is next Friday [2026-05-08]", "2026-05-02"),
    ("I saw her last Friday [2026-05-01]",),
    ("We get married in two months [July 2026]",),
    ("My gym contract expires in three weeks [about 2026-05-25]",),
    ("I've been learning Japanese since november [2025]",),
    ("We moved in March [2026]",),
    ("The lease starts in October [2026]",),
    ("I moved on 17 May [2025]",),
    ("We're flying on 4 april [2027].",),
    ("I promised to have it done by thursday 11 september [2026]",),
    ("I sat it on 22 may [2026] and the result came yesterday [2026-06-01]!!", "2026-06-02"),
    ("My contract runs until the end of the month [May 2026]",),
    ("I live in Oslo until September [2026]",),
    ("I lived in Oslo until September [2025]",),
    ("I was born three days ago [2024-02-27]", "2024-03-01"),
    ("I paid the Q1 bill last quarter [Q4 2025]", "2026-03-31"),
    ("Started at Tidewell Monday [2026-05-04]", "2026-05-06"),
    ("Had my hip done Thursday [2026-04-30], all good",),
    ("I'm flying to Rome Friday [2026-05-08]",),
    ("Met Joana's parents Sunday evening [2026-05-03]",),
    ("From Monday [2026-05-11] we use Bun", "2026-05-06"),
    ("Starting Monday [2026-05-11], we use Bun", "2026-05-06"),
    ("Effective Friday [2026-05-08] the office is closed",),
    ("From June [2026] we work from Leeds",),
    ("Surgery on my left eye is on 3 March [2027]", "2026-10-02"),
    ("From 1 February [2026] my hourly price is 54 euros, not 48.", "2026-02-03"),
    ("As of 1 February [2026], my hourly price is 54 euros", "2026-02-03"),
    ("From 28 January [2026] we use uv", "2026-02-03"),
    ("I'm moving to Rome from 1 September [2026]", "2025-10-01"),
    ("Book me a hotel from 10 March [2026]", "2025-05-01"),
    ("From 28 December [2025] we use uv", "2026-01-03"),
    ("From January [2026] we use uv", "2026-02-03"),
    ("As of December [2025] my rent is 900 euros", "2026-02-03"),
    ("From 1 March [2026] we live in Rome", "2026-02-03"),
    ("From 1 September [2026] my rent is 900 euros", "2026-02-03"),
    ("From September [2026] my daughter goes to school", "2026-02-03"),
    ("From 1 January [2027] my rate is 60 euros", "2026-12-20"),
    ("From 1 February [2027] I will ask 54 euros", "2026-02-03"),
    ("From 28 January [2027], we're going to use uv", "2026-02-03"),
    ("Starting 1 February [2027] my price is 54 euros", "2026-02-03"),
    ("Starting in January [2027] we use uv", "2026-02-03"),
    ("Starting in January [2027] I work four days",),
    ("I moved to Ghent last March [2025 or 2026]",),
    ("I moved to Ghent last March [2025]", "2026-02-10"),
    ("We're getting married next September [2026 or 2027]",),
    ("We're getting married next spring [2026 or 2027]", "2026-01-10"),
    ("We're getting married next spring [2027]",),
    ("exam in two weeks [about 2026-05-18]",),
    ("Elin's wedding in three months [August 2026]!",),
    ("I'm leaving Tidewell at the end of the month [May 2026]",),
    ("My lease ends end of the month [May 2026]",),
    ("The lease ends at the end of next month [June 2026]",),
    ("We have to move out by end of the year [2026]",),
    ("My exam is on the 5th [2026-05-05]",),
    ("My exam is on the 2nd [2026-06-02]",),
    ("My exam is on the 31st [2026-12-31]", "2026-12-01"),
    ("I signed the lease on the 29th [2026-04-29].",),
    ("The offer is open until the 20th [2026-05-20]",),
    ("Nothing in the first week of january, i'm flying to gdansk on the 2nd [2027-01-02], back the 6th", "2026-11-22"),
    ("op on the 9th of december [2026] which is bad because the concert is on the 19th [2026-12-19]", "2026-09-06"),
    ("In January it's busy: I'm flying on the 2nd [2027-01-02], the exam is on the 4th [2027-01-04]", "2026-11-22"),
    ("January is full, the exam is on the 4th [2027-01-04]", "2026-11-22"),
    ("May is here and the exam is on the 4th [2026-12-04]", "2026-11-22"),
    ("April calls and the exam is on the 4th [2026-12-04]", "2026-11-22"),
    ("The op was moved to january, the scan is on the 13th [2027-01-13]", "2026-11-22"),
    ("January is full and I had my flu jab on the 3rd [2026-11-03]", "2026-11-22"),
    ("We moved in march [2026] and the exam is on the 4th [2026-12-04]", "2026-11-22"),
    ("We moved in march [2026], the keys came on the 20th [2026-03-20]", "2026-07-22"),
    ("January is full. My exam is on the 4th [2026-12-04]", "2026-11-22"),
    ("January is full, and next week [week of 2026-11-23] my exam is on the 27th [2026-11-27]", "2026-11-22"),
    ("In october it rains, the exam is on the 4th", "2026-11-22"),
    ("zosia is settled in by the way wait no she moves on saturday [2026-09-12]", "2026-09-06"),
    ("Zosia moves on Saturday [2026-09-12]", "2026-09-06"),
    ("I was so glad he flies on Saturday [2026-09-12]", "2026-09-06"),
    ("She was in tears when she left on Saturday [2026-09-05]", "2026-09-06"),
    ("I bought the coat she likes on Saturday [2026-09-05]", "2026-09-06"),
    ("It was last night [2026-05-03] that he called",),
]
PLAIN = [
    "Surgery 28 december at Haukeland",
    "My birthday is on 14 June",
    "We move on 17 May 2025",
    "We moved to Porto two weeks ago (17 May).",
    "My birthday is on 9 January",
    "I play chess on friday nights",
    "I work from home on Friday",
    "I swim every Monday",
    "Over the last year I lost 5 kg",
    "I learned it in two months",
    "My last week at work was awful",
    "It may be in a week that we march",
    "I have a day off on Friday the 13th",
    "Tomorrow, May 5, I fly to Rome",
    "My rent is due on the 5th",
    "I get paid at the end of the month",
    "I got paid on the 28th",
    "I usually shop at the end of the week",
    "At the end of the day it is a job",
    "I work from Monday to Thursday",
    "I'm in Leeds from June to August",
    "I live on the 5th floor",
    "We met on the 31st",
    "Started Monday",
    "I like Sunday roast",
    "I went to the Friday market",
    "I bought it on Black Friday",
    "My favourite day is Friday",
    "I met Monday's team",
    "I work Monday and Tuesday",
    "The kids are with me every other Friday",
    "I wrote a book in two weeks",
    "the invoice is due in 7 days not 14",
    "all invoices are due in 7 days",
    "it is ready in two weeks instead of three",
    "I've worked there since Monday",
    "I was born in May",
    "We bought the house 9999 years ago",
    "I like Black Friday",
    "We have fridays off this, too",
    "I read USA Today",
    "USA Today is my paper",
    "I subscribe to Psychology Today",
    "I work at USA Today",
    "I write for Psychology Today",
    "I saw it on the Today show",
    "I live at 5 Tomorrow Street",
    "My shop is called Tomorrow",
    "My favourite film is The Day After Tomorrow",
    "I leave it to the last night every time",
    "I was ill on our last night in Rome",
]


@pytest.mark.parametrize(("said", "day"), [(row[0], row[1] if len(row) > 1 else MONDAY) for row in ROWS])
def test_a_relative_date_is_resolved_behind_the_words(said: str, day: str) -> None:
    plain = re.sub(r" \[[^]]*\]", "", said)
    resolved = with_dates(plain, from_iso(f"{day}T12:00:00"))
    assert resolved == said.replace("[", "(").replace("]", ")")
    assert without_dates(resolved) == plain
    assert with_dates(resolved, from_iso("2001-01-01")) == resolved
    assert with_dates(plain, None) == plain


@thorough
@pytest.mark.parametrize("unit", ["We leave next month, ", "I was in Rome about three years ago "])
def test_a_text_of_four_times_the_length_takes_about_four_times_as_long(unit: str) -> None:
    def seconds(count: int) -> float:
        text, start = unit * count, process_time()
        with_dates(text, from_iso(MONDAY))
        return process_time() - start

    assert min(seconds(800) for _ in range(3)) < 9 * min(seconds(200) for _ in range(3))


@pytest.mark.parametrize("said", PLAIN)
def test_what_has_a_date_or_is_not_certain_stays_as_it_is(said: str) -> None:
    assert with_dates(said, from_iso(MONDAY)) == said


@pytest.mark.parametrize(
    ("before", "dated"),
    [("nothing in january, ", "2027-01-02"), ("", "2026-12-02"), ("january is over. ", "2026-12-02")],
)
def test_a_day_is_of_the_month_named_before_it_in_its_sentence(before: str, dated: str) -> None:
    said_at = from_iso("2026-11-22T12:00:00")
    assert with_dates("I'm flying on the 2nd", said_at, before=before) == f"I'm flying on the 2nd ({dated})"


@settings(max_examples=share(200), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "I my we moved will is on in last next this friday March May 3 17th 2025 week year summer two ago since "
            "until by the end of month ( ) , . tomorrow (2026) days and".split()
        ),
        max_size=12,
    ).map(" ".join),
    st.dates(),
)
def test_dates_are_added_and_nothing_else_is_changed(said: str, day: date) -> None:
    at = (day - date(1970, 1, 1)) // timedelta(microseconds=1)
    resolved = with_dates(said, at)
    assert without_dates(resolved) == without_dates(said)
    assert with_dates(resolved, at) == resolved
    assert all(one.first <= one.last and said[one.start : one.end].strip() for one in resolve(said, day))


@pytest.mark.parametrize(
    ("said", "last"),
    [
        ("I live in Lisbon until May 2027", "2027-05-31"),
        ("My visa is valid until May 17, 2027", "2027-05-17"),
        ("The offer holds until 2026-07-01", "2026-07-01"),
        ("I'm on leave until 3 June 2026", "2026-06-03"),
        ("I can stay until the end of the month", "2026-05-31"),
        ("I work on the harbour project till Friday", "2026-05-08"),
        ("Until May 2025 Nora lived in Lisbon", None),
        ("I didn't eat meat until 2015", None),
        ("I don't eat until noon", None),
        ("I live in Lisbon", None),
    ],
)
def test_until_ends_what_is_said(said: str, last: str | None) -> None:
    assert last_stated_day(said, from_iso(MONDAY)) == (last and date.fromisoformat(last))


def test_the_end_of_what_was_said_at_an_unknown_time_is_the_date_it_names() -> None:
    assert last_stated_day("I live in Lisbon until May 2027", None) == date(2027, 5, 31)
    assert last_stated_day("I live in Lisbon until Friday", None) is None


def test_a_resolved_date_is_no_difference_to_words_without_one() -> None:
    plain, dated, other = (
        "My sister is due in March",
        "My sister is due in March (2026)",
        "My sister is due in March (2028)",
    )
    assert comparable(plain, dated) == (plain, plain)
    assert relate(plain, dated).relation is Relation.DUPLICATE and not differences(dated, plain)
    assert relate(dated, "My sister is due in March 2026").relation is Relation.DUPLICATE
    assert relate(dated, other).relation is Relation.COEXIST
    left, back = "I don't live in Oslo anymore", "I've lived in Oslo since March"
    assert relate(f"{back} (2026)", left) == relate(back, left)
    assert relate("We built the house in Rome (1980)", "We built the house in Rome").relation is not Relation.DUPLICATE


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("my invoice template: Havskygge, org nr 923456789, due in 14 days", ""),
        ("invoice is due in 14 days, payable to Havskygge", ""),
        ("terms: due in 30 days", ""),
        ("the rent is due in 14 days", "the rent is due in 14 days (2025-02-26)"),
        ("I'm quitting my job at the end of June", "I'm quitting my job at the end of June (2025)"),
        ("I'm getting married at the beginning of January", "I'm getting married at the beginning of January (2026)"),
        ("we always close at the end of June", ""),
        ("Starting as a consultant on 1 July", "Starting as a consultant on 1 July (2025)"),
        ("finally moving to Ghent on 1 July", "finally moving to Ghent on 1 July (2025)"),
        ("Starting school on 1 July was hard", "Starting school on 1 July (2024) was hard"),
        ("Running on 1 July every year", ""),
    ],
)
def test_a_plan_has_its_year_and_a_term_of_payment_no_date(text: str, dated: str) -> None:
    said_at = int(datetime(2025, 2, 12, 12, tzinfo=UTC).timestamp() * 1e6)
    assert with_dates(text, said_at) == (dated or text)
    assert without_dates(dated or text) == text
