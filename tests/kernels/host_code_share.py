"""How much of what the corpus executes is host code: at least FLOOR percent of the instructions, weighed by how often they run.

usage: host_code_share.py SCRIPT CORPUS_TEST VARIANT FLOOR
"""
import subprocess
import sys

SKIPPED = 77
# Percent: of two NaNs, sums and products of doubles keep another one there than the host's instruction. Of which rows that is so
# depends on the compiler of the steps: GCC 12 add and mul, GCC 14 mad as well, which is another 0.53.
AVX2_LESS = 0.7


def host_has(feature):
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        return feature in info.read()


def main(script, program, variant, floor):
    if not host_has("avx2"):
        print("this processor has neither AVX-512 nor AVX2: nothing becomes host code")
        return SKIPPED
    least = float(floor) - (0 if host_has("avx512bw") else AVX2_LESS)
    corpus = [program, f"--gtest_filter=Corpus.*_{variant}", "--gtest_brief=1"]
    return subprocess.run([script, "--at-least", str(least), "--", *corpus], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
