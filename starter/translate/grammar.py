"""Noun phrases and verbs in four languages with their articles, cases, agreement: what the sentence patterns ask for."""
import re
from words import ADJECTIVES, NOUNS, VERBS


def rows(text):
    return [[f.strip() for f in line.split("|")] for line in text.strip().splitlines()]


def word(s):
    return s.replace("_", " ").replace("’", "'")


def english_a(s):
    return ("an " if re.match(r"(?!uni|use|up?d?ser|one)[aeiou]", s) else "a ") + s


class English:
    def __init__(self, noun, adj):
        parts = noun.split()
        half = len(parts) // 2
        p = adj[0] + " " if adj else ""
        self.sg, self.pl = p + " ".join(parts[:half]), p + " ".join(parts[half:])
        self.a = english_a(self.sg)


class German:
    """Articles by gender m, f, n; adjective endings after definite, indefinite and no article."""

    def __init__(self, noun, adj):
        self.g, self.noun, self.plural = noun.split()
        self.adj = adj[1] if adj else ""

    def adjoined(self, adj):
        return German(f"{self.g} {self.noun} {self.plural}", ("", adj))

    def phrase(self, article, ending, noun):
        adj = self.adj + ending + " " if self.adj else ""
        return (article + " " if article else "") + adj + noun

    def case(self, case):
        """The noun in the singular: genitive ending, and the weak noun Name."""
        n = self.noun
        if n.endswith("name") or n == "Name":
            return n + {"nom": "", "acc": "n", "dat": "n", "gen": "ns"}[case]
        if case != "gen" or self.g == "f":
            return n
        return n + ("ses" if n.endswith("nis") else "es" if re.search(r"(s|ß|x|z|st|ld)$", n) else "s")

    def definite(self, case, stem="d"):
        i = "mfn".index(self.g)
        e = {"nom": ("er", "ie", "as"), "acc": ("en", "ie", "as"), "dat": ("em", "er", "em"), "gen": ("es", "er", "es")}[case][i]
        if stem != "d":
            e = {"ie": "e", "as": "es"}.get(e, e)
        return self.phrase(stem + e, "e" if case == "nom" or (case == "acc" and self.g != "m") else "en", self.case(case))

    def indefinite(self, case, stem="ein"):
        i = "mfn".index(self.g)
        e = {"nom": ("", "e", ""), "acc": ("en", "e", ""), "dat": ("em", "er", "em"), "gen": ("es", "er", "es")}[case][i]
        a = {"nom": ("er", "e", "es"), "acc": ("en", "e", "es")}.get(case, ("en", "en", "en"))[i]
        return self.phrase(stem + e, a, self.case(case))

    def bare(self, case="nom"):
        """Without an article, as labels have it: "neue Datei", "aktuellen Ordner"."""
        a = {"nom": ("er", "e", "es"), "acc": ("en", "e", "es")}[case]["mfn".index(self.g)]
        return self.phrase("", a, self.case(case))

    def dative_plural(self):
        return self.plural + ("" if self.plural[-1] in "ns" else "n")

    der = property(lambda s: s.definite("nom"))
    den = property(lambda s: s.definite("acc"))
    dem = property(lambda s: s.definite("dat"))
    des = property(lambda s: s.definite("gen"))
    dieser = property(lambda s: s.definite("nom", "dies"))
    diesen = property(lambda s: s.definite("acc", "dies"))
    diesem = property(lambda s: s.definite("dat", "dies"))
    jeder = property(lambda s: s.definite("nom", "jed"))
    jeden = property(lambda s: s.definite("acc", "jed"))
    ein = property(lambda s: s.indefinite("nom"))
    einen = property(lambda s: s.indefinite("acc"))
    einem = property(lambda s: s.indefinite("dat"))
    kein = property(lambda s: s.indefinite("nom", "kein"))
    keinen = property(lambda s: s.indefinite("acc", "kein"))
    ihren = property(lambda s: s.indefinite("acc", "Ihr"))
    label = property(lambda s: s.bare("acc"))
    title = property(lambda s: s.bare("nom"))
    die_pl = property(lambda s: s.phrase("die", "en", s.plural))
    den_pl = property(lambda s: s.phrase("den", "en", s.dative_plural()))
    der_pl = property(lambda s: s.phrase("der", "en", s.plural))
    alle = property(lambda s: s.phrase("alle", "en", s.plural))
    allen = property(lambda s: s.phrase("allen", "en", s.dative_plural()))
    keine = property(lambda s: s.phrase("keine", "en", s.plural))
    pl = property(lambda s: s.phrase("", "e", s.plural))
    ung = property(lambda s: s.adjoined("ungültig").title)
    unb = property(lambda s: s.adjoined("unbekannt").title)
    fehl = property(lambda s: s.adjoined("fehlend").title)
    pl_weak = property(lambda s: s.phrase("", "en", s.plural))
    Ihr = property(lambda s: s.indefinite("nom", "Ihr"))
    rel = property(lambda s: {"m": "den", "f": "die", "n": "das"}[s.g])
    relnom = property(lambda s: {"m": "der", "f": "die", "n": "das"}[s.g])
    std = property(lambda s: "der Standardwert für " + s.den)
    einen_neuen = property(lambda s: s.adjoined("neu").einen)
    einem_neuen = property(lambda s: s.adjoined("neu").einem)
    einem_anderen = property(lambda s: s.adjoined("ander").einem)
    einen_eigenen = property(lambda s: s.adjoined("eigen").einen)
    es = property(lambda s: {"m": "er", "f": "sie", "n": "es"}[s.g])
    ihn = property(lambda s: {"m": "ihn", "f": "sie", "n": "es"}[s.g])


class Romance:
    """French and Spanish: gender, number, agreement; the adjective's place."""

    def __init__(self, noun, adj):
        self.g, self.noun, self.plural = (word(w) for w in noun.split())
        self.f = self.g == "f"
        self.forms = [word(w) for w in adj.lstrip("+").split()] if adj else None
        self.before = bool(adj) and adj.startswith("+")

    def with_adjective(self, noun, plural):
        if not self.forms:
            return noun
        a = self.forms[2 * plural + self.f]
        if self.before and not plural and not self.f and len(self.forms) > 4 and vowel(noun):
            a = self.forms[4]
        return f"{a} {noun}" if self.before else f"{noun} {a}"

    sg = property(lambda s: s.with_adjective(s.noun, False))
    pl = property(lambda s: s.with_adjective(s.plural, True))

    def agree(self, pp, plural=False):
        raise NotImplementedError


def vowel(s):
    return re.match(r"[aeiouyàâéèêîôûh]", s.lower()) is not None


class French(Romance):
    def __init__(self, noun, adj):
        super().__init__(noun, adj[2] if adj else "")

    def agree(self, pp, plural=False):
        head, _, tail = pp.partition(" ")
        head += "e" if self.f else ""
        head += "s" if plural and not head.endswith("s") else ""
        return head + (" " + tail if tail else "")

    le = property(lambda s: ("l'" if vowel(s.sg) else "la " if s.f else "le ") + s.sg)
    de = property(lambda s: "de l'" + s.sg if vowel(s.sg) else ("de la " if s.f else "du ") + s.sg)
    a = property(lambda s: "à l'" + s.sg if vowel(s.sg) else ("à la " if s.f else "au ") + s.sg)
    un = property(lambda s: ("une " if s.f else "un ") + s.sg)
    ce = property(lambda s: ("cette " if s.f else "cet " if vowel(s.sg) else "ce ") + s.sg)
    aucun = property(lambda s: ("aucune " if s.f else "aucun ") + s.sg)
    chaque = property(lambda s: "chaque " + s.sg)
    votre = property(lambda s: "votre " + s.sg)
    les = property(lambda s: "les " + s.pl)
    des_pl = property(lambda s: "des " + s.pl)
    tous = property(lambda s: ("toutes les " if s.f else "tous les ") + s.pl)
    d = property(lambda s: ("d'" if vowel(s.sg) else "de ") + s.sg)
    d_pl = property(lambda s: ("d'" if vowel(s.pl) else "de ") + s.pl)
    il = property(lambda s: "elle" if s.f else "il")
    d_un = property(lambda s: "d'" + s.un)
    son = property(lambda s: "sa" if s.f else "son")
    un_autre = property(lambda s: ("une autre " if s.f else "un autre ") + s.noun)
    un_nouveau = property(lambda s: ("une nouvelle " if s.f else "un nouvel " if vowel(s.noun) else "un nouveau ") + s.noun)


class Spanish(Romance):
    def __init__(self, noun, adj):
        super().__init__(noun, adj[3] if adj else "")

    def agree(self, pp, plural=False):
        return (pp[:-1] + "a" if self.f else pp) + ("s" if plural else "")

    el = property(lambda s: ("la " if s.f else "el ") + s.sg)
    de = property(lambda s: ("de la " if s.f else "del ") + s.sg)
    a = property(lambda s: ("a la " if s.f else "al ") + s.sg)
    un = property(lambda s: ("una " if s.f else "un ") + s.sg)
    este = property(lambda s: ("esta " if s.f else "este ") + s.sg)
    ningun = property(lambda s: ("ninguna " if s.f else "ningún ") + s.sg)
    otro = property(lambda s: ("otra " if s.f else "otro ") + s.noun)
    un_nuevo = property(lambda s: ("una nueva " if s.f else "un nuevo ") + s.noun)
    demasiados = property(lambda s: ("demasiadas " if s.f else "demasiados ") + s.pl)
    cada = property(lambda s: "cada " + s.sg)
    los = property(lambda s: ("las " if s.f else "los ") + s.pl)
    todos = property(lambda s: ("todas las " if s.f else "todos los ") + s.pl)


class Verb:
    """Forms by language: en base pp third ing; de inf zu pp third pre (and the part that goes to the end); fr, es likewise."""

    def __init__(self, r):
        e = r[0].split()
        base = e[0]
        third = base[:-1] + "ies" if re.search(r"[^aeiou]y$", base) else base + ("es" if re.search(r"(s|sh|ch|x)$", base) else "s")
        ing = e[2] if len(e) > 2 else base[:-1] + "ing" if base.endswith("e") else base + "ing"
        self.en = dict(base=base, pp=e[1], third=third, ing=ing)
        inf, third, pp = (word(w) for w in r[1].split())
        pre, _, rest = inf.rpartition("+")
        self.de = dict(
            inf=pre + rest,
            zu=(pre + "zu " + rest if pre.endswith(" ") else pre + "zu" + rest) if pre else "zu " + rest,
            third=third,
            stem=rest,
            end=" " + pre.strip() if pre else "",
            pp=pp,
        )
        if rest == "herstellen":
            self.de.update(stem="stellen", end=" wieder her", zu="wiederherzustellen")
        if pre == "um":
            self.de.update(third="benennt", stem="benennen")
        self.de.update(third_sub=pre + third, Inf=(pre + rest).replace(" ", "").capitalize())
        self.fr = dict(zip(("inf", "third", "pp", "vous"), map(word, r[2].split())))
        self.es = dict(zip(("inf", "third", "pp", "usted"), map(word, r[3].split())))
        self.es.update(fut=self.es["inf"] + "á", third_pl=self.es["third"] + "n")
        self.classes = r[4]


class Phrase:
    def __init__(self, noun, adj=None):
        self.noun = noun
        self.en, self.de, self.fr, self.es = English(noun[0], adj), German(noun[1], adj), French(noun[2], adj), Spanish(noun[3], adj)
        self.cls = noun[4]


NOUN_ROWS, ADJECTIVE_ROWS, VERB_LIST = rows(NOUNS), rows(ADJECTIVES), [Verb(r) for r in rows(VERBS)]
