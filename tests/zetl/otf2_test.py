#!/usr/bin/env python3
"""Reads what `zetl trace --otf2` writes with OTF2's own tool.

    otf2_test.py ZETL PROGRAM

Skipped (77) if otf2-print is not installed (Debian: otf2-tools).
"""

import collections
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
EVENT = re.compile(r"^(ENTER|LEAVE) +(\d+) +(\d+) +Region: \"(.*?)\" <\d+>")
# region: how often it is entered
EXPECTED = {"vector_add": 1, "copy": 3, "barrier": 2, "zeMemFree": 3, "zeCommandListAppendLaunchKernel": 1}


def run(*command, code=0):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    if result.returncode != code:
        sys.exit(f"{command}: exit code {result.returncode}\n{result.stdout}")
    return result.stdout


def faults(events):
    """Of the events of all locations: regions that do not nest, times that go back, and wrong counts."""
    counts, stacks, times = collections.Counter(), collections.defaultdict(list), collections.defaultdict(int)
    for kind, location, time, region in events:
        if int(time) < times[location]:
            yield f"location {location}: time goes back to {time}"
        times[location] = int(time)
        if kind == "ENTER":
            counts[region] += 1
            stacks[location].append(region)
        elif not stacks[location] or stacks[location].pop() != region:
            yield f"location {location}: {region} is left, but not the innermost"
    yield from (f"location {location}: {stack} is never left" for location, stack in stacks.items() if stack)
    yield from (f"{region}: {counts[region]} times, not {count}" for region, count in EXPECTED.items() if counts[region] != count)


def main(zetl, program):
    if not shutil.which("otf2-print"):
        print("skipped: otf2-print is not installed (Debian: otf2-tools)")
        return SKIPPED
    with tempfile.TemporaryDirectory() as directory:
        kept = Path(directory) / "run"
        run(zetl, "trace", "--emulated", "--device", "tiny", "-o", "", "--recording", kept, "--otf2", f"{directory}/otf2", "--", program)
        printed = run("otf2-print", f"{directory}/otf2/traces.otf2")
        definitions = run("otf2-print", "-G", f"{directory}/otf2/traces.otf2")
        refused = run(zetl, "report", kept, "-o", "", "--otf2", f"{directory}/otf2", code=2)
    events = [match.groups() for match in map(EVENT.match, printed.splitlines()) if match]
    found = list(faults(events))
    found += [] if "is not empty; choose another directory" in refused else [f"not refused: {refused}"]
    found += [f"no definition of {text}" for text in ("ACCELERATOR_STREAM", "CPU_THREAD", "queue 0x") if text not in definitions]
    print("\n".join(found) or f"{len(events)} events of {len({event[1] for event in events})} locations")
    return 1 if found or not events else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
