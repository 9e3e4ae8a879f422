"""Examples for training: spectra laid into a window, with voices, rooms, noise, loudness and microphones made up on the way.

Everything is done on mel powers, a hundredth of the work that samples would take: powers of sounds add up, a room smears them in
time, a microphone weighs bands, another length of the throat moves them.
"""
import json
import numpy as np
from features import BANDS, LEAST, STEP, frames

RATE = 16000
EDGES = np.linspace(0, 15 + np.log(8) * 27 / np.log(6.4), BANDS + 2)[1:-1]
HERTZ = np.where(EDGES < 15, 200 * EDGES / 3, 1000 * np.exp((EDGES - 15) * np.log(6.4) / 27))
OCTAVES = np.log2(HERTZ / 1000).astype(np.float32)
# What white noise looks like in these bands, mean 1: narrow bands waver more.
WIDTH = np.maximum(1, np.gradient(HERTZ) / 40)
NOISE = np.random.default_rng(0).gamma(WIDTH, 1 / WIDTH, (8192, BANDS)).astype(np.float32)


class Recordings:
    def __init__(self, *paths):
        self.rows, self.parts, self.digits = [], [], []
        for path in paths:
            mel, at = np.memmap(path + ".mel", np.uint8, "r").reshape(-1, BANDS), 0
            with open(path + ".jsonl") as f:
                for line in f:
                    row = json.loads(line)
                    if not row.get("skip"):
                        if row["kind"] == "digits":
                            self.digits.append(len(self.rows))
                        self.rows.append(row)
                        self.parts.append((mel, at, frames(row["n"])))
                    at += frames(row["n"])

    def __len__(self):
        return len(self.rows)

    def get(self, i):
        """(frames, bands) log10 of the power, and the text"""
        mel, at, n = self.parts[i]
        return mel[at : at + n].astype(np.float32) * STEP + LEAST, self.rows[i]["text"]


def lerp(x, where):
    """Rows of x at fractional places."""
    low = np.minimum(where.astype(np.int64), len(x) - 1)
    high = np.minimum(low + 1, len(x) - 1)
    part = (where - low).astype(np.float32)[:, None]
    return x[low] * (1 - part) + x[high] * part


def voiced(mel, r):
    """Another speed, another length of the throat, another loudness."""
    if r.random() < 0.6:
        mel = lerp(mel, np.arange(0, len(mel) - 1, np.exp(r.uniform(-0.15, 0.15))))
    if r.random() < 0.6:
        mel = lerp(mel.T, np.interp(HERTZ * np.exp(r.uniform(-0.16, 0.16)), HERTZ, np.arange(BANDS))).T
    return mel + np.float32(r.uniform(-0.5, 0.3))


def room(p, r):
    keep = 10 ** (-0.06 / r.uniform(0.1, 0.5))
    gain = r.uniform(0.03, 0.35) * (1 - keep) / keep
    out = p.copy()
    for k in range(1, min(len(p), int(-3.5 / np.log10(keep)) + 1)):
        gain *= keep
        out[k:] += np.float32(gain) * p[:-k]
    return out


def colour(r, spread):
    """A gain for each band: a slope and two waves."""
    x = r.uniform(-spread, spread) * OCTAVES
    for _ in range(2):
        x = x + r.uniform(0, spread) * np.cos(OCTAVES * r.uniform(0.5, 3) + r.uniform(0, 6.3))
    return 10 ** x.astype(np.float32)


def noise(n, r):
    at = int(r.integers(len(NOISE) - n))
    shape = 10 ** (r.uniform(-0.8, 0.15) * OCTAVES).astype(np.float32) * colour(r, 0.15)
    x = NOISE[at : at + n] * (shape / shape.mean())
    if r.random() < 0.3:
        x = x * 10 ** np.interp(np.arange(n), np.arange(0, n + 40, 40), r.uniform(-1, 0.4, n // 40 + 1 + (n % 40 > 0))).astype(np.float32)[:, None]
    return x


def spoil(p, end, recordings, r):
    """Changes the first `end` frames; what follows is what the product fills a window up with: nothing."""
    if r.random() < 0.35:
        p = room(p, r)
    if r.random() < 0.6:
        p = p * colour(r, 0.22)
    if r.random() < 0.25:
        end = len(p)
    loud = float(p[:end].mean()) + 1e-9
    if r.random() < 0.08:
        other = recordings.get(int(r.integers(len(recordings))))[0][:end]
        p[: len(other)] += 10 ** (other - np.float32(r.uniform(1, 2.5)))
    if r.random() < 0.75:
        p[:end] += noise(end, r) * np.float32(loud * 10 ** (-r.uniform(0.3, 4)))
    if r.random() < 0.15:
        p = p * np.where((HERTZ > 250) & (HERTZ < r.uniform(3300, 4100)), 1, 1e-5).astype(np.float32)
    p = p * np.float32(10 ** r.uniform(-2, 0.4))
    p[end:] = 0
    return p


def normal(p):
    """Whisper's input of powers: (bands, frames)"""
    x = np.log10(np.maximum(p, 1e-10))
    return ((np.maximum(x, x.max() - 8) + 4) / 4).T.astype(np.float32)


def masked(x, r):
    """A few bands and moments left out."""
    for _ in range(int(r.integers(0, 3))):
        n = int(r.integers(1, 12))
        at = int(r.integers(BANDS - n))
        x[at : at + n] = x.mean()
    for _ in range(int(r.integers(0, x.shape[1] // 150 + 1))):
        n = int(r.integers(1, 10))
        at = int(r.integers(x.shape[1] - n))
        x[:, at : at + n] = x.min()
    return x


def example(recordings, tok, r, total, plain=0.12):
    """(bands, total) input, ids with the prompt, length of the prompt, texts; a share of `plain` is left as it was spoken"""
    p = np.zeros((total, BANDS), np.float32)
    if r.random() < 0.02:
        n = int(r.integers(20, total))
        p[:n] = noise(n, r) * np.float32(10 ** -r.uniform(2, 8))
        return normal(p), [tok.start, tok.silence, tok.end], 1, []
    clean = r.random() < plain
    # Orders and digits often come alone, and then the product fills the window up.
    alone = total == 800 and r.random() < 0.4
    full = total < 800 or r.random() < 0.6
    at, end, pieces = 2 * int(r.uniform(0, 30)), 0, []
    while True:
        some = recordings.digits if alone and recordings.digits and r.random() < 0.4 else range(len(recordings))
        mel, text = recordings.get(some[int(r.integers(len(some)))])
        mel = mel if clean else voiced(mel, r)
        if at + len(mel) > total and (pieces or len(mel) > total):
            if pieces:
                break
            continue
        at = min(at, (total - len(mel)) // 2 * 2)
        p[at : at + len(mel)] += 10**mel
        end = at + len(mel)
        pieces.append((at / 100, min(end, total) / 100, text))
        at = (end + int(r.uniform(8, 90))) // 2 * 2
        if alone or (not full and r.random() < 0.5):
            break
    x = normal(p if clean else spoil(p, min(total, end + int(r.uniform(0, 60))), recordings, r))
    if not clean and r.random() < 0.5:
        x = masked(x, r)
    texts = [t for _, _, t in pieces]
    before = []
    if r.random() < 0.1:
        other = recordings.rows[int(r.integers(len(recordings)))]["text"]
        before = [tok.prev, *tok.encode(other)[-40:]]
    if r.random() < 0.5:
        ids = [i for a, b, t in pieces for i in [tok.time(a), *tok.encode(t), tok.time(b)]]
        return x, [*before, tok.start, *ids, tok.end], len(before) + 1, texts
    ids = [i for t in texts for i in tok.encode(t)]
    return x, [*before, tok.start, tok.plain, *ids, tok.end], len(before) + 2, texts
