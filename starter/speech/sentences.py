"""English sentences to be spoken: made from patterns, and, where the corpora are, everyday and technical ones from them.

Much of what a person dictates to an editor is numbers, names of files and short orders, so the patterns are of that kind.
"""
import glob
import os
import random
import re

ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
DIGITS = ONES[:10]
PEOPLE = "Anna Ben Clara David Emma Frank Grace Henry Iris Jack Kate Leo Maria Nora Oscar Paul Rosa Sam Tina Victor".split()
PLACES = "the office|the kitchen|the library|London|Paris|Berlin|the garden|the station|the market|the school|the airport|the bridge".split("|")
THINGS = "file|folder|window|letter|report|ticket|picture|meeting|branch|test|server|page|table|button|message|list|book|door|phone|car".split("|")
KINDS = "new|old|small|large|red|blue|open|closed|empty|broken|second|last|next|long|short|heavy|quiet|simple".split("|")
ACTIONS = "open|close|find|send|move|copy|delete|rename|check|read|write|print|show|hide|start|stop|build|run|save|share".split("|")
TIMES = "today|tomorrow|yesterday|this morning|tonight|on Monday|on Friday|next week|last year|in an hour|at noon|before lunch".split("|")
ADVERBS = "slowly|quickly|carefully|again|twice|soon|never|always|often|alone".split("|")


def number(n):
    """Words of 0 to 999,999."""
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10 - 2] + ("" if n % 10 == 0 else " " + ONES[n % 10])
    if n < 1000:
        return ONES[n // 100] + " hundred" + ("" if n % 100 == 0 else " and " + number(n % 100))
    return number(n // 1000) + " thousand" + ("" if n % 1000 == 0 else " " + number(n % 1000))


def made(r):
    """One sentence from a pattern."""
    p, q = r.sample(PEOPLE, 2)
    thing, kind, act = r.choice(THINGS), r.choice(KINDS), r.choice(ACTIONS)
    any_thing = ("an " if kind[0] in "aeiou" else "a ") + f"{kind} {thing}"
    when, place, n = r.choice(TIMES), r.choice(PLACES), r.randrange(2, 1000)
    return r.choice(
        [
            f"Please {act} the {kind} {thing} {when}.",
            f"{p} wants to {act} the {thing} in {place}.",
            f"Can you {act} {number(n)} {thing}s for {p}?",
            f"The {kind} {thing} is in {place}.",
            f"{p} and {q} met at {place} {when}.",
            f"There are {number(n)} {thing}s in {place}.",
            f"I will {act} it {r.choice(ADVERBS)}.",
            f"Do not {act} the {thing} before {q} comes.",
            f"Where is the {thing} that {q} lost {when}?",
            f"{p} has {any_thing}.",
            f"It costs {number(r.randrange(1, 300))} dollars.",
            f"Line {number(r.randrange(1, 400))}, column {number(r.randrange(1, 80))}.",
            " ".join(r.choice(DIGITS) for _ in range(r.randrange(1, 7))),
        ]
    )


SPEAKABLE = re.compile(r"[A-Z][a-z]*(?: [A-Za-z][a-z]*(?:'[a-z]+)?,?){1,14}[.?!]?")


def lines(corpora, pattern, column=0):
    """Sentences without figures, symbols and abbreviations that can be read in several ways."""
    found = set()
    for path in sorted(glob.glob(os.path.join(corpora, pattern))):
        with open(path, encoding="utf-8") as f:
            found.update(line.rstrip("\n").split("\t")[column].strip() for line in f)
    return sorted(t for t in found if len(t) <= 90 and SPEAKABLE.fullmatch(t) and not re.search("[a-z][A-Z]|[A-Z]{2}", t))


def everyday(corpora):
    return lines(corpora, "tatoeba-sample.en-*.tsv")


def technical(corpora):
    return sorted({*lines(corpora, "tldr.commands.en.tsv", 3), *lines(corpora, "godot.en-*.tsv"), *lines(corpora, "pydocs-sent.en-*.tsv")})


def stream(seed, corpora=None, heldout=False, shares=(0.4, 0.5)):
    """Endless (text, kind); held-out sentences never come in training. The shares are those of patterns and everyday sentences; the rest is technical."""
    r = random.Random(seed)
    mine = lambda t: (hash_of(t) % 50 == 0) == heldout
    own = dict(everyday=[t for t in everyday(corpora) if mine(t)], technical=[t for t in technical(corpora) if mine(t)]) if corpora else {}
    while True:
        share = r.random()
        kind = "pattern" if not own or share < shares[0] else "everyday" if share < sum(shares) else "technical"
        text = r.choice(own[kind]) if kind in own else made(r)
        while not mine(text):
            text = made(r)
        yield text, kind


def hash_of(text):
    """Stable between runs, unlike hash()."""
    h = 2166136261
    for b in text.encode():
        h = (h ^ b) * 16777619 & 0xFFFFFFFF
    return h
