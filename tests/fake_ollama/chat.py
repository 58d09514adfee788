"""/api/chat: check the request, fit its prompt into the context, split the reply into tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from fake_ollama.faults import OF_THE_REPLY, Fault, What
from fake_ollama.http import Answer, as_json, as_lines
from fake_ollama.replies import instance, spoiled
from fake_ollama.scenario import Body, Model, Overlong, Said, Scenario, Script, Words

DEFAULT_CONTEXT = 4096
NOW = "2026-01-01T00:00:00.000000Z"
_TYPES = {"object", "array", "string", "integer", "number", "boolean", "null"}
_WORD = re.compile(r"[^\W\u2e80-\U0010ffff]+")  # counts as one token at least
_WIDE = "\u2e7f"  # each later letter is a token of its own
_TOKEN = 4  # characters per token in alphabetic scripts


class Refused(Exception):
    """A request that the server rejects with an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def tokens(text: str) -> int:
    """Count the tokens of a text."""
    wide = sum(1 for letter in text if letter > _WIDE)
    return wide + max(-(-(len(text) - wide) // _TOKEN), len(_WORD.findall(text)))


def check(model: Model, body: Body) -> None:
    """Raise Refused if the model or the server cannot handle the request."""
    if "completion" not in model.capabilities:
        raise Refused(400, f'"{body["model"]}" does not support chat')
    if body.get("think") and "thinking" not in model.capabilities:
        raise Refused(400, f'"{body["model"]}" does not support thinking')
    form = body.get("format")
    if isinstance(form, str) and form not in ("", "json"):
        raise Refused(500, f'invalid format: "{form}"; expected "json" or a valid JSON Schema object')
    if isinstance(form, Mapping) and not _compiles(form):
        raise Refused(500, "failed to parse grammar")
    if form is not None and not isinstance(form, (str, Mapping)):
        raise Refused(500, f'invalid format: {json.dumps(form)}; expected "json" or a valid JSON Schema object')


def _compiles(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    kinds = schema.get("type", "object")
    parts = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return all(kind in _TYPES for kind in ([kinds] if isinstance(kinds, str) else kinds)) and all(map(_compiles, parts))


def context_of(model: Model, body: Body) -> int:
    """Return the size of the context, in tokens."""
    return min(int((body.get("options") or {}).get("num_ctx", DEFAULT_CONTEXT)), model.context)


def fitted(model: Model, body: Body) -> tuple[Body, int]:
    """Return the request as truncated for the model, and the number of its prompt's tokens. Raises Refused."""
    room = context_of(model, body)
    messages = [dict(message) for message in body.get("messages") or ()]

    def size() -> int:
        return sum(tokens(message.get("content", "")) + 4 for message in messages)

    if size() > room and body.get("truncate") is False and model.overlong is not Overlong.DEAF:
        raise Refused(400, "the input length exceeds the context length")
    while size() > room:
        old = next((n for n, message in enumerate(messages[:-1]) if message.get("role") != "system"), None)
        if old is None:
            break
        del messages[old]
    if size() > room:
        if model.overlong is Overlong.REFUSE:
            raise Refused(400, "the input length exceeds the context length")
        text, half = messages[-1]["content"], max(1, room // 4) * _TOKEN
        messages[-1]["content"] = text[: half // 2] + text[-(half // 2) :]
    return {**body, "messages": messages}, size()


def answer(scenario: Scenario, model: Model, body: Body, fault: Fault | None, loading: float) -> Answer:
    """Return the model's answer; `loading` is the seconds that loading took. Raises Refused."""
    named = {"model": body["model"], "created_at": NOW}
    streamed = body.get("stream", True)
    if not body.get("messages"):
        reason: str | None = "unload" if body.get("keep_alive") in (0, "0", "0s") else "load"
        empty = {**named, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": reason}
        return as_lines([empty]) if streamed else as_json(empty)
    seen, counted = fitted(model, body)
    said = _said(scenario, model, seen)
    what = fault.what if fault and fault.what in OF_THE_REPLY else None
    text, thinking = said.text, said.thinking
    reason = said.reason
    if what:
        text = spoiled(what, text, body.get("format"))
        thinking = thinking or "Okay, let me think about it. " * 20 if what is What.THINKING_ONLY else thinking
    limit = int((body.get("options") or {}).get("num_predict", -1))
    room = context_of(model, body) - counted
    most = max(1, room if limit < 0 else min(limit, room))
    if what is What.CUT_SHORT:
        text += " \n" * min(2 * most, 2000)
        most, reason = min(most, 500), "length"
    thoughts, words = _cut(thinking), _cut(text)
    if len(thoughts) + len(words) > most:
        thoughts = thoughts[:most]
        words, reason = words[: most - len(thoughts)], "length"
    made = [{"role": "assistant", "content": "", "thinking": piece} for piece in thoughts]
    made += [{"role": "assistant", "content": piece} for piece in words]
    last = {
        "done": True,
        "done_reason": reason,
        **_metrics(scenario, loading, counted, len(made)),
    }
    whole = reason is not None and not (fault and fault.what is What.NO_END)
    if streamed:
        lines = [{**named, "message": message, "done": False} for message in made]
        if whole:
            lines.append({**named, "message": {"role": "assistant", "content": ""}, **last})
        return as_lines(lines, scenario.first_byte, scenario.pace)
    kept = {"role": "assistant", "content": "".join(words), **({"thinking": "".join(thoughts)} if thoughts else {})}
    answered = as_json({**named, "message": kept, **(last if whole else {"done": False})})
    return Answer(answered.lines, first=scenario.first_byte + scenario.pace * len(made))


def _said(scenario: Scenario, model: Model, body: Body) -> Said:
    form, think = body.get("format"), body.get("think")
    script = next((script for script in scenario.scripts if script.fits(body)), None)
    words: Words | None = None
    if script:
        words = _words(script, body)
    elif scenario.mind:
        words = scenario.mind(body)
    if words is None and form:
        schema = form if isinstance(form, Mapping) else {}
        words = json.dumps(instance(schema, json.dumps(body["messages"], sort_keys=True)), ensure_ascii=False)
        if model.ignores_format and think is False:
            words = f"```json\n{words}\n```"
    if words is None:
        words = "Hello! How can I help you today?"
    if isinstance(words, Mapping):
        words = json.dumps(words, ensure_ascii=False)
    said = words if isinstance(words, Said) else Said(words)
    if not said.thinking and think is not False and "thinking" in model.capabilities:
        return Said(said.text, "Okay, let me see what is asked for.", said.reason)
    return said


def _words(script: Script, body: Body) -> Words:
    return script.say(body) if callable(script.say) else script.say


def _cut(text: str) -> Sequence[str]:
    """Split a reply into as many pieces as `tokens` counts, regardless of word boundaries."""
    cut: list[str] = []
    for letter in text:
        if letter > _WIDE or not cut or len(cut[-1]) == _TOKEN or cut[-1] > _WIDE:
            cut.append(letter)
        else:
            cut[-1] += letter
    return cut


def _metrics(scenario: Scenario, loading: float, prompt: int, made: int) -> dict[str, int]:
    """Return durations in nanoseconds, and the counts; like the server, leave out counts of 0."""
    load, read = int(loading * 1e9) + 40_000_000, int(scenario.first_byte * 1e9) + prompt * 1_000_000
    wrote = int(made * max(scenario.pace, 0.01) * 1e9)
    counts = {"prompt_eval_count": prompt, "eval_count": made}
    return {
        "total_duration": load + read + wrote,
        "load_duration": load,
        "prompt_eval_duration": read,
        "eval_duration": wrote,
        **{name: count for name, count in counts.items() if count},
    }
