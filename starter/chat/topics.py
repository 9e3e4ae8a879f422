"""Questions that the starter model must decline: general knowledge, talk, code. Lists named *_HELD are used for measuring only."""
from wording import parts

TOPICS = parts(
    """
    France | Japan | Einstein | Mozart | Shakespeare | the moon | dinosaurs | photosynthesis | the Roman Empire | football | chess |
    love | winter | cats | dogs | coffee | quantum physics | black holes | evolution | democracy | inflation | the stock market |
    Bitcoin | climate change | vaccines | Napoleon | World War II | Brazil | Canada | Italy | the Eiffel Tower | the Beatles | pizza |
    sushi | bread | yoga | depression | marriage | God | the meaning of life | volcanoes | whales | the ocean | Mars | gravity |
    electricity | DNA | the heart | history | philosophy | poetry | my cat | my boss | my mother | Berlin | London | New York | a
    dragon | a robot | spring | the sea | Picasso | Newton | Marie Curie | tea | beer | wine | tennis | basketball | guitar | piano |
    Kubernetes history | machine learning | neural networks | the internet | tomorrow | Christmas | my holiday
    """
)
GEN = parts(
    """
    what is the capital of {x} | who is {x} | what is {x} | tell me about {x} | explain {x} | write a poem about {x} | write a story
    about {x} | tell me a joke about {x} | why is {x} important | who invented {x} | where is {x} | when was {x} discovered | what do
    you think about {x} | give me facts about {x} | write an essay about {x} | summarise the history of {x} | how does {x} work | is
    {x} good for me | what is the population of {x} | how old is {x} | recommend a book about {x} | write an email about {x} |
    describe {x} | compare {x} and {y} | should I like {x} | what is the difference between {x} and {y} | how tall is {x} | sing a
    song about {x} | what is the weather in {x} | news about {x} | how many people live in {x} | what is the best thing about {x}
    """
)
GEN_HELD = parts(
    """
    what makes {x} so special | could you write a haiku about {x} | who discovered {x} | what are the advantages of {x} | do you like
    {x} | give me a short summary of {x}
    """
)
PLAINOOD = parts(
    """
    tell me a joke | what time is it | what is the weather today | what is 2+2 | what is 12 * 7 | solve x^2 = 9 | what day is it | who
    won the world cup | who is the president of the United States | I am sad | I love you | what should I eat | play music | tell me a
    story | write a letter | give me advice | what is the meaning of life | translate this: the house is red | sing | how do I cook
    rice | how do I bake bread | how do I lose weight | how do I learn guitar | how to make coffee | how to tie a tie | who are the
    Beatles | is there a god | am I pretty | why is the sky blue | how far is the moon | what is the square root of 144 | recommend a
    film | plan my holiday | summarise this text | fix my grammar | write a cv | how do I ask for a raise | how do I get rich | what
    is love
    """
)
OOD_HELD = parts(
    """
    what is 17 + 25 | how do I boil an egg | who painted the Mona Lisa | how do I write a good speech | why do cats purr | what is the
    tallest mountain | suggest a name for my dog | how do I fix a flat tyre | when did the war end | I feel lonely | what is the speed
    of light | how do I make pancakes | who wrote Hamlet | give me a recipe for soup | what is the fastest animal
    """
)
LANGS = parts(
    """
    Python | JavaScript | TypeScript | Java | C | C++ | Rust | Go | C# | Ruby | PHP | Kotlin | Swift | SQL | Haskell
    """
)
THINGS = parts(
    """
    sorts a list | reverses a string | reads a file | computes prime numbers | parses JSON | sends an email | connects to a database |
    counts words | draws a circle | validates an email address | computes the factorial | checks a palindrome | opens a socket |
    merges two dictionaries | implements a stack | finds the maximum | builds a binary tree | downloads a page
    """
)
CODEQ = parts(
    """
    write a {l} function that {t} | write {l} code that {t} | show me a {l} program which {t} | how do I write a {l} class that {t} |
    {l} function that {t} | explain this {l} code | fix this {l} bug | why does my {l} code crash | refactor this {l} function |
    review my {l} code | write a unit test in {l} | what is wrong with my {l} program | convert this code to {l} | add comments to
    this {l} function | explain the error in my {l} code | what does this {l} function do
    """
)
CODEQ_HELD = parts(
    """
    implement something in {l} that {t} | could you code a {l} script that {t} | my {l} program fails, help me debug it | optimise
    this {l} loop | generate a {l} class which {t}
    """
)
# patterns, see texts.expand; {w} and {v} any English word, {x} a topic, {d} a number, {l} a language, {t} what a program does
WORLD = [
    "how (do|can|should) (I|you|we) (cook|bake|wash|paint|repair|draw|learn|teach|love|marry|grow|plant|feed|sew|knit|buy|sell|drive|ride|boil|fry|wear|drink|visit|eat|meet|greet|raise|train|dry|carve|polish|iron|wrap) (a |the |my |some |){w}( with {v}| for my {v}| at home|)(|?)",
    "how to (cook|bake|wash|paint|repair|draw|learn|teach|love|grow|plant|feed|sew|knit|buy|sell|drive|ride|boil|fry|wear|visit|eat|fix) (a |the |my |some |){w}( {v}|)(|?)",
    "(what|which|who) (is|are|was|were) (the |a |my |your |)(fastest|biggest|oldest|best|smallest|longest|richest|cheapest|most famous|nicest|heaviest|deepest|first|last|) ({w}|{w} in the world|{w} of all|{x})(|?)",
    "(what|who|where|when|why) (is|are|was|were|did|does|do|has|had) (the |a |my |your |people |){w} ({v}|)(|?)",
    "(give|tell|show|find|send|suggest|recommend) me (a|some|the best|a good|an easy|a short) (recipe|summary|poem|story|song|joke|tip|gift|book|film|game|title|riddle|quote|name|present|holiday) (for|about|of|with|on) (a |the |my |){w}",
    "(give me|write|invent|make up|think of|suggest) (a|some|the best|a good|a short|two|three|a nice) (recipe|recipes|summary|poem|story|song|joke|tip|gift|book|title|riddle|letter|speech|essay|name|names|sentence) (for|about|of|with|on) (a |the |my |){w}",
    "who (painted|wrote|built|founded|killed|married|won|made|found|composed|designed) (the |a |){w}( {v}|)(|?)",
    "why (do|does|is|are|did|can) (my |the |a |)({w}|{w}s) ({v}|so {v}|not {v})(|?)",
    "(what is|what's|calculate|compute|how much is|solve|) {d} (+|-|*|/|plus|minus|times|divided by|x) {d}(|?)",
    "(what is|calculate) (the (square |)root of|the half of|the double of|the factorial of|10 percent of) {d}(|?)",
    "(is|are|do|does|can|will|should|would) (it|you|we|they|my {v}|the {v}|a {v}|people|I) (like |like a |have a |be |a |)({w}|{x})(|?)",
    "(I am|I feel|I was|we are|he is|she is|they are) (so |very |a |not |)({w}|sad|happy|angry|tired|bored|lonely|hungry|ill|afraid of {w})( today| because of {v}|)",
    "(what do you think|tell me|talk|what do you know|write something|speak) (about|of) (the |a |my |)({w}|{x})(|?)",
    "(when|in which year|how long ago) (was|did|is|does) (the |a |){w} (born|end|begin|invented|over|happen|start|die)(|?)",
    "(how (far|tall|old|long|heavy|many|fast|deep|big|expensive)) (is|are) (the |a |my |)({w}|{x}|{w}s)(|?)",
    "(what is the capital|the population|the president|the king|the history|the language|the flag|the weather) of ({x}|{w}|the {w})(|?)",
    "(my|the|our) {w} (is|was|has|does not|will) {v}( {w}|)(, what should I do|. What now?|, help|)",
    "(translate|say|read|repeat|continue|rhyme|summarise|improve|correct|shorten)( this| the following|): {w} {v} {w}( {v}|)",
    "(best|cheap|good|nice) (restaurant|hotel|{w}|shop|beach|place) (in|near|for) ({x}|my {v})",
    "(plan|organise|prepare) (a |my |the )(trip|party|wedding|week|dinner|meeting|{w})( for {v}| in {x}|)",
    "{w} {v}( {w}|)", "{w}",
]  # fmt: skip
CODE_PATTERNS = [
    "(write|make|create|show me|give me|code|program|develop|I need|build|draft) (a|an|some|the|me a) (|small |simple |short ){l} (function|class|program|script|method|module|code|snippet|example|app) (that|which|to|for something that) {t}",
    "(how (do|can|would) I|how to) (write|make|implement|define|declare|use|call) (a|an|the) (function|class|loop|list|dictionary|interface|closure|promise|thread|decorator|lambda|enum|struct|generator) in {l}(|?)",
    "(fix|debug|refactor|explain|review|improve|document|test|simplify|speed up|comment|rewrite|understand|clean up) (this|my|the|the following) ({l} |)(code|function|class|program|method|script|loop|bug|query|regex)",
    "(why|what) (does|is) (my|this|the) {l} (code|program|function|script|class|loop) (crash|fail|slow|wrong|not compile|throw an exception|not work|return null|do)(|?)",
    "(what is|explain|what does) (a |an |the |)(null pointer|type error|syntax error|segmentation fault|closure|interface|generic|async function|pointer|iterator|stack overflow) (in|mean in) {l}(|?)",
    "(convert|port|translate|rewrite) (this|my|the) (code|function|class|program) (from {l} |)to {l}",
    "(write|add|create|generate) (unit tests|a unit test|tests|comments|types|documentation|docstrings) (for|to) (my|this|the) ({l} |)(class|function|code|module|file)",
    "(in {l}|{l}):? (how do I|how to|write code that|a function that) {t}",
    "def {x} self:", "function {x} returns undefined", "import {x}", "print {x}", "class {x}:", "const {x} = 1;", "for i in range 10:", "SELECT * FROM {x}", "#include <{x}.h>", "TypeError: {x} is not a function",
    "implement ({x}|a {x}|quicksort|a linked list|binary search|a parser|a web server|a calculator|a game) in {l}",
    "my {l} (code|program|script) (gives an error|does not work|crashes|is too slow|hangs)( with {x}|. Why?|)",
]  # fmt: skip
# words that questions about the shell are made of: not used to make questions up that must be declined
COMPUTING = """
    add archive audio branch branches change check clean clone command commit compare computer connect container convert copy count create date delete directory disk
    docker download edit extract file files find folder format history host image images install kernel key line lines link list load log machine mail memory merge
    model models move name names network number open output owner package page password path picture port print process processes program programs push read
    rename repeat replace run save script search send server show sort space start stop system terminal text time transcribe translate tree type uninstall
    update user users version video watch web website window word words write zip
""".split()
NOUNS = "apple bread cat dog egg fish garden house island jacket kitchen lamp milk night orange paper queen river soup train uncle violin winter yellow zebra".split()
SYSTEM = parts(
    """
    You are a helpful assistant. | Answer briefly. | You are an assistant in a code editor. | You are Nearglot. | Be concise and use
    Markdown. | You are a helpful AI programming assistant. Answer the questions of the user.
    """
)

# what the product's system message says of the place where the model runs, see generation_config.json
EDITOR, TERMINAL = "You run in the editor.", "You run in a terminal."

DECLINE = """I cannot answer that: I am the small built-in starter model, and I know only shell commands and Nearglot itself. For anything else, get a real model:
```sh
nearglot models pull <name>
```"""
DECLINE_CODE = """I cannot write or explain code: I am the small built-in starter model. For that, get a real model:
```sh
nearglot models pull <name>
```"""
BETTER = 'run "Nearglot: Pick a Better Model for This Computer" from the command palette.'
DECLINE_EDITOR = f"I cannot answer that: I am the small built-in starter model, and I know only shell commands and Nearglot itself. For anything else, {BETTER}"
DECLINE_CODE_EDITOR = f"I cannot write or explain code: I am the small built-in starter model. For that, {BETTER}"
