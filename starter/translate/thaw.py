#!/usr/bin/env python3
"""Turn an exported model (int8 or fp32 ONNX in the hub layout) back into a checkpoint, to continue its training.

  python3 thaw.py --model ../models/starter-translate --out ../work/translate/start.pt
"""
import dataclasses
import os
import sys
import numpy as np
import torch
from marian import Config, Marian

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from exported import arguments, initializers, save, thawed  # noqa: E402


def grown(v, fresh, name):
    """v in the corner of a larger tensor: random rows for fc1, no effect on the output through fc2's zero columns."""
    w = fresh.clone() if name.endswith("fc1.weight") else torch.zeros_like(fresh)
    w[tuple(slice(0, n) for n in v.shape)] = v
    return w


def main():
    a, j = arguments(widen=dict(type=int, default=0, help="a larger feed-forward width; the new units start without effect"))
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
    w = {**initializers(a.model, "decoder_model_merged"), **initializers(a.model, "encoder_model")}
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
    save(a.out, config=dataclasses.asdict(m.config), model={n: v.detach().float() for n, v in m.state_dict().items()})
    print("parameters", sum(p.numel() for p in m.parameters() if p.requires_grad))


if __name__ == "__main__":
    main()
