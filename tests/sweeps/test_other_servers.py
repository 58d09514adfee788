"""Sweeps with servers that speak the OpenAI protocol."""

from dataclasses import replace

import pytest
from scripted_sweeps import standing, stored, talk, texts

from curator.config import settings
from curator.llm.reply_parser import Item
from curator.models import items_schema
from curator.sweeps import Sweeper
from fake_ollama.rule_model import answer
from fake_ollama.scenario import Body, Model, Scenario
from fake_openai.desk import CHAT_PATH, LLAMA_CPP, LM_STUDIO, VLLM, Flavour, serving
from store import Store

REFUSED = {"response_format": "'response_format' is not supported by this engine"}


def from_prompt(body: Body) -> str:
    """Answer as a model that knows the format from the prompt only, with words around the JSON."""
    form = body.get("format") or items_schema({field: {} for field in Item.model_fields})
    return f"Sure!\n```json\n{answer({**body, 'format': form})}\n```"


@pytest.fixture(autouse=True)
def _distil_only(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EMBED", "COMPARE", "JUDGE", "WARMTH"):
        monkeypatch.setenv(f"CURATOR_SWEEP_{name}__ENABLED", "false")
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    stored(store, talk("bees", "I keep seven bees of a rare kind at home."))


@pytest.mark.parametrize(("flavour", "refuses"), [(LM_STUDIO, {}), (LLAMA_CPP, {}), (VLLM, {}), (VLLM, REFUSED)])
async def test_conversations_are_distilled(
    store: Store, monkeypatch: pytest.MonkeyPatch, flavour: Flavour, refuses: dict[str, str]
) -> None:
    scenario = Scenario(models=(Model("qwen3-4b"),), mind=from_prompt)
    with serving(scenario, replace(flavour, refuses=refuses)) as standin:
        monkeypatch.setenv("CURATOR_OLLAMA__HOST", f"{standin.host}/v1")
        monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "qwen3-4b")
        settings.cache_clear()
        sweeps = Sweeper(store, tick=0.01)
        await sweeps.work(once=True)
        assert (standing(sweeps, "distil").pending, standing(sweeps, "distil").failed) == (0, 0)
        assert len(standin.calls(CHAT_PATH)) == (2 if refuses else 1)
    assert texts(store) == ["I keep seven bees of a rare kind at home."]


async def test_a_server_that_is_not_there_is_waited_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as standin:
        monkeypatch.setenv("CURATOR_OLLAMA__HOST", f"{standin.host}/v1")
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "qwen3-4b")
    settings.cache_clear()
    sweeps = Sweeper(store, tick=0.01)
    await sweeps.work(once=True)
    status = standing(sweeps, "distil")
    assert (status.pending, status.failed) == (1, 0)
    assert "no model server answers" in status.problem
