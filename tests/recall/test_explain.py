"""Reasons for omissions: the words of `--json`, which programs read, and those that people read."""

import pytest

from curator.recall.explain import explain_omission, omission_code, omission_label
from curator.recall.types import OmissionKind, OmissionReason
from store.model import Life


@pytest.mark.parametrize(
    ("reason", "code", "label", "explanation"),
    [
        (OmissionReason(OmissionKind.UNRELATED), "floor", "not similar", "not similar: too little in common with"),
        (OmissionReason(OmissionKind.WEAK), "floor (weak)", "far below the best", "far below the best"),
        (OmissionReason(OmissionKind.DUPLICATE, 12), "duplicate of 12", "duplicate of 12", "duplicate of 12: it says"),
        (OmissionReason(OmissionKind.SUPERSEDED, 7), "superseded by 7", "superseded by 7", "superseded by 7: a newer"),
        (OmissionReason(OmissionKind.SUPERSEDED), "superseded", "superseded", "superseded: a newer memory"),
        (OmissionReason(OmissionKind.ASKED), "asked to forget", "asked to forget", "asked to forget: you asked for"),
        (OmissionReason(OmissionKind.FORGOTTEN), "forgotten", "forgotten", "forgotten"),
        (OmissionReason(OmissionKind.NOT_FOUND), "not found", "not found", "not found"),
    ],
)
def test_a_reason_has_a_code_a_label_and_an_explanation(
    reason: OmissionReason, code: str, label: str, explanation: str
) -> None:
    assert omission_code(reason) == code and omission_label(reason) == label
    assert explain_omission(reason).startswith(explanation)


def test_every_life_but_live_is_a_reason() -> None:
    kinds = {life: OmissionKind.of_life(life) for life in Life}
    assert kinds.pop(Life.LIVE) is None
    assert all(kind is not None and kind.value == life.value for life, kind in kinds.items())
