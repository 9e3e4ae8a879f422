#!/usr/bin/env python3
"""Turn an exported model (int8 or fp32 ONNX in the hub layout) back into a checkpoint, to continue its training.

  python3 thaw.py --model ../models/starter-translate --out ../work/translate/start.pt
"""
import argparse
import json
import os
import sys
import numpy as np
import onnx
from onnx import numpy_helper
import torch
from marian import Config, Marian, save

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from graph import thawed  # noqa: E402


def weights(path):
    return {t.name: numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}


def grown(v, fresh, name):
    """v in the corner of a larger tensor: random rows for fc1, no effect on the output through fc2's zero columns."""
    w = fresh.clone() if name.endswith("fc1.weight") else torch.zeros_like(fresh)
    w[tuple(slice(0, n) for n in v.shape)] = v
    return w


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--model", required=True)
    a.add_argument("--out", required=True)
    a.add_argument("--widen", type=int, default=0, help="a larger feed-forward width; the new units start without effect")
    a = a.parse_args()
    with open(os.path.join(a.model, "config.json"), encoding="utf-8") as f:
        j = json.load(f)
    m = Marian(
        Config(
            j["vocab_size"],
            j["d_model"],
            j["encoder_layers"],
            j["decoder_layers"],
            j["encoder_attention_heads"],
            j["encoder_ffn_dim"],
            j["max_position_embeddings"],
        )
    )
    o = lambda n: next(p for p in (os.path.join(a.model, "onnx", n + s) for s in ("_quantized.onnx", ".onnx")) if os.path.exists(p))
    w = {**weights(o("decoder_model_merged")), **weights(o("encoder_model"))}
    if a.widen:
        m.config.ffn_dim = a.widen
        m = Marian(m.config)
    state = m.state_dict()
    scale = (j["d_model"] // j["encoder_attention_heads"]) ** 0.5
    for n in state:
        if "embed_positions" in n:
            continue
        v = thawed(w, "shared.weight" if n == "model.shared.weight" else n)
        v = v.T if n in w and v.ndim == 2 and "shared" not in n else v
        v = torch.from_numpy(np.array(v)) * (scale if ".q_proj." in n else 1)
        state[n] = grown(v, state[n], n) if v.shape != state[n].shape else v
    m.load_state_dict(state)
    os.makedirs(os.path.dirname(a.out) or ".", exist_ok=True)
    save(a.out, m)
    print("parameters", sum(p.numel() for p in m.parameters() if p.requires_grad))


if __name__ == "__main__":
    main()
