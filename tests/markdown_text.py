"""Reads Markdown as far as docs_rules.py asks: blocks, headings with their anchors, prose without code."""

import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^\s*(```|~~~)")
HEADING = re.compile(r"^(#+)\s+(.*?)\s*#*$")
INLINE_CODE = re.compile(r"(`+)[^`]+\1")
LINK_TARGET = re.compile(r"\]\([^)]*\)")


@dataclass
class Block:
    """Lines that belong together: kind is heading, table, code or text."""

    kind: str
    first_line: int
    lines: list = field(default_factory=list)

    def numbered(self):
        return enumerate(self.lines, self.first_line)


def kind_of(line, former):
    if HEADING.match(line):
        return "heading"
    if line.lstrip().startswith("|"):
        return "table"
    if line.startswith("    ") and (former is None or former.kind == "code"):
        return "code"
    return "text"


def blocks(text):
    """The blocks of a page in order. A fence is part of its block of code."""
    found, current, fence = [], None, None
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence:
            current.lines.append(line)
            if mark and mark[1] == fence:
                current, fence = None, None
        elif mark:
            current, fence = Block("code", number, [line]), mark[1]
            found.append(current)
        elif not line.strip():
            current = None
        else:
            kind = kind_of(line, current)
            if current is None or current.kind != kind or kind == "heading":
                current = Block(kind, number)
                found.append(current)
            current.lines.append(line)
    return found


def without_code(line):
    """A line of prose: inline code becomes one word, and links keep only their text."""
    return LINK_TARGET.sub("]", INLINE_CODE.sub("CODE", line))


def headings(text):
    """(level, title) of each heading."""
    for block in blocks(text):
        if block.kind == "heading":
            marks, title = HEADING.match(block.lines[0]).groups()
            yield len(marks), title


def slug(title):
    """The anchor that GitHub makes of a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title.replace("`", ""))
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def anchors(text):
    found = {}
    for _, title in headings(text):
        name = slug(title)
        found[name] = found.get(name, -1) + 1
        yield f"{name}-{found[name]}" if found[name] else name


@dataclass
class Section:
    """The text below one heading up to the next heading; above lists the titles from the page's own to this one."""

    titles: list
    blocks: list


def sections(text):
    found, path = [Section([], [])], []
    for block in blocks(text):
        if block.kind == "heading":
            marks, title = HEADING.match(block.lines[0]).groups()
            path = [entry for entry in path if entry[0] < len(marks)] + [(len(marks), title)]
            found.append(Section([each for _, each in path], []))
        else:
            found[-1].blocks.append(block)
    return found
