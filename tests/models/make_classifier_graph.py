"""Make the graph of a classifier: all-mpnet-base-v2 with a fitted low-rank change of each matrix, and a layer on top.

    python tests/models/make_classifier_graph.py ADAPTER.npz FOLDER OUT.onnx   # the folder that holds model.safetensors

Development only; needs `onnx`. The published weights are referenced where they are, as in `make_graph.py`. MPNet (Song
et al., arXiv:2004.09297) is a BERT encoder, here of 12 layers with 12 heads of 64, whose attention scores also depend
on the distance between two tokens, in 32 buckets as in T5 (Raffel et al., arXiv:1910.10683). For each matrix W the
graph holds A and B (LoRA: Hu et al., arXiv:2106.09685), and computes x · (W + 2 · B · A)ᵀ without adding them up;
biases and the scales of LayerNorm are the fitted ones. The layer on top reads the first token beside the mean of all.

In: `input_ids` and `attention_mask`, int64 (batch, tokens), at most `MAX_TOKENS` tokens. Out: `chances`, float32
(batch, classes): each row adds up to 1.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper

sys.path.insert(0, str(Path(__file__).parents[1]))

from curator.models.classifier import MAX_TOKENS
from models import make_graph
from models.make_graph import Graph, Rows, Shape

MPNET = Shape(12, 12, 64, 1e-5)
FIRST_POSITION = 2
BUCKETS, FARTHEST = 16, 128
"""Buckets in each direction: one per distance for the first half, then wider ones up to the farthest."""
SCALE = 2.0
"""Factor of the low-rank change, as in the fitting."""
INPUTS = ("input_ids", "attention_mask")


class AdaptedGraph(Graph):
    """A graph whose matrices are changed by an adapter.

    Its tensors have the names of the published weights: `NAME.A` (rank, in), `NAME.B` (out, rank), `NAME.bias`, and
    `NAME.weight` of LayerNorm and `head`.
    """

    def __init__(self, weights: Path, adapter: Mapping[str, NDArray[np.float32]], shape: Shape = MPNET) -> None:
        super().__init__(weights, shape, integers=True)
        self._adapter = adapter

    def weight(self, name: str) -> str:
        """Return the fitted tensor, or the published one if it was not fitted."""
        if name not in self._adapter:
            return super().weight(name)
        self.tensors.append(numpy_helper.from_array(self._adapter[name].astype(np.float32), name))
        return name

    def linear(self, x: str, name: str) -> str:
        """Add x · weightᵀ + bias, with the adapter's change."""
        return self._changed(super().linear(x, name), x, name)

    def product(self, x: Rows, name: str) -> str:
        """Add x · weightᵀ + bias with integer weights, and the adapter's change in floating point."""
        return self._changed(super().product(x, name), x.plain, name)

    def _changed(self, product: str, x: str, name: str) -> str:
        if f"{name}.A" not in self._adapter:
            return product
        inner = self.node("MatMul", x, self._half(f"{name}.A", self._adapter[f"{name}.A"].T))
        change = self.node("MatMul", inner, self._half(f"{name}.B", SCALE * self._adapter[f"{name}.B"].T))
        return self.node("Add", product, change)

    def _half(self, name: str, values: NDArray[np.float32]) -> str:
        """Return a tensor stored in half precision: half the file size, with changes below .001."""
        self.tensors.append(numpy_helper.from_array(np.ascontiguousarray(values).astype(np.float16), name))
        return self.node("Cast", name, to=TensorProto.FLOAT)


def build(weights: Path, adapter: Mapping[str, NDArray[np.float32]]) -> bytes:
    """Return the serialised graph for the published `weights` and a fitted adapter."""
    g = AdaptedGraph(weights, adapter)
    make_graph.constants(g)
    mask = g.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    tokens = g.node("Reshape", _encoder(g, mask), "by_token")
    first = g.node("Gather", tokens, "zero", axis=1)
    kept = g.node("Mul", tokens, g.node("Unsqueeze", mask, "axis_features"))
    count = g.node("ReduceSum", mask, "axis_tokens", keepdims=1)
    mean = g.node("Div", g.node("ReduceSum", kept, "axis_tokens", keepdims=0), count)
    g.node("Softmax", g.linear(g.node("Concat", first, mean, axis=1), "head"), axis=-1, output="chances")
    return make_graph.serialized(g, "adapted all-mpnet-base-v2", INPUTS, "chances", len(adapter["head.bias"]))


def build_prompts(weights: Path, adapter: Mapping[str, NDArray[np.float32]]) -> bytes:
    """Return the graph of `make_graph.build` with a fitted adapter, for the `weights` of all-MiniLM-L6-v2."""
    return make_graph.finished(AdaptedGraph(weights, adapter, make_graph.MINILM), "adapted all-MiniLM-L6-v2")


def buckets(tokens: int) -> NDArray[np.int64]:
    """Return the bucket of each distance between tokens, (tokens, tokens); later tokens have their own buckets."""
    place = np.arange(tokens)
    behind = place[:, None] - place
    far, half = np.abs(behind), BUCKETS // 2
    wide = np.log(np.maximum(far, 1) / half) / np.log(FARTHEST / half) * (BUCKETS - half)
    bucket = np.where(far < half, far, np.minimum(half + wide.astype(np.int64), BUCKETS - 1))
    found: NDArray[np.int64] = np.where(behind < 0, bucket + BUCKETS, bucket)
    return found


def _encoder(g: Graph, mask: str) -> str:
    """Add the layers; return their output, (batch · tokens, 768)."""
    words = g.node("Gather", g.weight("embeddings.word_embeddings.weight"), "input_ids")
    places = g.node("Add", g.node("Range", "zero", "tokens", "step"), g.constant("first_position", FIRST_POSITION))
    placed = g.node("Add", words, g.node("Gather", g.weight("embeddings.position_embeddings.weight"), places))
    x = g.norm(g.node("Reshape", placed, "rows"), "embeddings.LayerNorm")
    scores = g.node("Add", make_graph.of_padding(g, mask), _of_distance(g))
    for layer in range(g.shape.layers):
        name = f"encoder.layer.{layer}"
        rows = g.rows(x)
        attention = f"{name}.attention.attn"
        parts = (g.product(rows, f"{attention}.q"), g.product(rows, f"{attention}.k"), g.linear(x, f"{attention}.v"))
        seen = g.product(g.rows(make_graph.heads(g, parts, scores)), f"{attention}.o")
        x = make_graph.forward(g, g.norm(g.node("Add", x, seen), f"{name}.attention.LayerNorm"), name)
    return x


def _of_distance(g: Graph) -> str:
    """Add the contribution of token distances to the attention scores, (1, heads, tokens, tokens)."""
    g.tensors.append(numpy_helper.from_array(buckets(MAX_TOKENS), "buckets"))
    side = g.node("Unsqueeze", "tokens", g.constant("axis_first", [0]))
    found = g.node("Slice", "buckets", g.constant("both_from", [0, 0]), g.node("Concat", side, side, axis=0))
    added = g.node("Gather", g.weight("encoder.relative_attention_bias.weight"), found)
    return g.node("Unsqueeze", g.node("Transpose", added, perm=[2, 0, 1]), "axis_first")


if __name__ == "__main__":
    adapter, folder, made = map(Path, sys.argv[1:4])
    with np.load(adapter) as tensors:
        made.write_bytes(build(folder / "model.safetensors", dict(tensors)))
