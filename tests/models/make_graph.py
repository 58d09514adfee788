"""Make `minilm.onnx`: the computation of all-MiniLM-L6-v2 over the published weights, without a copy of them.

    python tests/models/make_graph.py FOLDER     # the folder that holds model.safetensors

Development only; needs `onnx`. The graph is the BERT encoder (Devlin et al., arXiv:1810.04805: 6 layers, 12 heads of
32, GELU by erf, LayerNorm after each half) with the pooling of Sentence-BERT (Reimers & Gurevych, arXiv:1908.10084:
mean over the real tokens, then length 1). Its initializers are ONNX external data: a safetensors file is a
little-endian u64, that many bytes of JSON naming every tensor's shape and byte range, then the raw tensors, so an
offset and a length are all that a graph needs to use them where they lie.

Products with weights are of 8-bit integers, but for the values of the attention, which as integers made more of the
error than all others together. Each row of activations has a scale of its own, so that the vector of a text does not
depend on the texts beside it, and so has each column of weights, which onnxruntime makes from the published ones once,
when it opens the graph. `tests/bench/embedder.py` measures it. Operators for whole layers (MultiHeadAttention,
SkipLayerNormalization) were slower on a processor than their parts.

In: `input_ids` and `attention_mask`, int64 (batch, tokens); the mask is 1 on tokens, 0 on padding.
Out: `embedding`, float32 (batch, 384).
"""

import json
import math
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

MASKED = -1e9  # added to the attention scores of padding
WEIGHT_STEPS = 112.0
"""The largest weight of a column as an integer.

x86 processors without VNNI add two products in 16 bits and saturate: with 127 that changed results by 1.7 %, with 112
by .6 %, much less than rounding does.
"""
LOWEST_GELU = 0.17  # below zero; the least value of GELU is -0.16997
CONTRIBUTED = "com.microsoft"  # operators of onnxruntime
OPSET, IR_VERSION = 20, 9  # the first opset with Gelu, and the file format of its time


class Shape(NamedTuple):
    """Sizes of an encoder, and the epsilon of its LayerNorms, from the published config.json."""

    layers: int
    heads: int
    head: int
    epsilon: float

    @property
    def width(self) -> int:
        """Number of features of a token."""
        return self.heads * self.head


MINILM = Shape(6, 12, 32, 1e-12)


class Rows(NamedTuple):
    """Names of a quantised matrix: the original, its integers, each row's scale, the zero point, and the offset."""

    plain: str
    values: str = ""
    scale: str = ""
    zero: str = ""
    low: str = ""


class Graph:
    """A graph under construction. Its methods add a tensor or a node and return the name of the result."""

    def __init__(self, weights: Path, shape: Shape, integers: bool) -> None:
        self.shape = shape
        self._integers = integers
        with weights.open("rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            self._header = json.loads(file.read(size))
        self._location = weights.name
        self._data = 8 + size
        self.nodes: list[NodeProto] = []
        self.tensors: list[TensorProto] = []

    def weight(self, name: str) -> str:
        """Add a published tensor by its name in the file."""
        start, end = self._header[name]["data_offsets"]
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=self._header[name]["shape"])
        tensor.data_location = TensorProto.EXTERNAL
        where = {"location": self._location, "offset": self._data + start, "length": end - start}
        for key, value in where.items():
            tensor.external_data.add(key=key, value=str(value))
        self.tensors.append(tensor)
        return name

    def constant(self, name: str, value: int | float | list[int] | np.integer[Any]) -> str:
        """Add a number (float32 for a float, int64 for an int) or a list of int64."""
        kind = value.dtype if isinstance(value, np.integer) else np.float32 if isinstance(value, float) else np.int64
        array = np.asarray(value, kind)
        self.tensors.append(numpy_helper.from_array(array, name))
        return name

    def node(
        self, operator: str, *inputs: str, output: str = "", domain: str = "", **attributes: int | float | list[int]
    ) -> str:
        """Add an operator with one output."""
        output = output or f"{operator}_{len(self.nodes)}"
        node = helper.make_node(operator, inputs, [output], domain=domain)
        node.attribute.extend(helper.make_attribute(key, value) for key, value in attributes.items())
        self.nodes.append(node)
        return output

    def linear(self, x: str, name: str) -> str:
        """Add x · weightᵀ + bias. Gemm transposes while packing: no transposed copy is held beside the mapped file."""
        return self.node("Gemm", x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"), transB=1)

    def rows(self, x: str) -> "Rows":
        """Quantise a matrix to uint8, with 128 as zero and a scale for each row."""
        if not self._integers:
            return Rows(x)
        largest = self.node("ReduceMax", self.node("Abs", x), "axis_columns", keepdims=1)
        return self._quantized(x, x, self.node("Div", largest, "steps"), "middle")

    def rows_above(self, x: str, low: str) -> "Rows":
        """Quantise a matrix whose values are at least -`low` to uint8, all steps above -`low`; `product` undoes it."""
        if not self._integers:
            return Rows(x)
        above = self.node("Add", x, low)
        largest = self.node("ReduceMax", above, "axis_columns", keepdims=1)
        return self._quantized(x, above, self.node("Div", largest, "all_steps"), "bottom", low)

    def _quantized(self, plain: str, x: str, scale: str, zero: str, low: str = "") -> "Rows":
        by_row = self.node("Reshape", scale, "flat")
        zeros = self.node("Expand", zero, self.node("Shape", by_row))
        return Rows(plain, self.node("QuantizeLinear", x, by_row, zeros, axis=0), scale, zero, low)

    def product(self, x: "Rows", name: str) -> str:
        """Add x · weightᵀ + bias in integers. What does not depend on x is computed when the graph is opened."""
        if not self._integers:
            return self.linear(x.plain, name)
        weight = self.weight(f"{name}.weight")
        ends = (self.node(f"Reduce{end}", weight, "axis_columns", keepdims=0) for end in ("Max", "Min"))
        largest = self.node("Max", next(ends), self.node("Neg", next(ends)))  # Abs would take another 35 MB
        scale = self.node("Div", largest, "weight_steps")
        zeros = self.node("Expand", "zero_int8", self.node("Shape", scale))
        whole = self.node("Transpose", self.node("QuantizeLinear", weight, scale, zeros, axis=0), perm=[1, 0])
        # "one": the scale of each row is applied afterwards
        product = self.node("MatMulIntegerToFloat", x.values, whole, "one", scale, x.zero, domain=CONTRIBUTED)
        bias = self.weight(f"{name}.bias")
        if x.low:
            sums = self.node("ReduceSum", weight, "axis_columns", keepdims=0)
            bias = self.node("Sub", bias, self.node("Mul", sums, x.low))
        return self.node("Add", self.node("Mul", product, x.scale), bias)

    def norm(self, x: str, name: str) -> str:
        """Add LayerNorm over the last axis."""
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=self.shape.epsilon)


def build(weights: Path, integers: bool = True) -> bytes:
    """Return the serialised graph for the published `weights`, a model.safetensors of all-MiniLM-L6-v2.

    Without `integers` it is the published computation in float32, to compare with.
    """
    return finished(Graph(weights, MINILM, integers), "all-MiniLM-L6-v2")


def finished(g: Graph, name: str) -> bytes:
    """Return the serialised graph that computes vectors from the weights of all-MiniLM-L6-v2."""
    constants(g)
    mask = g.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    segment = g.node("Gather", g.weight("embeddings.token_type_embeddings.weight"), "zero")  # always the first
    _pool(g, encoder(g, mask, segment), mask)
    return serialized(g, name, ("input_ids", "attention_mask"), "embedding", MINILM.width)


def serialized(g: Graph, name: str, inputs: Sequence[str], output: str, width: int) -> bytes:
    """Return a graph as a model with inputs of (batch, tokens) and an output of (batch, `width`)."""
    model = helper.make_model(
        helper.make_graph(
            g.nodes,
            name,
            [helper.make_tensor_value_info(one, TensorProto.INT64, ["batch", "tokens"]) for one in inputs],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", width])],
            g.tensors,
        ),
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIBUTED, 1)],
        ir_version=IR_VERSION,
    )
    return bytes(model.SerializeToString(deterministic=True))


def encoder(g: Graph, mask: str, segment: str) -> str:
    """Add the layers; return their output, (batch · tokens, 384), as Gemm needs a matrix."""
    penalty = of_padding(g, mask)
    x = _embeddings(g, segment)
    for layer in range(g.shape.layers):
        name = f"encoder.layer.{layer}"
        x = g.norm(
            g.node("Add", x, _attention(g, x, penalty, f"{name}.attention")), f"{name}.attention.output.LayerNorm"
        )
        x = forward(g, x, name)
    return x


def of_padding(g: Graph, mask: str) -> str:
    """Add the attention mask: zero for tokens, a penalty for padding."""
    return g.node("Unsqueeze", g.node("Mul", g.node("Sub", "one", mask), "masked"), "axes_heads_queries")


def forward(g: Graph, x: str, name: str) -> str:
    """Add the second half of a layer: GELU between two products, added to x, and LayerNorm."""
    inner = g.node("Gelu", g.product(g.rows(x), f"{name}.intermediate.dense"))
    out = g.product(g.rows_above(inner, "lowest_gelu"), f"{name}.output.dense")
    return g.norm(g.node("Add", x, out), f"{name}.output.LayerNorm")


def constants(g: Graph) -> None:
    """Add the named constants that the other functions use."""
    g.constant("zero", 0)
    g.constant("step", 1)
    g.constant("one", 1.0)
    g.constant("masked", MASKED)
    g.constant("scale", 1 / math.sqrt(g.shape.head))
    g.constant("steps", 127.0)
    g.constant("weight_steps", WEIGHT_STEPS)
    g.constant("all_steps", 255.0)
    g.constant("middle", np.uint8(128))
    g.constant("bottom", np.uint8(0))
    g.constant("zero_int8", np.int8(0))
    g.constant("lowest_gelu", LOWEST_GELU)
    g.constant("flat", [-1])
    g.constant("axis_columns", [1])
    g.constant("axis_tokens", [1])
    g.constant("axis_features", [2])
    g.constant("axes_heads_queries", [1, 2])
    g.constant("rows", [-1, g.shape.width])
    shape = g.node("Shape", "input_ids")
    g.node("Concat", shape, g.constant("features", [g.shape.width]), axis=0, output="by_token")
    g.node("Concat", shape, g.constant("heads", [g.shape.heads, g.shape.head]), axis=0, output="by_head")
    g.node("Gather", shape, "step", output="tokens")


def _embeddings(g: Graph, segment: str) -> str:
    """Add the sum of word, position and segment embeddings."""
    words = g.node("Gather", g.weight("embeddings.word_embeddings.weight"), "input_ids")
    positions = g.node("Range", "zero", "tokens", "step")
    places = g.node("Gather", g.weight("embeddings.position_embeddings.weight"), positions)
    total = g.node("Add", g.node("Add", words, places), segment)
    return g.norm(g.node("Reshape", total, "rows"), "embeddings.LayerNorm")


def _attention(g: Graph, x: str, penalty: str, name: str) -> str:
    """Add attention with the values in float32, then the output projection."""
    rows = g.rows(x)
    parts = (*(g.product(rows, f"{name}.self.{part}") for part in ("query", "key")), g.linear(x, f"{name}.self.value"))
    return g.product(g.rows(heads(g, parts, penalty)), f"{name}.output.dense")


def heads(g: Graph, parts: Sequence[str], penalty: str) -> str:
    """Add softmax(q · kᵀ / √features + penalty) · v in every head, joined."""
    q, k, v = (g.node("Reshape", part, "by_head") for part in parts)
    q, v = (g.node("Transpose", part, perm=[0, 2, 1, 3]) for part in (q, v))
    k = g.node("Transpose", k, perm=[0, 2, 3, 1])
    scores = g.node("Add", g.node("Mul", g.node("MatMul", q, k), "scale"), penalty)
    found = g.node("MatMul", g.node("Softmax", scores, axis=-1), v)
    return g.node("Reshape", g.node("Transpose", found, perm=[0, 2, 1, 3]), "rows")


def _pool(g: Graph, x: str, mask: str) -> None:
    """Add the sum over the real tokens, scaled to length 1; dividing by their number would change nothing."""
    tokens = g.node("Reshape", x, "by_token")
    kept = g.node("Mul", tokens, g.node("Unsqueeze", mask, "axis_features"))
    total = g.node("ReduceSum", kept, "axis_tokens", keepdims=0)
    g.node("LpNormalization", total, axis=-1, p=2, output="embedding")


if __name__ == "__main__":
    made = Path(__file__).parents[2] / "curator" / "models" / "minilm.onnx"
    made.write_bytes(build(Path(sys.argv[1]) / "model.safetensors"))
