from itertools import pairwise

import pytest
from labelled_lines import typed
from pasted_messages import outcome, turns

from curator.distill.mask import documents
from effort import thorough


@thorough
@pytest.mark.parametrize("split", ["held", "all"])
def test_what_was_pasted_is_not_the_person_speaking_and_the_rest_is(split: str) -> None:
    found = [outcome(turn) for turn in turns() if split in (turn.split, "all")]
    admitted, pasted = sum(len(one.admitted) for one in found), sum(one.pasted for one in found)
    lost, own = sum(len(one.lost) for one in found), sum(one.own for one in found)
    print(f"{split}: {admitted} of {pasted} pasted sentences admitted, {lost} of {own} own ones lost")
    assert admitted <= 0.02 * pasted
    assert lost <= 0.02 * own


def test_the_turns_are_many_and_half_of_them_held_out() -> None:
    rows = turns()
    assert len([row for row in rows if row.kind == "own"]) >= 60 <= len([row for row in rows if row.kind != "own"])
    assert abs(sum(row.split == "held" for row in rows) - len(rows) / 2) <= len(rows) / 10


@pytest.mark.parametrize("unit", ["From: a\n", "a, b, c\n", "Bob: x\n", "[12:01] ", "\n", "1.1 a\n", "on a wrote:\n"])
def test_hostile_lengths_end(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    spans = list(documents(text))
    assert all(start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_what_a_tool_reports_is_not_the_person_speaking() -> None:
    reports = (
        'ERR_PNPM_NO_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is absent',
        "E   sqlalchemy.exc.ArgumentError: Expected mapped entity or sub entity",
        "thread 'tokio-runtime-worker' panicked at 'no entry found', src/pool.rs:88:14",
        "error[E0502]: cannot borrow `x` as mutable because it is also borrowed as immutable",
        "FAIL src/dates.test.ts > parses dates always in utc",
        "npm warn deprecated rimraf@3.0.2: Rimraf versions prior to v4 are no longer supported",
        "zsh: command not found: pnpm",
        "fatal: not a git repository (or any of the parent directories): .git",
        "Error response from daemon: No such container: api",
        "cmd/alarm/engine.go:112:2: ineffectual assignment to err (ineffassign)",
        "remote: error: GH006: Protected branch update failed for refs/heads/main.",
    )
    said = ("warning: we never merge on fridays", "ERROR logs must never contain personal data")
    assert [one.text for one in typed(*reports, *said).candidates] == ["Warning: we never merge on fridays", said[1]]
