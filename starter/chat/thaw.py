#!/usr/bin/env python3
"""Turn the exported int8 model back into a checkpoint, to continue its training.

  python3 thaw.py --model ../models/starter-chat --out ../work/chat/start.pt
"""
import argparse
import json
import os
import numpy as np
import onnx
from onnx import numpy_helper
import torch
from llama import Config, Llama

PARTS = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--model", required=True)
    a.add_argument("--out", required=True)
    a = a.parse_args()
    with open(os.path.join(a.model, "config.json"), encoding="utf-8") as f:
        j = json.load(f)
    c = Config(j["vocab_size"], j["hidden_size"], j["num_hidden_layers"], j["num_attention_heads"], j["num_key_value_heads"], j["intermediate_size"],
               j["max_position_embeddings"], j["rope_theta"], j["rms_norm_eps"])  # fmt: skip
    graph = onnx.load(os.path.join(a.model, "onnx", "model_quantized.onnx")).graph
    w = {t.name: numpy_helper.to_array(t) for t in graph.initializer}

    def matrix(name):
        """(in, out) int8 with a scale per output -> float (out, in)"""
        base = name[: -len("_quantized")] if name.endswith("_quantized") else name[: -len("_q")]
        scale = w.get(base + "_scale", w.get(base + "_s"))
        return torch.from_numpy((w[name].astype(np.float32) * scale).T.copy())

    products = [n.input[1] for n in graph.node if n.op_type == "MatMulInteger"]
    products = [p for p in products if p in w]
    m = Llama(c)
    state = m.state_dict()
    for layer in range(c.layers):
        for i, part in enumerate(PARTS):
            state[f"model.layers.{layer}.{part}.weight"] = matrix(products[layer * len(PARTS) + i])
    if "head_quantized" in w:
        state["model.embed_tokens.weight"] = matrix("head_quantized")
    else:
        state["model.embed_tokens.weight"] = torch.from_numpy(w["embed_q"].astype(np.float32) * w["head_s"][:, None])
    for n in state:
        if "norm" in n:
            state[n] = torch.from_numpy(w.get("m." + n, w.get(n)).copy())
    m.load_state_dict(state)
    os.makedirs(os.path.dirname(a.out) or ".", exist_ok=True)
    torch.save(dict(model=m.state_dict(), config=vars(c)), a.out)
    print("parameters", sum(p.numel() for p in m.parameters()))


if __name__ == "__main__":
    main()
