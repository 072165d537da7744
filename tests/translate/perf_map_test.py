"""A kernel's host code has its name in the file that perf reads: perf_map_test.py PROGRAM 1|lines"""
import os
import re
import subprocess
import sys

SKIPPED = 77
LINE = re.compile(r"^([0-9a-f]+) ([0-9a-f]+) (.+)$")


def main(program, names):
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        if "avx2" not in info.read():
            print("this processor has no AVX-512: nothing becomes host code")
            return SKIPPED
    process = subprocess.Popen([program])
    path = f"/tmp/perf-{process.pid}.map"
    try:
        code = process.wait(timeout=60)
        with open(path, encoding="utf-8") as file:
            symbols = [LINE.match(line) for line in file]
        private = os.stat(path).st_mode & 0o777 == 0o600
    finally:
        if os.path.exists(path):
            os.unlink(path)
    kernels = [symbol for symbol in symbols if symbol and symbol[3] == "vector_add" and int(symbol[2], 16) > 0]
    instructions = [symbol for symbol in symbols if symbol and re.match(r"vector_add\+0x[0-9a-f]+ \S", symbol[3])]
    print(f"{len(symbols)} symbols, {len(kernels)} of the kernel, {len(instructions)} of instructions")
    named = instructions if names == "lines" else kernels
    return 0 if code == 0 and private and all(symbols) and named and bool(instructions) == (names == "lines") else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
