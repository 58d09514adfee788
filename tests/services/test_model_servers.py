"""Discovery of model servers on this machine."""

from dataclasses import replace

import pytest

from curator.config import settings
from curator.services import model_servers
from curator.services.model_servers import chat_model_name, find_servers, running_servers, settings_for_host
from fake_ollama.scenario import Model, Scenario
from fake_openai.desk import LLAMA_CPP, VLLM, serving


async def test_only_this_machine_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Scenario(models=(Model("qwen3-4b"),)), LLAMA_CPP) as standin:
        here, elsewhere = f"{standin.host}/v1", f"{standin.host}/v1".replace("127.0.0.1", "0.0.0.0")
        monkeypatch.setattr(model_servers, "DEFAULT_ADDRESSES", (elsewhere,))
        monkeypatch.setenv("OLLAMA_HOST", "192.0.2.1")
        assert await running_servers() == [] and standin.requests == []
        monkeypatch.setattr(model_servers, "DEFAULT_ADDRESSES", (elsewhere, here, here))
        (found,) = await running_servers()
        assert (found.name, found.host, [model.name for model in found.models]) == ("llama.cpp", here, ["qwen3-4b"])
        assert await running_servers({here}) == []


async def test_only_the_server_in_the_settings_gets_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_MODEL_KEY", "pond-1")
    monkeypatch.setenv("OLLAMA_HOST", "192.0.2.1")
    with serving(Scenario(models=(Model("qwen3-4b"),)), replace(VLLM, key="pond-1")) as standin:
        monkeypatch.setattr(model_servers, "DEFAULT_ADDRESSES", (f"{standin.host}/v1",))
        assert await running_servers() == [] and standin.requests, "a probe brings no key"
        monkeypatch.setenv("CURATOR_OLLAMA__HOST", f"{standin.host.removeprefix('http://')}/v1/")
        settings.cache_clear()
        (found,), _ = await find_servers()
        assert found.name == "vLLM"


def test_a_model_is_named_as_its_server_writes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "qwen3")
    assert chat_model_name() == "qwen3:latest"
    monkeypatch.setenv("CURATOR_OLLAMA__HOST", "127.0.0.1:1234/v1")
    settings.cache_clear()
    assert chat_model_name() == "qwen3"


def test_a_chat_model_elsewhere_leaves_embeddings_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    former, studio = "http://127.0.0.1:11500", "http://127.0.0.1:1234/v1"
    monkeypatch.setenv("CURATOR_OLLAMA__HOST", former)
    assert settings_for_host(former) == {}
    assert settings_for_host(studio) == {"ollama.host": studio}
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "ollama")
    settings.cache_clear()
    assert settings_for_host(studio) == {"ollama.host": studio, "ollama.embed_host": former}
    assert settings_for_host("http://127.0.0.1:11434") == {"ollama.host": "", "ollama.embed_host": former}
    monkeypatch.setenv("CURATOR_OLLAMA__HOST", studio)
    settings.cache_clear()
    assert settings_for_host("http://127.0.0.1:11434") == {"ollama.host": ""}
    assert settings_for_host(former) == {"ollama.host": former, "ollama.embed_host": "http://127.0.0.1:11434"}
