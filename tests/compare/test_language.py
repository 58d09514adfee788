"""Texts that are not in English: the rules do not know their words and give no harmful verdict."""

import pytest

from curator.compare import relate
from curator.text.normalize import Language, language
from store.model import Relation

PAIRS = [
    ("Ich trinke gern Kaffee", "Ich trinke nicht gern Kaffee"),
    ("Ich esse kein Fleisch.", "Ich esse Fleisch."),
    ("Ich arbeite nie am Sonntag im Garten", "Ich arbeite immer am Sonntag im Garten"),
    ("Ich habe einen Hund", "Ich habe keinen Hund"),
    ("Je vis à Paris", "Je ne vis pas à Paris"),
    ("J'aime le café", "Je n'aime pas le café"),
    ("Vivo en Madrid", "No vivo en Madrid"),
    ("Il mio gatto non mangia il pesce la mattina", "Il mio gatto mangia il pesce la mattina"),
    ("Ik woon in Gent", "Ik woon niet meer in Gent"),
    ("Nie piję kawy rano w pracy", "Piję kawę rano w pracy"),
    ("Ben kahve seviyorum", "Ben kahve sevmiyorum"),
    ("Я люблю чай", "Я не люблю чай"),
    ("我喜欢茶", "我不喜欢茶"),
    ("私は猫が好きです", "私は猫が好きではありません"),
    ("أنا أحب القهوة", "أنا لا أحب القهوة"),
    ("I live in Berlin", "Ich wohne in Berlin"),
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("cosine", [None, 0.8, 0.99])
def test_nothing_is_merged_or_said_on_a_guess(a: str, b: str, cosine: float | None) -> None:
    for verdict in (relate(a, b, cosine), relate(b, a, cosine)):
        assert verdict.relation in (Relation.UNSURE, Relation.UNRELATED)


def test_the_same_words_are_the_same_in_any_language() -> None:
    assert relate("Ich trinke gern Kaffee.", "ich trinke gern Kaffee").relation is Relation.DUPLICATE
    assert relate("我喜欢茶。", "我喜欢茶").relation is Relation.DUPLICATE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved to Las Vegas with Leonardo da Vinci's books", Language.ENGLISH),
        ("Lives in Köln", Language.ENGLISH),
        ("User prefers Crème brûlée", Language.ENGLISH),
        ("Ich bin in Köln geboren", Language.OTHER),
        ("Я живу в Москве", Language.OTHER),
        ("Phone: Pixel 9", Language.UNKNOWN),
        ("", Language.UNKNOWN),
        ("The workshop stays in Sligo til Christmas", Language.ENGLISH),
        ("jeg skal til byen i morgen", Language.OTHER),
    ],
)
def test_small_words_tell_the_language(text: str, expected: Language) -> None:
    assert language(text) is expected
