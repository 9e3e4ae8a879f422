#!/usr/bin/env python3
"""Word error rate of a checkpoint on recordings made by synth.py --heldout, by voice.

  python3 evaluate.py --checkpoint ../work/speech/run/last.pt --tok ../work/speech/tok --data ../work/speech/heldout [--count 500]
"""
import argparse
import collections
import re
import numpy as np
import torch
from audio import Recordings, normal
from tok import Tok
from whisper import greedy, load


def plain(text):
    """Small letters, without punctuation."""
    return " ".join(re.sub(r"[^a-z0-9' ]", " ", text.lower()).split())


def words(text):
    return plain(text).split()


def distance(a, b):
    """Insertions, deletions and substitutions between two word lists."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def score(m, tok, recordings, count, window, size=16, show=0):
    """(word error rate in percent, {group: rate})"""
    wrong, right = collections.Counter(), collections.Counter()
    weight = next(m.parameters())
    order = np.random.default_rng(7).permutation(len(recordings))[:count]
    for start in range(0, len(order), size):
        rows = [recordings.rows[i] for i in order[start : start + size]]
        x = np.zeros((len(rows), int(window * 100), 80), np.float32)
        for i, k in enumerate(order[start : start + size]):
            mel, _ = recordings.get(k)
            x[i, 5 : 5 + len(mel)] = 10**mel
        x = torch.from_numpy(np.stack([normal(p) for p in x])).to(weight.device, weight.dtype)
        for row, text in zip(rows, greedy(m, x, tok)):
            group = "digits of unheard speakers" if row["voice"].startswith("digits:") else row["voice"]
            e, n = distance(words(row["text"]), words(text)), len(words(row["text"]))
            for g in (group, "all"):
                wrong[g] += e
                right[g] += n
            if show > 0:
                print(f"  {row['text']}  ->  {text}")
                show -= 1
    return 100 * wrong["all"] / max(1, right["all"]), {g: round(100 * wrong[g] / right[g], 2) for g in right}


def main():
    a = argparse.ArgumentParser()
    for name in ("checkpoint", "tok", "data"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--count", type=int, default=500)
    a.add_argument("--threads", type=int, default=1)
    a.add_argument("--show", type=int, default=10)
    a = a.parse_args()
    torch.set_num_threads(a.threads)
    m = load(a.checkpoint)
    print(score(m, Tok(a.tok), Recordings(a.data), a.count, m.config.positions / 50, show=a.show)[1])


if __name__ == "__main__":
    main()
