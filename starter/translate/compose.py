#!/usr/bin/env python3
"""Write made-up parallel text from the hand-written grammar: tools and documentation, everyday sentences, phrases.

  python3 compose.py --out ../work/translate/made [--tools 30000] [--everyday 24000]
"""
import argparse
import os
import random
import re
import everyday as ed
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


class Action:
    def __init__(self, line):
        f = line.split("|")
        self.en, self.de, self.fr, self.es = (x.split() for x in f[:4])
        self.objects = [o.split("/") for o in f[4].split(";") if o]


ACTIONS = [a for a in map(Action, ed.VERBS.strip().splitlines()) if a.objects]
INDEX = {0: 0, 1: 1, 2: 2, 3: 3, 5: 4}
MODALS = [
    (
        ("want to", "wants to"),
        ("will", "willst", "will", "wollen"),
        ("veux", "veux", "veut", "voulons", "veulent"),
        ("quiero", "quieres", "quiere", "queremos", "quieren"),
    ),
    (
        ("can", "can"),
        ("kann", "kannst", "kann", "können"),
        ("peux", "peux", "peut", "pouvons", "peuvent"),
        ("puedo", "puedes", "puede", "podemos", "pueden"),
    ),
    (
        ("have to", "has to"),
        ("muss", "musst", "muss", "müssen"),
        ("dois", "dois", "doit", "devons", "doivent"),
        ("tengo que", "tienes que", "tiene que", "tenemos que", "tienen que"),
    ),
    (
        ("must", "must"),
        ("muss", "musst", "muss", "müssen"),
        ("dois", "dois", "doit", "devons", "doivent"),
        ("debo", "debes", "debe", "debemos", "deben"),
    ),
    (
        ("would like to", "would like to"),
        ("möchte", "möchtest", "möchte", "möchten"),
        ("voudrais", "voudrais", "voudrait", "voudrions", "voudraient"),
        ("querría", "querrías", "querría", "querríamos", "querrían"),
    ),
    (
        ("should", "should"),
        ("sollte", "solltest", "sollte", "sollten"),
        ("devrais", "devrais", "devrait", "devrions", "devraient"),
        ("debería", "deberías", "debería", "deberíamos", "deberían"),
    ),
    (
        ("will", "will"),
        ("werde", "wirst", "wird", "werden"),
        ("vais", "vas", "va", "allons", "vont"),
        ("voy a", "vas a", "va a", "vamos a", "van a"),
    ),
]
STATIVE = ("have", "know", "want", "love", "understand")
HAVE_DE, BE_DE = ("habe", "hast", "hat", "haben"), ("bin", "bist", "ist", "sind")
HAVE_FR, BE_FR = ("ai", "as", "a", "avons", "ont"), ("suis", "es", "est", "sommes", "sont")


def third(base):
    if base == "have":
        return "has"
    return base + "es" if re.search(r"(s|sh|ch|x|o)$", base) else base[:-1] + "ies" if re.search(r"[^aeiou]y$", base) else base + "s"


def feminine(s):
    return s[0] in ("she", "Mary", "my sister", "my mother", "that woman")


def elide(word, rest):
    return word[:-1] + "'" + rest if re.match(r"[aeiouyéèêâh]", rest.lower()) else word + " " + rest


def clause(r, s, tense, negative, question=False, final=False):
    """One clause in the four languages: (en, de, fr, es) without capital and full stop. final: German verb at the end."""
    a = r.choice(ACTIONS)
    if a.en[0] in STATIVE and tense in ("progressive", "modal"):
        tense = "present"
    o = r.choice(a.objects)
    adv = (
        r.choice(ed.ADVERBS[tense if tense in ed.ADVERBS else "present"]).split("/")
        if r.random() < (0.55 if tense in ed.ADVERBS else 0.15)
        else None
    )
    p, i = s[4], INDEX[s[4]]
    j = min(i, 3)
    modal = r.choice(MODALS[:-1]) if tense == "modal" else MODALS[-1] if tense == "future" else None
    sg3 = p == 2
    # English
    be = ("am", "are", "is", "are", "are", "are")[p]
    if tense == "progressive":
        en = (f"{be} {s[0]} {'not ' if negative else ''}" if question else f"{s[0]} {be} {'not ' if negative else ''}") + a.en[3]
    elif modal:
        m = modal[0][sg3]
        if m.endswith(" to") and "would" not in m:
            base = m if not (question or negative) else modal[0][0]
            aux = "does" if sg3 else "do"
            en = (
                f"{aux} {s[0]} {base} {a.en[0]}"
                if question
                else f"{s[0]} {aux}n't {base} {a.en[0]}"
                if negative
                else f"{s[0]} {m} {a.en[0]}"
            )
        else:
            head, _, tail = m.partition(" ")
            tail = tail + " " if tail else ""
            no = {"can": "can't", "will": "won't", "must": "must not", "should": "shouldn't", "would": "wouldn't"}[head]
            en = f"{head} {s[0]} {tail}{a.en[0]}" if question else f"{s[0]} {no if negative else head} {tail}{a.en[0]}"
    elif tense == "past":
        en = f"did {s[0]} {a.en[0]}" if question else f"{s[0]} didn't {a.en[0]}" if negative else f"{s[0]} {a.en[1]}"
    else:
        aux = "does" if sg3 else "do"
        en = (
            f"{aux} {s[0]} {a.en[0]}"
            if question
            else f"{s[0]} {aux}n't {a.en[0]}"
            if negative
            else f"{s[0]} {third(a.en[0]) if sg3 else a.en[0]}"
        )
    en = " ".join(x for x in (en, o[0], adv and adv[0]) if x)
    # German
    place = re.match(r"(in|im|ins|am|an|auf|zu|zur|zum|nach|aus|mit|für|hier|draußen|gut|sehr|zu)\b", o[1])
    obj = o[1]
    if negative:
        if re.match(r"ein(e|en|em)?\b", obj) and not place:
            obj = "k" + obj
        elif place:
            obj = "nicht " + obj
        elif re.match(r"(das|die|den|dem|der|dies\w+|alles)\b", obj):
            obj = obj + " nicht"
        else:
            obj = (
                "kein"
                + {
                    "Wasser": "",
                    "Bier": "",
                    "Brot": "",
                    "Geld": "",
                    "Abendessen": "",
                    "Frühstück": "",
                    "Zeit": "e",
                    "Musik": "e",
                    "Tiere": "e",
                    "Blumen": "e",
                    "Karten": "e",
                    "Fortschritte": "e",
                    "Milch": "e",
                    "Tee": "en",
                    "Kaffee": "en",
                    "Fisch": "en",
                    "Reis": "en",
                }.get(obj.split()[0], "")
                + " "
                + obj
                if obj.split()[0] in ("Wasser", "Brot", "Geld", "Zeit", "Milch", "Tee", "Kaffee", "Fisch", "Reis", "Blumen", "Fortschritte")
                else "nicht " + obj
            )
    if tense == "past":
        pp = a.de[4].lstrip("+")
        finite, tail = (BE_DE if a.de[4].startswith("+") else HAVE_DE)[j], pp
    elif modal:
        finite, tail = modal[1][j], a.de[3]
    else:
        finite, tail = a.de[j], ""
    time = adv and adv[1]
    if final:
        de = [s[1], time, obj, tail, finite]
    elif question:
        de = [finite, s[1], time, obj, tail]
    else:
        de = [s[1], finite, time, obj, tail]
    de = " ".join(x for x in de if x)
    # French
    nobody = s[0] == "nobody"
    if tense == "past":
        etre = a.fr[5].startswith("+")
        pp = a.fr[5].lstrip("+")
        if etre:
            pp += ("e" if feminine(s) else "") + ("s" if p in (3, 5) and not pp.endswith("s") else "")
        verb, after = (BE_FR if etre else HAVE_FR)[i], pp
    elif modal:
        verb, after = modal[2][i], a.fr[6]
    else:
        verb, after = a.fr[i], ""
    fobj = o[2]
    if negative and not nobody:
        fobj = re.sub(
            r"^(un|une|du|de la|de l'|des)(?: |(?<='))", lambda m: "d'" if re.match(r"[aeiouéh]", fobj[m.end() :]) else "de ", fobj
        )
    if negative or nobody:
        verb = elide("ne", verb) + ("" if nobody else " pas")
    subject = s[2]
    fr = elide("je", verb) if subject == "je" else f"{subject} {verb}"
    fr = " ".join(x for x in (fr, after, fobj, adv and adv[2]) if x)
    if question:
        fr = ("est-ce qu'" if re.match(r"[aeiou]", fr) else "est-ce que ") + fr
    # Spanish
    if tense == "past":
        verb = a.es[5 + i]
    elif modal:
        verb = f"{modal[3][i]} {a.es[11]}"
    else:
        verb = a.es[i]
    # the pronoun goes where the verb already says the person; he, she and they keep it so that the way back is clear
    drop = s[0] in ("I", "we") or (s[0] == "you")
    subject = "" if drop else s[3]
    no = "no " if negative and not nobody else ""
    head = f"{no}{verb} {subject}" if question else f"{subject} {no}{verb}"
    es = " ".join(x for x in (head.strip(), o[3], adv and adv[3]) if x)
    return en, de, fr, es


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
