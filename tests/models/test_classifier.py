"""The classifiers of pairs and of sentences: input limits, and behaviour without weights."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from curator import models
from curator.config import settings
from curator.distill.scores.chats import CLASSES, sentence_classifier
from curator.models import ModelMissing, load_classifier, minilm
from curator.models.weights import MODEL, MPNET, TOKENIZER, weights_folder
from curator.paths import cache_folder
from effort import thorough


@thorough
@pytest.mark.usefixtures("classifiers")
def test_chances_add_up_whatever_stands_beside_a_text() -> None:
    model = load_classifier("sentences")
    assert model is not None
    texts = [
        "I live in Oslo.",
        "Can you help?",
        "",
        "x" * 50_000,
        "I'm \udcff broken",
        "私は東京に住んでいます",
        "[SEP] [CLS]",
    ]
    together = model.chances(texts)
    assert together.shape == (len(texts), len(CLASSES))
    assert np.allclose(together.sum(axis=1), 1, atol=1e-4)
    alone = np.concatenate([model.chances([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-3


@thorough
@pytest.mark.usefixtures("classifiers")
def test_pairs_of_odd_texts_have_chances() -> None:
    model = load_classifier("pairs")
    assert model is not None
    found = model.chances([("", ""), ("I live in Oslo", "\ud800"), ("tea " * 9_000, "I never drink tea.")])
    assert found.shape == (3, 4) and np.isfinite(found).all()


@thorough
@pytest.mark.usefixtures("classifiers")
def test_sentences_are_told_apart() -> None:
    classifier = sentence_classifier()
    assert classifier is not None
    lasting, passing, order, request = classifier(
        [
            "My sister Marta is coeliac, so no bread for her.",
            "I'm trying to find the typo in line three.",
            "From now on answer in short bullet points.",
            "Please remember that my locker is number 212.",
        ]
    )
    assert lasting.lasting > 0 > passing.lasting
    assert order.order > 0 and order.order > max(lasting.order, passing.order)
    assert request.request > 0 and request.request > max(lasting.request, passing.request)


@thorough
@pytest.mark.usefixtures("classifiers")
def test_there_is_none_without_sound_weights_or_for_another_embedder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert models.can_classify()
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    settings.cache_clear()
    assert not models.can_classify() and load_classifier("pairs") is None and sentence_classifier() is None
    monkeypatch.delenv("CURATOR_EMBED__PROVIDER")
    settings.cache_clear()
    kept, own = weights_folder(MPNET, cache_folder()), weights_folder(MPNET, tmp_path)
    own.mkdir(parents=True)
    shutil.copy(kept / TOKENIZER, own)
    (own / MODEL).symlink_to(kept / MODEL)
    monkeypatch.setenv("CURATOR_CACHE", str(tmp_path))
    assert models.can_classify()
    with (own / TOKENIZER).open("r+b") as file:
        file.write(b"damaged")
    assert not models.can_classify()
    shutil.rmtree(tmp_path / "models")
    assert not models.can_classify() and load_classifier("sentences") is None


@pytest.mark.usefixtures("classifiers")
def test_a_runtime_that_does_not_work_leaves_words_and_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str, of: object, cache: object) -> None:
        raise ModelMissing("onnxruntime does not work here")

    monkeypatch.setattr(models, "_classifiers", {})
    monkeypatch.setattr(minilm, "load_graph", broken)
    assert models.can_classify()
    assert load_classifier("pairs") is None
    assert not models.can_classify(), "so that what is compared and distilled is marked as done by words"
