"""BLEU and chrF for a corpus, as sacreBLEU defines them: 13a tokens, 4-grams, exponential smoothing; 6 character grams, beta 2."""
import collections
import math
import re


def tokens_13a(s):
    s = s.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for a, b in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        s = s.replace(a, b)
    s = f" {s} "
    s = re.sub(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])", r" \1 ", s)
    s = re.sub(r"([^0-9])([\.,])", r"\1 \2 ", s)
    s = re.sub(r"([\.,])([^0-9])", r" \1 \2", s)
    s = re.sub(r"([0-9])(-)", r"\1 \2 ", s)
    return s.split()


def grams(items, n):
    return collections.Counter(tuple(items[i : i + n]) for i in range(len(items) - n + 1))


def bleu(hypotheses, references):
    """0..100"""
    hit, total, lh, lr = [0] * 4, [0] * 4, 0, 0
    for h, r in zip(hypotheses, references):
        h, r = tokens_13a(h), tokens_13a(r)
        lh, lr = lh + len(h), lr + len(r)
        for n in range(1, 5):
            gh, gr = grams(h, n), grams(r, n)
            hit[n - 1] += sum((gh & gr).values())
            total[n - 1] += sum(gh.values())
    score, smooth = 0.0, 1.0
    for n in range(4):
        if total[n] == 0:
            return 0.0
        if hit[n] == 0:
            smooth *= 2
            p = 1 / (smooth * total[n])
        else:
            p = hit[n] / total[n]
        score += math.log(p) / 4
    if not any(hit):
        return 0.0
    return 100 * math.exp(score) * (1.0 if lh >= lr else math.exp(1 - lr / lh))


def chrf(hypotheses, references, order=6, beta=2):
    """0..100, without spaces, without words"""
    stats = [[0, 0, 0] for _ in range(order)]
    for h, r in zip(hypotheses, references):
        h, r = "".join(h.split()), "".join(r.split())
        for n in range(1, order + 1):
            gh, gr = grams(h, n), grams(r, n)
            s = stats[n - 1]
            s[0] += sum((gh & gr).values())
            s[1] += sum(gh.values())
            s[2] += sum(gr.values())
    precision = recall = count = 0
    for hit, nh, nr in stats:
        if nh and nr:
            precision, recall, count = precision + hit / nh, recall + hit / nr, count + 1
    if not count or precision + recall == 0:
        return 0.0
    p, r = precision / count, recall / count
    return 100 * (1 + beta**2) * p * r / (beta**2 * p + r)
