"""One clause of everyday speech in the four languages, from the verbs, objects and adverbs of everyday.py."""
import re
import everyday as ed


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


# what German negates with `kein`, and its ending there
UNCOUNTED = {
    "Wasser": "", "Brot": "", "Geld": "", "Zeit": "e", "Milch": "e", "Tee": "en", "Kaffee": "en", "Fisch": "en", "Reis": "en", "Blumen": "e", "Fortschritte": "e",
}  # fmt: skip


class Clause:
    """What the four languages say: action, object, adverb, subject, tense. `final`: the German verb stands at the end."""

    def __init__(self, r, s, tense, negative, question, final):
        self.action = r.choice(ACTIONS)
        if self.action.en[0] in STATIVE and tense in ("progressive", "modal"):
            tense = "present"
        self.object = r.choice(self.action.objects)
        self.adverb = (
            r.choice(ed.ADVERBS[tense if tense in ed.ADVERBS else "present"]).split("/")
            if r.random() < (0.55 if tense in ed.ADVERBS else 0.15)
            else None
        )
        self.subject, self.tense, self.negative, self.question, self.final = s, tense, negative, question, final
        self.modal = r.choice(MODALS[:-1]) if tense == "modal" else MODALS[-1] if tense == "future" else None

    def english(self):
        s, a, negative, question, p = self.subject, self.action, self.negative, self.question, self.subject[4]
        singular = p == 2
        be, aux = ("am", "are", "is", "are", "are", "are")[p], "does" if singular else "do"
        if self.tense == "progressive":
            en = (f"{be} {s[0]} {'not ' if negative else ''}" if question else f"{s[0]} {be} {'not ' if negative else ''}") + a.en[3]
        elif self.modal:
            en = self.english_modal(aux, singular)
        elif self.tense == "past":
            en = f"did {s[0]} {a.en[0]}" if question else f"{s[0]} didn't {a.en[0]}" if negative else f"{s[0]} {a.en[1]}"
        elif question:
            en = f"{aux} {s[0]} {a.en[0]}"
        elif negative:
            en = f"{s[0]} {aux}n't {a.en[0]}"
        else:
            en = f"{s[0]} {third(a.en[0]) if singular else a.en[0]}"
        return " ".join(x for x in (en, self.object[0], self.adverb and self.adverb[0]) if x)

    def english_modal(self, aux, singular):
        who, base = self.subject[0], self.action.en[0]
        m = self.modal[0][singular]
        if m.endswith(" to") and "would" not in m:
            plain = self.modal[0][0]
            return f"{aux} {who} {plain} {base}" if self.question else f"{who} {aux}n't {plain} {base}" if self.negative else f"{who} {m} {base}"
        head, _, tail = m.partition(" ")
        tail = tail + " " if tail else ""
        no = {"can": "can't", "will": "won't", "must": "must not", "should": "shouldn't", "would": "wouldn't"}[head]
        return f"{head} {who} {tail}{base}" if self.question else f"{who} {no if self.negative else head} {tail}{base}"

    def german_object(self):
        obj = self.object[1]
        if not self.negative:
            return obj
        place = re.match(r"(in|im|ins|am|an|auf|zu|zur|zum|nach|aus|mit|für|hier|draußen|gut|sehr|zu)\b", obj)
        if re.match(r"ein(e|en|em)?\b", obj) and not place:
            return "k" + obj
        if place:
            return "nicht " + obj
        if re.match(r"(das|die|den|dem|der|dies\w+|alles)\b", obj):
            return obj + " nicht"
        first = obj.split()[0]
        return f"kein{UNCOUNTED[first]} {obj}" if first in UNCOUNTED else "nicht " + obj

    def german(self):
        a, who, j = self.action, self.subject[1], min(INDEX[self.subject[4]], 3)
        if self.tense == "past":
            finite, tail = (BE_DE if a.de[4].startswith("+") else HAVE_DE)[j], a.de[4].lstrip("+")
        elif self.modal:
            finite, tail = self.modal[1][j], a.de[3]
        else:
            finite, tail = a.de[j], ""
        time, obj = self.adverb and self.adverb[1], self.german_object()
        if self.final:
            de = [who, time, obj, tail, finite]
        else:
            de = [finite, who, time, obj, tail] if self.question else [who, finite, time, obj, tail]
        return " ".join(x for x in de if x)

    def french(self):
        a, s, p, i = self.action, self.subject, self.subject[4], INDEX[self.subject[4]]
        nobody = s[0] == "nobody"
        if self.tense == "past":
            etre, after = a.fr[5].startswith("+"), a.fr[5].lstrip("+")
            if etre:
                after += ("e" if feminine(s) else "") + ("s" if p in (3, 5) and not after.endswith("s") else "")
            verb = (BE_FR if etre else HAVE_FR)[i]
        elif self.modal:
            verb, after = self.modal[2][i], a.fr[6]
        else:
            verb, after = a.fr[i], ""
        obj = self.object[2]
        if self.negative and not nobody:
            of = lambda m: "d'" if re.match(r"[aeiouéh]", obj[m.end() :]) else "de "
            obj = re.sub(r"^(un|une|du|de la|de l'|des)(?: |(?<='))", of, obj)
        if self.negative or nobody:
            verb = elide("ne", verb) + ("" if nobody else " pas")
        fr = elide("je", verb) if s[2] == "je" else f"{s[2]} {verb}"
        fr = " ".join(x for x in (fr, after, obj, self.adverb and self.adverb[2]) if x)
        return ("est-ce qu'" if re.match(r"[aeiou]", fr) else "est-ce que ") + fr if self.question else fr

    def spanish(self):
        a, s, i = self.action, self.subject, INDEX[self.subject[4]]
        if self.tense == "past":
            verb = a.es[5 + i]
        else:
            verb = f"{self.modal[3][i]} {a.es[11]}" if self.modal else a.es[i]
        # the pronoun goes where the verb already says the person; he, she and they keep it so that the way back is clear
        subject = "" if s[0] in ("I", "we", "you") else s[3]
        no = "no " if self.negative and s[0] != "nobody" else ""
        head = f"{no}{verb} {subject}" if self.question else f"{subject} {no}{verb}"
        return " ".join(x for x in (head.strip(), self.object[3], self.adverb and self.adverb[3]) if x)


def clause(r, s, tense, negative, question=False, final=False):
    """One clause in the four languages: (en, de, fr, es) without capital and full stop. final: German verb at the end."""
    c = Clause(r, s, tense, negative, question, final)
    return c.english(), c.german(), c.french(), c.spanish()
