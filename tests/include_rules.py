#!/usr/bin/env python3
"""Holds the include lines of the tree to its target graph.

A directory of source/ or layer/ whose CMakeLists.txt makes targets is one component, and what these link is its
permission to include. Reported:

- a source that belongs to no component, an include in quotes that leads nowhere;
- an include of a component that is not linked, a link that docs/explanation/architecture.md does not allow, a cycle of links;
- Level Zero inside the machine, by whatever header it comes;
- anything but public headers in samples/, include/ and most of the zetl command;
- includes against the order of a component's subfolders, which its CMakeLists.txt states in one line, lowest first. `|`
  stands between neighbours that do not include each other, `.` for the directory's own files:

      # order: decode < lower | steps < .
      # but: decode/text.h includes lower/lowering.h

  Each `but:` line is one include that is still to go; one that is gone must not stay.

Exit code 1 if there is a finding.
"""

import functools
import re
import sys
from collections import Counter
from pathlib import Path

SOURCES = {".c", ".h", ".hpp", ".cpp", ".inc", ".def"}
LAYERED = ("source", "layer")  # what belongs to components
PUBLIC_ONLY = ("samples", "include", "source/zetl")  # what outside users could have built
INSIDE = ("source/zetl/attaching", "source/zetl/debug/core", "source/zetl/comparison", "source/zetl/coverage", "source/zetl/failing",
          "source/zetl/findings", "source/zetl/query", "source/zetl/report", "source/zetl/sweep")  # but for these, which include what they link
ORDERED = (*LAYERED, "samples")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:([<"])([^>"]+)[>"]|(\w+))', re.M)
COMPONENT = re.compile(r"zetl_component\(\s*(\w+)([^)]*)\)", re.S)
TARGET = re.compile(r"add_(?:library|executable)\(\s*(\w+)\s+([^)]*)\)", re.S)
LIBRARIES = re.compile(r"target_link_libraries\(\s*(\w+)([^)]*)\)", re.S)
TABLE_ROW = re.compile(r"^\| (`[^|]+) \|[^|]*\| ([^|]+) \|$", re.M)
ORDER = re.compile(r"^# order: (.*)$", re.M)
BUT = re.compile(r"^# but: (\S+) includes (\S+)$", re.M)
KEYWORDS = {"SOURCES", "LINKS", "PRIVATE_LINKS"}
# Components that must build without Level Zero's types (docs/explanation/architecture.md, rule 4).
WITHOUT_LEVEL_ZERO = {"source/emulator/isa", "source/emulator/machine"}


class Component:
    """One directory and the components that its targets link."""

    def __init__(self, name, directory, links):
        self.name, self.directory, self.links = name, directory, set(links)


def words_after(keyword, text):
    found, active = [], False
    for word in text.split():
        if word in KEYWORDS:
            active = word == keyword
        elif active:
            found.append(word)
    return found


def named_links(body):
    return set(re.findall(r"zetl::(\w+)", body)) - {"headers"}


def read_components(root):
    """The target graph, from every CMakeLists.txt below source/ and layer/; several targets of one are one component."""
    components = {}
    for listing in sorted(file for top in LAYERED for file in (root / top).rglob("CMakeLists.txt")):
        text = re.sub(r"#.*", "", listing.read_text())
        directory = listing.parent.relative_to(root).as_posix()
        made = [(name, name, words_after("LINKS", body)) for name, body in COMPONENT.findall(text)]
        made = made or [(name, name, []) for name, body in TARGET.findall(text) if not body.startswith("ALIAS")]
        if not made:
            continue
        name, _, links = made[0]
        components[name] = Component(name, directory, links)
        for _, body in LIBRARIES.findall(text):
            components[name].links |= named_links(body) - {name}
    return components


def read_allowed(root):
    """Directory -> names it may include, from the table in docs/explanation/architecture.md; None stands for all."""
    allowed = {}
    for directories, permission in TABLE_ROW.findall((root / "docs/explanation/architecture.md").read_text()):
        base = ""
        for directory in re.findall(r"`([^`]+)/`", directories):
            if not directory.startswith(LAYERED) and base:
                directory = f"{base}/{directory}"
            base = directory.rsplit("/", 1)[0] if "/" in directory else ""
            permission = permission.strip()
            allowed[directory] = None if permission == "all" else set(re.findall(r"\w+", permission))
    return allowed


def files_below(directory):
    return sorted(f for f in directory.rglob("*") if f.suffix in SOURCES) if directory.is_dir() else []


@functools.lru_cache(maxsize=None)
def includes(file):
    """(form, path) of each include line: the form is <, " or, if a macro says what is included, nothing."""
    text = re.sub(r"/\*.*?\*/", "", file.read_text(errors="replace"), flags=re.S)
    return [(form, path or macro) for form, path, macro in INCLUDE.findall(text)]


def resolve(root, file, form, path):
    """The file of ours that an include line of a component leads to, if it is one of ours."""
    places = [root / "source", root / "include"]
    if form == '"':  # beside the file, or in a directory above it that its target adds
        places = [parent for parent in file.parents if root in parent.parents] + places
    return next((place for place in (p / path for p in places) if place.is_file()), None)


def owner(components, root, file):
    """The component whose directory holds a file."""
    path = file.resolve().relative_to(root).as_posix()
    holding = [c for c in components.values() if path.startswith(c.directory + "/")]
    return max(holding, key=lambda component: len(component.directory), default=None)


def way_to_level_zero(root, file, seen):
    """The files by which one comes to Level Zero's headers, and the header; nothing if one does not."""
    if file in seen:
        return None
    seen.add(file)
    for form, path in includes(file):
        if path.startswith("level_zero/"):
            return [path]
        target = resolve(root, file, form, path)
        further = way_to_level_zero(root, target, seen) if target else None
        if further:
            return [path] + further
    return None


def check_component_includes(root, components):
    for file in (file for top in LAYERED for file in files_below(root / top)):
        here, component = file.relative_to(root), owner(components, root, file)
        if component is None:
            yield f"{here}: belongs to no component"
            continue
        for form, path in includes(file):
            if not form:
                yield f"{here}: includes what the macro {path} says, which cannot be judged"
                continue
            found = resolve(root, file, form, path)
            target = owner(components, root, found) if found else None
            if not found and form == '"' and not path.startswith("level_zero/"):
                yield f"{here}: includes {path}, which leads nowhere"
            elif target and target is not component and target.name not in component.links:
                yield f"{here}: includes {path}, but {component.name} does not link {target.name}"
        way = way_to_level_zero(root, file, set()) if component.directory in WITHOUT_LEVEL_ZERO else None
        if way:
            yield f"{here}: includes {' -> '.join(way)}, but {component.name} knows no Level Zero"


def directory_name(components, name):
    """The table speaks of directories; a target may have a longer name."""
    return components[name].directory.rsplit("/", 1)[-1] if name in components else name


def permission_of(allowed, directory):
    """The directory's row, or that of the nearest directory above which may include all."""
    while directory and directory not in allowed:
        directory = directory.rpartition("/")[0]
        if directory in allowed and allowed[directory] is not None:
            return False
    return allowed[directory] if directory else False


def check_links(root, components):
    allowed = read_allowed(root)
    for component in components.values():
        permission = permission_of(allowed, component.directory)
        if permission is False:
            yield f"docs/explanation/architecture.md: no row for {component.directory}/"
        elif permission is not None:
            for link in sorted(component.links):
                if directory_name(components, link) not in permission:
                    yield f"{component.directory}/CMakeLists.txt: links {link}, which docs/explanation/architecture.md does not allow"
        for link in sorted(component.links - components.keys()):
            yield f"{component.directory}/CMakeLists.txt: links {link}, which is no component"


def check_cycles(components):
    def reach(name, path):
        if name in path:
            yield " -> ".join(path[path.index(name):] + [name])
            return
        for link in sorted(components[name].links & components.keys()) if name in components else []:
            yield from reach(link, path + [name])

    seen = set()
    for name in sorted(components):
        for cycle in reach(name, []):
            if frozenset(cycle.split(" -> ")) not in seen:
                seen.add(frozenset(cycle.split(" -> ")))
                yield f"components depend on each other: {cycle}"


def check_public_only(root):
    """These see public headers and what lies beside them."""
    for top in PUBLIC_ONLY:
        for file in files_below(root / top):
            if file.relative_to(root).as_posix().startswith(tuple(f"{place}/" for place in INSIDE)):
                continue
            for form, path in includes(file):
                if form != '"' and any((root / place / path).exists() for place in LAYERED):
                    yield f"{file.relative_to(root)}: includes {path}, which is not a public header"
                beside = any((parent / path).exists() for parent in file.parents if parent.is_relative_to(root / top))
                if form == '"' and not beside:
                    yield f"{file.relative_to(root)}: includes {path}, which is neither public nor in {top}/"


class Order:
    """The order of one folder's subfolders, and the includes that still run against it."""

    def __init__(self, text):
        line = ORDER.search(text)
        levels = [level.split("|") for level in line[1].split("<")] if line else []
        self.rank = {name.strip(): rank for rank, level in enumerate(levels) for name in level}
        self.exceptions = set(BUT.findall(text))

    def allows(self, user, used):
        return self.rank.get(user, 0) > self.rank.get(used, 0)


def room(folder, file):
    """The subfolder of a folder that a file lies in; `.` if in none."""
    parts = file.relative_to(folder).parts
    return parts[0] if len(parts) > 1 else "."


def files_of(folder):
    """The sources below a folder but for those whose subfolder has targets of its own, and with them links to hold it."""
    apart = [listing.parent for listing in folder.rglob("CMakeLists.txt") if listing.parent != folder]
    return [file for file in files_below(folder) if not any(place in file.parents for place in apart)]


def inner_includes(root, folder):
    """(file, included file), both of the folder and in different rooms of it."""
    files = set(files_of(folder))
    for file in files:
        for form, path in includes(file):
            target = resolve(root, file, form, path)
            if target and target.resolve() in files and room(folder, file) != room(folder, target.resolve()):
                yield file, target.resolve()


def check_order(root, listing):
    folder, here = listing.parent, listing.relative_to(root)
    order, rooms = Order(listing.read_text()), {room(listing.parent, file) for file in files_of(listing.parent)}
    if len(rooms) < 2 and not order.rank:
        return
    if rooms - order.rank.keys():
        yield f"{here}: no '# order:' line names {', '.join(sorted(rooms - order.rank.keys()))} (tests/include_rules.py)"
    for name in sorted(order.rank.keys() - rooms):
        yield f"{here}: the order names {name}, which holds no sources of this component"
    against = {tuple(part.relative_to(folder).as_posix() for part in pair) for pair in inner_includes(root, folder)
               if not order.allows(room(folder, pair[0]), room(folder, pair[1]))}
    for user, used in sorted(against - order.exceptions if order.rank else []):
        yield f"{folder.relative_to(root)}/{user}: includes {used}, against the order of {folder.relative_to(root)}/"
    for user, used in sorted(order.exceptions - against):
        yield f"{here}: '# but: {user} includes {used}' is no longer true"


def check_orders(root):
    for listing in sorted(file for top in ORDERED for file in (root / top).rglob("CMakeLists.txt")):
        yield from check_order(root, listing)


def findings(root):
    root = root.resolve()
    components = read_components(root)
    yield from check_component_includes(root, components)
    yield from check_links(root, components)
    yield from check_cycles(components)
    yield from check_public_only(root)
    yield from check_orders(root)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    found = list(findings(root))
    for finding in found:
        print(finding)
    files = Counter(top for top in ORDERED for _ in files_below(root / top))
    looked = ", ".join(f"{count} files of {top}/" for top, count in files.items())
    print(f"include rules: {len(read_components(root))} components, {looked}, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
