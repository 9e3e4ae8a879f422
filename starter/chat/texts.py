"""The hand-written texts: entries of an answer and the wordings of its question, and lists of words."""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))


def lines(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if not line.startswith("#")]


def entries(name):
    """[(answer, [wording or pattern, ...], held-out wording)]; a pattern that begins with `* ` is a task and takes any carrier."""
    out = []
    for block in "\n".join(lines(name)).strip().split("\n\n"):
        rows = block.split("\n")
        answer = "\n".join(r[2:] for r in rows if r.startswith("> "))
        asked = [r for r in rows if r and not r.startswith(">")]
        if len(asked) < 2:
            raise SystemExit(f"{name}: an entry needs two wordings at least: {answer[:60]!r}")
        out.append((answer, asked[:-1], asked[-1]))
    return out


def in_editor(name):
    """{answer: what is answered in the editor instead}, of the entries that have a form of their own there."""
    out = {}
    for block in "\n".join(lines(name)).strip().split("\n\n"):
        rows = block.split("\n")
        other = "\n".join(r[3:] for r in rows if r.startswith(">>"))
        if other:
            out["\n".join(r[2:] for r in rows if r.startswith("> "))] = other
    return out


def asked(name, texts):
    """[(question, answer)] of asked.txt, whose blocks begin with `> ` and how an answer of `texts` begins; a block of other texts is left out."""
    out = []
    for block in "\n".join(lines(name)).strip().split("\n\n"):
        begin, *questions = block.split("\n")
        answers = [answer for answer, _, _ in texts if answer.startswith(begin[2:])]
        if len(answers) > 1:
            raise SystemExit(f"{name}: several answers begin with {begin[2:]!r}")
        out += [(q, answer) for answer in answers for q in questions]
    return out


def expand(pattern, rnd):
    """One text of a pattern: `(a|b|)` is one of its parts, also nested."""
    while "(" in pattern:
        pattern, found = re.subn(r"\(([^()]*)\)", lambda m: rnd.choice(m[1].split("|")), pattern)
        if not found:
            raise ValueError(f"unbalanced pattern: {pattern}")
    return " ".join(pattern.split())


def words(name):
    return " ".join(lines(name)).split()
