#!/usr/bin/env python3
"""Finds step handlers that grew: a loop shape that makes the compiler unroll or vectorise across types costs minutes and megabytes.

usage: handler_sizes.py LIMIT OBJECT...    Exit code 1 and the names if a function has more than LIMIT bytes of code.
"""

import subprocess
import sys


def functions(path):
    listing = subprocess.run(["nm", "-S", "-C", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        fields = line.split(maxsplit=3)
        if len(fields) == 4 and fields[2] in "tT":
            yield int(fields[1], 16), fields[3]


def main():
    limit, objects = int(sys.argv[1]), sys.argv[2:]
    count, large = 0, []
    for path in objects:
        for size, name in functions(path):
            count += 1
            if size > limit:
                large.append(f"{path}: {size} bytes: {name}")
    if not count:
        sys.exit("no functions found: wrong objects?")
    if large:
        sys.exit("\n".join(large))
    print(f"{count} functions, none above {limit} bytes")


if __name__ == "__main__":
    main()
