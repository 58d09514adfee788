import pytest

from curator.apostrophes import respell
from curator.compare import differences, relate


@pytest.mark.parametrize(
    ("a", "b", "c"),
    [
        ("Im fine with lifts", "I dont do lifts", "I don't do lifts"),
        ("I eat meat", "i cant eat meat", "I can't eat meat"),
        ("Id like a dog", "i havent got a dog", "I haven't got a dog"),
    ],
)
def test_a_statement_reads_the_same_without_apostrophes(a: str, b: str, c: str) -> None:
    left, right = relate(a, b, 0.7, (0, 1)), relate(a, c, 0.7, (0, 1))
    assert (left.relation, left.conflict_score) == (right.relation, right.conflict_score)
    assert relate(b, c, 0.9).reasons == ("the same words",)
    assert not differences(respell(b).text, c)
