"""Conversations with tools: a system message that lists them, a call, its result. Equal seeds give equal conversations."""
import copy
import json
import re
from texts import expand
from toolmaker import PARAMETERS, Listed, MadeTool
from topics import DECLINE

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
# the same for measuring, written after a first look at how the ones above fared
APART = """
get_exchange_rate(currency:currency): Exchange rate of a currency | what is the exchange rate of <currency> | how much are <currency> worth
create_event(title:words, day:word): Create an event in the calendar | create an event called <title> on <day> | put <title> in my calendar for <day>
fetch_page(url:url): Fetch a web page as text | fetch <url> | get the text of <url>
query_table(table:word, limit:number): Query a table of the database | query the table <table> with a limit of <limit> | get <limit> rows of <table>
book_flight(origin:place, destination:place): Book a flight | book a flight from <origin> to <destination> | I need to fly from <origin> to <destination>
set_volume(level:number): Set the volume of the speaker | set the volume to <level> | volume <level> please
start_build(target:word): Start a build | start a build of <target> | build <target>
insert_line(path:file, line:number, text:words): Insert a line into a file | insert at line <line> of <path> the text <text> | in <path> at line <line> insert <text>
get_distance(a:place, b:place): Distance of two places | how far is it from <a> to <b> | what is the distance between <a> and <b>
list_emails(folder:folder): List the emails of a folder | show the emails in <folder> | which emails are in <folder>
calculateAge(year:number): Age of a person born in a year | how old is somebody born in <year> | calculate the age for <year>
get_logs(service:word): Last log lines of a service | show the logs of <service> | what did <service> log
"""
# known tools whose questions the model declines when no tool is there
DECLINED = "get_weather get_time add multiply set_timer play_music get_stock convert_money turn_on turn_off book_table get_definition".split()
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


class Tool(Listed):
    def __init__(self, line):
        head, *self.questions = [p.strip() for p in re.split(r" \| ", line)]
        m = re.fullmatch(r"(\w+)\((.*)\): (.*)", head)
        self.name, self.description = m[1], m[3]
        self.parameters = [p.strip().split(":") for p in m[2].split(",")]


def tools(text):
    return [Tool(line) for line in text.strip().split("\n")]


def system(listed):
    """The text of the system message, as the chat template writes it."""
    return "Tools:" + "".join(t.listed() for t in listed)


def disguised(tool, rnd):
    """A known tool under another name, with other names of its parameters where there are any for that kind of value."""
    out = copy.copy(tool)
    parts = tool.name.split("_")
    other = rnd.choice(("get fetch do run tool my call api handle " if len(parts) > 1 else "do run compute ").split())
    out.name = rnd.choice(("_".join(parts[::-1]), parts[0] + "".join(p.capitalize() for p in parts[1:]), f"{tool.name}_{other}", f"{other}_{tool.name}", parts[-1]))
    names = {}
    for n, k in tool.parameters:
        others = [p for p, kind in PARAMETERS if kind == k and p not in names.values()]
        names[n] = rnd.choice(others) if others and rnd.random() < 0.7 else n
    if len(set(names.values())) < len(names):
        return out
    out.parameters = [[names[n], k] for n, k in tool.parameters]
    out.questions = [re.sub(r"<(\w+)>", lambda m: f"<{names[m[1]]}>", q) for q in tool.questions]
    return out


class ToolTalk:
    """Makes conversations; `vocabulary` are words for free texts."""

    def __init__(self, vocabulary):
        self.all, self.unseen, self.apart, self.vocabulary = tools(TOOLS), tools(UNSEEN), tools(APART), vocabulary
        self.kept_out = {w for t in self.unseen + self.apart for w in t.name.lower().split("_")}

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

    def made(self, rnd, plain=False):
        while True:
            tool = MadeTool(rnd, self.vocabulary, plain=plain)
            if tool.noun not in self.kept_out:
                return tool

    def beside(self, tool, rnd, least=0):
        """Other tools to be listed with this one, and not it."""
        out = {}
        for _ in range(max(least, rnd.choice((0, 1, 1, 2, 2, 3, 4)))):
            x = rnd.random()
            if isinstance(tool, MadeTool) and x < 0.3:
                other = tool.near(rnd, self.vocabulary)
            else:
                other = self.made(rnd) if x < 0.7 else rnd.choice(self.all)
            if other.name != tool.name and other.description != tool.description:
                out[other.name] = other
        return list(out.values())

    def conversation(self, rnd, other, before):
        """`other()` gives a question and answer that need no tool; `before` is what a system message may begin with."""
        m = self.turns(rnd, other)
        return [("system", rnd.choice(before) + "\n" + m[0][1]), *m[1:]] if rnd.random() < 0.25 else m

    def turns(self, rnd, other):
        x = rnd.random()
        if x < 0.14:
            first = rnd.choice(self.all)
            q, a = other()
            return [("system", system([first, *self.beside(first, rnd)])), ("user", q), ("assistant", a)]
        if x < 0.20:
            return self.unfit(rnd)
        known = rnd.choice(self.all)
        tool = self.made(rnd) if x < 0.70 else disguised(known, rnd) if x < 0.80 else known
        q, a = self.call(tool, rnd)
        listed = self.listed(tool, rnd, self.all) if tool is known and rnd.random() < 0.6 else [tool, *self.beside(tool, rnd)]
        rnd.shuffle(listed)
        m = [("system", system(listed)), ("user", q), ("assistant", a)]
        return m + self.result(tool, rnd) if rnd.random() < 0.25 else m

    def unfit(self, rnd):
        """A question that none of the listed tools is for."""
        tool = self.made(rnd, plain=True) if rnd.random() < 0.5 else next(t for t in rnd.sample(self.all, len(self.all)) if t.name in DECLINED)
        q, _ = self.call(tool, rnd)
        words = set(tool.name.split("_"))
        others = [t for t in self.beside(tool, rnd, 2) if not words & set(t.name.split("_")) and getattr(t, "noun", "") != getattr(tool, "noun", None)]
        return [("system", system(others or [self.made(rnd)])), ("user", q), ("assistant", DECLINE)]

    def some(self, rnd):
        """Tools for a dialogue, ones that nobody has among them."""
        tool = self.made(rnd) if rnd.random() < 0.7 else rnd.choice(self.all)
        out = [tool, *self.beside(tool, rnd)]
        rnd.shuffle(out)
        return out

    def called(self, tool, rnd):
        """The turn of a dialogue in which a tool is called, sometimes with its result."""
        q, a = self.call(tool, rnd)
        return [("user", q), ("assistant", a), *(self.result(tool, rnd) if rnd.random() < 0.4 else [])]

    def result(self, tool, rnd):
        w = rnd.choice(RESULTS).replace("{n}", str(rnd.randrange(1000)))
        while "{w}" in w:
            w = w.replace("{w}", rnd.choice(self.vocabulary), 1)
        return [("user", "Result: " + w), ("assistant", f"`{tool.name}` says: {w}")]

    def evals(self, rnd, count):
        """Sets of (messages, answer, tools as the interface takes them)."""
        sets = {}
        for name, pool in (("tools_seen", self.all), ("tools_unseen", self.unseen), ("tools_apart", self.apart)):
            sets[name] = []
            for _ in range(count):
                tool = rnd.choice(pool)
                q, a = self.call(tool, rnd)
                sets[name].append(([("user", q)], a, self.listed(tool, rnd, self.all)))
        return sets
