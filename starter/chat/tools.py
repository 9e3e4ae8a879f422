"""Conversations with tools: a system message that lists them, a call, its result. Equal seeds give equal conversations."""
import json
import re
from texts import expand

# name(parameters): description | questions; <x> is a value of that parameter, of the kind behind its colon
TOOLS = """
get_weather(city:place): Current weather in a city | (what is|how is|tell me|show me) the weather (in|for|at) <city>(|?) | (is it|will it be) (raining|sunny|cold|warm) in <city>(| today| tomorrow)? | weather <city> | do I need an umbrella in <city>
get_time(city:place): Local time in a city | what time is it in <city>(|?) | (tell|give) me the (local |)time in <city> | time in <city>
read_file(path:file): Read a file and return its text | (read|open|show|load|print) (the file |)<path> | what (is|stands) in <path>(|?) | show me the (contents|text) of <path>
write_file(path:file, text:words): Write text to a file | write <text> (to|into) <path> | (save|put|store) <text> (in|into|as) <path>
delete_file(path:file): Delete a file | (delete|remove|erase) (the file |)<path> | get rid of <path>
list_files(folder:folder): List the files of a folder | (list|show) the files (in|of) <folder> | what is in (the folder |)<folder>(|?) | which files are in <folder>
search_code(text:word): Search the source code for a text | (search|look) for <text> in the code | where is <text> (used|defined|called)(|?) | find <text> in the (code|project|source)
run_tests(name:word): Run the tests of a module | (run|start|execute) the tests (of|for) <name> | test <name> | do the tests of <name> pass(|?)
translate_text(text:words, language:language): Translate a text into a language | translate <text> (to|into) <language> | (how do you say|what is) <text> in <language>(|?) | say <text> in <language>
send_mail(to:name, text:words): Send a mail to a person | (send|write) (a mail|an email|a message) to <to>(:|, saying| with the text) <text> | (mail|tell) <to>(:| that) <text>
add(a:number, b:number): Add two numbers | what is <a> (+|plus) <b>(|?) | add <a> and <b> | (compute|calculate) <a> (+|plus) <b> | sum of <a> and <b>
multiply(a:number, b:number): Multiply two numbers | what is <a> (*|times|x) <b>(|?) | multiply <a> (by|and|with) <b> | (compute|calculate) <a> (*|times) <b>
set_timer(minutes:number): Set a timer in minutes | set a timer (for|of) <minutes> minutes | (wake|remind|alert) me in <minutes> minutes | timer <minutes> minutes
play_music(title:words): Play a song | play <title>(| please) | I want to hear <title> | put on (the song |)<title>
search_web(query:words): Search the web | (search|look up|google) <query>(| online| on the web) | (search|look on) the web for <query>
get_stock(symbol:symbol): Price of a stock | (what is|show|get) the (price|value|stock price) of <symbol>(|?) | how is <symbol> (doing|trading)(|?) | stock <symbol>
convert_money(amount:number, currency:currency): Convert an amount of dollars to a currency | (convert|change) <amount> dollars (to|into) <currency> | how (many|much) <currency> (is|are|for) <amount> dollars
open_page(url:url): Open a web page | (open|visit|load|go to|show) <url> | open the page <url>
create_issue(title:words): Create an issue in the tracker | (create|open|file|make) an issue (called|named|with the title|about) <title> | (report|file) a bug: <title>
close_issue(number:number): Close an issue of the tracker | close (issue|bug|ticket) <number> | (issue|ticket) <number> is (done|fixed), close it | mark issue <number> as done
get_user(name:name): Data of a user | (who is|show|find|look up) (the user |)<name> | get the (data|profile) of <name>
turn_on(device:device): Turn a device on | (turn|switch) on the <device> | (turn|switch) the <device> on | <device> on please
turn_off(device:device): Turn a device off | (turn|switch) off the <device> | (turn|switch) the <device> off | <device> off please
book_table(place:place, people:number): Book a table in a restaurant | book a table (in|at) <place> for <people>( people| persons|) | (reserve|get) a table for <people> (in|at) <place>
count_words(text:words): Count the words of a text | (count the words|how many words are) in <text>(|?) | word count of <text>
git_branch(name:word): Create a git branch | (create|make|start) (a|the) (new |)branch (called |named |)<name> | new branch <name>
resize_image(file:file, width:number): Resize an image to a width | (resize|scale|shrink) <file> to <width>( pixels|) | make <file> <width> pixels wide
format_file(path:file): Format a source file | (format|beautify|prettify|tidy) <path> | run the formatter on <path>
get_definition(word:word): Look a word up in the dictionary | (define|explain) the word <word> | what (does|is the meaning of) <word>( mean|)(|?) | look up <word> in the dictionary
note(text:words): Write a note | (note|remember|write down|take a note): <text> | make a note (that|of|about) <text>
"""
UNSEEN = """
find_train(city:place): Next train to a city | when is the next train to <city>(|?) | find a train to <city>
rename_symbol(symbol:word, name:word): Rename a symbol in the project | rename <symbol> to <name> | give the symbol <symbol> the name <name>
transcribe_audio(file:file): Transcribe an audio file | transcribe <file> | turn <file> into text
subtract(a:number, b:number): Subtract two numbers | what is <a> minus <b> | subtract <b> from <a>
order_pizza(kind:word): Order a pizza | order a pizza with <kind> | I want a <kind> pizza
lock_door(door:device): Lock a door | lock the <door> | please lock the <door>
"""
FIXED = {
    "place": "Paris Berlin London Madrid Rome Vienna Oslo Tokyo Lisbon Prague Hamburg Zurich Lyon Boston Denver Cairo Delhi Sydney Toronto Warsaw Dublin Munich Seoul Lima",
    "folder": "src docs test lib assets images server scripts data config tmp photos music public",
    "language": "German French Spanish Italian English Dutch Polish Portuguese",
    "name": "Anna Bob Clara David Emma Frank Greta Henry Ida Jonas Kate Leo Maria Nina Oscar Paul Rita Sam Tom Vera",
    "currency": "euros pounds yen francs pesos crowns",
    "symbol": "AAPL MSFT IBM SAP NVDA AMD TSLA ORCL INTC BMW",
    "device": "light|lamp|heating|radio|fan|television|oven|door|printer|coffee machine|kitchen light|alarm|garage door|window",
}
STEMS = "main index app readme notes report todo server client utils config data log test build draft letter photo image song talk diary plan budget model parser".split()
ENDINGS = ".txt .md .ts .py .json .csv .log .html .yaml .png .jpg .mp3 .wav .pdf .c .rs .go".split()
RESULTS = ["{w}", "{w}", "done", "ok", "{n}", "{n} {w}", "not found", "error: {w}", "{w} {w}"]


class Tool:
    def __init__(self, line):
        head, *self.questions = [p.strip() for p in re.split(r" \| ", line)]
        m = re.fullmatch(r"(\w+)\((.*)\): (.*)", head)
        self.name, self.description = m[1], m[3]
        self.parameters = [p.strip().split(":") for p in m[2].split(",")]

    def listed(self):
        return f"\n{self.name}({', '.join(n for n, _ in self.parameters)}): {self.description}"

    def schema(self):
        kinds = {n: {"type": "number" if k == "number" else "string"} for n, k in self.parameters}
        return dict(name=self.name, description=self.description, parameters=dict(type="object", properties=kinds, required=list(kinds)))


def tools(text):
    return [Tool(line) for line in text.strip().split("\n")]


def system(listed):
    """The text of the system message, as the chat template writes it."""
    return "Tools:" + "".join(t.listed() for t in listed)


class ToolTalk:
    """Makes conversations; `vocabulary` are words for free texts."""

    def __init__(self, vocabulary):
        self.all, self.unseen, self.vocabulary = tools(TOOLS), tools(UNSEEN), vocabulary

    def value(self, kind, rnd):
        if kind == "number":
            return rnd.choice([rnd.randrange(2, 100), rnd.randrange(2, 20), rnd.randrange(100, 2000)])
        if kind == "file":
            return rnd.choice(["", "", "", rnd.choice(FIXED["folder"].split()) + "/"]) + rnd.choice(STEMS + [rnd.choice(self.vocabulary)]) + rnd.choice(ENDINGS)
        if kind == "url":
            return f"https://{rnd.choice(self.vocabulary)}.{rnd.choice(['com', 'org', 'net', 'example.com'])}"
        if kind == "word":
            return rnd.choice([rnd.choice(self.vocabulary), rnd.choice(self.vocabulary) + rnd.choice(self.vocabulary).capitalize()])
        if kind == "words":
            return " ".join(rnd.choice(self.vocabulary) for _ in range(rnd.randrange(1, 5)))
        if kind in ("place", "name") and rnd.random() < 0.4:
            return rnd.choice(self.vocabulary).capitalize()
        return rnd.choice(FIXED[kind].split("|" if "|" in FIXED[kind] else " "))

    def call(self, tool, rnd):
        """(question, text of the call)"""
        values = {n: self.value(k, rnd) for n, k in tool.parameters}
        question = expand(rnd.choice(tool.questions), rnd)
        for n, v in values.items():
            question = question.replace(f"<{n}>", str(v))
        body = json.dumps(dict(name=tool.name, arguments=values), ensure_ascii=False)
        return question, f"<tool_call>\n{body}\n</tool_call>"

    def listed(self, tool, rnd, pool):
        out = rnd.sample([t for t in pool if t is not tool], rnd.choice([0, 1, 1, 2, 2, 3])) + ([tool] if tool else [])
        rnd.shuffle(out)
        return out

    def conversation(self, rnd, other, before):
        """`other()` gives a question and answer that need no tool; `before` is what a system message may begin with."""
        m = self.turns(rnd, other)
        return [("system", rnd.choice(before) + "\n" + m[0][1]), *m[1:]] if rnd.random() < 0.3 else m

    def turns(self, rnd, other):
        if rnd.random() < 0.2:
            listed = self.listed(None, rnd, self.all) or [rnd.choice(self.all)]
            q, a = other()
            return [("system", system(listed)), ("user", q), ("assistant", a)]
        tool = rnd.choice(self.all)
        q, a = self.call(tool, rnd)
        m = [("system", system(self.listed(tool, rnd, self.all))), ("user", q), ("assistant", a)]
        if rnd.random() < 0.35:
            w = rnd.choice(RESULTS).replace("{n}", str(rnd.randrange(1000)))
            while "{w}" in w:
                w = w.replace("{w}", rnd.choice(self.vocabulary), 1)
            m += [("user", "Result: " + w), ("assistant", f"`{tool.name}` says: {w}")]
        return m

    def evals(self, rnd, count):
        """Sets of (messages, answer, tools as the interface takes them)."""
        sets = {}
        for name, pool in (("tools_seen", self.all), ("tools_unseen", self.unseen)):
            sets[name] = []
            for _ in range(count):
                tool = rnd.choice(pool)
                q, a = self.call(tool, rnd)
                sets[name].append(([("user", q)], a, self.listed(tool, rnd, self.all)))
        return sets
