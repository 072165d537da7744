#!/usr/bin/env python3
"""Holds what neither clang-format nor a compiler holds: integer types of a width are the standard library's, `std::uint32_t` and
`std::size_t`, and C's in public headers that C programs can include; tests wait for conditions (tests/support/wait_for.h) and do
not sleep.

    dialect_rules.py [FILE...]      all of the tree's C++ without FILE

Exit code 1 if there is a finding. One declaration and one expression a statement are held by clang-tidy
(readability-isolate-declaration) and by Clang (-Wcomma).
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INTEGER = re.compile(r"(?<![\w.>])(std::)?(u?int(?:8|16|32|64|ptr|max)_t|size_t|ptrdiff_t)\b(?!\w*\()")
NOT_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
SLEEP = re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep|sleep)\s*\(")
SLEEPERS = ("benchmark", "fuzz", "soak", "stress", "nvidia/stand_in", "support/wait_for.h")  # below tests/
CPP_HEADER = re.compile(r"^#include <[a-z_]+>", re.M)


def findings(path):
    text = path.read_text()
    of_c = path.suffix == ".h" and "include" in path.parts and not CPP_HEADER.search(text)
    code = NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in INTEGER.finditer(code):
        if bool(match[1]) == of_c and code[max(0, match.start() - 2):match.start()] != "::":
            line = code.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {'C has no std::' if of_c else 'write std::'}{match[2]}"
    place = path.resolve()
    if place.is_relative_to(ROOT / "tests") and not any(place.is_relative_to(ROOT / "tests" / name) for name in SLEEPERS):
        for match in SLEEP.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {match[1]}: wait for a condition, with waitFor() of tests/support/wait_for.h"


def main():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "*.h", "*.cpp"], capture_output=True, text=True, check=True).stdout.split()
    files = [Path(name) for name in sys.argv[1:]] or [ROOT / name for name in listed]
    found = [finding for path in files for finding in findings(path)]
    print("\n".join([*found, f"dialect: {len(files)} files, {len(found)} findings"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
