#!/usr/bin/env python3
"""The layer exports what loaders and programs look up, and nothing else: exports_test.py LAYER TABLES_DEF

Every getter of tests/support/tables.def, every tools function, a registration call for every core and runtime function,
and the named few.
"""
import re
import subprocess
import sys

NAMED = {
    "zelGetTracerApiProcAddrTable", "zelLoaderGetVersion", "zelTracerCreate", "zelTracerDestroy", "zelTracerSetPrologues",
    "zelTracerSetEpilogues", "zelTracerSetEnabled", "zelTracerResetAllCallbacks",
}


def expected(tables):
    names = set(NAMED)
    for getter, functions in re.findall(r"TABLE\((\w+), STEPS\([^)]*\),\s*([\w,\s]+)\)", tables):
        names.add(getter)
        for function in re.findall(r"\w+", functions):
            if function.startswith("zet"):
                names.add(function)
            elif not function.startswith("zes"):
                names.add("zelTracer" + re.sub("^zer?", "", function) + "RegisterCallback")
    return names


def main():
    layer, tables = sys.argv[1:]
    symbols = subprocess.run(["nm", "-D", "--defined-only", layer], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[2].split("@")[0] for line in symbols.splitlines() if line.split()[1] in "TWB"}
    wanted = expected(open(tables).read())
    missing = wanted - exported
    extra = {name for name in exported - wanted if not name.startswith("zetl")}
    registrations = sum(name.endswith("RegisterCallback") for name in wanted)
    print(f"{len(wanted)} wanted ({registrations} registrations), {len(exported)} exported")
    print("missing:", sorted(missing))
    print("neither of the API nor ours:", sorted(extra))
    return 1 if missing or extra or registrations != 252 else 0


if __name__ == "__main__":
    sys.exit(main())
