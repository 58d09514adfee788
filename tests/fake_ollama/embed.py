"""/api/embed: vectors made from the words of a text; texts that share words get vectors near each other."""

from __future__ import annotations

import re
from hashlib import blake2b
from math import sqrt

from fake_ollama.chat import Refused, context_of, tokens
from fake_ollama.faults import Fault, What
from fake_ollama.http import Answer, as_json
from fake_ollama.scenario import Body, Model, Overlong, Scenario

_PLACES = 8  # dimensions that each word changes


def vector(model: Model, text: str) -> list[float]:
    """Return a normalised vector with the model's dimension."""
    found = [0.0] * model.dimension
    for word in [model.full_name, *re.findall(r"\w+|[^\w\s]", text.lower())]:
        digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=3 * _PLACES).digest()
        for place in range(0, 3 * _PLACES, 3):
            found[int.from_bytes(digest[place : place + 2]) % model.dimension] += 1 if digest[place + 2] & 1 else -1
    return _normalised(found)


def _normalised(found: list[float]) -> list[float]:
    size = sqrt(sum(value * value for value in found)) or 1.0
    return [value / size for value in found]


def answer(scenario: Scenario, model: Model, body: Body, fault: Fault | None, loading: float) -> Answer:
    """Return the vectors of the inputs, in order. Raises Refused."""
    if "embedding" not in model.capabilities:
        raise Refused(501, "this model does not support embeddings")
    given = body.get("input")
    texts = [given] if isinstance(given, str) and given else [] if isinstance(given, str) or not given else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise Refused(400, "invalid input type")
    if "" in texts:
        raise Refused(400, "input content cannot be empty")
    room = context_of(model, {"options": {"num_ctx": model.context, **(body.get("options") or {})}})
    refuses = body.get("truncate") is False and model.overlong is not Overlong.DEAF
    if refuses and any(tokens(text) > room for text in texts):
        raise Refused(400, "the input length exceeds the context length")
    if fault and fault.what is What.NAN:
        raise Refused(500, "embedding contains NaN or Inf values")
    vectors = [vector(model, text[: room * 4]) for text in texts]
    if wanted := body.get("dimensions"):
        vectors = [_normalised(found[:wanted]) if wanted < len(found) else found for found in vectors]
    if fault and fault.what is What.WRONG_COUNT:
        vectors = vectors[:-1]
    answered = as_json(
        {
            "model": body["model"],
            "embeddings": vectors,
            "total_duration": int((loading + scenario.first_byte) * 1e9) + 10_000_000,
            "load_duration": int(loading * 1e9) + 1_000_000,
            **({"prompt_eval_count": sum(map(tokens, texts))} if texts else {}),
        }
    )
    return Answer(answered.lines, first=scenario.first_byte)
