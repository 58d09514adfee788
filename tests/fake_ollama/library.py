"""Model management: /api/tags, /api/show, /api/ps, and /api/pull."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fake_ollama.chat import NOW, Refused
from fake_ollama.http import Answer, as_json, as_lines
from fake_ollama.scenario import Body, Model, Scenario, with_tag


@dataclass(slots=True)
class ModelRegistry:
    """The models of a server: installed, in memory (with their num_ctx), and partly pulled."""

    installed: dict[str, Model]
    loaded: dict[str, int] = field(default_factory=dict)
    pulled: dict[str, int] = field(default_factory=dict)  # bytes of each layer

    def find(self, name: Any) -> Model:
        """Return the model with a name. Raises Refused."""
        if not isinstance(name, str) or not name or name.count(":") > 1 or " " in name:
            raise Refused(400, "model is required" if not name else "invalid model name")
        if (model := self.installed.get(with_tag(name))) is None:
            raise Refused(404, f"model '{name}' not found")
        return model


def tags(registry: ModelRegistry) -> Answer:
    """Answer with the installed models."""
    return as_json({"models": [{**_named(model), "modified_at": NOW} for model in registry.installed.values()]})


def running(registry: ModelRegistry) -> Answer:
    """Answer with the models in memory."""
    found = [(registry.installed[name], context) for name, context in registry.loaded.items()]
    more = {"expires_at": NOW, "size_vram": 0}
    return as_json({"models": [{**_named(model), "context_length": context, **more} for model, context in found]})


def show(registry: ModelRegistry, body: Body) -> Answer:
    """Answer with the details of one model. Raises Refused."""
    model = registry.find(body.get("model") or body.get("name"))
    return as_json(
        {
            "modelfile": f"FROM {model.full_name}",
            "parameters": 'temperature                    0.7\nstop                           "<|im_end|>"',
            "template": "{{ .Prompt }}",
            "details": _details(model),
            "model_info": {
                "general.architecture": model.family,
                "general.parameter_count": 4_022_468_096,
                f"{model.family}.context_length": model.context,
                f"{model.family}.embedding_length": model.dimension,
            },
            "capabilities": sorted(model.capabilities),
            "modified_at": NOW,
            **_remote(model),
        }
    )


def _named(model: Model) -> dict[str, Any]:
    name = model.full_name
    return {
        "name": name,
        "model": name,
        "size": model.size,
        "digest": model.digest,
        "details": _details(model),
        **_remote(model),
    }


def _details(model: Model) -> dict[str, Any]:
    return {
        "parent_model": "",
        "format": "gguf",
        "family": model.family,
        "families": [model.family],
        "parameter_size": model.parameters,
        "quantization_level": model.quantization,
    }


def _remote(model: Model) -> dict[str, str]:
    if not model.remote_host:
        return {}
    return {"remote_host": model.remote_host, "remote_model": model.name.removesuffix("-cloud")}


def pull(scenario: Scenario, registry: ModelRegistry, body: Body) -> Answer:
    """Answer with the progress of pulling a model; a second call continues where the first stopped. Raises Refused."""
    name = body.get("model") or body.get("name")
    if not isinstance(name, str) or not name:
        raise Refused(400, "invalid model name")
    model = next((model for model in scenario.library if model.full_name == with_tag(name)), None)
    model = model or registry.installed.get(with_tag(name))
    streamed = body.get("stream", True)
    if model is None:
        error = {"error": "pull model manifest: file does not exist"}
        return as_lines([{"status": "pulling manifest"}, error]) if streamed else as_json(error, 500)
    steps = list(_steps(scenario, registry, model))

    def reached(number: int) -> None:
        """Record the progress that the line reports."""
        line = steps[number]
        if "digest" in line:
            registry.pulled[line["digest"]] = line.get("completed", 0)
        if line["status"] == "success":
            registry.installed[model.full_name] = model

    if not streamed:
        registry.installed[model.full_name] = model
        return as_json({"status": "success"})
    return replace(as_lines(steps, scenario.first_byte, scenario.pace), begun=reached)


def _steps(scenario: Scenario, registry: ModelRegistry, model: Model) -> Iterator[Mapping[str, Any]]:
    yield {"status": "pulling manifest"}
    for number, size in enumerate((model.size, 11_357, 487)):
        digest = f"sha256:{model.digest[number:]}{model.digest[:number]}"
        layer = {"status": f"pulling {digest[7:19]}", "digest": digest, "total": size}
        done = registry.pulled.get(digest, 0)
        if not done:
            yield layer  # the first line of a layer does not report progress
        for step in range(1, scenario.layer_steps + 1):
            if (reached := size * step // scenario.layer_steps) > done or reached == size:
                yield {**layer, "completed": reached}
    for status in ("verifying sha256 digest", "writing manifest", "removing any unused layers", "success"):
        yield {"status": status}
