#!/usr/bin/env python3
"""Four ranks of an MPI launcher: each records for itself, and one zetl records all.

    launched_ranks_test.py ZETL PROGRAM

Tried with each of Debian's Open MPI and MPICH that is installed. Skipped (77) if neither is.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
RANKS = 4
MOST_BYTES = 16 * 1024
# Open MPI starts neither as root nor more ranks than processors unless it is told to; MPICH does not know these words.
LAUNCHERS = {
    "mpirun.openmpi": ["--oversubscribe", "--mca", "btl", "self,vader"],
    "mpirun.mpich": ["-launcher", "fork"],
}
ALLOWED = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(*command):
    result = subprocess.run(
        command, env=os.environ | ALLOWED, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240
    )
    return [] if result.returncode == 0 else [f"{command}: exit code {result.returncode}\n{result.stdout}"]


def tables(zetl, directory, outputs):
    """What is wrong with running the report, and its tables of ranks."""
    path = outputs / "tables.json"
    wrong = run(zetl, "report", directory, "-o", "", "--json", path)
    return wrong, {} if wrong else json.loads(path.read_text()).get("ranks", {})


def expect(launcher, what, found, expected):
    return [] if found == expected else [f"{launcher}: {what}: {found}, not {expected}"]


def each_for_itself(zetl, program, launcher, launch, outputs):
    recording = outputs / "each"
    wrong = run(*launch, zetl, "trace", "--emulated", "--device", "tiny", "--recording", recording, "--ranks", "0,2",
                "-o", outputs / "t.json", "--", program)  # fmt: skip
    kept = sorted(path.parent.name for path in recording.glob("rank*/*.zetl"))
    wrong += expect(launcher, "recordings", kept, ["rank0", "rank2"])
    summaries = sorted(path.name for path in recording.glob("rank*/*.summary") if path.stat().st_size <= MOST_BYTES)
    wrong += expect(launcher, "summaries", summaries, [f"rank{rank}.summary" for rank in range(RANKS)])
    wrong += expect(launcher, "timelines", sorted(path.name for path in outputs.glob("t*.json")), ["t.rank0.json", "t.rank2.json"])
    failures, ranks = tables(zetl, recording, outputs)
    wrong += failures + expect(launcher, "ranks", [row["rank"] for row in ranks.get("ranks", [])], list(range(RANKS)))
    wrong += expect(launcher, "ranks that the launcher said", ranks.get("expected"), RANKS)
    return wrong + expect(launcher, "commands", {row["commands"] for row in ranks.get("ranks", [])}, {6})


def all_by_one(zetl, program, launcher, launch, outputs):
    recording = outputs / "all"
    wrong = run(zetl, "trace", "--emulated", "--device", "tiny", "--recording", recording, "--ranks", "none", "-o", "", "--",
                *launch, program)  # fmt: skip
    wrong += expect(launcher, "recordings of one zetl", list(recording.glob("*.zetl")), [])
    failures, ranks = tables(zetl, recording, outputs)
    return wrong + failures + expect(launcher, "ranks of one zetl", len(ranks.get("ranks", [])), RANKS)


def main(zetl, program):
    wrong, found = [], [name for name in LAUNCHERS if shutil.which(name)]
    for launcher in found:
        launch = [launcher, *LAUNCHERS[launcher], "-n", str(RANKS)]
        for check in (each_for_itself, all_by_one):
            with tempfile.TemporaryDirectory() as outputs:
                wrong += check(zetl, program, launcher, launch, Path(outputs))
    if not found:
        print("skipped: neither Open MPI nor MPICH is installed (Debian: openmpi-bin, mpich)")
        return SKIPPED
    print("\n".join(wrong) or f"{RANKS} ranks each by {', '.join(found)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
