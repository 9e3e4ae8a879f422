"""How a question is put: carriers around a task, synonyms, small noise. Lists named *_HELD are used for measuring only."""
import re


def parts(text):
    """Items between bars; line breaks count as spaces."""
    return [" ".join(p.split()) for p in text.split("|")]


PLAIN = parts(
    """
    {t} | {t} | {T} | how do I {t} | how do I {t}? | How do I {t}? | how to {t} | How to {t}? | command to {t} | how can I {t}? | How
    can I {t} | what is the command to {t}? | I want to {t} | I need to {t} | show me how to {t} | give me a command to {t} | which
    command do I use to {t} | please {t} | {g} | command for {g} | shell command to {t} | tell me how to {t} | what command lets me
    {t}? | what's the command to {t}
    """
)
NAMED = parts(
    """
    {t} with {n} | {t} with {n} | {t} using {n} | {n}: {t} | {n} {t} | {n}, {t} | how do I {t} with {n}? | How do I {t} using {n} |
    use {n} to {t} | how to {t} with {n} | how to use {n} to {t} | {n} command to {t} | with {n}, how do I {t}? | what is the {n}
    command to {t}? | I want to {t} with {n} | {g} with {n} | which {n} option is used to {t} | how can I {t} using {n}? | {t} in {n}
    """
)
PLAIN_HELD = parts(
    """
    can you tell me how to {t}? | is there a way to {t}? | what would I type to {t} | I am trying to {t}, which command is it
    """
)
NAMED_HELD = parts(
    """
    can you tell me how to {t} with {n}? | is there a way to {t} in {n}? | what would I type to {t} using {n} | I use {n} and have to
    {t}
    """
)
ASK = parts(
    """
    {q} | {q} | {q} | {q}? | {Q} | {Q}? | {Q}. | please: {q} | question: {q} | {q} please | hi, {q} | tell me: {q}
    """
)
AGAIN = parts(
    """
    and {t}? | and how do I {t}? | how do I {t}? | now {t} | what about {g}? | can it also {t}? | and to {t}
    """
)
WHATNAME = parts(
    """
    what is {n} | what is {n}? | what does {n} do? | what does {n} do | what does `{n}` do? | explain {n} | {n} | explain the {n}
    command | what is the {n} command? | tell me about {n} | what is {n} used for? | {n} command
    """
)
WHATNAME_HELD = parts(
    """
    what is the purpose of {n}? | why would I use {n}?
    """
)
WHATCMD = parts(
    """
    what does `{c}` do? | what does {c} do | explain `{c}` | explain: {c} | what is `{c}` | what will {c} do? | {c} | meaning of `{c}`
    """
)
WHATCMD_HELD = parts(
    """
    what happens when I run `{c}`? | describe `{c}`
    """
)
SYNONYMS = [
    ("directory", "folder"),
    ("directories", "folders"),
    ("display", "show"),
    ("print", "show"),
    ("list", "show"),
    ("remove", "delete"),
    ("delete", "remove"),
    ("create", "make"),
    ("execute", "run"),
    ("a specific", "a given"),
    ("a specific", "a"),
    ("the specified", "a"),
    ("specified", "given"),
    ("in the current directory", "here"),
    ("the current directory", "this folder"),
    ("recursively", "with all subfolders"),
    ("display", "see"),
    ("retrieve", "get"),
    ("terminate", "kill"),
    ("launch", "start"),
    ("modify", "change"),
    ("multiple", "several"),
    ("all the", "all"),
    ("repository", "repo"),
    ("file", "document"),
]
PLATFORMS = {
    "windows": "Windows",
    "osx": "macOS",
    "linux": "Linux",
    "freebsd": "FreeBSD",
    "openbsd": "OpenBSD",
    "netbsd": "NetBSD",
    "android": "Android",
    "sunos": "SunOS",
    "dos": "DOS",
}
DOUBLED = set(
    "begin commit cut drop get grep log map pin plot plug put run scan set ship skip split stop strip submit swap tag trim unzip zip".split()
)


def gerund(t):
    w, _, rest = t.partition(" ")
    if not w.isalpha():
        return None
    l = w.lower()
    g = l + l[-1] + "ing" if l in DOUBLED else l[:-1] + "ing" if l.endswith("e") and not l.endswith("ee") else l + "ing"
    return g + " " + rest


def vary(t, rnd, p=0.45):
    if rnd.random() > p:
        return t
    if rnd.random() < 0.5:
        t = re.sub(r"\s*\([^)]*\)", "", t)
    t = t.replace("`", "") if rnd.random() < 0.6 else t
    for a, b in rnd.sample(SYNONYMS, 8):
        t = re.sub(rf"\b{a}\b", b, t, count=1)
    if rnd.random() < 0.15:
        t = re.sub(r"\b(the|a|an) ", "", t)
    return t


def fill(tpl, t, n=None):
    t = t[:1].lower() + t[1:] if not re.match(r"[A-Z]{2}|`", t) else t
    g = gerund(t) if "{g}" in tpl else ""
    if g is None:
        tpl = tpl.replace("{g}", "{t}")
    return tpl.format(t=t, T=t[:1].upper() + t[1:], g=g, n=n)


def noise(q, rnd):
    x = rnd.random()
    if x < 0.10:
        q = q.lower()
    elif x < 0.16:
        q = q.rstrip("?") + rnd.choice([" please", "...", "!", ".", " ?"])
    elif x < 0.20:
        q = rnd.choice(["hey, ", "hi, ", "please, ", "ok, "]) + q
    elif x < 0.23 and len(q) > 12:
        i = rnd.randrange(3, len(q) - 2)
        q = q[:i] + q[i + 1] + q[i] + q[i + 2 :]
    return q


def wrap(q, rnd):
    return rnd.choice(ASK).format(q=q, Q=q[:1].upper() + q[1:])


TASK = re.compile(
    r"(?:how (?:do|can) I |how to )?((?:list|show|find|count|delete|create|make|copy|move|remove|open|extract|untar|unpack|unzip|replace|print|compare|run|download|send|kill|"
    r"get|set|search|sort|change|rename|undo|commit|clone|stash|build|convert|resize|install|uninstall|update|restart|start|stop|edit|connect|generate|check|translate|transcribe|"
    r"compress|archive|pack|use|choose|add|load|unload|pull|limit|see|view|sign|log|call|protect|share|keep|name|serve|shut|turn|switch|watch|follow|merge|push|mount)\b.*?)\??$"
)
TASK_CARRIERS = parts(
    """
    {t} | {t} | how do I {t} | how do I {t}? | how can I {t}? | how to {t} | what do I do to {t}? | I want to {t} | I need to {t} | I'd like to {t} |
    show me how to {t} | tell me how to {t} | explain how to {t} | what is the way to {t}? | could you show me how to {t} | help me {t} |
    how would I {t}? | how does one {t}? | I have to {t}, how? | what should I type to {t} | a way to {t}
    """
)
SMALL_CHANGES = [
    ("nearglot", "it"),
    ("nearglot", "this extension"),
    ("nearglot", "Nearglot"),
    ("nearglot", "this tool"),
    ("the server", "the daemon"),
    ("a model", "models"),
    ("a file", "files"),
    ("file", "document"),
    ("folder", "directory"),
    ("directory", "folder"),
    ("delete", "remove"),
    ("remove", "delete"),
    ("show", "display"),
    ("show", "list"),
    ("list", "show"),
    ("how do I", "how can I"),
    ("can I", "is it possible to"),
    ("can you", "are you able to"),
    ("where are", "where do I find"),
    ("what is", "what's"),
    ("is not", "isn't"),
    ("does not", "doesn't"),
    ("create", "make"),
    ("change", "modify"),
    ("find", "look for"),
    ("text", "some text"),
    ("audio", "a recording"),
    ("my", "the"),
]


def reword(q, rnd):
    """Another wording of a hand-written question: other carrier, synonyms, dropped small words."""
    task = TASK.match(q)
    if task and rnd.random() < 0.6:
        q = rnd.choice(TASK_CARRIERS).format(t=task[1])
    for a, b in rnd.sample(SMALL_CHANGES, 10):
        if rnd.random() < 0.5:
            q = re.sub(rf"\b{a}\b", b, q, count=1)
    if rnd.random() < 0.2:
        q = re.sub(r"\b(?:the|a|an|my|please|to)\b ", "", q)
    w = q.split()
    if len(w) > 4 and rnd.random() < 0.08:
        del w[rnd.randrange(len(w))]
        q = " ".join(w)
    return q
