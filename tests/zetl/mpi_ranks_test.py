#!/usr/bin/env python3
"""`zetl trace --mpi` with four real ranks: their calls are ranges, and what they measured together is true.

    mpi_ranks_test.py ZETL PROGRAM LIBRARY_OF_THE_RANK

Tried with each of Debian's Open MPI and MPICH that is installed. Skipped (77) if neither is.
"""

import itertools
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
RANKS = 4
BARRIERS = 20
# Open MPI starts neither as root nor more ranks than processors unless it is told to; MPICH does not know these words.
LAUNCHERS = {
    "mpirun.openmpi": (["--oversubscribe", "--mca", "btl", "self,vader"], "libmpi.so.40"),
    "mpirun.mpich": (["-launcher", "fork"], "libmpich.so.12"),
}
ALLOWED = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# source/zetl/recording/format.h: rank, ranks, two clocks and the job, then 16 meetings
PLACE_AT, PLACE, MEETING, MEETINGS = 192, struct.Struct("<iiQQQ"), struct.Struct("<QQQ"), 16


def expect(launcher, what, found, expected):
    return [] if found == expected else [f"{launcher}: {what}: {found}, not {expected}"]


def meetings_of(path):
    with open(path, "rb") as file:
        header = file.read(PLACE_AT + PLACE.size + MEETINGS * MEETING.size)
    rank, ranks, *_ = PLACE.unpack_from(header, PLACE_AT)
    assert ranks == RANKS and 0 <= rank < RANKS, "the header has another layout than this test believes"
    return {number: (entered, left) for number, entered, left in MEETING.iter_unpack(header[PLACE_AT + PLACE.size :]) if number}


def measured_clocks(launcher, recording):
    """All ranks are on one host, so the difference of their clocks is 0: the bounds must have it between them."""
    all_meetings = [meetings_of(path) for path in recording.glob("*.zetl")]
    wrong = expect(launcher, "recordings", len(all_meetings), RANKS)
    for one, other in itertools.combinations(all_meetings, 2):
        kept = {*range(1, 9), *range(BARRIERS - 7, BARRIERS + 1)}
        wrong += expect(launcher, "meetings", set(one) & set(other), kept)
        lower = max(one[number][0] - other[number][1] for number in kept)
        upper = min(one[number][1] - other[number][0] for number in kept)
        wrong += [] if lower <= 0 <= upper else [f"{launcher}: bounds {lower} to {upper} exclude 0"]
    return wrong


def check(zetl, program, library, launcher, directory):
    options, mpi = LAUNCHERS[launcher]
    command = [zetl, "trace", "--mpi", "--emulated", "--device", "tiny", "--recording", directory / "run", "-o", directory / "t.json",
               "--json", directory / "tables.json", "--", launcher, *options, "-n", str(RANKS), program, mpi, library]  # fmt: skip
    result = subprocess.run(command, env=os.environ | ALLOWED, capture_output=True, text=True, timeout=240)
    if result.returncode != 0:
        return [f"{launcher}: exit code {result.returncode}\n{result.stdout}{result.stderr}"]
    times = {row["name"]: row["times"] for row in json.loads((directory / "tables.json").read_text())["ranges"]}
    expected = {"MPI_Init": RANKS, "MPI_Barrier": RANKS * BARRIERS, "MPI_Bcast": RANKS, "MPI_Sendrecv": RANKS, "MPI_Finalize": RANKS}
    events = json.loads((directory / "t.json").read_text())["traceEvents"]
    slices = [event for event in events if event.get("name") == "MPI_Barrier"]
    wrong = expect(launcher, "calls", times, expected) + expect(launcher, "slices", len(slices), RANKS * BARRIERS)
    return wrong + measured_clocks(launcher, directory / "run")


def main(zetl, program, library):
    wrong, found = [], [name for name in LAUNCHERS if shutil.which(name)]
    for launcher in found:
        with tempfile.TemporaryDirectory() as directory:
            wrong += check(zetl, program, library, launcher, Path(directory))
    if not found:
        print("skipped: neither Open MPI nor MPICH is installed (Debian: openmpi-bin, mpich)")
        return SKIPPED
    print("\n".join(wrong) or f"{RANKS} ranks by {', '.join(found)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
