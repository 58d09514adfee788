"""Changes stated in a coding session are kept in any wording, since the memory they end was kept."""

import pytest
from labelled_lines import typed

CHANGES = (
    "outcome of the retro: no more story points",
    "so we're ditching webpack for rsbuild",
    "the backend team switched to quarkus",
    "prod moved to Frankfurt last month",
    "standup moved to 9:45",
    "the minimum node version is now 20",
    "the default branch is trunk now",
    "reviews go to mei now",
    "its gitlab now not github",
    "jest is out, vitest is in",
    "heroku is gone, everything runs on fly",
    "eslint was removed, biome does both",
    "sentry got replaced by glitchtip",
    "vitest replaced jest",
    "the old scheduler service is retired",
    "no jira keys in commits anymore",
    "jonas left, ask mei about infra",
    "textlocal shut my account, we're on twilio",
    "mailgun got too expensive, we're with postmark",
    "deploying to fly.io from now on",
    "docker is allowed again",
    "switch from typer to plain argparse, typer is too slow to start on my laptop",
    "csv is getting annoying. lets move to sqlite after all",
    "let's switch back to npm for good",
)
TASKS = (
    "i moved the helper to utils.ts",
    "I replaced the function",
    "we replaced the retry with a backoff",
    "no results in this repo",
    "we dropped the column",
    "the error is gone",
    "the spinner is gone now",
    "button moved to the right",
    "the test is now green",
    "staging is down now",
    "the variable was renamed to total",
    "the import is no longer needed",
    "switched to main",
    "coverage is now 81%",
    "the loop is too slow, using numpy here",
    "failing since the last commit from now on",
    "is kafka gone?",
    "switch from main to the feature branch",
    "switch from light to dark mode",
    "lets move to the next step instead",
    "Switch from user admin to user guest and retry",
    "Please move from useState to useReducer",
    "switch from en to de and take a screenshot",
    "switch from staging to prod and check the logs",
    "please switch from Postgres to SQLite and rerun the failing test",
    "let's switch to port 8080 instead of 3000",
    "move from the list to a dict here",
)


@pytest.mark.parametrize("line", CHANGES)
def test_what_replaces_something_is_kept(line: str) -> None:
    assert typed(line).candidates


def test_a_change_of_code_is_the_task_at_hand() -> None:
    assert {one.text: one.rule for one in typed(*TASKS).candidates} == {}


PARTS = {
    "bump, the minimum python version is now 3.13": "The minimum python version is now 3.13",
    "no, not like that, we never mock the queue": "We never mock the queue",
    "wrong folder, fixtures live in tests/data": "Fixtures live in tests/data",
    "that's the wrong file, stories live in src/ui not src/components": "Stories live in src/ui not src/components",
    "we release on fridays, so get this ready by noon": "We release on fridays",
    "eval is banned in this package, why do you use it?": "Eval is banned in this package",
    "staging is in eu-west-2 btw, you used the wrong region": "Staging is in eu-west-2",
    "we deploy on fridays, update the calendar before each deploy": (
        "We deploy on fridays, update the calendar before each deploy"
    ),
    "router is chi": "Router is chi",
    "no moment in this package": "No moment in this package",
    "also tabs and line length 120 in this project": "Tabs and line length 120 in this project",
    "one migration per PR please, mei reviews them by hand": "One migration per PR please, mei reviews them by hand",
}


def test_a_statement_is_kept_without_the_task_or_the_complaint_beside_it() -> None:
    assert [one.text for one in typed(*PARTS).candidates] == list(PARTS.values())


def test_memory_of_a_machine_asks_for_nothing_to_be_remembered() -> None:
    lines = ("redis store not memory, we run 3 pods", "store uploads in s3, we have two nodes", "update it, we use bun")
    assert not any(one.always for one in typed(*lines).candidates)
    requests = ("add to your memory, we never mock the db", "our staging db is read-only, put that in your notes")
    assert [one.always for one in typed(*requests).candidates] == [True, True]


def test_what_is_to_be_done_once_is_no_order() -> None:
    lines = (
        "push to the fork",
        "huh? rebase first",
        "just this once you may merge without a review",
        "sorry i mean use the staging db only",
        "check if any job still assumes utc",
        "begin with the billing module",
        "enable caching on the orders endpoint.",
        "i'm on call this week so keep answers short please",
        "cargo clippy fix on all targets",
        "helm upgrade for the new broker",
        "how come the image has 2 copies of openssl",
        "new laptop, get me a working dev setup.",
        "integration tests are flaky: orders.spec.ts > parallel writes",
    )
    assert [one.text for one in typed(*lines).candidates] == []


@pytest.mark.parametrize(
    "text", ["No react please, we've had that discussion", "No lombok please, I've told the team as well"]
)
def test_a_ban_with_its_reason_is_kept(text: str) -> None:
    assert [(one.text, one.standing) for one in typed(text).candidates] == [(text, True)]


@pytest.mark.parametrize("text", ["no thanks, we've had that discussion", "no problem, I've told the team"])
def test_an_answer_with_its_reason_is_no_ban(text: str) -> None:
    assert typed(text).candidates == ()
