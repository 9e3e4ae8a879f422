#!/usr/bin/env python3
"""Mel spectra of the recordings, once, so that training need not make them: OUT.mel beside OUT.i16, a byte per band in steps of 0.5 dB.

  python3 features.py --data ../work/speech/train
"""
import argparse
import json
import os
import numpy as np
from whisper import mel_bands

BANDS, HOP, LENGTH = 80, 160, 400
# log10 of the power = byte * STEP + LEAST
STEP, LEAST = 0.05, -10.0


def frames(n):
    """Spectra of a recording of n samples, centred at 0, 160, 320 ..."""
    return n // HOP + 1


def spectra(x, bands, window):
    """(frames, bands) power"""
    x = np.concatenate([np.zeros(LENGTH // 2, np.float32), x, np.zeros(LENGTH, np.float32)])
    cut = np.lib.stride_tricks.sliding_window_view(x, LENGTH)[::HOP]
    return (np.abs(np.fft.rfft(cut * window)) ** 2).astype(np.float32) @ bands


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--data", required=True)
    a = a.parse_args()
    bands = mel_bands(BANDS).astype(np.float32).T
    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(LENGTH) / LENGTH)).astype(np.float32)
    sound = np.memmap(a.data + ".i16", np.int16, "r")
    with open(a.data + ".jsonl") as f, open(a.data + ".mel.part", "wb") as g:
        for line in f:
            row = json.loads(line)
            p = spectra(sound[row["at"] : row["at"] + row["n"]].astype(np.float32) / 32768, bands, window)[: frames(row["n"])]
            g.write(np.clip(np.round((np.log10(np.maximum(p, 1e-10)) - LEAST) / STEP), 0, 255).astype(np.uint8).tobytes())
    os.replace(a.data + ".mel.part", a.data + ".mel")


if __name__ == "__main__":
    main()
