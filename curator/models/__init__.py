"""Models: interfaces, errors, and loading of embedders.

Two embedders are built in: `minilm` captures meaning in English and needs its weights (`curator.models.weights`);
`hashing` captures spelling only, in any language, and needs nothing. The third, `ollama`, calls a model on the person's
server.
"""

import functools
import importlib.util
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from curator.models.interfaces import (
    NO_MODEL,
    BadReply,
    CallFailed,
    Chat,
    ChatModel,
    CutShort,
    Embedder,
    FetchFailed,
    ModelMissing,
    NotAllowed,
    Offline,
    Question,
    Reply,
    Schema,
    ServerFailed,
    TimedOut,
    TooLong,
    items_schema,
)

if TYPE_CHECKING:
    from curator.models.classifier import Classifier

__all__ = [
    "NO_MODEL",
    "BadReply",
    "CallFailed",
    "Chat",
    "ChatModel",
    "CutShort",
    "Embedder",
    "FetchFailed",
    "ModelMissing",
    "NotAllowed",
    "Offline",
    "Question",
    "Reply",
    "Schema",
    "ServerFailed",
    "TimedOut",
    "TooLong",
    "can_classify",
    "items_schema",
    "load_classifier",
    "load_embedder",
]


def load_embedder(name: str, cache: Path, model: str = "") -> Embedder:
    """Return the embedder `name` ("minilm", "ollama" or "hashing"); loaded once per process, later calls are free.

    `cache` is the cache folder that contains the weights. Raises `ModelMissing` if they are missing or this machine
    cannot run them, `ValueError` for another name. The server and model of `ollama` come from the settings, or from
    `model` if given; loading it raises `Offline`, `ModelMissing`, `NotAllowed` and other model errors, and must not be
    done in an event loop's thread, nor may it be used there.
    """
    if name == "ollama":
        from curator.config import settings
        from curator.models import ollama_embedder
        from curator.models.ollama import configured

        return ollama_embedder.load(configured(embedding=True), model or settings().embed.model)
    with _loading:
        return _load(name, cache)


def can_classify() -> bool:
    """Return True if classifiers are used: the built-in models are, and sound weights and onnxruntime are here."""
    from curator.config import settings
    from curator.models import weights
    from curator.paths import cache_folder

    if not (settings().classify.enabled and settings().embed.provider == "minilm"):
        return False
    if importlib.util.find_spec("onnxruntime") is None:
        return False
    if None in _classifiers.values() or weights.installed(weights.MPNET, cache_folder()) is None:
        return False
    return not weights.verification_error(weights.MPNET, cache_folder())


def load_classifier(name: str) -> "Classifier | None":
    """Return the classifier "pairs" or "sentences", loaded once per process; None where none can be used.

    There words and rules decide alone; imports and `curator doctor` say why.
    """
    if not can_classify():
        return None
    from curator.models import minilm, weights
    from curator.models.classifier import Classifier
    from curator.paths import cache_folder

    with _loading:
        if name not in _classifiers:
            try:
                _classifiers[name] = Classifier(*minilm.load_graph(f"{name}.onnx", weights.MPNET, cache_folder()))
            except ModelMissing:  # onnxruntime is here and does not work
                _classifiers[name] = None
        return _classifiers[name]


_classifiers: "dict[str, Classifier | None]" = {}
_loading = Lock()


@functools.cache
def _load(name: str, cache: Path) -> Embedder:
    if name == "hashing":
        from curator.models.hash_embedder import Hashing

        return Hashing()
    if name == "minilm":
        from curator.models import minilm

        return minilm.load(cache)
    raise ValueError(f"unknown embedder {name!r}; choose minilm, ollama or hashing")
