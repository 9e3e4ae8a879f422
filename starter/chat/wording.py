"""How a question is put: carriers around a task, synonyms, small noise. Lists named *_HELD are used for measuring only."""
import re


def parts(text):
    """Items between bars; line breaks count as spaces."""
    return [" ".join(p.split()) for p in text.split("|")]


# patterns, see texts.expand; {t} a task, {T} the same with a capital, {g} as a gerund, {n} a command
PLAIN = [
    "{t}", "{t}", "{T}", "{T}.", "{t}( please| now| in the terminal| on the command line| in a shell| from the terminal| quickly|?)", "{g}",
    "(|please, |hey, |so |ok, )how (do|can|could|should|would|do) (I|I|you|one|we|someone) {t}( please| in the terminal| on the command line|)(|?)",
    "(How|how) (to|do I|can I|do you) {t}(|?)",
    "(what|which) (command|shell command|program|tool) (do I use to|lets me|is used to|can|will|helps me|should I run to|do I need to|do I take to|is there to) {t}(|?)",
    "(what is|what's|what was) the (command|shell command|right command|best way|easiest way|usual way|way|line|one-liner) to {t}(|?)",
    "(I|we) (want|need|have|would like|wish|was asked|like|plan|must) to {t}(| now|, how| and do not know how|. Any idea|, please help)(|?)",
    "(I must|I'd like to|I want to|I need to|let me|let us|help me|help me to|please|could you|can you|would you|can I|could I|try to) {t}(|?|.)",
    "(show|teach|remind|explain to|tell) me how to {t}( please| in the terminal|)",
    "(show|give|tell|write|send) me (a|the|an easy|the right|some) command (to|that can|that will) {t}",
    "(is there|do you know|do you have|I look for|I need|looking for|give me) (a|any|some) (command|tool|one-liner|trick|line|shell command) (to|that can) {t}(|?)",
    "(command|shell command|a command|linux command|line|help|steps|instructions) (to {t}|for {g})",
    "(what about|help with|I need help with|a way of|problem with|tips for) {g}",
    "(I forgot|I never know|I don't know|does anyone know|tell me|explain|I wonder|remind me|I cannot remember) how to {t}(| please|?)",
    "(what's the trick|is it hard|is it possible|what do I need|how hard is it|what does it take|what is needed) to {t}(|?)",
    "(my (boss|teacher|colleague|friend) (wants|asks) me|I was told|I am supposed|I'm about|I have been asked|my job is|I try|I'd love|I have) to {t}(|, how|. How|, what do I type|, what now)",
    "(what if|when|suppose|in case) I (want|need|have) to {t}(|?|, what do I do|, then what)", "(any|some) (idea|hint|way|advice) (how|on how) to {t}(|?)", "(we|you) (need|have) to {t}(| here| now)",
    "(so|ok|well|right|hmm|quick question|sorry|by the way)(,|:) how (do|can|would) (I|we|you) {t}(|?)", "{t}(| - is that possible|, is it possible|, can that be done|, can you help|, any idea|, please advise)(|?)",
    "{t}(:| -|,) (which command|how|what do I type|what do I run|how does that work|how is it done)(|?)",
]  # fmt: skip
NAMED = [
    "{t} (with|with|using|via|in|by|through) {n}", "{t} (with|using|in) {n}(?|.| please| in the terminal)", "{n}(:|,| -|) {t}", "{n} {t}", "{g} (with|using|in) {n}",
    "use {n} to {t}", "{n} (command|option|flag|call|line|example) (to {t}|for {g})",
    "(|please, |hey, )how (do|can|could|should|would) (I|you|one|we) {t} (with|using|via|in|by) {n}(|?)", "(How|how) (to|do I) {t} (with|using|in) {n}(|?)",
    "how (to use|do I use|can I use|is) {n} (used |)to {t}(|?)",
    "(with|using|in|for) {n}(,|:|) how (do|can|should) I {t}(|?)", "(what is|what's|which is) the {n} (command|option|flag|line) to {t}(|?)",
    "(I|we) (want|need|have|would like|must|wish) to {t} (with|using|in) {n}", "(which|what) {n} (option|command|flag|subcommand) (is used to|lets me|do I need to|will|can) {t}(|?)",
    "(show|tell|teach) me how to {t} (with|using|in) {n}", "(could you|can you|please|help me) {t} (with|using|in) {n}(|?)",
    "(I have|I know|I work with|my tool is|there is) {n}(. How do I|, how can I|: how to|; show me how to) {t}(|?)", "(does|can) {n} {t}(|?)",
]  # fmt: skip
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
    {q} | {q} | {q} | {q} | {q} | {q}? | {q}? | {Q} | {Q}? | {Q}. | please: {q} | question: {q} | {q} please | hi, {q} | tell me: {q} |
    quick question: {q} | sorry, {q} | well, {q} | ok so {q} | by the way, {q} | {q} thanks | hello. {Q}? | I wonder: {q} | {q}, any idea?
    """
)
AGAIN = [
    "(and|and|now|then|also|next|ok, and|) (how (do|can|should) I |how to |to |)({t}|{t}) (with it|with that|then|too|)(|?)", "what about {g}(|?)", "can it (also |){t}(|?)",
    "(and|now) (I want|I need|I'd like) to {t}", "(which|what) (option|command) (is|do I need) to {t}(|?)",
]  # fmt: skip
AGAIN_HELD = ["and if I want to {t}?", "does it also {t}", "one more thing: {t}", "what if I have to {t}"]
WHATNAME = [
    "(what|what's) (is|is the command|is the program|is the tool) {n}(|?)", "(what does|what can) (`{n}`|{n}|the {n} command|the program {n}) do(|?)", "{n}", "{n} command", "{n}?",
    "(explain|describe|introduce) (|the |the command )(`{n}`|{n})( to me| briefly| command|)", "(tell me|I want to know|say something) (about|more about) {n}",
    "(what|when) is {n} (used|good|made) for(|?)", "what do I (need|use) {n} for(|?)", "meaning of {n}", "(what kind of|which) (program|command|tool) is {n}(|?)",
]  # fmt: skip
WHATNAME_HELD = parts(
    """
    what is the purpose of {n}? | why would I use {n}?
    """
)
WHATCMD = [
    "(what|and what) (does|will|would|can) (`{c}`|`{c}`|{c}|this command|the command `{c}`) do(|?)", "(explain|explain:|explain the command|please explain|interpret) (`{c}`|{c})",
    "(what is|what's|what means) (`{c}`|{c})(|?)", "`{c}`", "{c}", "{c}?", "(the |)(meaning|purpose|effect) of (`{c}`|{c})", "(I found|someone told me to run|I see) (`{c}`|{c})(, what is it for|. What does it do?|)",
    "tell me (about|what happens with) (`{c}`|{c})", "what (is|was) `{c}` (for|good for|used for)(|?)", "is `{c}` (safe|dangerous)(|?)", "(read|decode|translate) this command: {c}",
]  # fmt: skip
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
