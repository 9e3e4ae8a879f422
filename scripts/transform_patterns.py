"""The patterns and results of CLDR transform rules as the source of JavaScript regular expressions with the v flag."""
import re, unicodedata

EDGE = "\uffff"


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
