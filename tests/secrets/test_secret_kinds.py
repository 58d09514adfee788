"""The data that the detectors are measured by: many kinds, the same values each time."""

from secret_kinds import KINDS, samples


def test_there_are_many_kinds_with_values_of_their_own() -> None:
    names = [kind.name for kind in KINDS]
    assert len(names) == len(set(names)) >= 150
    for kind in KINDS:
        made = list(samples(kind, 3))
        assert all(one.secret and one.is_raw_in(one.text) for one in made), kind.name
        assert len({one.secret for one in made}) >= 2, kind.name
        assert made == list(samples(kind, 3)), kind.name
