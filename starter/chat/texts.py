"""The hand-written texts: entries of an answer and the wordings of its question, and lists of words."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))


def lines(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if not line.startswith("#")]


def entries(name):
    """[(answer, [wording, ...], held-out wording)]"""
    out = []
    for block in "\n".join(lines(name)).strip().split("\n\n"):
        rows = block.split("\n")
        answer = "\n".join(r[2:] for r in rows if r.startswith(">"))
        asked = [r for r in rows if r and not r.startswith(">")]
        if len(asked) < 2:
            raise SystemExit(f"{name}: an entry needs two wordings at least: {answer[:60]!r}")
        out.append((answer, asked[:-1], asked[-1]))
    return out


def words(name):
    return " ".join(lines(name)).split()
