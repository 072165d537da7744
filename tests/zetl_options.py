"""The commands and options of `zetl`, read from the CLI11 declarations in source/zetl.

Follows the function that makes the CLI::App into every function that gets it, as far as these calls need: variables that hold a command,
and names of commands that are passed as arguments."""

import re
from dataclasses import dataclass

COMMENT = re.compile(r"(^|\s)//[^\n]*")
FUNCTION = re.compile(r"^(?!namespace|struct|class|enum)\S[^;={}]*?\b(\w+)\(([^{}]*?)\)[^;{}()]*\{\n(.*?)^\}", re.M | re.S)
LITERAL = r'"((?:[^"\\]|\\.)*)"'
DECLARATION = re.compile(r"(\w+)\s*(?:->|\.)\s*add_(?:option|flag)(?:_function)?(?:_callback)?(?:<[^>]*>)?\(\s*(?:" + LITERAL + r"|(\w+))")
SUBCOMMAND = re.compile(r"(?:(\w+)\s*=\s*)?\b(\w+)\s*(?:->|\.)\s*add_subcommand\(\s*(?:" + LITERAL + r"|(\w+))")
CALL = re.compile(r"(?:(\w+)\s*=\s*)?(?<![\w.>:])(\w+)\(\s*\*?(\w+)\b([^;]*)")
MAKES_APP = re.compile(r"^\s*CLI::App app\(", re.M)
STEP = re.compile("|".join((SUBCOMMAND.pattern, DECLARATION.pattern, CALL.pattern)))


@dataclass
class Function:
    parameters: list  # names, in order
    body: str


def functions_of(sources):
    """name -> Function, of those that take a CLI::App first, and of the one that makes it."""
    found = {}
    for text in sources:
        for name, parameters, body in FUNCTION.findall(COMMENT.sub("", text)):
            if MAKES_APP.search(body) or "CLI::App&" in parameters.split(",")[0]:
                found[name] = Function([each.split()[-1].lstrip("*&") for each in parameters.split(",")], body)
    return found


def argument(text):
    literal = re.fullmatch(LITERAL, text.strip(), re.S)
    return literal[1] if literal else None


def long_names(declared):
    """The options of "-o,--timeline" or "--emulated,!--native"; none of a positional argument."""
    return [name.lstrip("!") for name in declared.split(",") if name.lstrip("!").startswith("--")]


class Reader:
    def __init__(self, sources):
        self.functions = functions_of(sources)
        self.commands = {}  # "metrics list" -> options

    def read(self, name, known):
        """Follows a function; known: what its parameters stand for, commands and strings. Gives the last command made."""
        made, known = None, dict(known)
        for step in re.finditer(STEP, self.functions[name].body):
            (variable, parent, literal, passed, owner, option, option_passed, result, callee, first, rest) = step.groups()
            if parent is not None and parent in known:
                made = f"{known[parent]} {literal or known.get(passed)}".strip()
                self.commands.setdefault(made, [])
                known[variable] = made
            elif owner is not None and owner in known:
                self.commands[known[owner]] += long_names(option or known.get(option_passed) or "")
            elif callee in self.functions and first in known:
                known[result] = self.call(callee, known, first, rest)
        return made

    def call(self, callee, known, first, rest):
        values = [known[first]] + [argument(each) for each in split_arguments(rest)]
        parameters = self.functions[callee].parameters
        return self.read(callee, {name: value for name, value in zip(parameters, values) if value is not None})


def split_arguments(text):
    """What stands behind the first argument of a call, by the commas of its own level."""
    found, depth, quoted = [], 0, False
    for index, sign in enumerate(text):
        if sign == '"' and text[index - 1] != "\\":
            quoted = not quoted
        depth += 0 if quoted else (sign in "([{") - (sign in ")]}")
        if depth < 0:
            break
        if sign == "," and depth == 0 and not quoted:
            found.append("")
        elif found:
            found[-1] += sign
    return found


def commands(root):
    """ "trace" or "metrics list" -> its long options, each once."""
    sources = [path.read_text() for path in sorted((root / "source/zetl").rglob("*.cpp"))]
    reader = Reader(sources)
    reader.commands[""] = []
    for name, function in reader.functions.items():
        if MAKES_APP.search(function.body):
            reader.read(name, {"app": ""})
    return {name: sorted(set(options)) for name, options in reader.commands.items() if name}
