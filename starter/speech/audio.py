"""Recordings for training: laid into a window, with noise, rooms, loudness and microphones made up on the way."""
import json
import numpy as np

RATE = 16000


class Recordings:
    def __init__(self, path):
        with open(path + ".jsonl") as f:
            self.rows = [json.loads(line) for line in f]
        self.samples = np.memmap(path + ".i16", np.int16, "r")

    def __len__(self):
        return len(self.rows)

    def get(self, i):
        row = self.rows[i]
        return self.samples[row["at"] : row["at"] + row["n"]].astype(np.float32) / 32768, row["text"]


def noise(n, r, tilt):
    """White for tilt 0, red for 2."""
    f = np.fft.rfft(r.standard_normal(n).astype(np.float32))
    f *= np.maximum(np.arange(len(f)), 4) ** (-tilt / 2)
    x = np.fft.irfft(f, n)
    return (x / (x.std() + 1e-9)).astype(np.float32)


def room(x, r):
    """Reflections that die away within 0.05 to 0.4 s."""
    n = int(r.uniform(0.05, 0.4) * RATE)
    tail = r.standard_normal(n) * np.exp(-np.arange(n) * 6.9 / n)
    tail[0] = 0
    tail *= r.uniform(0.1, 0.7) / (np.sqrt((tail**2).sum()) + 1e-9)
    tail[0] = 1
    size = 1 << (len(x) + n).bit_length()
    return np.fft.irfft(np.fft.rfft(x, size) * np.fft.rfft(tail, size), size)[: len(x)].astype(np.float32)


def microphone(x, r):
    """A gentle tilt, and sometimes the band of a telephone."""
    f = np.fft.rfft(x)
    hertz = np.arange(len(f)) * RATE / 2 / max(1, len(f) - 1)
    gain = np.exp(r.uniform(-0.35, 0.35) * np.log(np.maximum(hertz, 60) / 1000))
    if r.random() < 0.2:
        gain *= (hertz > 250) & (hertz < 3600)
    return np.fft.irfft(f * gain, len(x)).astype(np.float32)


def spoil(x, r):
    if r.random() < 0.4:
        x = room(x, r)
    if r.random() < 0.5:
        x = microphone(x, r)
    loud = np.sqrt((x**2).mean()) + 1e-6
    if r.random() < 0.8:
        x = x + noise(len(x), r, r.uniform(0, 2)) * loud * 10 ** (-r.uniform(8, 45) / 20)
    return np.clip(x * 10 ** (r.uniform(-20, 3) / 20), -1, 1)


def example(recordings, tok, r, window, clean=False):
    """(samples of the window, ids with the prompt, length of the prompt)"""
    total = int(window * RATE)
    x = np.zeros(total, np.float32)
    if not clean and r.random() < 0.02:
        x += noise(total, r, r.uniform(0, 2)) * 10 ** (-r.uniform(20, 70) / 20)
        return x, [tok.start, tok.silence, tok.end], 1
    at, pieces, fill = int(r.uniform(0, 0.6) * RATE), [], r.random()
    while True:
        s, text = recordings.get(int(r.integers(len(recordings))))
        if at + len(s) > total:
            break
        x[at : at + len(s)] += s
        pieces.append((at / RATE, (at + len(s)) / RATE, text))
        at += len(s) + int(r.uniform(0.15, 1.0) * RATE)
        if r.random() > fill:
            break
    if not pieces:
        s, text = recordings.get(int(r.integers(len(recordings))))
        x[: len(s)] = s[:total]
        pieces = [(0.0, min(len(s), total) / RATE, text)]
    if not clean:
        x = spoil(x, r)
    if r.random() < 0.5:
        ids = [i for a, b, t in pieces for i in [tok.time(a), *tok.encode(t), tok.time(b)]]
        return x, [tok.start, *ids, tok.end], 1
    return x, [tok.start, tok.plain, *(i for _, _, t in pieces for i in tok.encode(t)), tok.end], 2
