"""Command pages of tldr: one row is a task of a command and the line that does it."""
import hashlib
import os
import re
from texts import words


def h(s):
    return int(hashlib.sha1(s.encode()).hexdigest()[:8], 16)


def clean(t):
    t = re.sub(r"^\[Interactive\]\s*", "", t)
    t = re.sub(r"\[([A-Za-z0-9]{1,2}|[A-Za-z]+)\]", r"\1", t)
    t = re.sub(r"\s*\(see [^)]*\)|\s*\(note[^)]*\)", "", t, flags=re.I).strip().rstrip(".:")
    return t[:1].upper() + t[1:]


def pick(s):
    m = re.fullmatch(r"\[([^\[\]]+)\]", s)
    if m and "|" in s:
        o = m[1].split("|")
        return o[0] if o[0].startswith("-") else o[-1]
    s = re.sub(r"\[([^\[\]|]*)(\|[^\[\]]*)\]", r"\1", s)
    if "|" in s and not re.search(r'[\\^$*"\']', s):
        s = s.split("|")[0]
    s = re.sub(r"/?path[/\\]to[/\\]", "", s)
    return re.sub(r"\s+\.\.\.$", "", s).strip()


def render(c):
    c = re.sub(r"\{\{(.*?)\}\}(?!\})", lambda m: pick(m[1]), c)
    return re.sub(r"\s+", " ", c.replace("\\{\\{", "{{").replace("\\}\\}", "}}")).strip()


class Row:
    __slots__ = ("os", "name", "summary", "task", "cmd", "core", "held", "unique")


def read_rows(corpora):
    out, seen, core = [], set(), set(words("commands.txt"))
    for l in open(os.path.join(corpora, "tldr.commands.en.tsv"), encoding="utf-8"):
        os_, name, summary, task, cmd = l.rstrip("\n").split("\t")
        if task.startswith("View documentation") or "alias of" in summary:
            continue
        r = Row()
        r.os, r.name, r.summary, r.task, r.cmd = os_, name, clean(summary), clean(task), render(cmd)
        if len(r.cmd) > 110 or len(r.task) > 110 or not r.cmd:
            continue
        k = (name, r.task.lower())
        if k in seen:
            continue
        seen.add(k)
        r.core = name in core or name.replace(" ", "-") in core
        r.held = h("row" + "\t".join((os_, name, r.task))) % 100 < 5
        out.append(r)
    n = {}
    for r in out:
        if r.core:
            n[r.task.lower()] = n.get(r.task.lower(), 0) + 1
    for r in out:
        r.unique = r.core and n[r.task.lower()] == 1 and len(r.task.split()) >= 4
    return out
