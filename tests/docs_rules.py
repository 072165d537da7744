#!/usr/bin/env python3
"""Compares the documents with what they describe: links lead somewhere, every environment variable that the code reads,
every zetl command and every script has a place in a document, and every file that CONTRIBUTING.md says to touch is there.
Exit code 1 if something is missing."""

import re
import sys
from pathlib import Path

CODE = ("source", "layer", "samples")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
NAMED_FILE = re.compile(r"`([\w./*-]+(?:/|\.(?:cpp|h|def|txt|yaml|py|cmake)))`|`((?:tests|source)/[\w/]+)`")
VARIABLE = re.compile(r'"(ZETL_[A-Z][A-Z_]+)"')
COMMAND = re.compile(r'add_subcommand\("(\w+)"')


def documents(root):
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]


def broken_links(root):
    for document in documents(root):
        for target in LINK.findall(document.read_text()):
            if "://" not in target and not (document.parent / target).exists():
                yield f"{document.relative_to(root)}: link to {target} leads nowhere"


def named_files(root):
    """Names in backquotes that begin with a directory of the tree, or stand beside one: `tests/isa`, then `rows_test.cpp`."""
    text, tops, beside = (root / "CONTRIBUTING.md").read_text(), {entry.name for entry in root.iterdir()}, root
    for name in (one or other for one, other in NAMED_FILE.findall(text)):
        if "*" in name or "NAME" in name or name.startswith("build/"):
            continue
        place = root / name if name.split("/")[0] in tops else beside / name
        if "/" in name:
            beside = place if place.is_dir() else place.parent
        yield name, place


def missing_files(root):
    for name, place in named_files(root):
        if not place.exists():
            yield f"CONTRIBUTING.md: there is no {name}"


def undocumented(root):
    text = "".join(document.read_text() for document in documents(root))
    sources = [f for top in CODE for f in sorted((root / top).rglob("*")) if f.suffix in {".cpp", ".h"}]
    variables = {name: f for f in sources for name in VARIABLE.findall(f.read_text())}
    for name, file in sorted(variables.items()):
        if not re.search(rf"\b{name}\b", text):
            yield f"{file.relative_to(root)}: no document mentions {name}"
    for command in COMMAND.findall((root / "source/zetl/main.cpp").read_text()):
        if f"zetl {command}" not in text:
            yield f"source/zetl/main.cpp: no document mentions zetl {command}"
    for script in sorted(path for path in (root / "scripts").iterdir() if path.is_file()):
        if f"scripts/{script.name}" not in text:
            yield f"scripts/{script.name}: no document mentions it"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    found = [*broken_links(root), *missing_files(root), *undocumented(root)]
    for finding in found:
        print(finding)
    print(f"documents: {len(documents(root))} read, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
