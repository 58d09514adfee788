"""The lexical embedder: based on spelling, for any script, the same on every machine."""

import os
import subprocess
import sys

import numpy as np
import pytest

from curator.models import Embedder
from effort import thorough

NEARER = {
    "inflection": ("the cyclists trained", "a cyclist is training", "a florist is reading"),
    "typing error": ("allergic to hazelnuts", "alergic to hazlenuts", "afraid of spiders"),
    "case and accents": ("CAFÉ Zürich", "cafe zurich", "tea basel"),
    "a script without spaces": ("我喜欢绿茶", "我每天喝绿茶", "明天下雨吗"),
    "rare words over frequent ones": ("is the bassoon in the attic", "my bassoon", "is the key in the car"),
}


@pytest.mark.parametrize("said, alike, other", NEARER.values(), ids=NEARER.keys())
def test_what_is_spelled_alike_is_nearer(hashing: Embedder, said: str, alike: str, other: str) -> None:
    vectors = hashing.embed([said, alike, other])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1


def test_it_knows_no_meaning(hashing: Embedder) -> None:
    said, paraphrase = hashing.embed(["I do not eat meat.", "She is vegetarian."])
    assert said @ paraphrase < 0.3


def test_repeating_a_word_counts_less_than_linearly(hashing: Embedder) -> None:
    once, often, other = hashing.embed(["tulips and barges", "tulips " * 50 + "and barges", "barges"])
    assert once @ often > 0.5
    assert other @ often > 0.15


def test_texts_without_letters_are_near_to_no_other(hashing: Embedder) -> None:
    vectors = hashing.embed(["", "?!", "The heron came back to the pond in March."])
    assert vectors[0] @ vectors[1] == pytest.approx(1)
    assert abs(vectors[0] @ vectors[2]) < 0.3


# Any change here makes stored vectors incomparable with new ones: raise the fingerprint's digest with it.
KNOWN = {
    61: 0.5521,
    89: -0.0926,
    209: 0.0926,
    220: 0.207,
    244: -0.0926,
    250: 0.0926,
    292: -0.5521,
    323: 0.5521,
    365: -0.0926,
}


def test_the_vectors_of_this_version_are_these(hashing: Embedder) -> None:
    (vector,) = hashing.embed(["Tea, 緑茶!"])
    assert {int(i): round(float(vector[i]), 4) for i in np.flatnonzero(np.abs(vector) > 1e-4)} == KNOWN
    assert hashing.fingerprint.digest == "1"


@thorough
def test_other_processes_agree_to_the_last_bit(hashing: Embedder) -> None:
    texts = ["Tea, 緑茶!", "My bassoon is in the attic.", ""]
    script = (
        "import sys; from curator.models.hash_embedder import Hashing;"
        f"sys.stdout.write(Hashing().embed({texts!r}).tobytes().hex())"
    )
    for seed in ("0", "1"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        assert bytes.fromhex(done.stdout) == hashing.embed(texts).tobytes()
