"""`curator models`: installed models and their use, importing them, trying them, choosing one."""

import io
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from curator.cli.progress import ProgressLines
from curator.config import settings
from curator.models.ollama import Installed
from curator.services import model_servers
from curator.services.model_probe import Fitness, fitness, is_too_old
from effort import thorough
from fake_ollama.faults import Fault, What
from fake_ollama.scenario import CHAT, CLOUD, EMBEDDER, Model, Scenario, Script
from fake_ollama.server import Server, serving
from fake_openai.desk import serving as serving_openai

Curator = Callable[..., Any]
TINY = Model("qwen3:0.6b", parameters="751.63M", size=522_000_000)
LARGE = Model("qwen3:32b", parameters="32.8B", size=20_000_000_000)


@pytest.fixture
def standin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("CURATOR_OLLAMA__HOST", "")
    monkeypatch.setattr(model_servers, "DEFAULT_ADDRESSES", ())  # addresses where a developer's own server may run
    with serving(Scenario(models=(CHAT, TINY, LARGE, EMBEDDER, CLOUD), library=(Model("llama3.2:3b"),))) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.host.removeprefix("http://"))
        yield server


def test_the_list_says_what_each_is_fit_for(curator: Curator, standin: Server) -> None:
    ran = curator("models")
    assert ran.code == 0
    place, heads, *lines = ran.out.splitlines()
    assert place == f"Ollama at {standin.host}"
    assert heads.split("  ")[0] == "name" and heads.endswith("good for")
    said = {line.split()[0]: line for line in lines}
    assert "2.5 GB" in said["qwen3:4b"] and "4.0B" in said["qwen3:4b"] and "40,960" in said["qwen3:4b"]
    assert said["qwen3:4b"].endswith("distil, score, judge, merge")
    assert said["qwen3:0.6b"].endswith("merge (weak)")
    assert said["qwen3:32b"].endswith("merge (slow)")
    assert said["nomic-embed-text:latest"].endswith("embed")
    assert "would leave this machine" in said["gpt-oss:120b-cloud"]
    assert "curator models use NAME" in lines[-1]


def test_the_list_as_json(curator: Curator, standin: Server) -> None:
    assert curator("models", "list", "--json").out == curator("models", "--json").out
    rows = {row["name"]: row for row in curator("models", "--json").rows}
    assert rows["qwen3:4b"] == {
        "name": "qwen3:4b",
        "host": standin.host,
        "server": "Ollama",
        "digest": CHAT.digest,
        "size": CHAT.size,
        "parameters": "4.0B",
        "quantization": "Q4_K_M",
        "context": 40_960,
        "dimension": 2560,
        "capabilities": ["completion", "thinking", "tools"],
        "cloud": False,
        "in_use": [],
        "fit": {"distil": "good", "score": "good", "judge": "good", "merge": "good"},
    }
    assert rows["gpt-oss:120b-cloud"]["cloud"] is True
    assert rows["nomic-embed-text:latest"]["fit"] == {"embed": "good"}


@thorough
def test_a_model_is_chosen_and_shown_as_in_use(
    curator: Curator, standin: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = curator("models", "use", "qwen3:4b")
    assert used.code == 0 and "`curator work` distils" in used.out and "in the background" in used.out
    assert settings().ollama.model == "qwen3:4b"
    used = curator("models", "use", "nomic-embed-text")
    assert "embed.provider = ollama" in used.out
    assert "CURATOR_EMBED__PROVIDER overrides this" in used.err
    monkeypatch.delenv("CURATOR_EMBED__PROVIDER")
    settings.cache_clear()
    assert settings().embed.provider == "ollama"
    assert settings().embed.model == "nomic-embed-text:latest"
    rows = {row["name"]: row["in_use"] for row in curator("models", "--json").rows}
    assert rows["qwen3:4b"] == ["chat"] and rows["nomic-embed-text:latest"] == ["embed"]
    assert "use NAME" not in curator("models").out


def test_only_what_is_there_and_stays_here_can_be_chosen(curator: Curator, standin: Server) -> None:
    for name, word in (("gone:1b", "curator models pull gone:1b"), (CLOUD.name, "allow_cloud")):
        ran = curator("models", "use", name)
        assert ran.code == 4 and word in ran.err
    assert settings().ollama.model == ""


def test_without_a_server_it_is_said_what_to_do(curator: Curator, standin: Server) -> None:
    standin.stop()
    for words in (("models",), ("models", "list", "--json"), ("models", "pull", "qwen3:4b"), ("models", "probe")):
        ran = curator(*words)
        assert ran.code == 4
        assert "ollama serve" in ran.err


def test_without_models_it_is_said_what_to_do(
    curator: Curator, standin: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(Scenario(models=())) as empty:
        monkeypatch.setenv("OLLAMA_HOST", empty.host)
        ran = curator("models")
    assert ran.code == 4 and ran.out == f"Ollama at {empty.host}, without models\n"
    assert "curator models pull" in ran.err


def test_another_machine_is_not_asked(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "192.0.2.1")
    ran = curator("models")
    assert ran.code == 4 and "ollama.allow_host http://192.0.2.1:11434" in ran.err


@thorough
def test_vectors_may_come_from_another_server(
    curator: Curator, standin: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(Scenario(models=(replace(EMBEDDER, name="bge-m3"),))) as other:
        monkeypatch.setenv("CURATOR_OLLAMA__EMBED_HOST", other.host)
        out = curator("models").out
        assert out.index(standin.host) < out.index("qwen3:4b") < out.index(other.host) < out.index("bge-m3")
        assert "embed.model = bge-m3:latest" in curator("models", "use", "bge-m3").out


@thorough
def test_an_embedding_model_is_used_at_its_own_server(
    curator: Curator, standin: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(Scenario(models=(CHAT,))) as other:
        monkeypatch.setenv("CURATOR_OLLAMA__HOST", other.host)
        settings.cache_clear()
        used = curator("models", "use", "nomic-embed-text")
        assert "embed.model = nomic-embed-text:latest" in used.out and f"embed_host = {standin.host}" in used.out
        assert "embed_host" not in curator("models", "use", "nomic-embed-text").out


@thorough
def test_of_two_servers_one_may_be_gone(curator: Curator, standin: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Scenario(models=(EMBEDDER,))) as other:
        monkeypatch.setenv("CURATOR_OLLAMA__EMBED_HOST", other.host)
    ran = curator("models")
    assert ran.code == 0
    assert standin.host in ran.out and "qwen3:4b" in ran.out and other.host not in ran.out
    assert other.host in ran.err and "ollama serve" in ran.err
    assert any(row["name"] == "qwen3:4b" for row in curator("models", "--json").rows)
    ran = curator("models", "use", "qwen3:4b")
    assert (ran.code, settings().ollama.model) == (0, "qwen3:4b")
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "ollama")
    settings.cache_clear()
    ran = curator("models", "probe", "qwen3:4b")
    assert ran.code == 0 and "follows the schema" in ran.out and other.host in ran.err
    monkeypatch.setenv("CURATOR_OLLAMA__EMBED_HOST", "192.0.2.1")
    settings.cache_clear()
    ran = curator("models")
    assert ran.code == 0 and "qwen3:4b" in ran.out and "ollama.allow_host http://192.0.2.1:11434" in ran.err
    assert curator("models", "use", "gemma3:4b").code == 4
    monkeypatch.setenv("CURATOR_OLLAMA__EMBED_HOST", other.host)
    settings.cache_clear()
    standin.stop()
    ran = curator("models")
    assert (ran.code, ran.out) == (4, "") and standin.host in ran.err and other.host in ran.err


def test_a_model_is_pulled(curator: Curator, standin: Server) -> None:
    ran = curator("models", "pull", "llama3.2:3b")
    assert (ran.code, ran.err) == (0, "")
    assert "curator models use llama3.2:3b" in ran.out
    assert any(row["name"] == "llama3.2:3b" for row in curator("models", "--json").rows)


def test_a_pull_that_fails_is_an_error(curator: Curator, standin: Server) -> None:
    assert "no model willow:1b" in curator("models", "pull", "willow:1b").err
    standin.change(
        Scenario(library=(Model("llama3.2:3b"),), faults=(Fault(What.ERROR_LINE, path="/api/pull", at=400),))
    )
    ran = curator("models", "pull", "llama3.2:3b")
    assert ran.code == 4 and "could not be pulled" in ran.err and ran.out == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_a_pull_shows_how_far_it_is(
    curator: Curator, standin: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProgressLines, "every", 0)
    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert curator("models", "pull", "llama3.2:3b").code == 0
    drawn = screen.getvalue()
    assert "llama3.2:3b" in drawn and re.search(r" 50%.*1\.2 GB of 2\.5 GB", drawn), drawn
    assert drawn.endswith("\x1b[2K\x1b[?25h") or "\x1b[2K" in drawn[-40:], "the line is gone at the end"


def test_a_probe_says_what_works(curator: Curator, standin: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "ollama")
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "qwen3:4b")
    ran = curator("models", "probe")
    assert (ran.code, ran.err) == (0, "")
    assert f"Ollama 0.33.0 answers at {standin.host}" in ran.out
    assert "qwen3:4b: answers, follows the schema" in ran.out and "tokens per second" in ran.out
    assert "nomic-embed-text:latest: answers, vectors of 768 dimensions" in ran.out
    (row,) = curator("models", "probe", "--json").rows
    assert row["works"] and row["chat"]["obeyed"] and row["embedding"]["dimension"] == 768


def test_a_probe_says_what_does_not(curator: Curator, standin: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    standin.change(replace(Scenario(), version="0.20.0", scripts=(Script("heron", "```json\n{}\n```"),)))
    ran = curator("models", "probe", "qwen3:4b")
    assert ran.code == 0
    assert "NOT follow the schema" in ran.out
    assert "0.21.1" in ran.err and "useless" in ran.err
    standin.change(Scenario(faults=(Fault(What.CRASH),)))
    ran = curator("models", "probe", "qwen3:4b")
    assert ran.code == 4 and "unexpectedly stopped" in ran.err and "no model available" in ran.err
    (row,) = curator("models", "probe", "qwen3:4b", "--json").rows
    assert row["works"] is False and len(row["problems"]) == 1


def test_a_probe_without_a_model_says_how_to_choose(curator: Curator, standin: Server) -> None:
    ran = curator("models", "probe")
    assert ran.code == 4 and "curator models use NAME" in ran.err


@thorough
def test_servers_of_other_programs_are_found_shown_and_chosen(
    curator: Curator, standin: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CURATOR_OLLAMA__HOST")
    settings.cache_clear()
    with serving_openai(Scenario(models=(Model("qwen3-8b"), Model("text-embedding-e5")))) as studio:
        monkeypatch.setattr(model_servers, "DEFAULT_ADDRESSES", (f"{studio.host}/v1", "http://127.0.0.1:9/v1"))
        ran = curator("models")
        assert (ran.code, ran.err) == (0, "")
        said = ran.out.splitlines()
        place = said.index(f"LM Studio at {studio.host}/v1")
        assert said.index(f"Ollama at {standin.host}") < place
        row, vectors = said[place + 2 : place + 4]
        assert "8B" in row and row.endswith("distil, score, judge, merge") and "chat" not in row
        assert vectors.endswith("nothing here")
        used = curator("models", "use", "qwen3-8b")
        assert used.code == 0 and settings().ollama.model == "qwen3-8b"
        assert settings().ollama.host == f"{studio.host}/v1"
        rows = {row["name"]: row for row in curator("models", "--json").rows}
        assert (rows["qwen3-8b"]["server"], rows["qwen3-8b"]["in_use"]) == ("LM Studio", ["chat"])
        assert rows["qwen3:4b"]["in_use"] == []
        ran = curator("models", "probe")
        assert (ran.code, ran.err) == (0, "")
        assert (
            f"LM Studio answers at {studio.host}/v1" in ran.out and "qwen3-8b: answers, follows the schema" in ran.out
        )
        assert curator("models", "use", "text-embedding-e5").code == 4
        with monkeypatch.context() as alone:
            alone.setenv("OLLAMA_HOST", "127.0.0.1:9")
            ran = curator("models", "use", "gone-1b")
        assert ran.code == 4 and "load it there" in ran.err and "pull" not in ran.err
        assert not any("content" in str(call.body) for call in standin.requests), "nothing else was sent there"
        assert curator("models", "use", "qwen3:4b").code == 0
        assert (settings().ollama.host, settings().ollama.model) == ("", "qwen3:4b")
        curator("config", "ollama.model=")
        standin.stop()
        ran = curator("models")
        assert (ran.code, ran.err) == (0, "") and "qwen3-8b" in ran.out, "nobody chose Ollama"
    assert curator("models", "use", "qwen3-8b").code == 4
    ran = curator("models")
    assert ran.code == 4 and "ollama serve" in ran.err and "LM Studio" in ran.err


@pytest.mark.parametrize(
    ("parameters", "context", "level"),
    [
        ("1.7B", 32_000, Fitness.WEAK),
        ("3.1B", 32_000, Fitness.GOOD),
        ("9.2B", 8192, Fitness.GOOD),
        ("14.8B", 32_000, Fitness.SLOW),
        ("8x7B", 32_000, Fitness.SLOW),
        ("8B", 2048, Fitness.WEAK),
        ("8B", None, Fitness.GOOD),
        ("", 32_000, Fitness.UNKNOWN),
    ],
)
def test_fitness_goes_by_parameters_and_context(parameters: str, context: int | None, level: Fitness) -> None:
    model = Installed("m", "", 0, parameters, "", "", frozenset({"completion"}), context, None, False)
    assert set(fitness(model).values()) == {level}


def test_versions_are_compared_by_number() -> None:
    assert is_too_old("0.9.10") and is_too_old("0.21.0") and is_too_old("0.21.0-rc1")
    assert not any(map(is_too_old, ("0.21.1", "0.33", "1.0.0", "dev", "")))


def test_help_is_quick(curator: Curator) -> None:
    begun = time.monotonic()
    assert "pull" in curator("models", "--help").out
    assert time.monotonic() - begun < 0.5
