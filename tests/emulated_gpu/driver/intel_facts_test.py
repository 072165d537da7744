#!/usr/bin/env python3
"""Compares the emulated GPU with Intel's driver in its capture mode, which needs no GPU: properties, and codes of wrong calls.

usage: intel_facts_test.py BUILD [PROFILE...]

Both drivers answer driver_facts (facts.cpp) in a root of Debian's unstable release: ZETL_SID_ROOT, or build/roots/sid, which
scripts/loaders makes. Every difference must be in intel_differences.txt, which says why it is there, and every line of that file must
still be a difference. Exit code 77: there is no such root.
"""

import fnmatch
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# A profile: the product and the slices, sub-slices and execution units by which Intel's driver is to be that device.
PRODUCTS = {"max1550": ("pvc", "8x8x8"), "b580": ("bmg", "5x4x8"), "lnl": ("lnl", "2x4x8"), "ptl": ("ptl", "2x6x8"),
            "cri": ("cri", "4x8x8")}
TREE = pathlib.Path(__file__).resolve().parents[3]
DIFFERENCES = pathlib.Path(__file__).with_name("intel_differences.txt")
KERNEL_DRIVER = "libze_intel_gpu.so.1"


class Root:
    """A directory with another release, and a folder in it for what this test runs there."""

    def __init__(self, directory, build):
        self._directory = directory
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="zetl-facts-", dir=directory / "tmp"))
        for file in ("tests/emulated_gpu/driver_facts", "lib/libze_emulated_gpu.so.1"):
            shutil.copy(build / file, self._folder)

    def facts(self, **variables):
        folder = "/" + str(self._folder.relative_to(self._directory))
        command = [TREE / "scripts/debian_root", "run", self._directory, *(f"{name}={value}" for name, value in variables.items()),
                   "sh", "-c", f"cd {folder} && exec ./driver_facts"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            raise SystemExit(f"driver_facts ended with {done.returncode}: {done.stderr[-2000:]}")
        return read(done.stdout)

    def ours(self, profile):
        folder = "/" + str(self._folder.relative_to(self._directory))
        return self.facts(ZE_ENABLE_ALT_DRIVERS=f"{folder}/libze_emulated_gpu.so.1", ZETL_EMULATED_DEVICE=profile)

    def intel(self, product, units):
        return self.facts(ZE_ENABLE_ALT_DRIVERS=KERNEL_DRIVER, NEOReadDebugKeys=1, SetCommandStreamReceiver=1,
                          ProductFamilyOverride=product, HardwareInfoOverride=units, UseAubStream=0, UseBindlessMode=0)

    def remove(self):
        shutil.rmtree(self._folder)


def read(text):
    """NAME = VALUE, a line each; what a driver prints itself is left out. Of a name that comes again, "NAME #2" and so on."""
    facts = {}
    for line in text.splitlines():
        name, equals, value = line.partition(" = ")
        if not equals:
            continue
        number, unique = 1, name
        while unique in facts:
            number += 1
            unique = f"{name} #{number}"
        facts[unique] = value
    return facts


def known_differences():
    """PATTERN | INTEL | OURS | reason, where * of the values is any."""
    known = []
    for line in DIFFERENCES.read_text().splitlines():
        if line and not line.startswith("#"):
            known.append(tuple(part.strip() for part in line.split("|")))
    return known


def differences(intel, ours):
    for name in [*intel, *(name for name in ours if name not in intel)]:
        if intel.get(name, "absent") != ours.get(name, "absent"):
            yield name, intel.get(name, "absent"), ours.get(name, "absent")


def covers(line, difference):
    return all(fnmatch.fnmatchcase(value, pattern) for value, pattern in zip(difference, (escaped(line[0]), line[1], line[2])))


def escaped(pattern):
    return pattern.replace("[", "[[]")


def compare(root, profile, known, used):
    product, units = PRODUCTS[profile]
    intel, ours = root.intel(product, units), root.ours(profile)
    failures = 0
    for difference in differences(intel, ours):
        line = next((line for line in known if covers(line, difference)), None)
        if line:
            used.add(line)
            continue
        failures += 1
        print(f"{profile}: {difference[0]}: Intel's driver {difference[1]}, the emulated GPU {difference[2]}")
    same = sum(intel[name] == ours.get(name) for name in intel)
    print(f"{profile}: {same} of {len(intel)} facts of Intel's driver are the emulated GPU's")
    return failures


def main(build, profiles):
    directory = pathlib.Path(os.environ.get("ZETL_SID_ROOT", TREE / "build/roots/sid"))
    if os.geteuid() != 0 or not (directory / "usr/lib/x86_64-linux-gnu" / KERNEL_DRIVER).exists():
        print(f"there is no Intel driver in {directory}, or this is not root; run scripts/loaders sid as root")
        return 77
    known, used = known_differences(), set()
    root = Root(directory, build)
    try:
        failures = sum(compare(root, profile, known, used) for profile in profiles or PRODUCTS)
    finally:
        root.remove()
    for line in known:
        if line not in used and not profiles:
            failures += 1
            print(f"{DIFFERENCES.name}: no difference any more: {' | '.join(line[:3])}")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
