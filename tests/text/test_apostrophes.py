import pytest

from curator.compare import differences, relate
from curator.text import with_apostrophes


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("dont run npm, im off and ive had it", "don't run npm, i'm off and i've had it"),
        ("Cant say, shes out, thats it, it doesnt work", "Can't say, she's out, that's it, it doesn't work"),
        ("id never buy one, ill be 52, its not new", "i'd never buy one, i'll be 52, it's not new"),
        ("the id never changes, he is ill, its tail", "the id never changes, he is ill, its tail"),
        ("I WONT", "I WON'T"),
        ("Termine im Kalender", "Termine im Kalender"),
        ("le livre dont je parle", "le livre dont je parle"),
        ("wantonly, imply, divest", "wantonly, imply, divest"),
    ],
)
def test_apostrophes_are_put_where_only_a_contraction_fits(written: str, meant: str) -> None:
    assert with_apostrophes(written) == meant


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
    assert not differences(with_apostrophes(b), c)
