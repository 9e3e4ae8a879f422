#!/usr/bin/env python3
"""Train the tokenizer: byte-level BPE, then Whisper's control tokens and a time token for every 20 ms of the window.

  python3 tok.py --out ../work/speech/tok [--corpora DIR] [--size 1000] [--window 8]
"""
import argparse
import itertools
import json
import os
import sys
import sentences

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "chat"))
import bpe  # noqa: E402

CONTROL = ["<|endoftext|>", "<|startoftranscript|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]


class Tok:
    """Ids of a tokenizer.json with their meaning."""

    def __init__(self, folder):
        self.bpe = bpe.Encoder(os.path.join(folder, "tokenizer.json"))
        self.end, self.start, self.prev, self.silence, self.plain = (self.bpe.vocab[t] for t in CONTROL)
        self.first = self.bpe.vocab["<|0.00|>"]
        self.size = len(self.bpe)
        bytes_of = {c: b for b, c in bpe.LETTERS.items()}
        self.bytes = {i: bytes(bytes_of[c] for c in t) for t, i in self.bpe.vocab.items() if i < self.end}

    def encode(self, text):
        return self.bpe.encode(" " + text)

    def time(self, seconds):
        return self.first + int(round(seconds / 0.02))

    def decode(self, ids):
        return b"".join(self.bytes[i] for i in ids if i < self.end).decode("utf-8", "replace").strip()


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--out", required=True)
    a.add_argument("--corpora")
    a.add_argument("--size", type=int, default=768)
    a.add_argument("--window", type=float, default=8)
    a.add_argument("--sentences", type=int, default=30000)
    a = a.parse_args()
    texts = [" " + t for t, _ in itertools.islice(sentences.stream(1, a.corpora), a.sentences)]
    merges = bpe.train(texts, a.size)
    vocab = {t: i for i, t in enumerate(sorted(bpe.LETTERS.values()) + ["".join(m) for m in merges])}
    times = [f"<|{i * 0.02:.2f}|>" for i in range(int(round(a.window / 0.02)) + 1)]
    flags = dict(single_word=False, lstrip=False, rstrip=False, normalized=False)
    added = [dict(id=len(vocab) + i, content=t, special=t in CONTROL, **flags) for i, t in enumerate(CONTROL + times)]
    level = dict(type="ByteLevel", add_prefix_space=False, trim_offsets=True, use_regex=True)
    tokenizer = dict(
        version="1.0", truncation=None, padding=None, added_tokens=added, normalizer=None, pre_tokenizer=level, post_processor=None, decoder=level,
        model=dict(type="BPE", dropout=None, unk_token=None, continuing_subword_prefix=None, end_of_word_suffix=None, fuse_unk=False,
                   byte_fallback=False, ignore_merges=False, vocab=vocab, merges=[list(m) for m in merges]),
    )  # fmt: skip
    config = dict(tokenizer_class="WhisperTokenizer", model_max_length=1 << 20, bos_token=CONTROL[0], eos_token=CONTROL[0], pad_token=CONTROL[0], unk_token=CONTROL[0])
    os.makedirs(a.out, exist_ok=True)
    for name, value in (("tokenizer.json", tokenizer), ("tokenizer_config.json", config)):
        with open(os.path.join(a.out, name), "w", encoding="utf-8") as f:
            json.dump(value, f, ensure_ascii=False, indent=1)
    print("entries", len(vocab) + len(added))


if __name__ == "__main__":
    main()
