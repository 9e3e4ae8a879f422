"""Tools that nobody has: random names and parameters, so that a model learns to copy them from the list in the prompt."""
from texts import expand

# verbs of one meaning: a tool is named after one of them, a question uses the same or another
VERBS = [
    group.split("|")
    for group in """
get|fetch|show|give me|read;find|look up|search|look for|search for;create|make|add|new;delete|remove|erase|drop;update|change|edit|modify;send|mail|deliver;start|launch|begin|run
stop|end|halt|cancel;open;close|shut;buy|purchase|get;book|reserve;list|show|enumerate;count;check|test|verify;save|store|keep;load|import;copy|duplicate|clone;move|shift;play
pause;skip;set|put;reset|clear;print;paint|draw;cook|prepare|make;clean|wash;feed;water;measure;weigh;compare;convert|turn|change;compute|calculate|work out;sort|order|arrange;merge|join|combine
split|divide;sell;rent|hire;call|phone|ring;invite;remind;schedule|plan;track|follow|watch;share|post|publish;upload;download|fetch;install|set up;build|make;deploy|ship;approve|accept
reject|refuse|deny;assign|give;tag|label|mark;rate|score;describe|explain;summarize|sum up|shorten;plot|chart|draw;estimate|guess;predict|forecast;block|ban;mute|silence;pay|transfer
refund|pay back;enable|activate|switch on;disable|deactivate|switch off;unlock;lift|raise|increase;lower|reduce|decrease;hide;archive|file;restore|bring back;export;scan;repair|fix|mend
inspect|look at|examine;log|record|write down;ask|query;answer|reply to;fill;empty;empty out|drain;heat|warm;cool|chill;park;lend;borrow;return|give back;collect|gather|pick up;choose|select|pick
translate;define;spell;greet|welcome;visit|go to;join|enter;leave|quit;hang|mount;cut|slice;mix|blend;bake;plant;charge;press|push;roll|throw|toss;lock|secure;rename|call;subtract|take
""".strip().replace("\n", ";").split(";")
]  # fmt: skip
# things that tools of programs work on, beside any noun
THINGS = """
file branch issue ticket database record table query project task event page user account message channel report invoice order product customer service server job build test
commit release meeting reminder contact photo song recipe city route hotel flight price ticket device sensor room camera door alarm timer list item comment review label
document folder key token session model image video word sentence number color weather stock exchange article book film playlist score team player game course student
""".split()
# parameter names that occur often, with the kinds of their values, see ToolTalk.value
PARAMETERS = [
    p.split(":")
    for p in """
name:word name:name title:words text:words query:words query:word id:number number:number count:number amount:number limit:number city:place location:place place:place path:file
file:file filename:file url:url link:url user:name person:name to:name from:name author:name language:language folder:folder directory:folder word:word key:word value:word value:number
value:words content:words message:words topic:words subject:words label:word color:word kind:word type:word category:word level:number size:number width:number height:number age:number
seconds:number minutes:number hours:number days:number price:number symbol:symbol currency:currency device:device target:word source:word branch:word table:word status:word
first:word second:word a:number b:number x:number y:number start:number end:number old:word new:word tag:word destination:place origin:place country:place note:words reason:words
""".split()
]  # fmt: skip
ASKED = [
    "({v}|{v}|please {v}|can you {v}|could you {v}|I want to {v}|I'd like to {v}|{v} for me:|now {v}|I need to {v})",
    "(the|the|a|my|this|that|) {n}", "(|called|named|for|of|with|in|at|from|about|on|number|to|by|:) <1>",
]  # fmt: skip
ONE = [
    " ".join(ASKED), " ".join(ASKED), "{v} <1>(| please|?)", "{v} (the|a|my) <1> {n}", "{n} <1>(| please)", "(what|which|where|when) is the {n} (of|for|in|at|called|from|to) <1>(|?)",
    "(I want|I need|give me|get me|show me|let me have) (the|a|an|one) {n} (for|of|in|with|called|about|to|from|at|named|on) <1>", "(I want|I need|I'd like) (a|the|one) <1> {n}",
    "when is the next {n} (to|in|at|from|for) <1>(|?)", "(how is|what about|is there) (the|a) {n} (in|at|of|for|on) <1>(|?)", "<1>: {v} (the|its) {n}",
]  # fmt: skip
MORE = ["(to|with|in|at|for|from|as|by|and|on|into|of|,|about) <{i}>", "(with|and|,) {p} <{i}>", "(with|and) (the |a |){p} (of |set to |=|)<{i}>", ", {p}: <{i}>"]
NONE = [" ".join(ASKED[:2]), "{n}( please|)", "(what is|show me|tell me|give me) the {n}(|?)"]
ABOUT = [
    "{V} (a|the|one) {n}", "{V} (a|the) {n} (by its|with a|for a|of a|in a|from a) {p}", "{V} {n}s", "{V} a {n} (in|of|for) the {t}", "The {n} of a {p}", "{N} of a {t}", "{V} a {n} and return it",
]  # fmt: skip


class Listed:
    """A tool: its name, parameters [[name, kind]], description, and questions (or patterns of them) with <parameter>."""

    def listed(self):
        return f"\n{self.name}({', '.join(n for n, _ in self.parameters)}): {self.description}"

    def schema(self):
        kinds = {n: {"type": "number" if k == "number" else "string"} for n, k in self.parameters}
        return dict(name=self.name, description=self.description, parameters=dict(type="object", properties=kinds, required=list(kinds)))


class MadeTool(Listed):
    def __init__(self, rnd, vocabulary, verbs=None, noun=None, plain=False):
        self.verbs = verbs or rnd.choice(VERBS)
        self.noun = noun or rnd.choice(vocabulary if plain or rnd.random() < 0.6 else THINGS)
        self.plain = plain
        verb = next((v for v in rnd.sample(self.verbs, len(self.verbs)) if " " not in v), self.verbs[0].replace(" ", "_"))
        self.name = self.named(verb, rnd, vocabulary)
        self.parameters = []
        for _ in range(rnd.choice((0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3))):
            p = rnd.choice(PARAMETERS) if rnd.random() < 0.75 else [rnd.choice(vocabulary), rnd.choice(("word", "words", "number", "name"))]
            if p[0] not in [n for n, _ in self.parameters]:
                self.parameters.append(p)
        first = self.parameters[0][0] if self.parameters else rnd.choice(vocabulary)
        text = expand(rnd.choice(ABOUT), rnd)
        self.description = text.format(V=verb.replace("_", " ").capitalize(), n=self.noun, N=self.noun.capitalize(), p=first, t=rnd.choice(THINGS))
        self.questions = [self.question(rnd) for _ in range(2)]

    def named(self, verb, rnd, vocabulary):
        v, n, x = verb, self.noun, rnd.random()
        if x < 0.55:
            return f"{v}_{n}"
        if x < 0.70:
            return v + n.capitalize()
        if x < 0.78:
            return f"{n}_{v}"
        if x < 0.86:
            return f"{v}_{n}_{rnd.choice(vocabulary)}"
        if x < 0.92:
            return f"{rnd.choice(vocabulary)}_{v}_{n}"
        return rnd.choice((v, n, f"{v}-{n}", f"{n}.{v}"))

    def question(self, rnd):
        """A question that names the parameters in their order, `<name>` each."""
        names = [n for n, _ in self.parameters]
        q = expand(rnd.choice(ONE if names else NONE), rnd)
        for i in range(1, len(names)):
            q = q.rstrip("?") + " " + expand(rnd.choice(MORE).replace("{p}", names[i]), rnd).replace("<{i}>", f"<{names[i]}>")
        q = q.replace("<1>", f"<{names[0]}>") if names else q
        return q.format(v=rnd.choice(self.verbs if rnd.random() < 0.4 else self.verbs[:1]), n=self.noun).replace(" ,", ",").replace(" :", ":")

    def near(self, rnd, vocabulary):
        """Another tool that is easily taken for this one: of the same thing or with the same verb."""
        if rnd.random() < 0.3:
            others = [v for v in VERBS if not set(v) & set(self.verbs)]
            return MadeTool(rnd, vocabulary, rnd.choice(others), self.noun, self.plain)
        return MadeTool(rnd, vocabulary, self.verbs, None, self.plain)
