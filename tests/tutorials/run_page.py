#!/usr/bin/env python3
"""Runs the commands of a tutorial and compares the shape of their output with what the page shows.

    run_page.py PAGE --root SOURCE_TREE --path DIRECTORY...

In a block of code, a line that begins with "$ " is a command, and the lines below it are its output. "(zetl) " lines go to the
debugger that the command before them started. A block whose fence names a file ("```cmake CMakeLists.txt") is written to that
file. All other blocks are for people. The commands of a page run in one shell, in an empty directory in which `samples` is the
tree's.

The shape is the text with every number, unit and directory taken out; "..." stands for any lines, or for a part of a line. A
comment above a block changes that: <!-- exact --> says that whole numbers must agree, too, <!-- any order --> that the output has
the lines that are shown, in any order and among others, as tables do that are sorted by time. A command must succeed, unless the
next one is `echo $?`. Exit code 1 if a page is wrong; the message shows both texts. The pages are for machines without a GPU: with
--without-gpu, the exit code is 77 where there is one.
"""

import argparse
import errno
import os
import pty
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

SECONDS_PER_COMMAND = 60
SKIPPED = 77
FENCE = re.compile(r"^\s*```(\S*)(?: (\S+))?\s*$")
DIRECTORY = re.compile(r"(?<![\w/.])(?:/[\w.+-]+)+/(?=[\w.+-])")
UNIT = r"(?: ?(?:[munp]?s|[KMGT]i?B|B|%)(?!\w))?"
HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
REAL = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[+-]?\d+)?" + UNIT)
WHOLE = re.compile(r"(?<![\w.])-?\d+" + UNIT + r"|\d+")
COMMENTS = {"<!-- exact -->": "exact", "<!-- any order -->": "any order"}
COLOUR = re.compile(r"\x1b\[[\d;]*m")


@dataclass
class Block:
    line: int
    file: str
    compared: str
    lines: list = field(default_factory=list)


@dataclass
class Command:
    line: int
    text: str
    compared: str = ""
    typed: list = field(default_factory=list)
    shown: list = field(default_factory=list)


def blocks_of(page):
    found, current, compared = [], None, ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if fence and current is None:
            current = Block(number, fence[2] or "", compared)
        elif fence:
            found.append(current)
            current, compared = None, ""
        elif current is not None:
            current.lines.append(line)
        elif line.strip():
            compared = COMMENTS.get(line.strip(), "")
    return found


def commands_of(block):
    commands = []
    for number, line in enumerate(block.lines, block.line + 1):
        if line.startswith("$ "):
            commands.append(Command(number, line[2:], block.compared))
        elif commands and line.startswith("(zetl) "):
            commands[-1].typed.append(line[len("(zetl) "):])
        elif commands:
            commands[-1].shown.append(line)
    return commands


class Shell:
    """One shell for a page, so that `cd` and `export` last."""

    def __init__(self, directory, environment):
        self.state = directory / ".shell"
        self.state.write_text("")
        self.directory, self.environment = directory, environment
        self.code = 0

    def run(self, command):
        script = "\n".join(("set -a", f". {self.state}", f"(exit {self.code})", command.text, "code=$?",
                            f"export -p >{self.state}; echo \"cd '$PWD'\" >>{self.state}; exit $code"))
        ours, theirs = pty.openpty()  # programs write as they do for a person
        with subprocess.Popen(["timeout", str(SECONDS_PER_COMMAND), "bash", "-c", script], cwd=self.directory,
                              env=self.environment, stdin=subprocess.PIPE, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            process.stdin.write("".join(f"{line}\n" for line in command.typed).encode())
            process.stdin.close()
            output = b"".join(pieces_from(ours))
        os.close(ours)
        self.code = process.returncode
        return COLOUR.sub("", output.decode(errors="replace").replace("\r\n", "\n"))


def pieces_from(terminal):
    """What is written there until all writers are gone, which reads as an input error."""
    try:
        while piece := os.read(terminal, 65536):
            yield piece
    except OSError as end:
        if end.errno != errno.EIO:
            raise


def shape(line, exact):
    text = DIRECTORY.sub("/", line.strip())
    text = HEXADECIMAL.sub("#", text)
    text = REAL.sub("#", text)
    if not exact:
        text = WHOLE.sub("#", text)
    return re.sub(r"\s+", " ", text)


def pattern(lines, exact):
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
            continue
        pieces = [re.escape(shape(piece, exact)) for piece in line.split("...")]
        parts.append(".*".join(pieces) + r" ?\n")
    return "".join(parts)


def agrees(command, output):
    exact = command.compared == "exact"
    actual = [f"{shape(line, exact)}\n" for line in output.splitlines() if line.strip()]
    shown = [line for line in command.shown if line.strip()]
    if command.compared == "any order":
        return all(any(re.fullmatch(pattern([line], exact), each) for each in actual) for line in shown)
    return not shown or re.fullmatch(pattern(shown, exact), "".join(actual)) is not None


def indented(lines):
    return "".join(f"    {line}\n" for line in lines)


def mistakes_of(page, shell):
    for block in blocks_of(page):
        if block.file:
            shell.run(Command(block.line, f"cat >{block.file}", typed=block.lines))
        commands = [] if block.file else commands_of(block)
        for command, following in zip(commands, [*commands[1:], None]):
            output = shell.run(command)
            where = f"{page.name}:{command.line}: $ {command.text}"
            if shell.code != 0 and not (following and following.text == "echo $?"):
                yield f"{where}\n  ended with {shell.code}:\n{indented(output.splitlines())}"
            elif not agrees(command, output):
                yield f"{where}\n  the page shows:\n{indented(command.shown)}  it printed:\n{indented(output.splitlines())}"


def environment(directory, paths):
    kept = {name: value for name, value in os.environ.items() if name == "ZETL_COMPILER" or not name.startswith(("ZE", "LD_"))}
    # The project's own build needs Ninja, so it is there; make may not be.
    return kept | {"CMAKE_GENERATOR": "Ninja", "PATH": ":".join([*map(str, paths), os.environ["PATH"]]), "HOME": str(directory),
                   "LC_ALL": "C.UTF-8", "XDG_CACHE_HOME": str(directory / ".cache")}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("page", type=Path)
    arguments.add_argument("--root", type=Path, required=True)
    arguments.add_argument("--path", type=Path, action="append", default=[])
    arguments.add_argument("--without-gpu", action="store_true")
    wanted = arguments.parse_args()
    if wanted.without_gpu and any(Path("/dev/dri").glob("renderD*")):
        print("skipped: this machine has a GPU")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="tutorial-") as name:
        directory = Path(name)
        (directory / "samples").symlink_to(wanted.root.resolve() / "samples")
        mistakes = list(mistakes_of(wanted.page, Shell(directory, environment(directory, [path.resolve() for path in wanted.path]))))
    count = sum(len(commands_of(block)) for block in blocks_of(wanted.page) if not block.file)
    print(*mistakes, f"{wanted.page.name}: {count} commands, {len(mistakes)} mistakes", sep="\n")
    return 1 if mistakes or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
