"""Fit the classifiers of pairs and of sentences, and write their graphs to curator/models/.

python tests/bench/fit_classifiers.py pairs FOLDER           FOLDER holds the published weights; 15 minutes on a core
python tests/bench/fit_classifiers.py lives FOLDER           go on with that of pairs, on memories of lives; 5 minutes
python tests/bench/fit_classifiers.py sentences FOLDER       fit that of sentences; 15 minutes
python tests/bench/fit_classifiers.py typed FOLDER           go on with it, with those typed in a hurry; 10 minutes

Needs `pip install torch safetensors onnx`, which are no development dependencies. Fitted are a change of rank 16 of
each matrix of all-MiniLM-L6-v2 (LoRA: Hu et al., arXiv:2106.09685), its biases and LayerNorms, and a layer on the first
token beside the mean of all, on texts written for it: `tests/conflicts/pairs_*.tsv` but the held ones, `lives.tsv`,
`labelled_pairs.jsonl` without its half "b", and `tests/distill/`. Pairs of which neither text replaces the other are
fitted in both orders by chance. Then it is fitted on the near pairs of `lives_chats.tsv`, in which conflicts are as
rare as in a store, but for eight lives, and on some of the former pairs in each round, lest they are forgotten. (The
graph that ships was fitted on near pairs from a cosine of .3, not .4.) What was fitted is mixed with the former one,
three to one (Wortsman et al., arXiv:2109.01903): average precision of the eight lives is .73 with both, that of the
half "b" of the labelled pairs .89 instead of .88, and more conflicts of people held out are found. All of
`pairs_short.tsv` in each round, and fewer rounds, left less of what was learnt from lives: average precision .60
instead of .64 of the eight.

More texts by more authors is what helped: average precision of conflicts of a person that nothing was fitted on was .78
with the older pairs, and .83 with `pairs_plans.tsv` and `pairs_days.tsv` besides; among near memories of whole lives it
was .37 without `lives_chats.tsv`, and .48 with it. That of lasting sentences in chats that nothing was fitted on was
.80 without `messages_projects.txt` and `messages_results.txt`, and .83 with them. 2,400 sentences more, by two authors
who chose near misses, changed nothing there, and cost requests to remember. 2,100 pairs more of denials and orders that
conflict with nothing left one false conflict in five away (.045 of the compatible pairs instead of .056), but of four
long chats 8 conflicts were found instead of 13. Neither is used.
4,043 sentences by four authors, as people type them in a hurry, are fitted on last, beside all others
(`messages_typed_*.txt`; some sentences lose their subject or full stop by chance). Of five people by a fifth author the
average precision of what lasts is .95 instead of .91, and that of orders .96 instead of .84. Beside 6,000 of the others
only, precision elsewhere fell more (.94 instead of .95 of the conversations for tuning; now .95).
5,879 sentences of long conversations by four authors, in which one sentence in seven lasts and most others sound so
(`messages_long_*.txt`), were written later, and "typed" was run once more with them. Of six people by a fifth author
(`long_held.txt`) the average precision of what lasts is .77 instead of .64, in chats that nothing was fitted on .86
instead of .83 (both with three of the four). The sentences before and after it as a second text brought nothing: .77
and .80, although these were labelled in their context.
On 18 lives typed so (`lives_typed.tsv`) the classifier of pairs gained little: average precision of five others .53
instead of .48, of the eight lives .63 instead of .65; that one is not used.
Without `pairs_short.tsv` plain pairs such as "I live in Rome", "I live in Oslo" were taken for compatible.
"""

import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
import torch.nn.functional as F  # noqa: N812, its usual name
from onnx import numpy_helper
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "bench"), str(TESTS / "conflicts"), str(TESTS / "distill")]

from labelled_lines import lines  # noqa: E402
from pair_sets import APART, Known, lives, people  # noqa: E402

from curator.conflicts.candidates import BY_WORDS  # noqa: E402
from curator.distill.chat_score import CLASSES  # noqa: E402
from curator.models import Embedder, load_embedder  # noqa: E402
from curator.models.classifier import MAX_TOKENS  # noqa: E402
from curator.paths import cache_folder  # noqa: E402
from fit_chats import labelled  # noqa: E402
from fit_conflicts import own_pairs, pairs_of  # noqa: E402
from models.make_pair_graph import SCALE, build  # noqa: E402
from store.model import Relation  # noqa: E402

MODELS = TESTS.parent / "curator" / "models"
WIDTH, HEADS, LAYERS, RANK = 384, 12, 6, 16
RATE, BATCH, SMOOTHING, DROPOUT = 1e-3, 32, 0.05, 0.1
EPOCHS = {"pairs": 4.5, "lives": 2.0, "sentences": 4.0, "typed": 1.5}
FORMER, LIVES_RATE, COMPATIBLE = 2_000, 5e-4, 0.6
"""Beside the pairs of lives: former pairs in each round, the rate, and how much a pair without a conflict counts."""
TYPED_RATE = 5e-4
SHARE = 0.75
"""Share of the mixture that was fitted on lives."""
_ATTENTION = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")
MATRICES = (*_ATTENTION, "intermediate.dense", "output.dense")
NORMS = ("attention.output.LayerNorm", "output.LayerNorm")
OF_PAIRS = {Relation.DUPLICATE: 0, Relation.COEXIST: 1, Relation.UNRELATED: 1, Relation.UPDATE: 2}
OF_PAIRS[Relation.CONTRADICTION] = 3
NAMED = {"-": "nothing", "relationship": "identity", "skill": "identity", "trait": "preference"}
NAMED |= {"constraint": "preference", "commitment": "plan", "task": "plan", "project": "fact"}
IN_SESSIONS = {"-": "passing", "order": "order", "fact": "fact"}
SUBJECT = re.compile(r"^(?:I'm|I've|I'd|I'll|I|We're|We've|We)\s+(?=\S+\s+\S)")
Item = str | tuple[str, str]
Given = tuple[Item, int, float]
"""A text or a pair, its class, and how much it counts."""
Items = Callable[[random.Random], Sequence[Given]]


class Adapted(nn.Module):  # type: ignore[misc, unused-ignore]  # torch is not installed everywhere
    """The encoder with the fitted change, and the layer on top; `fitted` has the names of `make_pair_graph.py`."""

    def __init__(self, weights: dict[str, torch.Tensor], classes: int) -> None:
        super().__init__()
        self.frozen = {name: value.float() for name, value in weights.items()}
        fitted: dict[str, torch.Tensor] = {"head.bias": torch.zeros(classes)}
        fitted["head.weight"] = 0.02 * torch.randn(classes, 2 * WIDTH)
        for layer in range(LAYERS):
            for name in (f"encoder.layer.{layer}.{matrix}" for matrix in MATRICES):
                rows, columns = self.frozen[f"{name}.weight"].shape
                fitted[f"{name}.A"] = torch.randn(RANK, columns) / columns**0.5
                fitted[f"{name}.B"] = torch.zeros(rows, RANK)
                fitted[f"{name}.bias"] = self.frozen[f"{name}.bias"].clone()
            for name in (f"encoder.layer.{layer}.{norm}.{part}" for norm in NORMS for part in ("weight", "bias")):
                fitted[name] = self.frozen[name].clone()
        self.fitted = {name: nn.Parameter(value) for name, value in fitted.items()}
        for name, value in self.fitted.items():
            self.register_parameter(name.replace(".", "_"), value)

    @torch.no_grad()  # type: ignore[untyped-decorator, unused-ignore]
    def take_over(self, graph: bytes) -> None:
        """Take over the fitted change that a graph holds, with half of its precision."""
        tensors = onnx.load_from_string(graph).graph.initializer
        stored = {one.name: numpy_helper.to_array(one).astype(np.float32) for one in tensors if not one.external_data}
        for name, value in self.fitted.items():
            found = stored[name].T / SCALE if name.endswith(".B") else stored[name]
            value.copy_(torch.tensor(found.T if name.endswith(".A") else found))

    @torch.no_grad()  # type: ignore[untyped-decorator, unused-ignore]
    def mix(self, graph: bytes, share: float) -> None:
        """Mix the fitted change, `share` of it, with the one that a graph holds."""
        fitted = {name: value.clone() for name, value in self.fitted.items()}
        self.take_over(graph)
        for name, value in self.fitted.items():
            value.lerp_(fitted[name], share)

    def product(self, x: torch.Tensor, name: str) -> torch.Tensor:
        change = self.fitted[f"{name}.B"] @ self.fitted[f"{name}.A"]
        return F.linear(x, self.frozen[f"{name}.weight"] + SCALE * change, self.fitted[f"{name}.bias"])

    def norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        table = self.fitted if f"{name}.weight" in self.fitted else self.frozen
        return F.layer_norm(x, (WIDTH,), table[f"{name}.weight"], table[f"{name}.bias"], 1e-12)

    def drop(self, x: torch.Tensor) -> torch.Tensor:
        return F.dropout(x, DROPOUT, self.training)

    def forward(self, ids: torch.Tensor, segments: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the logits of each class."""
        words, places, kinds = (
            self.frozen[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        x = self.drop(self.norm(words[ids] + places[: ids.shape[1]] + kinds[segments], "embeddings.LayerNorm"))
        absent = (mask[:, None, None, :] - 1) * 1e9
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            q, k, v = (
                self.product(x, f"{name}.attention.self.{part}").view(*ids.shape, HEADS, -1).transpose(1, 2)
                for part in ("query", "key", "value")
            )
            seen = F.scaled_dot_product_attention(q, k, v, attn_mask=absent.to(q.dtype)).transpose(1, 2).flatten(2)
            x = self.norm(x + self.drop(self.product(seen, f"{name}.attention.output.dense")), f"{name}.{NORMS[0]}")
            inner = F.gelu(self.product(x, f"{name}.intermediate.dense"))
            x = self.norm(x + self.drop(self.product(inner, f"{name}.output.dense")), f"{name}.{NORMS[1]}")
        mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        both = self.drop(torch.cat([x[:, 0], mean], 1))
        return F.linear(both, self.fitted["head.weight"], self.fitted["head.bias"])


class Fitting:
    """The published weights and their tokenizer."""

    def __init__(self, folder: Path) -> None:
        self.weights = folder / "model.safetensors"
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
        self._tokenizer.encode_special_tokens = True

    def tensors(self, items: Sequence[Item]) -> tuple[torch.Tensor, ...]:
        """Return ids, segments and mask of items as a batch."""
        found = self._tokenizer.encode_batch(list(items))
        shape = (len(found), max(len(one.ids) for one in found))
        ids, segments, mask = (torch.zeros(shape, dtype=kind) for kind in (torch.long, torch.long, torch.float32))
        for row, one in enumerate(found):
            length = len(one.ids)
            ids[row, :length], segments[row, :length] = torch.tensor(one.ids), torch.tensor(one.type_ids)
            mask[row, :length] = 1
        return ids, segments, mask

    def fit(
        self, items: Items, classes: int, epochs: float, rate: float = RATE, former: bytes | None = None
    ) -> Adapted:
        """Fit a classifier, or go on with a `former` one.

        `items` gives the texts anew for each round, each with its class and how much it counts.
        """
        torch.manual_seed(0)
        chance, model = random.Random(0), Adapted(load_file(self.weights), classes)
        if former is not None:
            model.take_over(former)
        optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
        steps, step = 0, 0
        model.train()
        while not steps or step < steps:
            given = items(chance)
            steps = int(epochs * len(given) / BATCH)
            for rows in batches([len(str(one)) for one, _, _ in given], chance):
                for group in optimizer.param_groups:
                    group["lr"] = rate * min(1.0, step / 60) * max(0.02, 1 - step / steps)
                with torch.autocast("cpu", torch.bfloat16):
                    logits = model(*self.tensors([given[row][0] for row in rows]))
                right = torch.tensor([given[row][1] for row in rows])
                loss = F.cross_entropy(logits.float(), right, label_smoothing=SMOOTHING, reduction="none")
                (loss * torch.tensor([given[row][2] for row in rows])).mean().backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
                step += 1
                if step % 100 == 0:
                    print(f"{step} of {steps} steps", flush=True)
                if step >= steps:
                    break
        model.eval()
        return model

    def write(self, model: Adapted, name: str) -> None:
        """Write the graph of a fitted classifier."""
        adapter = {name: value.detach().numpy() for name, value in model.fitted.items()}
        (MODELS / f"{name}.onnx").write_bytes(build(self.weights, adapter))


def batches(lengths: Sequence[int], chance: random.Random) -> Iterator[list[int]]:
    """Yield all rows in batches of similar length, in random order."""
    rows = list(range(len(lengths)))
    chance.shuffle(rows)
    pools = (sorted(rows[at : at + 20 * BATCH], key=lambda row: lengths[row]) for at in range(0, len(rows), 20 * BATCH))
    found = [pool[at : at + BATCH] for pool in pools for at in range(0, len(pool), BATCH)]
    chance.shuffle(found)
    yield from found


def given(pair: Known, count: float, chance: random.Random) -> Given:
    """Return a pair as it is fitted."""
    turned = pair.relation is not Relation.UPDATE and chance.random() < 0.5
    return (pair.b, pair.a) if turned else (pair.a, pair.b), OF_PAIRS[pair.relation], count


def former_pairs(embedder: Embedder) -> list[tuple[Known, float]]:
    """Return all pairs but those of `lives_chats.tsv`, each with how much it counts."""
    own = [(pair, min(1.0, count + 0.2)) for pair, _, _, count in own_pairs(embedder)]
    return [*own, *((pair, 0.5) for pair in people("short"))]


def fit_pairs(fitting: Fitting, embedder: Embedder) -> Adapted:
    """Fit the classifier of pairs."""
    known = former_pairs(embedder)
    return fitting.fit(lambda chance: [given(*one, chance) for one in known], 4, EPOCHS["pairs"])


def fit_lives(fitting: Fitting, embedder: Embedder) -> Adapted:
    """Go on with the classifier of pairs, on near memories of lives."""
    known = [
        (pair, COMPATIBLE if pair.relation is Relation.COEXIST else 1.0)
        for life in lives("lives_chats")
        if life.person not in APART
        for pair, *_ in pairs_of(life, embedder, 1.0, BY_WORDS)
    ]
    former, graph = former_pairs(embedder), (MODELS / "pairs.onnx").read_bytes()

    def items(chance: random.Random) -> list[Given]:
        return [given(*one, chance) for one in (*known, *chance.sample(former, FORMER))]

    model = fitting.fit(items, 4, EPOCHS["lives"], LIVES_RATE, graph)
    model.mix(graph, SHARE)
    return model


def sentences_to_fit(typed: bool) -> Iterator[tuple[str, int]]:
    """Yield sentences with their class: those typed in a hurry, or all others."""
    folder = TESTS / "distill"
    files = [*sorted(folder.glob("chat_lines*.txt")), *sorted(folder.glob("orders*.txt")), folder / "sentences.txt"]
    files += [folder / "labels" / "requests_tune.tsv", *sorted(folder.glob("messages_*.txt"))]
    for file in files:
        if file.name.startswith("messages_typed") != typed:
            continue
        for label, text in labelled(file):
            label = label.partition("/")[0]
            if label != "statement":
                yield text, CLASSES.index(NAMED.get(label, label))
    for line in lines():
        if line.half == "tune" and not typed:
            yield line.text, CLASSES.index(IN_SESSIONS[line.label])


def fit_sentences(fitting: Fitting) -> Adapted:
    """Fit the classifier of sentences."""
    known = list(sentences_to_fit(typed=False))
    return fitting.fit(lambda _: [(*one, 1.0) for one in known], len(CLASSES), EPOCHS["sentences"])


def fit_typed(fitting: Fitting) -> Adapted:
    """Go on with the classifier of sentences, on all of them beside those typed in a hurry."""
    known = [*sentences_to_fit(typed=True), *sentences_to_fit(typed=False)]

    def items(chance: random.Random) -> list[Given]:
        return [(hurried(text, chance), label, 1.0) for text, label in known]

    return fitting.fit(items, len(CLASSES), EPOCHS["typed"], TYPED_RATE, (MODELS / "sentences.onnx").read_bytes())


def hurried(text: str, chance: random.Random) -> str:
    """Return a sentence as it is, or as people type in a hurry: now and then without its subject or its full stop."""
    if chance.random() < 0.15:
        text = text.rstrip(".")
    return SUBJECT.sub("", text) if chance.random() < 0.15 else text


def main() -> None:
    """Fit what is asked for."""
    fitting, embedder = Fitting(Path(sys.argv[2])), load_embedder("minilm", cache_folder())
    if sys.argv[1] == "lives":
        fitting.write(fit_lives(fitting, embedder), "pairs")
    elif sys.argv[1] == "pairs":
        fitting.write(fit_pairs(fitting, embedder), "pairs")
    else:
        fit = fit_typed if sys.argv[1] == "typed" else fit_sentences
        fitting.write(fit(fitting), "sentences")


if __name__ == "__main__":
    main()
