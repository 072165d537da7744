#!/usr/bin/env python3
"""Compares zetl's rows of functions with Level Zero headers: function_rows_test.py function_rows.h HEADER-DIRECTORY.

Every callback that the headers declare must have a row, with the same arguments in the same order, and each argument's
kind must suit its type: a kind that reads more than there is would show garbage.
"""

import re
import sys
from pathlib import Path

PARAMETERS = re.compile(r"typedef struct _(\w+_params_t)\s*\{([^{}]*)\}\s*\1;", re.S)
CALLBACK = re.compile(r"typedef void \(ZE_APICALL \*(zer?)_pfn(\w+)Cb_t\)\(\s*(\w+)\*\s*params,\s*(\w+) result", re.S)
ROW = re.compile(r'\{"(\w+)([=?]?)",\s*((?:"[^"]*"\s*)+)\}')
WIDE = {"size_t", "uint64_t", "uintptr_t"}
NARROW = {"uint32_t", "int", "int32_t", "unsigned int"}


def read_headers(directory):
    text = "".join((directory / name).read_text() for name in ("ze_api.h", "layers/zel_tracing_register_cb.h"))
    if (directory / "zer_api.h").exists():
        text += (directory / "zer_api.h").read_text()
    fields = {}
    for name, body in PARAMETERS.findall(text):
        lines = (line.split("//")[0].strip().rstrip(";") for line in body.splitlines())
        fields[name] = [re.match(r"(.*)\*\s*p(\w+)$", line).groups() for line in lines if line.endswith("") and "*" in line]
    return {prefix + name: (result, [(t.strip(), n) for t, n in fields[params]])
            for prefix, name, params, result in CALLBACK.findall(text)}


def read_rows(file):
    rows = {}
    for name, value, arguments in ROW.findall(file.read_text()):
        words = " ".join(re.findall(r'"([^"]*)"', arguments)).split()
        rows[name] = (value == "=", [tuple(word.rsplit(":", 1)) for word in words])
    return rows


def suits(kind, type_):
    bare = type_.replace("const ", "").strip()
    if bare.endswith("*"):
        target = bare[:-1].strip()
        return {"p": True, "t": bare == "char*", "g": target == "ze_group_count_t", "k": target == "ze_kernel_desc_t",
                "o": target.endswith("*") or target.endswith("_handle_t"), "c": target == "uint32_t",
                "q": target in WIDE}.get(kind, False)
    if kind == "p":
        return bare.endswith("_t") and ("function" in bare or "_fn_" in bare)
    if bare in WIDE or bare in NARROW:
        return kind == ("N" if bare in WIDE else "n")
    if bare == "ze_bool_t":
        return kind == "b"
    if bare.endswith("_flags_t"):
        return kind == "f"
    if bare.endswith("_handle_t"):
        return kind == ("s" if "ipc" in bare else "h")
    return kind in "es"


def differences(headers, rows):
    for name, (result, fields) in sorted(headers.items()):
        if name not in rows:
            yield f"{name}: no row"
            continue
        returns_value, arguments = rows[name]
        if returns_value != (result != "ze_result_t"):
            yield f"{name}: returns {result}"
        if [a for a, _ in arguments] != [n for _, n in fields]:
            yield f"{name}: arguments are {' '.join(n for _, n in fields)}"
        for (argument, kind), (type_, _) in zip(arguments, fields):
            if not suits(kind, type_):
                yield f"{name}: {argument} is a {type_}, kind {kind}"


def main():
    headers = read_headers(Path(sys.argv[2]))
    found = list(differences(headers, read_rows(Path(sys.argv[1]))))
    for each in found:
        print(each)
    print(f"{len(headers)} callbacks in the headers, {len(found)} differences")
    return 1 if found or len(headers) < 120 else 0


if __name__ == "__main__":
    sys.exit(main())
