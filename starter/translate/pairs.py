"""Batches of encoded sentence pairs: a direction drawn per pair and epoch, sorted by length, shuffled by batch."""
import random
import numpy as np
import torch
from tok import LANGS


class Pairs:
    """keep: share of a corpus per epoch by "corpus.lang" or "corpus"; above 1 means repeats."""

    def __init__(self, path, tok, reverse, max_tokens, keep, seed=3):
        z = np.load(path)
        self.tok, self.reverse, self.keep = tok, reverse, keep
        self.z = {k: z[k] for k in z.files}
        self.rows, self.held = [], []
        names = list(self.z["corpora"])
        for lang in LANGS:
            ne, nx = np.diff(self.z[f"{lang}_eo"]), np.diff(self.z[f"{lang}_xo"])
            held, corpus = self.z[f"{lang}_held"], self.z[f"{lang}_corpus"]
            for i in range(len(ne)):
                if max(ne[i], nx[i]) > max_tokens or min(ne[i], nx[i]) == 0:
                    continue
                (self.held if held[i] else self.rows).append((lang, i, int(ne[i]), int(nx[i]), names[corpus[i]]))
        random.Random(seed).shuffle(self.held)
        self.held = self.held[:450]

    def share(self, row):
        return self.keep.get(f"{row[4]}.{row[0]}", self.keep.get(row[4], 1.0))

    def batches(self, epoch, budget, limit=999):
        r = random.Random(1000 + epoch)
        rows = []
        for e in self.rows:
            if max(e[2], e[3]) > limit:
                continue
            s = self.share(e)
            for _ in range(int(s) + (r.random() < s - int(s))):
                rows.append(self.directed(e, r.random() < self.reverse))
        rows.sort(key=lambda e: (max(e[3], e[4]) + r.random() * 3, e[3] + r.random()))
        out = pack(rows, budget)
        r.shuffle(out)
        return out

    def held_batches(self, reverse, budget=3000):
        rows = [self.directed(e, reverse) for e in self.held]
        return pack(sorted(rows, key=lambda e: (e[4], e[3])), budget)

    @staticmethod
    def directed(e, reverse):
        """(language, row, from English?, source length, target length)"""
        return (e[0], e[1], reverse, e[3], e[2]) if reverse else (e[0], e[1], reverse, e[2], e[3])

    def side(self, lang, i, english):
        o = self.z[f"{lang}_eo" if english else f"{lang}_xo"]
        s = slice(o[i], o[i + 1])
        return self.z[f"{lang}_en" if english else f"{lang}_xx"][s], self.z[f"{lang}_ae" if english else f"{lang}_ax"][s]

    def tensors(self, batch):
        """Source ids, decoder input, decoder target, alignment target (source position or -1)."""
        t = self.tok
        n, m = max(e[3] for e in batch) + 2, max(e[4] for e in batch) + 1
        x = np.full((len(batch), n), t.pad, np.int64)
        y = np.full((len(batch), m), t.pad, np.int64)
        a = np.full((len(batch), m), -1, np.int64)
        for r, (lang, i, reverse, ls, lt) in enumerate(batch):
            s, _ = self.side(lang, i, not reverse)
            q, al = self.side(lang, i, reverse)
            x[r, 0] = t.v[">>en<<" if reverse else f">>{lang}<<"]
            x[r, 1 : ls + 1] = s
            x[r, ls + 1] = t.eos
            y[r, :lt] = q
            y[r, lt] = t.eos
            a[r, :lt] = np.where(al >= 0, al.astype(np.int64) + 1, -1)
            a[r, lt] = ls + 1
        d = np.full_like(y, t.pad)
        d[:, 1:] = y[:, :-1]
        return [torch.from_numpy(v) for v in (x, d, y, a)]


def pack(rows, budget):
    out, cur, ls, lt = [], [], 0, 0
    for e in rows:
        a, b = max(ls, e[3] + 2), max(lt, e[4] + 1)
        if cur and (len(cur) + 1) * max(a, b) > budget:
            out.append(cur)
            cur, a, b = [], e[3] + 2, e[4] + 1
        cur.append(e)
        ls, lt = a, b
    return out + [cur] if cur else out
