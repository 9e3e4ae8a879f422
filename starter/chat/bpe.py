"""Byte-level BPE as GPT-2 defined it: training, and encoding with what a tokenizer.json holds."""
import collections
import json
import re

# \p{L} and \p{N} of the original pattern in Python's terms
SPLIT = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


def byte_letters():
    """Byte -> the printable character that stands for it."""
    keep = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in keep]
    return {**{b: chr(b) for b in keep}, **{b: chr(256 + i) for i, b in enumerate(others)}}


LETTERS = byte_letters()


def letters(word):
    return [LETTERS[b] for b in word.encode("utf-8")]


def train(texts, size):
    """Merges in order, until the 256 bytes and the merges are `size` entries. Ties go to the lesser pair, so runs are equal."""
    counts = collections.Counter(w for t in texts for w in SPLIT.findall(t))
    words = [(letters(w), n) for w, n in sorted(counts.items())]
    pairs, where = collections.Counter(), collections.defaultdict(set)
    for i, (w, n) in enumerate(words):
        for p in zip(w, w[1:]):
            pairs[p] += n
            where[p].add(i)
    merges = []
    while len(merges) + 256 < size and pairs:
        best = min(pairs, key=lambda p: (-pairs[p], p))
        if pairs[best] < 2:
            break
        merges.append(best)
        for i in where.pop(best):
            w, n = words[i]
            for p in zip(w, w[1:]):
                pairs[p] -= n
            w = merged(w, best)
            words[i] = (w, n)
            for p in zip(w, w[1:]):
                pairs[p] += n
                where[p].add(i)
        pairs = collections.Counter({p: n for p, n in pairs.items() if n > 0 and p != best})
    return merges


def merged(w, pair):
    out, i = [], 0
    while i < len(w):
        if i + 1 < len(w) and w[i] == pair[0] and w[i + 1] == pair[1]:
            out.append(w[i] + w[i + 1])
            i += 2
        else:
            out.append(w[i])
            i += 1
    return out


class Encoder:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            z = json.load(f)
        self.vocab = dict(z["model"]["vocab"])
        pairs = [tuple(m) if isinstance(m, list) else tuple(m.split(" ", 1)) for m in z["model"]["merges"]]
        self.rank = {p: i for i, p in enumerate(pairs)}
        self.added = {t["content"]: t["id"] for t in z["added_tokens"]}
        self.vocab.update(self.added)
        self.cut = re.compile("(" + "|".join(re.escape(t) for t in sorted(self.added, key=len, reverse=True)) + ")")
        self.cache = {}

    def __len__(self):
        return max(self.vocab.values()) + 1

    def word(self, w):
        ids = self.cache.get(w)
        if ids is None:
            s = letters(w)
            while len(s) > 1:
                best = min(zip(s, s[1:]), key=lambda p: self.rank.get(p, 1 << 30))
                if best not in self.rank:
                    break
                s = merged(s, best)
            ids = self.cache[w] = [self.vocab[x] for x in s]
        return ids

    def encode(self, text):
        out = []
        for part in self.cut.split(text):
            if part in self.added:
                out.append(self.added[part])
            else:
                for w in SPLIT.findall(part):
                    out += self.word(w)
        return out
