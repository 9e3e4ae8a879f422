#!/usr/bin/env python3
"""Compiles CLDR transform rules to server/translate/scripts/data/transforms.json.

usage: scripts/transliteration.py FOLDER      FOLDER holds CLDR's common/transforms/*.xml
(Debian: package unicode-cldr-core). Run only when CLDR is updated; the result is committed.

A transform is a list of steps: [ "call", filter, name ] or [ "rules", [[before, key, after, result, cursor], ...] ].
Patterns are the source of JavaScript regular expressions with the v flag; U+FFFF stands for the edge of the text.
Results are strings; U+E1xx stands for group xx; [function, result] calls another transform on it.
"""
import glob, html, json, os, re, sys
from transform_patterns import Reader

folder = sys.argv[1]
out = os.path.join(os.path.dirname(__file__), "..", "server", "translate", "scripts", "data", "transforms.json")
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
