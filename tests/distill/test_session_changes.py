"""Changes that a person tells in a coding session: what they end was kept, so they are kept whatever their wording."""

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
)
TASKS = (
    "i moved the helper to utils.ts",
    "I replaced the function",
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
    "is kafka gone?",
)


@pytest.mark.parametrize("line", CHANGES)
def test_what_replaces_something_is_kept(line: str) -> None:
    assert typed(line).candidates


def test_a_change_of_code_is_the_task_at_hand() -> None:
    assert {one.text: one.rule for one in typed(*TASKS).candidates} == {}
