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
SYSTEM = parts(
    """
    You are a helpful assistant. | Answer briefly. | You are an assistant in a code editor. | You are Nearglot. | Be concise and use
    Markdown. | You are a helpful AI programming assistant. Answer the questions of the user.
    """
)

DECLINE = """I cannot answer that: I am the small built-in starter model, and I know only shell commands and Nearglot itself. For anything else, get a real model:
```sh
nearglot models pull <name>
```"""
DECLINE_CODE = """I cannot write or explain code: I am the small built-in starter model. For that, get a real model:
```sh
nearglot models pull <name>
```"""
