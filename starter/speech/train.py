#!/usr/bin/env python3
"""Train the speech model; goes on from OUT/last.pt when it is there.

  python3 train.py --data ../work/speech/train --heldout ../work/speech/heldout --tok ../work/speech/tok --out ../work/speech/run --steps 20000
"""
import argparse
import dataclasses
import json
import multiprocessing
import os
import sys
import time
import numpy as np
import torch
import torch.nn.functional as F
from audio import Recordings, example
from evaluate import plain, score
from phones import Phones
from tok import Tok
from whisper import Config, Whisper

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from optim import Optimiser  # noqa: E402
from precision import fastest  # noqa: E402

PHONES = "phones.json"
# Lengths of a batch in seconds, and how often each comes.
LENGTHS, SHARES = (1, 0.7, 0.5, 0.35), (0.3, 0.2, 0.3, 0.2)


def batch(recordings, tok, phones, seed, step, size, window, short):
    """The data of a step depends on its number alone, so a resumed run goes on as if it had not stopped."""
    r = np.random.default_rng((seed, step))
    length = LENGTHS[r.choice(len(LENGTHS), p=SHARES)]
    # What is said where is found out faster in short and small batches.
    if step < short:
        length, size = LENGTHS[-1], max(1, size // 2)
    total = int(window * length * 25) * 4
    made = [example(recordings, tok, r, total, 0.6 if step < short else 0.35) for _ in range(round(size / length))]
    longest = max(len(ids) for _, ids, _, _ in made)
    ids = np.full((len(made), longest), tok.end)
    goal = np.full((len(made), longest - 1), -100)
    heard = [[i for t in texts for i in tok.encode(plain(t))] for _, _, _, texts in made]
    for i, (_, row, prompt, _) in enumerate(made):
        ids[i, : len(row)] = row
        goal[i, prompt - 1 : len(row) - 1] = row[prompt:]
    sounds = [[i for t in texts for i in phones.of(t)] for _, _, _, texts in made]
    return np.stack([x for x, _, _, _ in made]), ids, goal, heard, sounds


def work(paths, folder, seed, size, window, short, jobs, done):
    os.setpriority(os.PRIO_PROCESS, 0, 19)
    os.sched_setaffinity(0, range(os.cpu_count()))
    recordings, tok, phones = Recordings(*paths), Tok(folder), Phones(os.path.join(folder, PHONES))
    while True:
        step = jobs.get()
        done.put((step, batch(recordings, tok, phones, seed, step, size, window, short)))


def batches(first, workers, *args):
    """Batches in order, made by other processes."""
    # Fork would carry over the threads of PyTorch.
    c = multiprocessing.get_context("spawn")
    jobs, done, ready, ahead = c.Queue(), c.Queue(), {}, first
    for _ in range(workers):
        c.Process(target=work, args=(*args, jobs, done), daemon=True).start()
    for ahead in range(first, first + 12):
        jobs.put(ahead)
    while True:
        while first not in ready:
            step, made = done.get()
            ready[step] = made
        ahead += 1
        jobs.put(ahead)
        yield ready.pop(first)
        first += 1


def told(logits, lists):
    """Connectionist temporal classification, per symbol; the last class is "nothing"."""
    p = logits.float().log_softmax(-1).transpose(0, 1)
    lengths, every = torch.tensor([len(x) for x in lists]), torch.tensor([i for x in lists for i in x])
    frames = torch.full((len(lists),), len(p))
    return F.ctc_loss(p, every, frames, lengths, blank=p.shape[2] - 1, zero_infinity=True, reduction="sum") / max(1, len(every))


def loss_of(m, x, ids, goal, heard, sounds, weight, apart):
    """Of the decoder and, weighed, of the encoder alone: (sum, text, pieces of words, phonemes).

    apart: the encoder does not learn from its own two losses; heads that begin anew would spoil what it knows.
    """
    encoded, middle = m.encoder(x, (2 * m.config.encoder_layers + 2) // 3)
    text = F.cross_entropy(m.decoder(ids[:, :-1], encoded).float().flatten(0, 1), goal.flatten(), ignore_index=-100, label_smoothing=0.05)
    top, middle = (encoded.detach(), middle.detach()) if apart else (encoded, middle)
    pieces, phones = told(m.ctc(top), heard), told(m.phones(m.middle_norm(middle)), sounds)
    return text + weight * (pieces + phones), float(text), float(pieces), float(phones)


def rate(done, warm):
    """Of the whole run, 0 to 1: rises, stays, and falls over the last third."""
    return min(1.0, warm, 0.02 + (1 - done) * 3)


def save(path, m, opt, step, minutes):
    part = path + ".part"
    weights = {n: opt.weights().get(n, v).float().clone() for n, v in m.state_dict().items()}
    torch.save(dict(config=dataclasses.asdict(m.config), model=weights, optimiser=opt.state_dict(), step=step, minutes=minutes), part)
    os.replace(part, path)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--data", required=True, nargs="+")
    for name in ("tok", "out"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--heldout")
    a.add_argument("--start", help="checkpoint to begin with: of another run, or as thaw.py makes it")
    a.add_argument("--settle", type=int, default=150, help="steps after a thawed --start in which only the heads, which it lacks, learn from the encoder's own losses")
    sizes = dict(d=256, heads=4, enc=6, dec=3)
    for name, value in dict(steps=20000, batch=16, warmup=150, every=100, short=1000, threads=1, workers=1, seed=1, **sizes).items():
        a.add_argument("--" + name, type=int, default=value)
    a.add_argument("--window", type=float, default=8)
    a.add_argument("--matrices", type=float, default=0.01)
    a.add_argument("--rest", type=float, default=0.002)
    a.add_argument("--ctc", type=float, default=0.5, help="weight of the encoder's own losses")
    a.add_argument("--precision", choices=("bf16", "fp32"), help="default: the faster one")
    a.add_argument("--minutes", type=float, help="fit the schedule into this time instead of --steps")
    a.add_argument("--profile", action="store_true")
    a = a.parse_args()
    torch.set_num_threads(a.threads)
    torch.manual_seed(a.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tok = Tok(a.tok)
    phones = Phones(os.path.join(a.tok, PHONES)).count
    c = Config(vocab=tok.size, letters=tok.end, phones=phones, d_model=a.d, heads=a.heads, encoder_layers=a.enc, decoder_layers=a.dec, ffn=4 * a.d, positions=int(a.window * 50))
    m = Whisper(c).to(device)
    kind = fastest(device, a.precision)
    opt, step, before, thawed = Optimiser(m, dtype=kind), 0, 0.0, False
    os.makedirs(a.out, exist_ok=True)
    last = os.path.join(a.out, "last.pt")
    if os.path.exists(last):
        z = torch.load(last, map_location=device)
        m.load_state_dict(z["model"], strict=False)
        opt = Optimiser(m, dtype=kind)
        opt.load_state_dict(z["optimiser"])
        step, before = z["step"], z["minutes"]
    elif a.start:
        z = torch.load(a.start, map_location=device)
        # What thaw.py makes has no step, and heads that know nothing.
        thawed = "step" not in z
        m.load_state_dict({n: v for n, v in z["model"].items() if not thawed or n.startswith(("encoder.", "decoder."))}, strict=False)
        opt = Optimiser(m, dtype=kind)
    # The optimiser keeps the exact weights.
    m.to(kind)
    print(f"{sum(p.numel() for p in m.parameters()) / 1e6:.2f} million weights, {device}, from step {step}", flush=True)
    began, sums, count = time.time(), np.zeros(4), 0
    source = batches(step, a.workers, a.data, a.tok, a.seed, a.batch, a.window, a.short)
    spent = np.zeros(4)
    while True:
        t0 = time.time()
        x, ids, goal, heard, sounds = next(source)
        t1 = time.time()
        x, ids, goal = torch.from_numpy(x).to(device, kind), torch.from_numpy(ids).to(device), torch.from_numpy(goal).to(device)
        loss, *parts = loss_of(m, x, ids, goal, heard, sounds, a.ctc, thawed and step < a.settle)
        t2 = time.time()
        loss.backward()
        t3 = time.time()
        minutes = before + (time.time() - began) / 60
        done = minutes / a.minutes if a.minutes else step / a.steps
        k = rate(done, (step + 1) / a.warmup)
        norm = opt.step(a.matrices * k, a.rest * k)
        step, sums, count = step + 1, sums + [float(loss), *parts], count + 1
        spent += [t1 - t0, t2 - t1, t3 - t2, time.time() - t3]
        over = done >= 1 if a.minutes else step >= a.steps
        if step % a.every == 0 or over:
            row = dict(step=step, **{n: round(v / count, 4) for n, v in zip(("loss", "text", "pieces", "phones"), sums)}, norm=round(norm, 2), minutes=round(minutes, 1), k=round(k, 3))
            if a.profile:
                row["spent"] = [round(float(s) / count, 3) for s in spent]
            if a.heldout and (step % (20 * a.every) == 0 or over):
                row["wer"] = round(score(m, tok, Recordings(a.heldout), 96, a.window)[0], 2)
            with open(os.path.join(a.out, "log.jsonl"), "a") as f:
                f.write(json.dumps(row) + "\n")
            print(row, flush=True)
            sums, count, spent = np.zeros(4), 0, np.zeros(4)
            save(last, m, opt, step, minutes)
        if over:
            break


if __name__ == "__main__":
    main()
