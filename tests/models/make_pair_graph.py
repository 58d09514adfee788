"""Make the graph of a classifier: all-MiniLM-L6-v2 with a fitted low-rank change of each matrix, and one layer on top.

    python tests/models/make_pair_graph.py ADAPTER.npz FOLDER OUT.onnx     # the folder that holds model.safetensors

Development only; needs `onnx`. The published weights stay where they are, as in `make_graph.py`. Of each matrix W the
graph holds A and B (LoRA: Hu et al., arXiv:2106.09685), and computes x · (W + 2 · B · A)ᵀ without adding them up;
biases and the scales of LayerNorm are the fitted ones. The layer on top reads the first token beside the mean of all.

In: `input_ids`, `segment_ids` and `attention_mask`, int64 (batch, tokens).
Out: `chances`, float32 (batch, classes): each row adds up to 1.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper

sys.path.insert(0, str(Path(__file__).parents[1]))

from models import make_graph
from models.make_graph import Graph, Rows

SCALE = 2.0
"""Factor of the low-rank change, as in the fitting."""
INPUTS = ("input_ids", "segment_ids", "attention_mask")


class AdaptedGraph(Graph):
    """A graph whose matrices are changed by an adapter. Its tensors have the names of the published weights:
    `NAME.A` (rank, in), `NAME.B` (out, rank), `NAME.bias`, and `NAME.weight` of LayerNorm and `head`.
    """

    def __init__(self, weights: Path, adapter: Mapping[str, NDArray[np.float32]]) -> None:
        super().__init__(weights, integers=True)
        self._adapter = adapter

    def weight(self, name: str) -> str:
        """Return a fitted tensor if there is one, else a published one."""
        if name not in self._adapter:
            return super().weight(name)
        self.tensors.append(numpy_helper.from_array(self._adapter[name].astype(np.float32), name))
        return name

    def linear(self, x: str, name: str) -> str:
        """X · weightᵀ + bias, with the change of the adapter."""
        return self._changed(super().linear(x, name), x, name)

    def product(self, x: Rows, name: str) -> str:
        """X · weightᵀ + bias in integers, with the change of the adapter, which is not."""
        return self._changed(super().product(x, name), x.plain, name)

    def _changed(self, product: str, x: str, name: str) -> str:
        if f"{name}.A" not in self._adapter:
            return product
        inner = self.node("MatMul", x, self._half(f"{name}.A", self._adapter[f"{name}.A"].T))
        change = self.node("MatMul", inner, self._half(f"{name}.B", SCALE * self._adapter[f"{name}.B"].T))
        return self.node("Add", product, change)

    def _half(self, name: str, values: NDArray[np.float32]) -> str:
        """Return a tensor that is stored with half precision: half of the file, with changes below .001."""
        self.tensors.append(numpy_helper.from_array(np.ascontiguousarray(values).astype(np.float16), name))
        return self.node("Cast", name, to=TensorProto.FLOAT)


def build(weights: Path, adapter: Mapping[str, NDArray[np.float32]]) -> bytes:
    """Return the serialised graph for the published `weights` and a fitted adapter."""
    g = AdaptedGraph(weights, adapter)
    make_graph.constants(g)
    mask = g.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    x = make_graph.encoder(
        g, mask, g.node("Gather", g.weight("embeddings.token_type_embeddings.weight"), "segment_ids")
    )
    tokens = g.node("Reshape", x, "by_token")
    first = g.node("Gather", tokens, "zero", axis=1)
    kept = g.node("Mul", tokens, g.node("Unsqueeze", mask, "axis_features"))
    count = g.node("ReduceSum", mask, "axis_tokens", keepdims=1)
    mean = g.node("Div", g.node("ReduceSum", kept, "axis_tokens", keepdims=0), count)
    g.node("Softmax", g.linear(g.node("Concat", first, mean, axis=1), "head"), axis=-1, output="chances")
    return make_graph.serialized(g, "adapted all-MiniLM-L6-v2", INPUTS, "chances", len(adapter["head.bias"]))


if __name__ == "__main__":
    adapter, folder, made = map(Path, sys.argv[1:4])
    with np.load(adapter) as tensors:
        made.write_bytes(build(folder / "model.safetensors", dict(tensors)))
