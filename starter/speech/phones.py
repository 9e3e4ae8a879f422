#!/usr/bin/env python3
"""How the words of the recordings sound: espeak-ng's phonemes, which guide the encoder while training.

  python3 phones.py --data ../work/speech/train --out ../work/speech/tok/phones.json
"""
import argparse
import json
import re
import subprocess


def words(text):
    return re.findall(r"[a-z']+", text.lower())


def plain(phoneme):
    """Without stress, length and kinds of the same sound."""
    return re.sub(r"[#2-]+$", "", re.sub(r"[',%=|:_]", "", phoneme))


def spoken(every):
    """{word: [phoneme]}; words whose sound is not plain are left out."""
    found = {}
    for start in range(0, len(every), 2000):
        part = every[start : start + 2000]
        said = subprocess.run(
            ["espeak-ng", "-q", "-x", "--sep= ", "-v", "en-us", "--stdin"], input="".join(f"{w}.\n\n" for w in part), capture_output=True, text=True, check=True
        ).stdout.splitlines()
        # A word that makes two lines or none would shift all others.
        if len(said) != len(part):
            if len(part) > 1:
                half = len(part) // 2
                found |= spoken(part[:half]) | spoken(part[half:])
            continue
        found |= {w: [p for p in (plain(x) for x in line.split()) if p] for w, line in zip(part, said)}
    return found


class Phones:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            z = json.load(f)
        self.count = len(z["phones"])
        id_of = {p: i for i, p in enumerate(z["phones"])}
        self.words = {w: [id_of[p] for p in x.split()] for w, x in z["words"].items()}

    def of(self, text):
        """Ids of a text's phonemes."""
        return [i for w in words(text) for i in self.words.get(w, [])]


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--data", required=True, nargs="+")
    a.add_argument("--out", required=True)
    a = a.parse_args()
    every = set()
    for path in a.data:
        with open(path + ".jsonl") as f:
            for line in f:
                every.update(words(json.loads(line)["text"]))
    found = spoken(sorted(every))
    phones = sorted({p for x in found.values() for p in x})
    with open(a.out, "w", encoding="utf-8") as f:
        json.dump(dict(phones=phones, words={w: " ".join(x) for w, x in found.items()}), f, ensure_ascii=False, indent=0)
    print(len(found), "of", len(every), "words,", len(phones), "phonemes")


if __name__ == "__main__":
    main()
