"""Fit the embedder of prompts, and write its graph to curator/models/prompts.onnx.

python tests/bench/fit_prompts.py FOLDER       FOLDER holds the published weights; 5 minutes on two cores

Needs `pip install torch safetensors onnx`, which are not development dependencies. Fitted is a change of rank 16 of
each matrix of all-MiniLM-L6-v2 (LoRA: Hu et al., arXiv:2106.09685), its biases and LayerNorms. It embeds prompts; the
vectors of memories are those of the published weights, so none has to be recomputed. A prompt should be nearer to the
memories that its answer needs than to the others of the same person (softmax over cosines), and a cosine should by
itself tell whether a memory is needed (logistic regression); harmless memories count for neither. A fitted vector stays
near the one of the published weights.

The prompts are those of `needed.py`, except for the people held out, and the tuning half of
`tests/recall/task_prompts.jsonl`. On held-out people and task prompts, the average precision of cosines rose from .28
to .35, and from .26 to .36; with the prompts of half as many people to .30 and .33.

A classifier of the same size that reads the prompt and a memory together found no more of the needed ones than this
(.35 against .39 with one needless memory per prompt), and takes 1 to 2 ms for each memory. One five times as large
(mpnet, one round) and the cosine together found .48 against .43 with 1.4 needless memories, for 3 ms each: too slow for
every prompt. Fitting to ten more people moved blocks along the same curve (.45 of what is needed with 1.6 needless
memories, .46 with 1.7), and two more safety facts were missing from task prompts.
"""

import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812, its usual name
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), *(str(TESTS / folder) for folder in ("bench", "conflicts", "distill"))]

from fit_classifiers import unchanged  # noqa: E402
from models.make_classifier_graph import SCALE, build_prompts  # noqa: E402
from models.make_graph import MINILM  # noqa: E402
from needed import people  # noqa: E402

GRAPH = TESTS.parent / "curator" / "models" / "prompts.onnx"
BATCH, EPOCHS, RATE, DROPOUT = 16, 4.0, 7e-4, 0.1
SHARPNESS, NEEDED, ALIKE = 20.0, 4.0, 0.3
"""Factor of cosines in the softmax; weight of a needed memory against another; weight of staying near the original."""
_ATTENTION = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")
MATRICES = (*_ATTENTION, "intermediate.dense", "output.dense")
NORMS = ("attention.output.LayerNorm", "output.LayerNorm")


@dataclass(frozen=True, slots=True)
class Example:
    """A prompt with the memories of its person; label 1 is needed, 0 is not, -1 is ignored."""

    prompt: str
    memories: tuple[str, ...]
    labels: tuple[int, ...]


def training_examples() -> Iterator[Example]:
    """Yield the training prompts."""
    for person in people(held_out=False):
        texts = tuple(text for text, _ in person.memories.values())
        for prompt in person.prompts:
            labels = ((one in prompt.needed) - (one in prompt.harmless - prompt.needed) for one in person.memories)
            yield Example(prompt.text, texts, tuple(labels))
    rows = [json.loads(line) for line in (TESTS / "recall" / "task_prompts.jsonl").read_text("utf-8").splitlines()]
    for name in ("nora", "marek", "ruth"):
        lines = (TESTS / "recall" / "people" / f"{name}.jsonl").read_text("utf-8").splitlines()
        known = {row["id"]: row.get("text") or max(row["quotes"], key=len) for row in map(json.loads, lines)}
        for row in rows:
            if (row["person"], row["half"]) == (name, "tune"):
                must = {one for entry in row["must"] for one in entry["any"]}
                labels = ((one in must) - (one in row["may"] and one not in must) for one in known)
                yield Example(row["prompt"], tuple(known.values()), tuple(labels))


class Adapted(nn.Module):  # type: ignore[misc, unused-ignore]  # torch is not installed everywhere
    """The encoder, with the change for prompts if `changed`. `fitted` has the names of `AdaptedGraph`."""

    def __init__(self, folder: Path, changed: bool) -> None:
        super().__init__()
        self.frozen = {name: value.float() for name, value in load_file(folder / "model.safetensors").items()}
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(96)
        fitted = unchanged(self.frozen, MINILM.layers if changed else 0, MATRICES, NORMS)
        self.fitted = {name: nn.Parameter(value) for name, value in fitted.items()}
        for name, value in self.fitted.items():
            self.register_parameter(name.replace(".", "_"), value)

    def product(self, x: torch.Tensor, name: str) -> torch.Tensor:
        """Return the product with a matrix, and with its change if there is one."""
        weight = self.frozen[f"{name}.weight"]
        if f"{name}.A" not in self.fitted:
            return F.linear(x, weight, self.frozen[f"{name}.bias"])
        changed = F.linear(F.linear(x, self.fitted[f"{name}.A"]), self.fitted[f"{name}.B"])
        return F.linear(x, weight, self.fitted[f"{name}.bias"]) + SCALE * changed

    def norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        """Return the LayerNorm of x."""
        table = self.fitted if f"{name}.weight" in self.fitted else self.frozen
        return F.layer_norm(x, (MINILM.width,), table[f"{name}.weight"], table[f"{name}.bias"], MINILM.epsilon)

    def drop(self, x: torch.Tensor) -> torch.Tensor:
        """Return x with some features dropped during fitting."""
        return F.dropout(x, DROPOUT, self.training)

    def forward(self, texts: list[str]) -> torch.Tensor:
        """Return the vectors of texts, normalised to length 1."""
        found = self._tokenizer.encode_batch(texts)
        shape = (len(found), max(len(one.ids) for one in found))
        ids, mask = torch.zeros(shape, dtype=torch.long), torch.zeros(shape)
        for row, one in enumerate(found):
            ids[row, : len(one.ids)], mask[row, : len(one.ids)] = torch.tensor(one.ids), 1
        words, places, segments = (
            self.frozen[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        x = self.norm(words[ids] + places[: shape[1]] + segments[0], "embeddings.LayerNorm")
        absent = (mask[:, None, None, :] - 1) * 1e9
        for layer in range(MINILM.layers):
            name = f"encoder.layer.{layer}"
            q, k, v = (
                self.product(x, f"{name}.attention.self.{part}").view(*shape, MINILM.heads, -1).transpose(1, 2)
                for part in ("query", "key", "value")
            )
            seen = F.scaled_dot_product_attention(q, k, v, attn_mask=absent.to(q.dtype)).transpose(1, 2).flatten(2)
            x = self.norm(x + self.drop(self.product(seen, f"{name}.attention.output.dense")), f"{name}.{NORMS[0]}")
            inner = F.gelu(self.product(x, f"{name}.intermediate.dense"))
            x = self.norm(x + self.drop(self.product(inner, f"{name}.output.dense")), f"{name}.{NORMS[1]}")
        return F.normalize((x * mask[:, :, None]).sum(1).float(), dim=1)


def loss_of(one: Example, vector: torch.Tensor, memories: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Return the loss of a prompt; `scale` holds slope and midpoint of the logistic regression."""
    cosines = memories @ vector
    labels = torch.tensor(one.labels)
    needed, counts = (labels == 1).float(), (labels >= 0).float()
    odds = scale[0] * (cosines - scale[1])
    weight = counts * (1 + (NEEDED - 1) * needed)
    loss = 0.075 * F.binary_cross_entropy_with_logits(odds, needed, weight=weight, reduction="sum")
    if needed.any():
        shares = torch.log_softmax((SHARPNESS * cosines).masked_fill(counts == 0, -1e9), 0)
        loss = loss - shares[labels == 1].mean()
    return loss


def main() -> None:
    """Fit the embedder and write the graph."""
    folder, chance = Path(sys.argv[1]), random.Random(0)
    torch.manual_seed(0)
    known, plain, model = list(training_examples()), Adapted(folder, False).eval(), Adapted(folder, True)
    with torch.no_grad():
        memories = {texts: plain(list(texts)) for texts in {one.memories for one in known}}
        former = {one.prompt: plain([one.prompt])[0] for one in known}
    scale = nn.Parameter(torch.tensor([12.0, 0.6]))
    optimizer = torch.optim.AdamW([*model.parameters(), scale], lr=RATE, weight_decay=0.01)
    steps, step = int(EPOCHS * len(known) / BATCH), 0
    while step < steps:
        chance.shuffle(known)
        for at in range(0, len(known), BATCH):
            batch = known[at : at + BATCH]
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1.0, step / 30) * max(0.02, 1 - step / steps)
            with torch.autocast("cpu", torch.bfloat16):
                vectors = model([one.prompt for one in batch]).float()
            losses = [loss_of(one, row, memories[one.memories], scale) for one, row in zip(batch, vectors, strict=True)]
            apart = 1 - (vectors * torch.stack([former[one.prompt] for one in batch])).sum(1)
            (torch.stack(losses) + ALIKE * apart).mean().backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            if step % 100 == 0:
                print(f"{step} of {steps} steps", flush=True)
            if step == steps:
                break
    adapter = {name: value.detach().numpy().astype(np.float32) for name, value in model.fitted.items()}
    GRAPH.write_bytes(build_prompts(folder / "model.safetensors", adapter))


if __name__ == "__main__":
    main()
