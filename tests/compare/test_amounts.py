import pytest

from curator.compare.amounts import only_numbers_shared, unlike_amounts


@pytest.mark.parametrize(
    ("a", "b", "unlike"),
    [
        ("I charge 90 for a tuning", "2 hours per tuning from now on, not 90 minutes", True),
        ("I tune by ear", "2 hours per tuning from now on, not 90 minutes", True),
        ("allow 90 minutes per tuning", "2 hours per tuning from now on, not 90 minutes", False),
        ("I leave for work at half 8", "up at half 5 since September", True),
        ("up at half 6", "up at half 5 since September", False),
        ("Game is Saturday at 2 pm", "kick-off moved to 4 pm", False),
        ("the job runs at 2am", "the job takes 40 minutes now", True),
        ("I charge 90 for a tuning", "tuning goes to 105", False),
        ("I'm 1.58 tall", "I measure 1.71", False),
        ("I plan to run 10 km", "ran it in 52 minutes", False),
    ],
)
def test_amounts_of_different_kinds_do_not_replace_each_other(a: str, b: str, unlike: bool) -> None:
    assert unlike_amounts(a, b) is unlike


def test_a_number_alone_is_nothing_in_common() -> None:
    assert only_numbers_shared("I'm 51 and new to this", "My hba1c was 51")
    assert not only_numbers_shared("My hba1c was 45", "My hba1c was 51")
    assert not only_numbers_shared("I moved in 2021", "In 2021 I was ill")
