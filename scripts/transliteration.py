#!/usr/bin/env python3
"""Compiles CLDR transform rules to server/translate/scripts/data/transforms.json.

usage: scripts/transliteration.py FOLDER      FOLDER holds CLDR's common/transforms/*.xml
(Debian: package unicode-cldr-core). Run only when CLDR is updated; the result is committed.

A transform is a list of steps: [ "call", filter, name ] or [ "rules", [[before, key, after, result, cursor], ...] ].
Patterns are the source of JavaScript regular expressions with the v flag; U+FFFF stands for the edge of the text.
Results are strings; U+E1xx stands for group xx; [function, result] calls another transform on it.
"""
import glob, html, json, os, re, sys, unicodedata

folder = sys.argv[1]
out = os.path.join(os.path.dirname(__file__), "..", "server", "translate", "scripts", "data", "transforms.json")
EDGE = "\uffff"
# Wanted transforms; what they call is added by itself.
WANTED = """Arabic-Latin Latin-Arabic Cyrillic-Latin Latin-Cyrillic Greek-Latin/UNGEGN Latin-Greek/UNGEGN Hebrew-Latin Latin-Hebrew
Russian-Latin/BGN Ukrainian-Latin/BGN Belarusian-Latin/BGN Bulgarian-Latin/BGN Kazakh-Latin/BGN Kirghiz-Latin/BGN Macedonian-Latin/BGN
Mongolian-Latin/BGN Serbian-Latin/BGN Persian-Latin/BGN Devanagari-Latin Latin-Devanagari Bengali-Latin Latin-Bengali Tamil-Latin Latin-Tamil
Telugu-Latin Latin-Telugu Kannada-Latin Latin-Kannada Malayalam-Latin Latin-Malayalam Gujarati-Latin Latin-Gujarati Gurmukhi-Latin Latin-Gurmukhi
Oriya-Latin Latin-Oriya si-si_Latn Hangul-Latin Latin-Hangul Thai-Latin Latin-ASCII Katakana-Latin Latin-Katakana
Hiragana-Katakana Katakana-Hiragana Armenian-Latin/BGN Georgian-Latin/BGN""".split()
BUILTIN = {"NFD", "NFC", "NFKD", "NFKC", "Lower", "Upper", "Title", "Null", "Remove", "BreakInternal"}
INVERSE = {"NFD": "NFC", "NFC": "NFD", "NFKD": "NFKC", "NFKC": "NFKD", "Lower": "Upper", "Upper": "Lower", "Title": "Lower", "Null": "Null"}


def load():
    """name -> (text of the rules, whether they are to be read backwards)"""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.xml"))):
        text = open(path, encoding="utf8").read()
        head = re.search(r"<transform\s([^>]*)>", text)
        if not head: continue
        a = dict(re.findall(r'(\w+)="([^"]*)"', head.group(1)))
        body = "\n".join(html.unescape(m) for m in re.findall(r"<tRule>(.*?)</tRule>", text, re.S))
        body = re.sub(r"<!\[CDATA\[(.*?)\]\]>", r"\1", body, flags=re.S)
        base = os.path.basename(path)[:-4]
        v = "/" + a["variant"] if "variant" in a else ""
        full = {"Latn": "Latin", "Grek": "Greek", "Arab": "Arabic", "Cyrl": "Cyrillic", "Hebr": "Hebrew"}
        names = {a["source"] + "-" + a["target"] + v, full.get(a["source"], a["source"]) + "-" + full.get(a["target"], a["target"]) + v}
        back = {a["target"] + "-" + a["source"] + v, full.get(a["target"], a["target"]) + "-" + full.get(a["source"], a["source"]) + v}
        names |= {n for n in a.get("alias", "").split() if "-t-" not in n}
        back |= {n for n in a.get("backwardAlias", "").split() if "-t-" not in n}
        names.add(base)
        for n in names: found[n] = (body, False)
        if a.get("direction") == "both":
            for n in back: found.setdefault(n, (body, True))
    return found


def escape(c):
    """a character inside a class"""
    return "\\" + c if c in "^$\\.*+?()[]{}|/-&~!#%,:;<=>@`" else c


def literal(c):
    """a character outside a class"""
    return "\\" + c if c in "^$\\.*+?()[]{}|/" else c


class Reader:
    """One rule side: pattern or result."""
    def __init__(self, text, variables): self.t, self.i, self.v = text, 0, variables

    def char(self):
        """one literal character at the position, escapes resolved"""
        t, i = self.t, self.i
        if t[i] == "\\":
            m = re.compile(r"\\u\{?([0-9A-Fa-f]{4,6})\}?|\\U([0-9A-Fa-f]{8})|\\x\{?([0-9A-Fa-f]{1,6})\}?").match(t, i)
            if m:
                self.i = m.end()
                return chr(int(m.group(1) or m.group(2) or m.group(3), 16))
            self.i += 2
            return {"n": "\n", "t": "\t", "r": "\r"}.get(t[i + 1], t[i + 1])
        self.i += 1
        return t[i]

    def quoted(self):
        """text of '...' at the position"""
        self.i += 1
        out = ""
        while self.i < len(self.t):
            c = self.t[self.i]
            if c == "'":
                self.i += 1
                if self.t[self.i:self.i + 1] == "'": out += "'"; self.i += 1; continue
                return out or "'"
            out += self.char() if c == "\\" else c
            if c != "\\": self.i += 1
        return out

    def property(self):
        t, i = self.t, self.i
        if t.startswith("[:", i):
            end = t.index(":]", i); body, self.i = t[i + 2:end], end + 2
        else:
            end = t.index("}", i); neg = "^" if t[i + 1] == "P" else ""
            body, self.i = neg + t[i + 3:end], end + 1
        neg = body.startswith("^")
        return prop(body.lstrip("^").strip(), neg)

    def set(self):
        """[...] at the position -> v-mode class"""
        self.i += 1
        neg = False
        while self.t[self.i] == " ": self.i += 1
        if self.t[self.i] == "^": neg = True; self.i += 1
        terms, op, pending = [], "", None
        parts, cur = [], ""
        # v mode allows one kind of operator per class: nest from the left.
        acc, operator = "", None
        def flush(nextop):
            nonlocal acc, operator, cur
            piece = "[" + cur + "]" if cur else "[]"
            acc = piece if operator is None else "[" + acc + operator + piece + "]"
            operator, cur = nextop, ""
        while True:
            c = self.t[self.i]
            if c == "]": self.i += 1; break
            if c in " \t\n\r": self.i += 1; continue
            if c == "$":
                m = re.compile(r"\$([A-Za-z_]\w*)").match(self.t, self.i)
                if m: self.i = m.end(); cur += Reader(self.v[m.group(1)], self.v).as_class()
                else: self.i += 1; cur += EDGE
                continue
            if c == "[" or self.t.startswith(("\\p", "\\P"), self.i):
                cur += self.property() if self.t.startswith(("[:", "\\p", "\\P"), self.i) else self.set()
                continue
            if c == "&": self.i += 1; flush("&&"); continue
            if c == "-":
                rest = self.t[self.i + 1:].lstrip()
                if rest.startswith(("[", "\\p", "$")) and cur: self.i += 1; flush("--"); continue
                self.i += 1; cur += "\\-"; continue
            if c == "{":
                end = self.t.index("}", self.i); inner = Reader(self.t[self.i + 1:end], self.v); s = ""
                while inner.i < len(inner.t):
                    if inner.t[inner.i] == " ": inner.i += 1; continue
                    s += inner.char()
                self.i = end + 1; cur += "\\q{" + "".join(escape(x) for x in s) + "}"; continue
            a = self.quoted_char() if c == "'" and False else self.char()
            rest = self.t[self.i:]
            m = re.match(r"\s*-\s*(?![\[\]$]|\\p)", rest)
            if m and rest[m.end():]:
                self.i += m.end(); b = self.char(); cur += escape(a) + "-" + escape(b)
            else: cur += escape(a)
        if operator is None: body = cur
        else: flush(None); body = acc
        return ("[^" if neg else "[") + body + "]"

    def as_class(self):
        """a variable used inside a set"""
        r = self
        while r.i < len(r.t) and r.t[r.i] == " ": r.i += 1
        if r.t.startswith(("[:", "\\p", "\\P"), r.i): return r.property()
        if r.t[r.i:r.i + 1] == "[": return r.set()
        out = ""
        while r.i < len(r.t):
            if r.t[r.i] == " ": r.i += 1; continue
            if r.t[r.i] == "$":
                m = re.compile(r"\$(\w+)").match(r.t, r.i); r.i = m.end(); out += Reader(r.v[m.group(1)], r.v).as_class(); continue
            out += escape(r.char())
        return out

    def pattern(self, stop=""):
        out = ""
        while self.i < len(self.t):
            c = self.t[self.i]
            if c in stop: break
            if c in " \t\n\r": self.i += 1; continue
            if c == "'": q = "".join(literal(x) for x in self.quoted()); out += q; continue
            if c == "$":
                m = re.compile(r"\$([A-Za-z_]\w*)").match(self.t, self.i)
                if m:
                    self.i = m.end(); p = Reader(self.v[m.group(1)], self.v).pattern()
                    out += p if re.fullmatch(r"\\?.|\[.*\]", p, re.S) and p.count("[") <= 1 or p.startswith("[") and balanced(p) else "(?:" + p + ")"
                else: self.i += 1; out += EDGE
                continue
            if c == "^" : self.i += 1; out += EDGE; continue
            if self.t.startswith(("[:", "\\p", "\\P"), self.i) : out += self.property(); continue
            if c == "[": out += self.set(); continue
            if c == "(": self.i += 1; out += "("; out += self.pattern(")"); self.i += 1; out += ")"; continue
            if c in "*+?": out += c; self.i += 1; continue
            if c == ".": out += "[^" + EDGE + "]"; self.i += 1; continue
            out += literal(self.char())
        return out

    def result(self, stop=""):
        """-> (parts, cursor): parts are strings or [function, parts]; cursor is an index into the flat text or None"""
        parts, cursor, buf = [], None, ""
        offset = 0
        while self.i < len(self.t):
            c = self.t[self.i]
            if c in stop: break
            if c in " \t\n\r": self.i += 1; continue
            if c == "'": buf += self.quoted(); continue
            if c == "|":
                self.i += 1; buf += "\ue200"; continue
            if c == "@": self.i += 1; buf += "\ue201"; continue
            if c == "&":
                m = re.compile(r"&\s*(?:\[[^\]]*\]\s*)?([\w/-]+)\s*\(").match(self.t, self.i)
                self.i = m.end(); inner = self.result(")"); self.i += 1
                if buf: parts.append(buf); buf = ""
                parts.append([m.group(1), inner]); continue
            if c == "$":
                m = re.compile(r"\$(\d+)").match(self.t, self.i)
                if m: buf += chr(0xe100 + int(m.group(1))); self.i = m.end(); continue
                m = re.compile(r"\$([A-Za-z_]\w*)").match(self.t, self.i)
                if m: self.i = m.end(); inner = Reader(self.v[m.group(1)], self.v).result(); buf += "".join(x for x in inner if isinstance(x, str)); continue
                self.i += 1; continue
            buf += self.char()
        if buf: parts.append(buf)
        return parts


def balanced(p):
    depth, i = 0, 0
    while i < len(p):
        if p[i] == "\\": i += 2; continue
        depth += (p[i] == "[") - (p[i] == "]")
        if depth == 0 and i < len(p) - 1: return False
        i += 1
    return depth == 0


def ranges(test):
    out, start = "", None
    for c in range(0x110000):
        ok = not 0xd800 <= c <= 0xdfff and test(chr(c))
        if ok and start is None: start = c
        if not ok and start is not None:
            out += escape(chr(start)) if start == c - 1 else escape(chr(start)) + "-" + escape(chr(c - 1)); start = None
    return out

CCC = {}
LOGICAL = "\u0e40-\u0e44\u0ec0-\u0ec4\uaab5\uaab6\uaab9\uaabb\uaabc"


def prop(name, neg):
    key = name.lower().replace("_", " ").strip()
    P = "\\P" if neg else "\\p"
    m = re.match(r"(?:ccc|canonical[ _]combining[ _]class)=(\w+)", key)
    if m:
        value = {"above": 230, "below": 220, "not reordered": 0}.get(m.group(1)) if not m.group(1).isdigit() else int(m.group(1))
        if value == 0:
            if "nz" not in CCC: CCC["nz"] = ranges(lambda c: unicodedata.combining(c) != 0)
            return ("[" if neg else "[^") + CCC["nz"] + "]"
        if value not in CCC: CCC[value] = ranges(lambda c: unicodedata.combining(c) == value)
        return ("[^" if neg else "[") + CCC[value] + "]"
    if key in ("logical order exception",): return ("[^" if neg else "[") + LOGICAL + "]"
    m = re.match(r"block=(\w+)", key)
    if m: return ("[^" if neg else "[") + {"arabic": "\u0600-\u06ff", "thaana": "\u0780-\u07bf"}[m.group(1)] + "]"
    m = re.match(r"(?:script|sc)=(.*)", key)
    if m: key = m.group(1)
    general = {"l": "L", "letter": "L", "m": "M", "mark": "M", "n": "N", "nd": "Nd", "mn": "Mn", "nonspacing mark": "Mn", "me": "Me", "ll": "Ll", "lu": "Lu", "lt": "Lt",
               "uppercaseletter": "Lu", "uppercase letter": "Lu", "upper": "Uppercase", "uppercase": "Uppercase", "lower": "Lowercase", "lowercase": "Lowercase", "p": "P", "s": "S", "z": "Z", "alphabetic": "Alphabetic"}
    if key in general: return P + "{" + general[key] + "}"
    return P + "{Script=" + "_".join(w.capitalize() for w in key.split(" ")) + "}"


def lines(body):
    """statements of a rule text: split at ; outside quotes, sets and comments"""
    out, cur, quote, depth, i = [], "", False, 0, 0
    while i < len(body):
        c = body[i]
        if c == "\\": cur += body[i:i + 2]; i += 2; continue
        if c == "'" and depth == 0: quote = not quote
        if not quote:
            if c == "#" and depth == 0:
                while i < len(body) and body[i] != "\n": i += 1
                continue
            if c == "[": depth += 1
            if c == "]": depth -= 1
            if c == ";" and depth == 0: out.append(cur.strip()); cur = ""; i += 1; continue
        cur += c; i += 1
    if cur.strip(): out.append(cur.strip())
    return [x for x in out if x]


def split_arrow(s):
    quote, depth, i = False, 0, 0
    while i < len(s):
        c = s[i]
        if c == "\\": i += 2; continue
        if c == "'" and depth == 0: quote = not quote
        elif not quote:
            if c == "[": depth += 1
            elif c == "]": depth -= 1
            elif depth == 0:
                for arrow, d in (("<>", "both"), ("\u2194", "both"), ("\u2192", "f"), ("\u2190", "r"), (">", "f"), ("<", "r")):
                    if s.startswith(arrow, i): return s[:i], d, s[i + len(arrow):]
        i += 1
    return None


def contexts(s):
    """before { key } after, outside quotes and sets"""
    at = {"{": None, "}": None}; quote, depth, i = False, 0, 0
    while i < len(s):
        c = s[i]
        if c == "\\": i += 2; continue
        if c == "'" and depth == 0: quote = not quote
        elif not quote:
            if c == "[": depth += 1
            elif c == "]": depth -= 1
            elif depth == 0 and c in at and at[c] is None: at[c] = i
        i += 1
    a, b = at["{"], at["}"]
    before = s[:a] if a is not None else ""
    key = s[(a + 1 if a is not None else 0):(b if b is not None else len(s))]
    after = s[b + 1:] if b is not None else ""
    return before, key, after


def call(text):
    """'[filter] Name' -> (filter pattern, name)"""
    text = text.strip()
    if not text: return None
    r = Reader(text, {})
    flt = ""
    if text.startswith("["):
        flt = r.property() if text.startswith("[:") else r.set()
    elif text.startswith("\\p"): flt = r.property()
    name = text[r.i:].strip()
    return flt, name


def canonical(name):
    name = re.sub("^any-", "", name, flags=re.I)
    for known in list(BUILTIN) + list(found):
        if known.lower() == name.lower(): return known
    return name


def compile_(body, reverse):
    variables, steps, rules, gfilter = {}, [], [], ""
    seen_step = False
    def close():
        nonlocal rules
        if rules: steps.append(["rules", rules]); rules = []
    statements = lines(body)
    for n, s in enumerate(statements):
        if s.startswith("::"):
            s = s[2:].strip()
            inner = re.search(r"\(([^()]*(?:\[[^\]]*\])?[^()]*)\)\s*$", s)
            fwd = s[:inner.start()] if inner else s
            back = inner.group(1) if inner else None
            first, last = n == 0 or not seen_step, n == len(statements) - 1
            if not reverse:
                c = call(fwd)
                if c is None: continue
            else:
                if back is not None: c = call(back)
                else:
                    c = call(fwd)
                    if c and c[1]:
                        base = c[1].replace("Any-", "")
                        if base in INVERSE: c = (c[0], INVERSE[base])
                        elif "-" in c[1]: x, _, y = c[1].partition("-"); y, _, v = y.partition("/"); c = (c[0], y + "-" + x + ("/" + v if v else ""))
                        else: c = None
                    elif c: c = None  # a forward filter does not apply backwards
                if c is None: close(); continue
            close(); seen_step = True
            flt, name = c
            if not name:
                gfilter = flt
                continue
            name = canonical(name)
            if name == "Null": continue
            steps.append(["call", flt, name])
            continue
        m = re.match(r"\$([A-Za-z_]\w*)\s*=(.*)$", s, re.S)
        if m: variables[m.group(1)] = m.group(2).strip(); continue
        parts = split_arrow(s)
        if not parts: raise ValueError("not a rule: " + s)
        seen_step = True
        left, direction, right = parts
        if direction == ("r" if not reverse else "f"): continue
        if reverse: left, right = right, left
        before, key, after = contexts(left)
        _, res, _ = contexts(right)
        rules.append([Reader(before, variables).pattern(), Reader(key, variables).pattern(), Reader(after, variables).pattern(), Reader(res, variables).result()])
    close()
    if reverse: steps.reverse()
    t = {"steps": steps}
    if gfilter: t["filter"] = gfilter
    return t


def calls(t):
    def inside(parts):
        for p in parts:
            if isinstance(p, list): yield p[0]; yield from inside(p[1])
    for s in t["steps"]:
        if s[0] == "call": yield s[2]
        else:
            for r in s[1]: yield from inside(r[3])

found = load()
done, todo = {}, list(WANTED)
while todo:
    name = todo.pop(0)
    if name in done or name in BUILTIN: continue
    if name not in found:
        alt = name.replace("Latn", "Latin")
        if alt in found: found[name] = found[alt]
        else: sys.exit("no transform " + name)
    body, reverse = found[name]
    done[name] = compile_(body, reverse)
    for c in calls(done[name]):
        c = canonical(c)
        if c not in done and c not in BUILTIN: todo.append(c)
with open(out, "w", encoding="utf8") as f:
    json.dump({"source": "Unicode CLDR 41, common/transforms; Unicode License", "transforms": done}, f, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    f.write("\n")
print(len(done), "transforms,", os.path.getsize(out), "bytes:", " ".join(sorted(done)))
