#!/usr/bin/env python3
"""Holds the include lines of the tree to its target graph.

A directory with a zetl_component() is one component, and the component's LINKS are its permission to include. Reported:
an include of a component that is not linked, a link that docs/architecture.md does not allow, a cycle, Level Zero
inside the machine, and anything but public headers in samples/, source/zetl/ and include/. Exit code 1 if there is a
finding.
"""

import re
import sys
from pathlib import Path

SOURCES = {".h", ".hpp", ".cpp", ".inc", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
COMPONENT = re.compile(r"zetl_component\(\s*(\w+)([^)]*)\)", re.S)
LIBRARIES = re.compile(r"target_link_libraries\(\s*zetl_(\w+)([^)]*)\)", re.S)
TABLE_ROW = re.compile(r"^\| (`[^|]+) \|[^|]*\| ([^|]+) \|$", re.M)
KEYWORDS = {"SOURCES", "LINKS", "PRIVATE_LINKS"}
# Components that must build without Level Zero's types (docs/architecture.md, rule 4).
WITHOUT_LEVEL_ZERO = {"source/emulator/isa", "source/emulator/machine"}
LEVEL_ZERO = re.compile(r"^(level_zero/|ze_tools_layer/tools_api|base/result\.h|base/handle\.h)")
# What outside users could have built.
PUBLIC_ONLY = ("samples", "source/zetl", "include")


class Component:
    """One directory of source/ and the components it links."""

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


def read_components(root):
    """The target graph, from every CMakeLists.txt below source/."""
    components = {}
    for listing in sorted((root / "source").rglob("CMakeLists.txt")):
        text = re.sub(r"#.*", "", listing.read_text())
        directory = listing.parent.relative_to(root).as_posix()
        for name, body in COMPONENT.findall(text):
            components[name] = Component(name, directory, words_after("LINKS", body))
        for name, body in LIBRARIES.findall(text):
            if name in components:
                components[name].links |= set(re.findall(r"zetl::(\w+)", body)) - {"headers"}
    return components


def read_allowed(root):
    """Directory -> names it may include, from the table in docs/architecture.md; None stands for all."""
    allowed = {}
    for directories, permission in TABLE_ROW.findall((root / "docs/architecture.md").read_text()):
        base = ""
        for directory in re.findall(r"`([^`]+)/`", directories):
            if not directory.startswith("source/") and base:
                directory = f"{base}/{directory}"
            base = directory.rsplit("/", 1)[0] if "/" in directory else ""
            permission = permission.strip()
            allowed[directory] = None if permission == "all" else set(re.findall(r"\w+", permission))
    return allowed


def files_below(directory):
    return sorted(f for f in directory.rglob("*") if f.suffix in SOURCES) if directory.is_dir() else []


def includes(file):
    return [(kind == "<", path) for kind, path in INCLUDE.findall(file.read_text(errors="replace"))]


def owner(components, path):
    """The component whose directory holds a path given relative to source/."""
    best = None
    for component in components.values():
        prefix = component.directory.removeprefix("source/") + "/"
        if path.startswith(prefix) and (best is None or len(component.directory) > len(best.directory)):
            best = component
    return best


def check_component_includes(root, components):
    for component in components.values():
        for file in files_below(root / component.directory):
            if owner(components, file.relative_to(root / "source").as_posix()) is not component:
                continue
            for _, path in includes(file):
                target = owner(components, path)
                if target and target is not component and target.name not in component.links:
                    yield f"{file.relative_to(root)}: includes {path}, but {component.name} does not link {target.name}"
                if component.directory in WITHOUT_LEVEL_ZERO and LEVEL_ZERO.match(path):
                    yield f"{file.relative_to(root)}: includes {path}, but {component.name} knows no Level Zero"


def directory_name(components, name):
    """The table speaks of directories; a target may have a longer name."""
    return components[name].directory.rsplit("/", 1)[-1] if name in components else name


def check_links(root, components):
    allowed = read_allowed(root)
    for component in components.values():
        if component.directory not in allowed:
            yield f"docs/architecture.md: no row for {component.directory}/"
        elif allowed[component.directory] is not None:
            for link in sorted(component.links):
                if directory_name(components, link) in allowed[component.directory]:
                    continue
                yield f"{component.directory}/CMakeLists.txt: links {link}, which docs/architecture.md does not allow"
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
                yield f"source/: components depend on each other: {cycle}"


def check_public_only(root):
    """These see public headers and what lies beside them."""
    for top in PUBLIC_ONLY:
        for file in files_below(root / top):
            for angled, path in includes(file):
                if angled and (root / "source" / path).exists():
                    yield f"{file.relative_to(root)}: includes {path}, which is not a public header"
                beside = any((parent / path).exists() for parent in file.parents if parent.is_relative_to(root / top))
                if not angled and not beside:
                    yield f"{file.relative_to(root)}: includes {path}, which is neither public nor in {top}/"


def findings(root):
    components = read_components(root)
    yield from check_component_includes(root, components)
    yield from check_links(root, components)
    yield from check_cycles(components)
    yield from check_public_only(root)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    found = list(findings(root))
    for finding in found:
        print(finding)
    print(f"include rules: {len(read_components(root))} components, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
