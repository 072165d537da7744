#!/usr/bin/env python3
"""What lives in other people's processes brings what it needs inside: dependencies_test.py LIBRARY...

Each library needs nothing but the C and C++ runtime, and neither takes from the process nor gives to it a symbol of what it
contains, of which the process may have another version.
"""
import re
import subprocess
import sys

ALLOWED = {"libc.so.6", "libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "libdl.so.2", "libpthread.so.0",
           "libze_tools_layer.so.1"}
CONTAINED = re.compile(r"^(_Z\w*?(3fmt2v\d|3fmt3v\d|6spdlog|4YAML)|yaml_|elf_|gelf_|dwarf_)")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def problems(library):
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", library)))
    symbols = {line.split()[-1].split("@")[0] for line in output("nm", "-D", library).splitlines()}
    yield from sorted(f"{library} needs {name}" for name in needed - ALLOWED)
    yield from sorted(f"{library} shares {name}" for name in symbols if CONTAINED.match(name))


def main():
    found = [problem for library in sys.argv[1:] for problem in problems(library)]
    print("\n".join(found) or f"{len(sys.argv) - 1} libraries need the C and C++ runtime only")
    return 1 if found or len(sys.argv) == 1 else 0


if __name__ == "__main__":
    sys.exit(main())
