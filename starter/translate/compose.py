#!/usr/bin/env python3
"""Write made-up parallel text from the hand-written grammar: tools and documentation, everyday sentences, phrases.

  python3 compose.py --out ../work/translate/made [--tools 30000] [--everyday 24000]
"""
import argparse
import os
import random
import re
import everyday as ed
from clause import clause, elide, feminine
from grammar import ADJECTIVE_ROWS, NOUN_ROWS, VERB_LIST, Phrase, rows
from patterns import COMMENTS, LABELS, MESSAGES, MORE
from phrasebook import MORE_PHRASES, PHRASES
from tok import LANGS

NAMES = [
    "{0}",
    "{0}",
    "{0}",
    "{0}",
    "{name}",
    "{path}",
    "%s",
    "'config.json'",
    '"main.ts"',
    "'{0}'",
    '"{0}"',
    "`{0}`",
    "README.md",
    "'src/index.js'",
    "--output",
    "null",
]
FORM = re.compile(r"\{(\w+)(?:\.(\w+))?(?::(\w)(\*?))?(?:~([^}]+))?\}")


def raised(s):
    return re.sub(r"^(¿?)(\w)", lambda m: m.group(1) + m.group(2).upper(), s, count=1)


def fill(pattern, lang, slots):
    def one(m):
        slot, form, agree, plural, literal = m.groups()
        v = slots[slot]
        if literal:
            return getattr(v, lang).agree(literal)
        if isinstance(v, str):
            return v
        if isinstance(v, Phrase):
            return getattr(getattr(v, lang), form)
        s = getattr(v, lang)[form]
        return getattr(slots[agree], lang).agree(s, bool(plural)) if agree else s

    s = raised(FORM.sub(one, pattern))
    if lang == "de":
        return re.sub(r"\b([Ii]|[Vv]o)n dem\b", r"\1m", s)
    if lang == "fr":
        return re.sub(r"\bde (?=[aeiouàâéèêîôû])", "d'", re.sub(r"\bde le\b", "du", re.sub(r"\bde les\b", "des", s)))
    return s


def tool(r, patterns, adjective):
    p = r.choice(patterns)
    need_v, need_w = "{v." in p[0], "{w." in p[0]
    if len(p) > 4:
        verbs = [v for v in VERB_LIST if v.en["base"] == p[4]] or VERB_LIST
    else:
        verbs = VERB_LIST
    v, w = r.choice(verbs), r.choice(VERB_LIST)

    def noun(classes):
        n = r.choice([n for n in NOUN_ROWS if n[4] in classes])
        a = None
        if r.random() < adjective and not re.search(r"_(neu|ander|eigen)|\.(ung|unb|fehl)", p[1]):
            a = r.choice([x for x in ADJECTIVE_ROWS if n[4] in x[4]])
        return Phrase(n, a)

    every = "fspdcn"
    n = noun("d" if p[-1] == "d" else v.classes if need_v else every)
    m = noun(w.classes if need_w else every)
    if n.noun is m.noun:
        return None
    x, y = r.sample(NAMES, 2)
    if x == "{0}" or "{0}" in x:
        y = "{1}" if r.random() < 0.8 else y.replace("{0}", "{1}")
    k = r.choice([str(r.randint(2, 30)), str(r.randint(2, 999)), "{0}"])
    if k == "{0}" and "{0}" in x:
        k = "{1}"
    slots = dict(n=n, m=m, v=v, w=w, x=x, y=y, k=k)
    return [fill(t, lang, slots) for t, lang in zip(p, ("en", "de", "fr", "es"))]


def state(r):
    """I am tired. Was she happy? and the like"""
    s = r.choice([s for s in ed.SUBJECTS if s[0] not in ("nobody", "everyone")])
    en, de, fr, es = r.choice(rows(ed.STATES))
    p, past, f, plural = s[4], r.random() < 0.3, feminine(s), s[4] in (3, 5)
    neg, question = r.random() < 0.25, r.random() < 0.2
    fm = fr.split()[f].replace("_", " ")
    if plural and not re.search(r"[sx]$", fm) and " " not in fm.replace("très ", "") and fm != "ici":
        fm = "vieux" if fm == "vieux" else fm + "s"
    estar = es.startswith("+")
    em = es.lstrip("+").split()[f].replace("_", " ")
    if plural and em not in ("aquí", "en casa", "con prisa"):
        em = {"feliz": "felices", "joven": "jóvenes"}.get(em, em + "s")
    be = {k: v[p][past] for k, v in ed.TO_BE.items()}
    esv = be["estar" if estar else "ser"]
    if question:
        neg = False
        out = [
            f"{be['en']} {s[0]} {en}?",
            f"{be['de']} {s[1]} {de}?",
            f"est-ce {'qu' + chr(39) if re.match('[aeiou]', s[2]) else 'que '}{elide(s[2], be['fr']) if s[2] == 'je' else s[2] + ' ' + be['fr']} {fm} ?",
            "¿" + raised(f"{esv} {'' if s[0] in ('I', 'you', 'we') else s[3] + ' '}{em}?"),
        ]
    else:
        no_fr = f"{elide('ne', be['fr'])} pas" if neg else be["fr"]
        fr_s = elide("je", no_fr) if s[2] == "je" else f"{s[2]} {no_fr}"
        out = [
            f"{s[0]} {be['en']} {'not ' if neg else ''}{en}.",
            f"{s[1]} {be['de']} {'nicht ' if neg else ''}{de}.",
            f"{fr_s} {fm}.",
            f"{'' if s[0] in ('I', 'you', 'we') else s[3] + ' '}{'no ' if neg else ''}{esv} {em}.",
        ]
    return [raised(x) for x in out]


LINKS = [
    ("because", "weil", "parce que", "porque", True),
    ("and", "und", "et", "y", False),
    ("but", "aber", "mais", "pero", False),
    ("when", "wenn", "quand", "cuando", True),
    ("I know that", "ich weiß, dass", "je sais que", "sé que", True),
    ("I think that", "ich glaube, dass", "je pense que", "creo que", True),
    ("he says that", "er sagt, dass", "il dit que", "él dice que", True),
]
QUESTIONS = [("why", "warum", "pourquoi", "por qué"), ("when", "wann", "quand", "cuándo"), ("where", "wo", "où", "dónde")]


def spoken(r):
    if r.random() < 0.15:
        return state(r)
    s = r.choice(ed.SUBJECTS)
    tense = r.choice(["present", "present", "past", "past", "past", "future", "modal", "modal", "progressive"])
    neg = r.random() < 0.25 and s[0] != "nobody"
    kind = r.random()
    if kind < 0.17 and s[0] not in ("nobody",):
        c = list(clause(r, s, tense, neg and tense == "past" and False, True))
        if r.random() < 0.3:
            q = r.choice(QUESTIONS)
            c = [f"{w} {x}" for w, x in zip(q, c)]
        return [raised(c[0]) + "?", raised(c[1]) + "?", raised(c[2]) + " ?", "¿" + raised(c[3]) + "?"]
    if kind < 0.36:
        link = r.choice(LINKS)
        b = clause(r, s, r.choice(["present", "past", "modal"]), neg, False, link[4])
        fr = link[2][:-1] + "'" + b[2] if link[2].endswith("que") and re.match(r"[aeiouéh]", b[2]) else f"{link[2]} {b[2]}"
        y = "e" if link[3] == "y" and re.match(r"h?i", b[3]) else link[3]
        tail = [f"{link[0]} {b[0]}", f"{link[1]} {b[1]}", fr, f"{y} {b[3]}"]
        if link[0].endswith("that"):
            return [raised(t) + "." for t in tail]
        a = clause(r, r.choice(ed.SUBJECTS[:-2]), tense, False)
        comma = "" if link[0] == "and" else ","
        return [
            raised(f"{a[0]} {tail[0]}.") if link[0] != "but" else raised(f"{a[0]}, {tail[0]}."),
            raised(f"{a[1]}{comma} {tail[1]}."),
            raised(f"{a[2]}{',' if link[0] == 'but' else ''} {tail[2]}."),
            raised(f"{a[3]}{',' if link[0] == 'but' else ''} {tail[3]}."),
        ]
    return [raised(x) + "." for x in clause(r, s, tense, neg)]


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--out", required=True)
    a.add_argument("--tools", type=int, default=30000)
    a.add_argument("--everyday", type=int, default=24000)
    a.add_argument("--seed", type=int, default=11)
    a.add_argument("--show", type=int, default=0, help="print samples and write nothing")
    a = a.parse_args()
    r = random.Random(a.seed)
    kinds = [rows(MESSAGES), rows(COMMENTS), rows(LABELS), rows(MORE)]
    sets = {"made-tools": {}, "made-everyday": {}}
    while len(sets["made-tools"]) < (a.show or a.tools):
        t = tool(r, kinds[r.choices((0, 1, 2, 3), (5, 4, 2, 5))[0]], r.choice((0, 0.3)))
        if t:
            sets["made-tools"].setdefault(t[0], t)
    while len(sets["made-everyday"]) < (a.show or a.everyday):
        t = spoken(r)
        sets["made-everyday"].setdefault(t[0], t)
    phrases = rows(PHRASES) + rows(MORE_PHRASES)
    if a.show:
        for v in sets.values():
            for t in v.values():
                print("\n".join(t) + "\n")
        return
    os.makedirs(a.out, exist_ok=True)
    for n, lang in enumerate(LANGS, 1):
        for name, v in {**sets, "made-phrases": {p[0]: p for p in phrases}}.items():
            with open(os.path.join(a.out, f"{name}.en-{lang}.tsv"), "w", encoding="utf-8") as f:
                f.writelines(f"{t[0]}\t{t[n]}\n" for t in v.values())


if __name__ == "__main__":
    main()
