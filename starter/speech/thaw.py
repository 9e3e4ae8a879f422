#!/usr/bin/env python3
"""Turn the exported int8 model back into a checkpoint, to continue its training.

  python3 thaw.py --model ../models/starter-speech --out ../work/speech/start.pt

The two heads that only training needs are not in the export; they begin anew.
"""
import dataclasses
import os
import sys
import numpy as np
import torch
from tok import Tok
from whisper import Config, Whisper

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from exported import arguments, initializers, save, thawed  # noqa: E402


def weights(folder, c):
    """The model's state by name, as export.py wrote it."""
    encoder, decoder = initializers(folder, "encoder_model"), initializers(folder, "decoder_model_merged")
    scale = (c.d_model // c.heads) ** 0.5
    state = Whisper(c).state_dict()
    for n, was in state.items():
        if not n.startswith(("encoder.", "decoder.")):
            continue
        w = encoder if n.startswith("encoder.") else decoder
        name = "positions" if n.endswith("embed_positions") else "shared.weight" if n == "decoder.shared.weight" else n
        v = thawed(w, name) * (scale if ".q_proj." in n else 1)
        state[n] = torch.from_numpy(np.array(v, np.float32)).reshape(was.shape)
    return state


def main():
    a, j = arguments()
    c = Config(j["vocab_size"], Tok(a.model).end, j["d_model"], j["encoder_attention_heads"], j["encoder_layers"], j["decoder_layers"], j["encoder_ffn_dim"],
               j["num_mel_bins"], j["max_source_positions"], j["max_target_positions"])  # fmt: skip
    save(a.out, config=dataclasses.asdict(c), model=weights(a.model, c))
    print("from", sum(os.path.getsize(os.path.join(a.model, "onnx", f)) for f in os.listdir(os.path.join(a.model, "onnx"))), "bytes")


if __name__ == "__main__":
    main()
