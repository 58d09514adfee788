"""Make `minilm.onnx`: the computation of all-MiniLM-L6-v2 over the published weights, without a copy of them.

    python tests/models/make_graph.py FOLDER     # the folder that holds model.safetensors

Development only; needs `onnx`. The graph is the BERT encoder (Devlin et al., arXiv:1810.04805: 6 layers, 12 heads of
32, GELU by erf, LayerNorm after each half) with the pooling of Sentence-BERT (Reimers & Gurevych, arXiv:1908.10084:
mean over the real tokens, then length 1). Its initializers are ONNX external data: a safetensors file is a
little-endian u64, that many bytes of JSON naming every tensor's shape and byte range, then the raw tensors, so an
offset and a length are all that a graph needs to use them where they lie.

In: `input_ids` and `attention_mask`, int64 (batch, tokens); the mask is 1 on tokens, 0 on padding.
Out: `embedding`, float32 (batch, 384).
"""

import json
import math
import struct
import sys
from pathlib import Path

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

LAYERS, HEADS, HEAD = 6, 12, 32
WIDTH = HEADS * HEAD
EPSILON = 1e-12  # of LayerNorm, from the published config.json
MASKED = -1e9  # added to the attention scores of padding
OPSET, IR_VERSION = 20, 9  # the first opset with Gelu, and the file format of its time


class Graph:
    """A graph under construction. Its methods add a tensor or a node and return the name of what it yields."""

    def __init__(self, weights: Path) -> None:
        with weights.open("rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            self._header = json.loads(file.read(size))
        self._location = weights.name
        self._data = 8 + size
        self.nodes: list[NodeProto] = []
        self.tensors: list[TensorProto] = []

    def weight(self, name: str) -> str:
        """A published tensor, by its name in the file."""
        start, end = self._header[name]["data_offsets"]
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=self._header[name]["shape"])
        tensor.data_location = TensorProto.EXTERNAL
        where = {"location": self._location, "offset": self._data + start, "length": end - start}
        for key, value in where.items():
            tensor.external_data.add(key=key, value=str(value))
        self.tensors.append(tensor)
        return name

    def constant(self, name: str, value: int | float | list[int]) -> str:
        """A number (float32 if it is a float) or a list of int64."""
        array = np.asarray(value, np.float32 if isinstance(value, float) else np.int64)
        self.tensors.append(numpy_helper.from_array(array, name))
        return name

    def node(self, operator: str, *inputs: str, output: str = "", **attributes: int | float | list[int]) -> str:
        """An operator with one output."""
        output = output or f"{operator}_{len(self.nodes)}"
        node = helper.make_node(operator, inputs, [output])
        node.attribute.extend(helper.make_attribute(key, value) for key, value in attributes.items())
        self.nodes.append(node)
        return output

    def linear(self, x: str, name: str) -> str:
        """X · weightᵀ + bias. Gemm transposes while it packs: no transposed copy is held beside the mapped file."""
        return self.node("Gemm", x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"), transB=1)

    def norm(self, x: str, name: str) -> str:
        """LayerNorm over the last axis."""
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=EPSILON)


def build(weights: Path) -> bytes:
    """Return the serialised graph for the published `weights`, a model.safetensors of all-MiniLM-L6-v2."""
    g = Graph(weights)
    constants(g)
    mask = g.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    segment = g.node("Gather", g.weight("embeddings.token_type_embeddings.weight"), "zero")  # always the first
    _pool(g, encoder(g, mask, segment), mask)
    model = helper.make_model(
        helper.make_graph(
            g.nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "tokens"]) for n in _INPUTS],
            [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", WIDTH])],
            g.tensors,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    return bytes(model.SerializeToString(deterministic=True))


_INPUTS = ("input_ids", "attention_mask")


def encoder(g: Graph, mask: str, segment: str) -> str:
    """Return what the layers make of the tokens, (batch · tokens, 384): Gemm wants a matrix."""
    absent = g.node("Mul", g.node("Sub", "one", mask), "masked")
    penalty = g.node("Unsqueeze", absent, "axes_heads_queries")
    x = _embeddings(g, segment)
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        x = g.norm(
            g.node("Add", x, _attention(g, x, penalty, f"{name}.attention")), f"{name}.attention.output.LayerNorm"
        )
        inner = g.node("Gelu", g.linear(x, f"{name}.intermediate.dense"))
        x = g.norm(g.node("Add", x, g.linear(inner, f"{name}.output.dense")), f"{name}.output.LayerNorm")
    return x


def constants(g: Graph) -> None:
    """Add the numbers and shapes that the other functions refer to by name."""
    g.constant("zero", 0)
    g.constant("step", 1)
    g.constant("one", 1.0)
    g.constant("masked", MASKED)
    g.constant("scale", 1 / math.sqrt(HEAD))
    g.constant("axis_tokens", [1])
    g.constant("axis_features", [2])
    g.constant("axes_heads_queries", [1, 2])
    g.constant("rows", [-1, WIDTH])
    shape = g.node("Shape", "input_ids")
    g.node("Concat", shape, g.constant("features", [WIDTH]), axis=0, output="by_token")
    g.node("Concat", shape, g.constant("heads", [HEADS, HEAD]), axis=0, output="by_head")
    g.node("Gather", shape, "step", output="tokens")


def _embeddings(g: Graph, segment: str) -> str:
    """Word + position + segment."""
    words = g.node("Gather", g.weight("embeddings.word_embeddings.weight"), "input_ids")
    positions = g.node("Range", "zero", "tokens", "step")
    places = g.node("Gather", g.weight("embeddings.position_embeddings.weight"), positions)
    total = g.node("Add", g.node("Add", words, places), segment)
    return g.norm(g.node("Reshape", total, "rows"), "embeddings.LayerNorm")


def _attention(g: Graph, x: str, penalty: str, name: str) -> str:
    """softmax(q · kᵀ / √32 + penalty) · v in every head, then the output projection."""
    q, k, v = (g.node("Reshape", g.linear(x, f"{name}.self.{part}"), "by_head") for part in ("query", "key", "value"))
    q, v = (g.node("Transpose", part, perm=[0, 2, 1, 3]) for part in (q, v))
    k = g.node("Transpose", k, perm=[0, 2, 3, 1])
    scores = g.node("Add", g.node("Mul", g.node("MatMul", q, k), "scale"), penalty)
    heads = g.node("MatMul", g.node("Softmax", scores, axis=-1), v)
    joined = g.node("Reshape", g.node("Transpose", heads, perm=[0, 2, 1, 3]), "rows")
    return g.linear(joined, f"{name}.output.dense")


def _pool(g: Graph, x: str, mask: str) -> None:
    """Sum over the real tokens, then length 1: the length of a mean does not matter, so nothing is divided."""
    tokens = g.node("Reshape", x, "by_token")
    kept = g.node("Mul", tokens, g.node("Unsqueeze", mask, "axis_features"))
    total = g.node("ReduceSum", kept, "axis_tokens", keepdims=0)
    g.node("LpNormalization", total, axis=-1, p=2, output="embedding")


if __name__ == "__main__":
    made = Path(__file__).parents[2] / "curator" / "models" / "minilm.onnx"
    made.write_bytes(build(Path(sys.argv[1]) / "model.safetensors"))
