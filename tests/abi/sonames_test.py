#!/usr/bin/env python3
"""The name under which programs find a library is what docs/how-to/install.md promises to keep: sonames_test.py LIBRARY=SONAME...

A library with a C interface exports no C++ name. LIBRARY=SONAME+c++ may.
"""
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def problems(library, promise):
    soname, _, language = promise.partition("+")
    found = re.findall(r"\(SONAME\).*\[(.*)\]", output("readelf", "-dW", library))
    if found != [soname]:
        yield f"{library}: its SONAME is {found}, not {soname}"
    names = [line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()]
    if not names:
        yield f"{library} exports nothing"
    if language != "c++":
        yield from (f"{library} exports {name}" for name in names if name.startswith("_Z"))


def main():
    found = [problem for word in sys.argv[1:] for problem in problems(*word.split("=", 1))]
    print("\n".join(found) or f"{len(sys.argv) - 1} libraries have the promised names")
    return 1 if found or len(sys.argv) == 1 else 0


if __name__ == "__main__":
    sys.exit(main())
