"""A small ONNX graph writer: nodes, shared constants, weights plain or as int8 with a scale per output channel."""
import numpy as np
from onnx import TensorProto as TP, helper as H, numpy_helper as NH

F32, I64 = TP.FLOAT, TP.INT64


class Graph:
    def __init__(self, q, qmax):
        self.n, self.init, self.names, self.q, self.qmax, self.k = [], [], {}, q, qmax, 0

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

    def qw(self, w, axis):
        """symmetric int8 along an axis: w ~ q * scale"""
        s = np.abs(w).max(axis=1 - axis, keepdims=True).astype(np.float32) / self.qmax
        s[s == 0] = 1
        return np.clip(np.round(w / s), -self.qmax, self.qmax).astype(np.int8), s.reshape(-1)

    def quant_in(self, x):
        return self.op("DynamicQuantizeLinear", x, n=3)

    def linear(self, x, name, w, b, xq=None):
        """x @ w.T + b, w as in torch (out, in)"""
        if not self.q:
            y = self.op("MatMul", x, self.const(w.T, name + ".weight"))
        else:
            q, s = self.qw(w, 0)
            a, sc, zp = xq or self.quant_in(x)
            y = self.op("MatMulInteger", a, self.const(q.T, name + ".weight_q"), zp, self.const(np.int8(0)))
            y = self.op("Mul", self.op("Cast", y, to=F32), self.op("Mul", sc, self.const(s, name + ".weight_s")))
        return self.op("Add", y, self.const(b, name + ".bias")) if b is not None else y

    def embed(self, ids, w, scale):
        if not self.q:
            return self.op("Mul", self.op("Gather", self.const(w, "shared.weight"), ids), self.const(np.float32(scale)))
        q, s = self.qw(w, 0)
        e = self.op("Cast", self.op("Gather", self.const(q, "shared.weight_q"), ids), to=F32)
        return self.op("Mul", e, self.op("Gather", self.const((s * scale)[:, None], "shared.weight_s"), ids))

    def head(self, x, w):
        """logits with the tied embedding; the transposition of a constant is folded when the session starts"""
        if not self.q:
            return self.op("MatMul", x, self.op("Transpose", self.const(w, "shared.weight"), perm=[1, 0]))
        q, s = self.qw(w, 0)
        a, sc, zp = self.quant_in(x)
        y = self.op("MatMulInteger", a, self.op("Transpose", self.const(q, "shared.weight_q"), perm=[1, 0]), zp, self.const(np.int8(0)))
        return self.op("Mul", self.op("Cast", y, to=F32), self.op("Mul", sc, self.const(s, "head.weight_s")))

    def norm(self, x, w, p):
        return self.op(
            "LayerNormalization",
            x,
            self.const(w[p + ".weight"], p + ".weight"),
            self.const(w[p + ".bias"], p + ".bias"),
            axis=-1,
            epsilon=1e-5,
        )

    def i(self, *v):
        return self.const(np.array(v, np.int64))
