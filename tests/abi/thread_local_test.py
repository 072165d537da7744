#!/usr/bin/env python3
"""Libraries that programs open late leave room for the thread-local memory of others: thread_local_test.py LIBRARY...

glibc keeps 1,664 bytes for all libraries that are opened with dlopen and whose thread-local memory lies at a fixed place. The
Level Zero loader opens a driver so, beside whatever the program opens: a driver that needs all of it is refused in some processes.
"""
import re
import subprocess
import sys

MOST_BYTES = 1472


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def fixed_bytes(library):
    if "STATIC_TLS" not in output("readelf", "-dW", library):
        return 0
    sizes = re.findall(r"^\s*TLS(?:\s+0x[0-9a-f]+){4}\s+(0x[0-9a-f]+)", output("readelf", "-lW", library), re.MULTILINE)
    return sum(int(size, 16) for size in sizes)


def main():
    sizes = {library: fixed_bytes(library) for library in sys.argv[1:]}
    total = sum(sizes.values())
    print(f"{total} bytes of thread-local memory, at most {MOST_BYTES}: {sizes}")
    return 0 if 0 < total <= MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
