#!/usr/bin/env python3
"""Our declarations of newer Level Zero against every set of headers at hand.

    header_sets_test.py SOURCE_DIRECTORY COMPILER... -- INCLUDE_DIRECTORY...

A set is an include directory with level_zero/ze_api.h; those that scripts/fetch_headers unpacked below build/ are found
without being named. Each must compile with our header, as C and as C++. Sets that describe a declaration themselves must
agree with ours on its size, its members' places and its value.
"""
import re
import subprocess
import sys
from pathlib import Path

TYPE_FILES = ["core_types.h", "tools_types.h"]


def spec_minor(include):
    text = (include / "level_zero/ze_api.h").read_text()
    return int(re.search(r"ZE_API_VERSION_CURRENT = ZE_MAKE_VERSION\( *1, *(\d+)", text).group(1))


def loader_1_18(include):
    """Headers of 1.11 without zeKernelGetBinaryExp (include/ze_tools_layer/level_zero/spec.h)."""
    return spec_minor(include) == 11 and "zeKernelGetBinaryExp" not in (include / "level_zero/ze_api.h").read_text()


def compile_only(compiler, language, include, source, text=None):
    standard = {"c": "-std=c11", "c++": "-std=c++20"}[language]
    driver = compiler.replace("clang++", "clang").replace("g++", "gcc") if language == "c" else compiler
    command = [driver, "-x", language, standard, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-isystem", str(include)]
    command += ["-DZETL_HEADERS_OF_LOADER_1_18"] if loader_1_18(include) else []
    command += ["-I", str(source / "include"), "-" if text else str(source / "tests/abi" / COMPILED[language])]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return done.stderr


COMPILED = {"c": "from_c.c", "c++": "newer_api.cpp"}


def comparison(source, include):
    """A program that compares our types and constants with those the headers have."""
    known = "".join(path.read_text() for path in (include / "level_zero").glob("*_api.h"))
    ours = "".join((source / "include/ze_tools_layer/level_zero" / name).read_text() for name in TYPE_FILES)
    lines = ["#include <cstddef>", "#include <level_zero/ze_api.h>", "#include <level_zero/zet_api.h>"]
    checks = []
    compared = 0
    for name, kind, value in re.findall(r"#define (ZET?_\w+) \(\((\w+)\)(.+)\)$", ours, re.M):
        if re.search(rf"\b{name}\b", known):
            lines.append(f"static_assert({name} == static_cast<{kind}>({value}));")
            compared += 1
    for name, body in re.findall(r"typedef struct \w+ \{\n(.*?)\n\} (\w+);", ours, re.S):
        name, body = body, name
        if not re.search(rf"\b{name}\b", known):
            continue
        checks.append(f"static_assert(sizeof(ours::{name}) == sizeof(::{name}));")
        body = re.sub(r"/\*.*?\*/", "", body)
        for declaration in re.findall(r"([^;]+);", body):
            for member in re.findall(r"(\w+)(?:\[\w+\])?\s*(?:,|$)", declaration.strip()):
                checks.append(f"static_assert(offsetof(ours::{name}, {member}) == offsetof(::{name}, {member}));")
                compared += 1
    for constant in re.findall(r"^    (ZET?_\w+) = ", ours, re.M):
        if re.search(rf"\b{constant}\b", known):
            checks.append(f"static_assert(static_cast<long>(ours::{constant}) == static_cast<long>(::{constant}));")
            compared += 1
    lines += ["#define ZETL_SPEC_LACKS(minor) 1", "namespace ours {"]
    lines += [f'#include "ze_tools_layer/level_zero/{name}"' for name in TYPE_FILES]
    return "\n".join(lines + ["}"] + checks) + "\n", compared


def main():
    source = Path(sys.argv[1])
    separator = sys.argv.index("--")
    compilers = sys.argv[2:separator]
    found = {Path(name) for name in sys.argv[separator + 1 :]}
    found |= {path.parent.parent for path in source.glob("build/**/usr/include/level_zero/ze_api.h")}
    failures = 0
    for include in sorted(found):
        text, compared = comparison(source, include)
        problems = [compile_only(compiler, language, include, source) for compiler in compilers for language in COMPILED]
        problems.append(compile_only(compilers[0], "c++", include, source, text))
        bad = [problem for problem in problems if problem]
        print(f"{include}: specification 1.{spec_minor(include)}, {compared} declarations compared, {len(bad)} failures")
        print("\n".join(bad))
        failures += len(bad)
    return 1 if failures or not found else 0


if __name__ == "__main__":
    sys.exit(main())
