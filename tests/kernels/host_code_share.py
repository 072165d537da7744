"""How much of what the corpus executes is host code: at least FLOOR percent of the instructions, weighed by how often they run.

usage: host_code_share.py CORPUS_TEST VARIANT FLOOR
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
SUM = re.compile(r"executed (\d+) instructions, (\d+) of them as host code")
FORM = re.compile(r"executed (\d+) times by steps: (.*)")


# Percent: of two NaNs, sums and products of doubles keep another one there than the host's instruction. Of which rows that is so
# depends on the compiler of the steps: GCC 12 add and mul, GCC 14 mad as well, which is another 0.53.
AVX2_LESS = 0.7


def host_has(feature):
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        return feature in info.read()


def main(program, variant, floor):
    if not host_has("avx2"):
        print("this processor has neither AVX-512 nor AVX2: nothing becomes host code")
        return SKIPPED
    if not host_has("avx512bw"):
        floor = float(floor) - AVX2_LESS
    executed = native = 0
    forms = collections.Counter()
    with tempfile.TemporaryDirectory() as directory:
        log = os.path.join(directory, "log")
        environment = dict(os.environ, ZETL_LOG="emulator=debug", ZETL_LOG_FILE=log)
        command = [program, f"--gtest_filter=Corpus.*_{variant}", "--gtest_brief=1"]
        subprocess.run(command, env=environment, check=True)
        with open(log, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if found := SUM.search(line):
                    executed += int(found[1])
                    native += int(found[2])
                elif found := FORM.search(line):
                    forms[found[2]] += int(found[1])
    if executed == 0:
        print("nothing was executed")
        return 1
    share = 100 * native / executed
    print(f"{variant}: {share:.2f} % of {executed} instructions as host code, at least {floor} wanted; by steps:")
    for form, times in forms.most_common():
        print(f"{100 * times / executed:7.3f} %  {form}")
    return 0 if share >= float(floor) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
