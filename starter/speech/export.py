#!/usr/bin/env python3
"""Write a checkpoint in the hub layout (opset 17), int8 and, when asked for, fp32.

  python3 export.py --checkpoint ../work/speech/run/last.pt --tok ../work/speech/tok --out ../work/speech/starter-speech [--fp32]

onnx/encoder_model*.onnx          input_features -> last_hidden_state
onnx/decoder_model_merged*.onnx   input_ids, encoder_hidden_states, past_key_values.N.{decoder,encoder}.{key,value}, use_cache_branch
                                  -> logits, present.N..., cross_attentions.N (word times)
*_quantized.onnx                  int8 weights in blocks (see ../graph.py); the two convolutions stay in floating point
"""
import argparse
import json
import os
import shutil
import sys
import numpy as np
import onnx
from onnx import TensorProto as TP, helper as H
from tok import Tok
from whisper import load

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from graph import F32, I64, Graph  # noqa: E402

V = H.make_tensor_value_info


def write(folder, name, value):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        json.dump(value, f, ensure_ascii=False, indent=2)


class Builder:
    def __init__(self, m, form):
        self.w = {k: v.detach().float().numpy() for k, v in m.state_dict().items()}
        self.c, self.form = m.config, form
        self.D, self.heads = m.config.d_model, m.config.heads
        self.dh = self.D // self.heads

    def proj(self, g, x, p, mul=1.0):
        b = self.w.get(p + ".bias")
        return g.linear(x, p, self.w[p + ".weight"] * np.float32(mul), None if b is None else b * np.float32(mul))

    def split(self, g, x):
        return g.op("Transpose", g.op("Reshape", x, g.i(0, -1, self.heads, self.dh)), perm=[0, 2, 1, 3])

    def attend(self, g, q, k, v, p, mask=None, probs=None):
        s = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
        a = g.op("Softmax", s if mask is None else g.op("Add", s, mask), axis=-1, out=probs)
        o = g.op("Reshape", g.op("Transpose", g.op("MatMul", a, v), perm=[0, 2, 1, 3]), g.i(0, -1, self.D))
        return self.proj(g, o, p + ".out_proj")

    def gelu(self, g, x):
        e = g.op("Erf", g.op("Mul", x, g.const(np.float32(0.5**0.5))))
        return g.op("Mul", g.op("Mul", x, g.const(np.float32(0.5))), g.op("Add", e, g.const(np.float32(1))))

    def qkv(self, g, x, p):
        return (self.split(g, self.proj(g, x, f"{p}.{t}_proj", self.dh**-0.5 if t == "q" else 1.0)) for t in "qkv")

    def ffn(self, g, x, p):
        y = g.norm(x, self.w, p + ".final_layer_norm")
        return g.op("Add", x, self.proj(g, self.gelu(g, self.proj(g, y, p + ".fc1")), p + ".fc2"))

    def finish(self, g, name, ins, outs):
        m = g.model(name, ins, outs)
        onnx.checker.check_model(m)
        return m

    def encoder(self):
        g, w, c = Graph(self.form), self.w, self.c
        x = "input_features"
        for conv in ("conv1", "conv2"):
            p = f"encoder.{conv}"
            x = g.op("Conv", x, g.const(w[p + ".weight"], p + ".weight"), g.const(w[p + ".bias"], p + ".bias"), pads=[1, 1], strides=[2], kernel_shape=[3])
            x = self.gelu(g, x)
        x = g.op("Add", g.op("Transpose", x, perm=[0, 2, 1]), g.const(w["encoder.embed_positions"], "positions"))
        for i in range(c.encoder_layers):
            p = f"encoder.layers.{i}"
            y = g.norm(x, w, p + ".self_attn_layer_norm")
            x = g.op("Add", x, self.attend(g, *self.qkv(g, y, p + ".self_attn"), p + ".self_attn"))
            x = self.ffn(g, x, p)
        # Each vector twice: readers take a position for 20 ms.
        x = g.op("Unsqueeze", g.norm(x, w, "encoder.layer_norm"), g.i(2))
        g.op("Reshape", g.op("Concat", x, x, axis=2), g.i(0, c.positions, self.D), out="last_hidden_state")
        B = "batch_size"
        return self.finish(
            g, "encoder", [V("input_features", F32, [B, c.mels, 2 * c.positions])], [V("last_hidden_state", F32, [B, c.positions, self.D])]
        )

    def decoder(self):
        g, w, c = Graph(self.form), self.w, self.c
        kv = lambda when, layer, side, x: f"{when}.{layer}.{side}.{x}"
        # Keys and values of the sound: computed on the first call, taken from the cache afterwards.
        then, els = Graph(self.form), Graph(self.form)
        els.names, els.init, then.names, then.init = g.names, g.init, g.names, g.init
        els.k, then.k = 100000, 200000
        to, eo, names = [], [], []
        for i in range(c.decoder_layers):
            for t, x in (("k", "key"), ("v", "value")):
                eo.append(V(self.split(els, self.proj(els, "encoder_hidden_states", f"decoder.layers.{i}.encoder_attn.{t}_proj")), F32, None))
                to.append(V(then.op("Identity", kv("past_key_values", i, "encoder", x)), F32, None))
                names.append(kv("present", i, "encoder", x))
        branches = dict(then_branch=H.make_graph(then.n, "cached", [], to), else_branch=H.make_graph(els.n, "first", [], eo))
        g.op("If", g.op("Squeeze", "use_cache_branch"), out=names, **branches)
        T = g.op("Shape", "input_ids", start=1, end=2)
        P = g.op("Shape", kv("past_key_values", 0, "decoder", "key"), start=2, end=3)
        E = g.op("Add", P, T)
        table = w["decoder.shared.weight"]
        x = g.op("Add", g.embed("input_ids", table, 1), g.op("Slice", g.const(w["decoder.embed_positions"], "positions"), P, E, g.i(0)))
        sq = lambda v: g.op("Squeeze", v)
        row = g.op("Unsqueeze", g.op("Range", sq(P), sq(E), g.const(np.int64(1))), g.i(1))
        col = g.op("Unsqueeze", g.op("Range", g.const(np.int64(0)), sq(E), g.const(np.int64(1))), g.i(0))
        causal = g.op("Where", g.op("Greater", col, row), g.const(np.float32(-1e9)), g.const(np.float32(0)))
        for i in range(c.decoder_layers):
            p = f"decoder.layers.{i}"
            q, k, v = self.qkv(g, g.norm(x, w, p + ".self_attn_layer_norm"), p + ".self_attn")
            k = g.op("Concat", kv("past_key_values", i, "decoder", "key"), k, axis=2, out=kv("present", i, "decoder", "key"))
            v = g.op("Concat", kv("past_key_values", i, "decoder", "value"), v, axis=2, out=kv("present", i, "decoder", "value"))
            x = g.op("Add", x, self.attend(g, q, k, v, p + ".self_attn", causal))
            q = self.split(g, self.proj(g, g.norm(x, w, p + ".encoder_attn_layer_norm"), p + ".encoder_attn.q_proj", self.dh**-0.5))
            sound = (kv("present", i, "encoder", t) for t in ("key", "value"))
            x = g.op("Add", x, self.attend(g, q, *sound, p + ".encoder_attn", None, f"cross_attentions.{i}"))
            x = self.ffn(g, x, p)
        g.op("Identity", g.head(g.norm(x, w, "decoder.layer_norm"), table), out="logits")
        B, S, past = "batch_size", "encoder_sequence_length", "past_decoder_sequence_length"
        ins = [V("input_ids", I64, [B, "decoder_sequence_length"]), V("encoder_hidden_states", F32, [B, S, self.D])]
        outs = [V("logits", F32, [B, "decoder_sequence_length", c.vocab])]
        for i in range(c.decoder_layers):
            for side, n in (("decoder", past), ("encoder", "encoder_sequence_length_out")):
                for x in ("key", "value"):
                    ins.append(V(kv("past_key_values", i, side, x), F32, [B, self.heads, n, self.dh]))
                    after = n if side == "encoder" else past + " + decoder_sequence_length"
                    outs.append(V(kv("present", i, side, x), F32, [B, self.heads, after, self.dh]))
        ins.append(V("use_cache_branch", TP.BOOL, [1]))
        outs += [V(f"cross_attentions.{i}", F32, [B, self.heads, "decoder_sequence_length", S]) for i in range(c.decoder_layers)]
        return self.finish(g, "decoder", ins, outs)


def main():
    a = argparse.ArgumentParser()
    for name in ("checkpoint", "tok", "out"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--fp32", action="store_true")
    a = a.parse_args()
    m, t = load(a.checkpoint), Tok(a.tok)
    c = m.config
    os.makedirs(os.path.join(a.out, "onnx"), exist_ok=True)
    for form, suffix in (("int8", "_quantized"), *((("fp32", ""),) if a.fp32 else ())):
        b = Builder(m, form)
        for name, graph in (("encoder_model", b.encoder()), ("decoder_model_merged", b.decoder())):
            path = os.path.join(a.out, "onnx", f"{name}{suffix}.onnx")
            onnx.save(graph, path)
            print(path, os.path.getsize(path))
    sizes = dict(d_model=c.d_model, encoder_layers=c.encoder_layers, decoder_layers=c.decoder_layers, encoder_attention_heads=c.heads,
                 decoder_attention_heads=c.heads, encoder_ffn_dim=c.ffn, decoder_ffn_dim=c.ffn)  # fmt: skip
    ids = dict(bos_token_id=t.end, eos_token_id=t.end, pad_token_id=t.end, decoder_start_token_id=t.start)
    common = dict(model_type="whisper", architectures=["WhisperForConditionalGeneration"], activation_function="gelu", is_encoder_decoder=True)
    limits = dict(num_mel_bins=c.mels, max_source_positions=c.positions, max_target_positions=c.tokens, vocab_size=c.vocab, median_filter_width=7)
    write(a.out, "config.json", {**common, **sizes, **limits, **ids, "num_hidden_layers": c.encoder_layers, "use_cache": True})
    control = [t.start, t.prev, t.silence, t.plain]
    rules = dict(is_multilingual=False, no_timestamps_token_id=t.plain, prev_sot_token_id=t.prev, condition_on_prev_tokens=False, max_length=c.tokens, max_initial_timestamp_index=50,
                 suppress_tokens=control, begin_suppress_tokens=[t.end], return_timestamps=False)  # fmt: skip
    write(a.out, "generation_config.json", {**ids, **rules})
    seconds = c.positions / 50
    write(a.out, "preprocessor_config.json", dict(feature_extractor_type="WhisperFeatureExtractor", feature_size=c.mels, sampling_rate=16000, hop_length=160,
          n_fft=400, chunk_length=seconds, n_samples=int(seconds * 16000), nb_max_frames=2 * c.positions, padding_side="right", padding_value=0.0))  # fmt: skip
    write(a.out, "special_tokens_map.json", dict(bos_token="<|endoftext|>", eos_token="<|endoftext|>", pad_token="<|endoftext|>", unk_token="<|endoftext|>"))
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(os.path.join(a.tok, name), a.out)


if __name__ == "__main__":
    main()
