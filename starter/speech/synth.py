#!/usr/bin/env python3
"""Speak sentences with every voice there is, and put the recordings into one file.

  python3 synth.py --out ../work/speech/train --hours 20 --seed 1 [--corpora DIR] [--digits-of DIR] [--heldout] [--threads 1]

OUT.i16    16 kHz mono, signed 16 bits, one recording after the other
OUT.jsonl  {"at", "n", "text", "voice", "kind"} of each
Needs espeak-ng; uses flite and festival when they are installed. Spoken digits are mixed in; two of their speakers are held out.
"""
import argparse
import concurrent.futures
import glob
import io
import json
import os
import random
import shutil
import subprocess
import wave
import numpy as np
import sentences

RATE = 16000
HELDOUT_SPEAKERS = ("theo", "yweweler")
MANY = "many"
ESPEAK = ["en-us", "en-gb", "en-gb-scotland", "en-gb-x-rp", "en-gb-x-gbclan", "en-gb-x-gbcwmd", "en-029"]
VARIANTS = ["", *(f"+m{i}" for i in range(1, 8)), *(f"+f{i}" for i in range(1, 5)), "+klatt", "+klatt2", "+croak", "+steph", "+Andy", "+Annie"]
# Whole voices that training never hears.
HELDOUT_VOICES = {"en-gb+Annie", "en-us+f2", "flite:rms"}
# Voices made from recordings of people, with their share.
NATURAL = {"flite:kal16": 2, "flite:awb": 4, "flite:slt": 3, "flite:rms": 3, "festival:ked_diphone": 2, "festival:cmu_us_slt_arctic_hts": 1}


def resample(x, rate):
    """Band-limited by the Fourier transform; recordings here are short."""
    if rate == RATE:
        return x
    n = int(round(len(x) * RATE / rate))
    f = np.fft.rfft(x)
    out = np.zeros(n // 2 + 1, complex)
    k = min(len(f), len(out))
    out[:k] = f[:k]
    return np.fft.irfft(out, n) * (n / len(x))


def samples(data):
    with wave.open(io.BytesIO(data)) as w:
        x = np.frombuffer(w.readframes(w.getnframes()), np.int16).astype(np.float32) / 32768
        return resample(x[:: w.getnchannels()], w.getframerate())


def trimmed(x, margin=800):
    loud = np.flatnonzero(np.abs(x) > 0.01)
    return x[max(0, loud[0] - margin) : loud[-1] + margin] if len(loud) else x[:0]


def voices(heldout, share):
    """Draws a voice: `share` of them of recorded sounds, the others rule-made; held-out ones come equally often."""
    made = [f"{v}{x}" for v in ESPEAK for x in VARIANTS]
    natural = {v: n for v, n in NATURAL.items() if shutil.which(v.split(":")[0].replace("festival", "text2wave"))}
    if heldout:
        own = sorted(v for v in [*made, *natural] if v in HELDOUT_VOICES)
        return lambda r: r.choice(own)
    made = [v for v in made if v not in HELDOUT_VOICES]
    natural = [v for v, n in natural.items() if v not in HELDOUT_VOICES for _ in range(n)]
    return lambda r: r.choice(natural if natural and r.random() < share else made)


def speak(text, voice, r):
    """Samples at 16 kHz, or an empty array when the voice fails."""
    if voice.startswith("flite:"):
        stretch = f"duration_stretch={r.uniform(0.8, 1.25):.2f}"
        command = ["flite", "-voice", voice[6:], "--setf", stretch, "--setf", f"int_f0_target_mean={r.uniform(85, 190):.0f}", "-t", text, "-o", "/dev/stdout"]
    elif voice.startswith("festival:"):
        command = ["text2wave", "-eval", f"(voice_{voice[9:]})", "-eval", f"(Parameter.set 'Duration_Stretch {r.uniform(0.8, 1.25):.2f})"]
    else:
        command = ["espeak-ng", "-v", voice, "-s", str(r.randrange(130, 205)), "-p", str(r.randrange(20, 85)), "--stdout", text]
    made = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if made.returncode != 0 or len(made.stdout) < 100:
        return np.zeros(0, np.float32)
    # Programs that write to a pipe leave the lengths in the header open.
    body = made.stdout[44:]
    rate = int.from_bytes(made.stdout[24:28], "little")
    x = np.frombuffer(body[: len(body) // 2 * 2], np.int16).astype(np.float32) / 32768
    return trimmed(resample(x, rate))


def digits(folder, heldout):
    """fsdd/DIGIT_SPEAKER_N.wav, and for training alphanumeric/WORD/*.wav of many speakers."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "fsdd", "*.wav"))):
        digit, speaker, _ = os.path.basename(path)[:-4].split("_")
        if (speaker in HELDOUT_SPEAKERS) == heldout:
            found.append((path, int(digit), speaker))
    for path in [] if heldout else sorted(glob.glob(os.path.join(folder, "alphanumeric", "*", "*.wav"))):
        word = os.path.basename(os.path.dirname(path))
        if word in sentences.DIGITS:
            found.append((path, sentences.DIGITS.index(word), MANY))
    return found


def spoken_digits(found, r):
    """One to six digits, of one speaker or of the few that many people spoke."""
    speakers = sorted({f[2] for f in found})
    speaker = MANY if MANY in speakers and r.random() < 0.4 else r.choice(speakers)
    own = [f for f in found if f[2] == speaker]
    parts, words = [], []
    for _ in range(r.choice([1, 1, 1, 2, 3, 4, 5, 6])):
        path, digit, _ = r.choice(own)
        with open(path, "rb") as f:
            parts += [trimmed(samples(f.read()), 300), np.zeros(r.randrange(800, 5000), np.float32)]
        words.append(sentences.DIGITS[digit])
    return np.concatenate(parts), " ".join(words), f"digits:{speaker}"


def one(job):
    """(samples, text, voice, kind)"""
    seed, (text, kind), voice, found = job
    r = random.Random(seed)
    if voice is None:
        return *spoken_digits(found, r), "digits"
    return speak(text, voice, r), text, voice, kind


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--out", required=True)
    a.add_argument("--hours", type=float, default=20)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--corpora")
    a.add_argument("--digits-of", help="folder with fsdd/ and alphanumeric/")
    a.add_argument("--digits", type=float, default=0.12, help="share of spoken digits")
    a.add_argument("--shares", type=lambda x: tuple(map(float, x.split(","))), default=(0.4, 0.5), help="of patterns and of everyday sentences; the rest is technical")
    a.add_argument("--natural", type=float, default=0.5, help="share of the voices made from recordings of people")
    a.add_argument("--heldout", action="store_true")
    a.add_argument("--threads", type=int, default=1)
    a = a.parse_args()
    if not shutil.which("espeak-ng"):
        raise SystemExit("espeak-ng is missing. Install it (Debian: apt-get install espeak-ng flite).")
    r = random.Random(a.seed)
    texts, draw = sentences.stream(a.seed, a.corpora, a.heldout, a.shares), voices(a.heldout, a.natural)
    found = digits(a.digits_of, a.heldout) if a.digits_of else []

    def jobs():
        while True:
            spoken = found and r.random() < a.digits
            yield r.randrange(1 << 30), next(texts), None if spoken else draw(r), found

    os.makedirs(os.path.dirname(a.out) or ".", exist_ok=True)
    todo, at, count, source = a.hours * 3600 * RATE, 0, 0, jobs()
    with open(a.out + ".i16.part", "wb") as f, open(a.out + ".jsonl.part", "w") as g:
        with concurrent.futures.ThreadPoolExecutor(a.threads) as pool:
            while at < todo:
                for x, text, voice, kind in pool.map(one, [next(source) for _ in range(64)]):
                    if not 0.2 * RATE < len(x) < 7.4 * RATE or at >= todo:
                        continue
                    x = x * (0.5 / max(0.05, float(np.abs(x).max())))
                    f.write((np.clip(x, -1, 1) * 32767).astype(np.int16).tobytes())
                    g.write(json.dumps(dict(at=at, n=len(x), text=text, voice=voice, kind=kind)) + "\n")
                    at, count = at + len(x), count + 1
    for end in (".i16", ".jsonl"):
        os.replace(a.out + end + ".part", a.out + end)
    print(f"{count} recordings, {at / RATE / 3600:.2f} h")


if __name__ == "__main__":
    main()
