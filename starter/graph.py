"""A small ONNX graph writer: nodes, shared constants, and weights in one of three forms.

fp32   plain MatMul
int8   8 bits in blocks of 32 with a scale each (com.microsoft MatMulNBits): activations are rounded row by row, so a
       sentence gives the same result alone and in a batch
dynamic   standard operators only (DynamicQuantizeLinear, MatMulInteger), 7 bits per output channel, one scale for all rows
"""
import numpy as np
from onnx import TensorProto as TP, helper as H, numpy_helper as NH

F32, I64 = TP.FLOAT, TP.INT64
BLOCK = 32


def blocks(w):
    """(out, in) -> uint8 (out, in / 32, 32) around 128 and fp32 scales (out, in / 32)"""
    b = w.reshape(w.shape[0], -1, BLOCK)
    s = np.abs(b).max(-1).astype(np.float32) / 127
    s[s == 0] = 1
    return (np.clip(np.round(b / s[..., None]), -127, 127) + 128).astype(np.uint8), s


class Graph:
    def __init__(self, form):
        self.n, self.init, self.names, self.k, self.form = [], [], {}, 0, form

    def const(self, v, name=None):
        v = np.asarray(v)
        key = name or (v.dtype.str, v.shape, v.tobytes())
        if key not in self.names:
            self.names[key] = name or f"c{len(self.names)}"
            self.init.append(NH.from_array(np.ascontiguousarray(v), self.names[key]))
        return self.names[key]

    def op(self, t, *i, out=None, n=1, **kw):
        self.k += 1
        o = out or ([f"t{self.k}"] if n == 1 else [f"t{self.k}_{j}" for j in range(n)])
        o = [o] if isinstance(o, str) else o
        self.n.append(H.make_node(t, list(i), o, name=f"{t}_{self.k}", **kw))
        return o[0] if len(o) == 1 else o

    def i(self, *v):
        return self.const(np.array(v, np.int64))

    def quant_in(self, x):
        """What several products of one input share; None where there is nothing to share."""
        return self.op("DynamicQuantizeLinear", x, n=3) if self.form == "dynamic" else None

    @staticmethod
    def channels(w):
        """7-bit rows with a scale each: safe where products of 8 by 8 bits saturate (processors without VNNI)"""
        s = np.abs(w).max(axis=1, keepdims=True).astype(np.float32) / 63
        s[s == 0] = 1
        return np.clip(np.round(w / s), -63, 63).astype(np.int8), s.reshape(-1)

    def product(self, x, name, w, xq=None, transpose=False):
        """x @ w.T with w as in torch (out, in). transpose: the constant is stored untransposed, to be shared."""
        if self.form == "fp32":
            if transpose:
                return self.op("MatMul", x, self.op("Transpose", self.const(w, name), perm=[1, 0]))
            return self.op("MatMul", x, self.const(w.T, name))
        if self.form == "int8":
            q, s = blocks(w)
            return self.op("MatMulNBits", x, self.const(q, name + "_q"), self.const(s, name + "_s"), domain="com.microsoft",
                           K=w.shape[1], N=w.shape[0], bits=8, block_size=BLOCK, accuracy_level=4)  # fmt: skip
        q, s = self.channels(w)
        a, scale, zero = xq or self.quant_in(x)
        b = self.op("Transpose", self.const(q, name + "_q"), perm=[1, 0]) if transpose else self.const(q.T, name + "_q")
        y = self.op("MatMulInteger", a, b, zero, self.const(np.int8(0)))
        return self.op("Mul", self.op("Cast", y, to=F32), self.op("Mul", scale, self.const(s, name + "_s")))

    def linear(self, x, name, w, b, xq=None):
        y = self.product(x, name + ".weight", w, xq)
        return self.op("Add", y, self.const(b, name + ".bias")) if b is not None else y

    def embed(self, ids, w, scale, name="shared.weight"):
        """Rows of the table that the head shares."""
        if self.form == "fp32":
            e = self.op("Gather", self.const(w, name), ids)
        elif self.form == "int8":
            q, s = blocks(w)
            e = self.op("Cast", self.op("Gather", self.const(q, name + "_q"), ids), to=F32)
            e = self.op("Sub", e, self.const(np.float32(128)))
            s = self.op("Unsqueeze", self.op("Gather", self.const(s, name + "_s"), ids), self.i(-1))
            e = self.op("Reshape", self.op("Mul", e, s), self.i(0, 0, w.shape[1]))
        else:
            q, s = self.channels(w)
            e = self.op("Cast", self.op("Gather", self.const(q, name + "_q"), ids), to=F32)
            e = self.op("Mul", e, self.op("Unsqueeze", self.op("Gather", self.const(s, name + "_s"), ids), self.i(-1)))
        return e if scale == 1 else self.op("Mul", e, self.const(np.float32(scale)))

    def head(self, x, w, name="shared.weight"):
        """Logits with the tied embedding; the transposition of a constant is folded when the session starts."""
        return self.product(x, name, w, transpose=True)

    def norm(self, x, w, p):
        return self.op(
            "LayerNormalization",
            x,
            self.const(w[p + ".weight"], p + ".weight"),
            self.const(w[p + ".bias"], p + ".bias"),
            axis=-1,
            epsilon=1e-5,
        )

    def model(self, name, ins, outs):
        domains = [H.make_opsetid("", 17)] + ([H.make_opsetid("com.microsoft", 1)] if self.form == "int8" else [])
        return H.make_model(
            H.make_graph(self.n, name, ins, outs, self.init), opset_imports=domains, ir_version=8, producer_name="nearglot-starter"
        )
