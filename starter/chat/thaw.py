#!/usr/bin/env python3
"""Turn the exported int8 model back into a checkpoint, to continue its training.

  python3 thaw.py --model ../models/starter-chat --out ../work/chat/start.pt
"""
import os
import sys
import numpy as np
import torch
from llama import Config, Llama

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from exported import arguments, initializers, save, thawed  # noqa: E402


def main():
    a, j = arguments()
    c = Config(j["vocab_size"], j["hidden_size"], j["num_hidden_layers"], j["num_attention_heads"], j["num_key_value_heads"], j["intermediate_size"],
               j["max_position_embeddings"], j["rope_theta"], j["rms_norm_eps"])  # fmt: skip
    w = initializers(a.model, "model")
    m = Llama(c)
    state = m.state_dict()
    for n in state:
        v = thawed(w, "shared.weight" if "embed_tokens" in n else n)
        state[n] = torch.from_numpy(np.array(v.T if n in w and v.ndim == 2 else v))
    m.load_state_dict(state)
    save(a.out, model=m.state_dict(), config=vars(c))
    print("parameters", sum(p.numel() for p in m.parameters()))


if __name__ == "__main__":
    main()
