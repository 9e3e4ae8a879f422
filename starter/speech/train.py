#!/usr/bin/env python3
"""Train the speech model; goes on from OUT/last.pt when it is there.

  python3 train.py --data ../work/speech/train --heldout ../work/speech/heldout --tok ../work/speech/tok --out ../work/speech/run --steps 20000
"""
import argparse
import dataclasses
import json
import os
import sys
import time
import numpy as np
import torch
import torch.nn.functional as F
from audio import Recordings, example
from evaluate import score
from tok import Tok
from whisper import Config, LogMel, Whisper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from optim import Optimiser  # noqa: E402


def batch(recordings, tok, r, size, window):
    made = [example(recordings, tok, r, window) for _ in range(size)]
    longest = max(len(ids) for _, ids, _ in made)
    ids = torch.full((size, longest), tok.end)
    goal = torch.full((size, longest - 1), -100)
    for i, (_, row, prompt) in enumerate(made):
        ids[i, : len(row)] = torch.tensor(row)
        goal[i, prompt - 1 : len(row) - 1] = torch.tensor(row[prompt:])
    return torch.from_numpy(np.stack([x for x, _, _ in made])), ids, goal


def rate(step, steps, warmup):
    """Rises, stays, and falls over the last quarter."""
    return min(1.0, (step + 1) / warmup, (steps - step) / max(1, steps // 4))


def save(path, m, opt, step):
    part = path + ".part"
    weights = {n: opt.weights().get(n, v).clone() for n, v in m.state_dict().items()}
    torch.save(dict(config=dataclasses.asdict(m.config), model=weights, optimiser=opt.state_dict(), step=step), part)
    os.replace(part, path)


def main():
    a = argparse.ArgumentParser()
    for name in ("data", "tok", "out"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--heldout")
    for name, value in dict(steps=20000, batch=16, warmup=500, every=200, threads=1, d=192, heads=3, enc=4, dec=3, seed=1).items():
        a.add_argument("--" + name, type=int, default=value)
    a.add_argument("--window", type=float, default=8)
    a.add_argument("--matrices", type=float, default=0.01)
    a.add_argument("--rest", type=float, default=0.002)
    a.add_argument("--minutes", type=float, default=1e9, help="stop (with a checkpoint) after this time")
    a = a.parse_args()
    torch.set_num_threads(a.threads)
    torch.manual_seed(a.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tok, recordings = Tok(a.tok), Recordings(a.data)
    c = Config(vocab=tok.size, d_model=a.d, heads=a.heads, encoder_layers=a.enc, decoder_layers=a.dec, ffn=4 * a.d, positions=int(a.window * 50))
    m, mel = Whisper(c).to(device), LogMel(c.mels).to(device)
    opt, step = Optimiser(m), 0
    os.makedirs(a.out, exist_ok=True)
    last = os.path.join(a.out, "last.pt")
    if os.path.exists(last):
        z = torch.load(last, map_location=device)
        m.load_state_dict(z["model"])
        opt = Optimiser(m)
        opt.load_state_dict(z["optimiser"])
        step = z["step"]
    print(f"{sum(p.numel() for p in m.parameters()) / 1e6:.2f} million weights, {len(recordings)} recordings, {device}, from step {step}", flush=True)
    began, total, count = time.time(), 0.0, 0
    while step < a.steps:
        # The data of a step depends on its number alone, so a resumed run goes on as if it had not stopped.
        x, ids, goal = (t.to(device) for t in batch(recordings, tok, np.random.default_rng((a.seed, step)), a.batch, a.window))
        with torch.no_grad():
            features = mel(x)
        loss = F.cross_entropy(m(features, ids[:, :-1]).transpose(1, 2), goal, label_smoothing=0.05)
        loss.backward()
        k = rate(step, a.steps, a.warmup)
        opt.step(a.matrices * k, a.rest * k)
        step, total, count = step + 1, total + loss.item(), count + 1
        over = time.time() - began > a.minutes * 60
        if step % a.every == 0 or step == a.steps or over:
            row = dict(step=step, loss=round(total / count, 4), seconds=round(time.time() - began))
            if a.heldout and (step % (5 * a.every) == 0 or step == a.steps or over):
                m.eval()
                row["wer"] = round(score(m, mel, tok, Recordings(a.heldout), 64, a.window)[0], 2)
                m.train()
            with open(os.path.join(a.out, "log.jsonl"), "a") as f:
                f.write(json.dumps(row) + "\n")
            print(row, flush=True)
            total, count = 0.0, 0
            save(last, m, opt, step)
        if over:
            break


if __name__ == "__main__":
    main()
