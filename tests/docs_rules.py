#!/usr/bin/env python3
"""Compares the pages with the tree that they describe, and their English with the house's rules. Exit code 1 if something is wrong.

- links and anchors lead somewhere; files that CONTRIBUTING.md names exist;
- every environment variable that the code reads and every script is mentioned on a page;
- every `zetl` command has one heading in docs/reference/zetl*.md that names it ("Trace a program: zetl trace"), and each of its options is
  defined once: in the command's section, else in that of its parent (metrics for metrics list), else in a section that names no command.
  A definition is a row of a table whose first cell names the option in backquotes, or a list item that begins with it;
- commands in blocks of code and in backquotes exist: `zetl` with its commands and options, and scripts/*;
- prose keeps within 100 columns, and no sentence follows the patterns of plain_english.py;
- dates and hosts stand in docs/measured/ and in the changelog; any other page may have them in one table and the text that introduces it;
- codespell finds nothing, if it is installed.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import markdown_text
import plain_english
import zetl_options

CODE = ("source", "layer", "samples")
COLUMNS = 100

MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
DATE = re.compile(rf"\b20\d\d-\d\d-\d\d\b|\b(?:{MONTHS})(?:'s|,)? (?:\d+,? )?20\d\d\b|\b(?:{MONTHS}) 20\d\d's\b")
HOST = re.compile(r"\b(?:EPYC|Xeon|Ryzen|Opteron|Sapphire Rapids|Ice Lake|Threadripper|Graviton)\b")
DATED = ("docs/measured/", "docs/changelog.md")

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
NAMED_FILE = re.compile(r"`([\w./*-]+(?:/|\.(?:cpp|h|def|txt|yaml|py|cmake)))`|`((?:tests|source)/[\w/]+)`")
VARIABLE = re.compile(r'"(ZETL_[A-Z][A-Z_]+)"')
IN_BACKQUOTES = re.compile(r"`([^`]+)`")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
COMMAND_LINE = re.compile(r"^\s*(?:[$#] )?(?:[A-Z_]+=\S* )*(?:\S*/)?zetl\b((?: .*)?)$")
SCRIPT = re.compile(r"(?<![\w/.-])scripts/(\w[\w.]*\b)")


def pages(root):
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]


def place(root, page, number):
    return f"{page.relative_to(root)}:{number}"


# Links and names of files

def broken_links(root):
    for page in pages(root):
        text = page.read_text()
        for block in markdown_text.blocks(text):
            for number, line in block.numbered() if block.kind != "code" else ():
                for target, anchor in LINK.findall(re.sub(r"`[^`]*`(?!\])", "", line)):
                    if "://" in target or target.startswith("mailto:"):
                        continue
                    if not (page.parent / target).exists():
                        yield f"{place(root, page, number)}: the link to {target} leads nowhere"
                    elif anchor and not has_anchor(page.parent / target if target else page, anchor):
                        yield f"{place(root, page, number)}: {target or page.name} has no heading for #{anchor}"


def has_anchor(page, anchor):
    return page.suffix != ".md" or anchor in markdown_text.anchors(page.read_text())


def named_files(root):
    """Names in backquotes that begin with a directory of the tree, or stand beside one: `tests/isa`, then `rows_test.cpp`."""
    text, tops, beside = (root / "CONTRIBUTING.md").read_text(), {entry.name for entry in root.iterdir()}, root
    for name in (one or other for one, other in NAMED_FILE.findall(text)):
        if "*" in name or "NAME" in name or name.startswith("build/"):
            continue
        found = root / name if name.split("/")[0] in tops else beside / name
        if "/" in name:
            beside = found if found.is_dir() else found.parent
        yield name, found


def missing_files(root):
    for name, found in named_files(root):
        if not found.exists():
            yield f"CONTRIBUTING.md: there is no {name}"


# What must be mentioned

def unmentioned(root):
    text = "".join(page.read_text() for page in pages(root))
    sources = [f for top in CODE for f in sorted((root / top).rglob("*")) if f.suffix in {".cpp", ".h"}]
    variables = {name: f for f in sources for name in VARIABLE.findall(f.read_text())}
    for name, file in sorted(variables.items()):
        if not re.search(rf"\b{name}\b", text):
            yield f"{file.relative_to(root)}: no page mentions {name}"
    for script in sorted(path for path in (root / "scripts").iterdir() if path.is_file()):
        if f"scripts/{script.name}" not in text:
            yield f"scripts/{script.name}: no page mentions it"


# Commands and options of zetl

def commands_named(title, commands):
    """The commands that a heading names, with or without backquotes; `zetl metrics list` does not name `zetl metrics`."""
    words = re.findall(r"zetl ([a-z]+(?: [a-z]+)?)", title.replace("`", ""))
    return {pair if pair in commands else pair.split()[0] for pair in words} & set(commands)


def owners_of(section, commands):
    """The commands that the nearest heading above names; none: the section is for all."""
    for title in reversed(section.titles):
        if named := commands_named(title, commands):
            return named
    return set()


def defined_options(section):
    for block in section.blocks:
        for number, line in block.numbered() if block.kind != "code" else ():
            for quoted in IN_BACKQUOTES.findall(definition_of(block.kind, line)):
                for option in OPTION.findall(quoted.split(" -- ")[0]):
                    yield option, number


def definition_of(kind, line):
    """The part of a line that says what it defines."""
    if kind == "table":
        return line.split("|")[1] if re.match(r"\s*\|\s*`-", line) else ""
    item = re.match(r"\s*[-*] (?:\*\*)?((?:`-[^`]+`(?:, | or )?)+)", line)
    return item[1] if item else ""


def reference(root):
    """(page, section) of docs/reference/zetl*.md."""
    for page in sorted((root / "docs/reference").glob("zetl*.md")):
        for section in markdown_text.sections(page.read_text()):
            yield page, section


def undocumented_commands(root):
    commands, found = zetl_options.commands(root), {}
    if not commands and (root / "source/zetl/main.cpp").exists():
        yield "source/zetl: no command is found; zetl_options.py follows the function that makes the CLI::App"
    for page, section in reference(root):
        if section.titles:
            for name in commands_named(section.titles[-1], commands):
                found.setdefault(name, []).append(page.name)
    for name in sorted(commands):
        if len(found.get(name, [])) != 1:
            where = ", ".join(found.get(name, [])) or "none"
            yield f"docs/reference/zetl*.md: one heading must name zetl {name}; now: {where}"


def definitions(root, commands):
    """(command or "", option) -> places where sections of that command, or of none, define it."""
    found = {}
    for page, section in reference(root):
        for option, number in defined_options(section):
            for owner in owners_of(section, commands) or {""}:
                found.setdefault((owner, option), []).append(place(root, page, number))
    return found


def undocumented_options(root):
    commands = zetl_options.commands(root)
    found = definitions(root, commands)
    for name, option in ((name, option) for name in sorted(commands) for option in commands[name]):
        places = next((found[owner, option] for owner in (name, name.split()[0], "") if (owner, option) in found), [])
        if len(places) != 1:
            yield f"docs/reference/zetl*.md: zetl {name} {option} is defined {len(places)} times" + "".join(
                f" ({each})" for each in places)


def wrong_commands(root):
    commands = zetl_options.commands(root)
    scripts = {path.name for path in (root / "scripts").iterdir()}
    for page in pages(root):
        for number, line in code_of(page):
            for problem in [*wrong_zetl(line, commands), *wrong_scripts(line, scripts)]:
                yield f"{place(root, page, number)}: {problem}"


def code_of(page):
    """Lines of blocks of code, and what stands in backquotes."""
    for block in markdown_text.blocks(page.read_text()):
        for number, line in block.numbered():
            for code in [line] if block.kind == "code" else IN_BACKQUOTES.findall(line):
                yield number, code


def wrong_scripts(line, scripts):
    return [f"there is no scripts/{name}" for name in SCRIPT.findall(line) if name not in scripts]


def wrong_zetl(line, commands):
    call = COMMAND_LINE.match(line.split(" #")[0])
    words = call[1].split(" -- ")[0].split() if call and commands else []
    if not words or words[0].startswith(("-", "[", "COMMAND", "<")) or not re.fullmatch(r"[a-z]+", words[0]):
        return
    name = " ".join(words[:2]) if " ".join(words[:2]) in commands else words[0]
    if name not in commands:
        yield f"zetl has no command {words[0]}"
        return
    known = {"--help", *commands[name]}
    for option in OPTION.findall(" ".join(words)):
        if option not in known:
            yield f"zetl {name} has no option {option}"


# Prose

def long_lines(root):
    for page in pages(root):
        for block in markdown_text.blocks(page.read_text()):
            for number, line in block.numbered() if block.kind in ("text", "heading") else ():
                if len(line) > COLUMNS and " " in line.strip()[:COLUMNS]:
                    yield f"{place(root, page, number)}: {len(line)} columns, more than {COLUMNS}"


def prose(root):
    """(path, number, text) of each paragraph, table row and heading of the pages."""
    for page in pages(root):
        for block in markdown_text.blocks(page.read_text()):
            if block.kind == "text":
                yield page, block.first_line, [markdown_text.without_code(line) for line in block.lines]
            elif block.kind != "code":
                for number, line in block.numbered():
                    yield page, number, [markdown_text.without_code(line)]


def source_text(root):
    for top in plain_english.CLEAN_SOURCES:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in {".cpp", ".h"}:
                yield path, 1, [re.sub(r"^\s*(?:///?|\*) ?", "", line) for line in path.read_text().splitlines()]


def bad_english(root):
    for path, first, lines in [*prose(root), *source_text(root)]:
        for index, phrase, advice in plain_english.problems(lines, path.relative_to(root)):
            yield f"{place(root, path, first + index)}: '{phrase}': {advice}"


def dates_and_hosts(root):
    for page in pages(root):
        if not str(page.relative_to(root)).startswith(DATED):
            yield from (f"{place(root, page, number)}: '{found}' belongs to docs/measured/ or to the page's one table of figures"
                        for number, found in dated_outside_of_one_table(page.read_text()))


def dated_outside_of_one_table(text):
    allowed, listing = None, [block for block in markdown_text.blocks(text) if block.kind != "code"]
    for block, following in zip(listing, [*listing[1:], None]):
        table = block if block.kind == "table" else following if following and following.kind == "table" else None
        for number, line in block.numbered():
            if not (match := DATE.search(line) or HOST.search(line)):
                continue
            allowed = allowed or table
            if table is None or table is not allowed:
                yield number, match[0]


def spelling(root):
    if not shutil.which("codespell"):
        return
    checked = [str(path) for path in (*pages(root), root / "include") if path.exists()]
    listing = subprocess.run(["codespell", "--ignore-words-list", "inout,ans,nd,ot,te,ist,crate,reenable", *checked],
                             capture_output=True, text=True, check=False).stdout
    yield from (line.removeprefix(f"{root}/") for line in listing.splitlines())


RULES = (broken_links, missing_files, unmentioned, undocumented_commands, undocumented_options, wrong_commands, long_lines,
         bad_english, dates_and_hosts, spelling)


def findings(root):
    return [finding for rule in RULES for finding in rule(root)]


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    found = findings(root)
    for finding in found:
        print(finding)
    print(f"documents: {len(pages(root))} read, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
