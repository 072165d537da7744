#!/usr/bin/env python3
"""`zetl trace --attach`: a running process is recorded, more than once, or the refusal says why it is not.

    attach_test.py ZETL PROGRAM [--kernels]

With --kernels, PROGRAM has a kernel and a filled list that are older than the recording.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

RECORDING = "Ctrl-C ends the recording"
NOBODY = 65534


class Running:
    """The program under zetl run, which does one round of work per line."""

    def __init__(self, zetl, program, directory, **environment):
        # One directory for the sockets of all of them, whatever the session has.
        self.environment = os.environ | {"XDG_RUNTIME_DIR": str(directory), "TMPDIR": str(directory)} | environment
        self.process = subprocess.Popen(
            [zetl, "run", "--device", "tiny", "--", program],
            env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        lines = iter(self.process.stdout.readline, "")
        assert "ready\n" in lines, "the program ended"  # samples name their device before

    def work(self, rounds):
        for _ in range(rounds):
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            assert self.process.stdout.readline() == "done\n"

    def end(self):
        self.process.stdin.close()
        return self.process.wait(timeout=60)


@contextlib.contextmanager
def attached(zetl, running, *options):
    """zetl, once it records. When the block ends, zetl is interrupted, and what it printed is in `.said`."""
    process = subprocess.Popen(
        [zetl, "trace", "--attach", str(running.process.pid), *options],
        env=running.environment, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    process.said = ""
    while RECORDING not in process.said:
        line = process.stderr.readline()
        process.said += line
        if not line:
            raise AssertionError(f"zetl did not attach: {process.said}")
    yield process
    if running.process.poll() is None:
        process.send_signal(signal.SIGINT)
    process.said += process.stderr.read()
    process.code = process.wait(timeout=60)


def expect(what, found, expected):
    return [] if found == expected else [f"{what}: {found}, not {expected}"]


def rows_of(path, table):
    return {row.get("function") or row["name"]: row for row in json.loads(path.read_text())[table]}


def records_what_happens_meanwhile(zetl, program, directory):
    running, tables = Running(zetl, program, directory), directory / "tables.json"
    running.work(2)
    with attached(zetl, running, "-o", str(directory / "t.json"), "--json", str(tables)) as process:
        running.work(3)
    running.work(2)
    wrong = expect("exit code", process.code, 0)
    calls, work = rows_of(tables, "calls"), rows_of(tables, "device")
    wrong += expect("allocations", calls["zeMemAllocHost"]["calls"], 3)
    wrong += expect("calls of an older queue", calls["zeCommandQueueExecuteCommandLists"]["calls"], 3)
    wrong += expect("copies by older lists", work["copy"]["launches"], 6)
    names = [event.get("name") for event in json.loads((directory / "t.json").read_text())["traceEvents"]]
    wrong += expect("slices of copies", names.count("copy"), 6)
    # Once more, with another choice; then the process ends by itself.
    with attached(zetl, running, "-o", "", "--json", str(tables), "--functions", "zeMem*", "--no-device") as process:
        running.work(4)
        wrong += expect("end of the program", running.end(), 0)
    wrong += expect("the second time", {name: row["calls"] for name, row in rows_of(tables, "calls").items()},
                    {"zeMemAllocHost": 4, "zeMemFree": 4})  # fmt: skip
    return wrong + ([] if "has ended" in process.said else [f"not said that the process ended: {process.said}"])


def knows_older_kernels(zetl, program, directory):
    running, tables = Running(zetl, program, directory), directory / "tables.json"
    running.work(1)
    with attached(zetl, running, "-o", str(directory / "t.json"), "--json", str(tables)):
        running.work(3)
    work = rows_of(tables, "device")
    wrong = expect("work", sorted(work), ["made_before"])
    if wrong:
        return wrong
    # By the immediate list. What the list had before has no events, by which it could be measured.
    wrong = expect("launches", work["made_before"]["launches"], 3)
    slices = [event for event in json.loads((directory / "t.json").read_text())["traceEvents"]
              if event.get("name") == "made_before"]  # fmt: skip
    wrong += expect("grids", [each["args"]["grid"] for each in slices], ["1 x 1 x 1"] * 3)
    wrong += expect("facts of the driver", all(each["args"]["registers"] for each in slices), True)
    return wrong + expect("end of the program", running.end(), 0)


def outlives_a_killed_zetl(zetl, program, directory):
    running, tables = Running(zetl, program, directory), directory / "tables.json"
    with attached(zetl, running, "-o", "") as process:
        running.work(1)
        process.kill()
        process.wait()
    running.work(1)
    with attached(zetl, running, "-o", "", "--json", str(tables)):
        running.work(1)
    return expect("after a killed zetl", rows_of(tables, "calls")["zeMemFree"]["calls"], 1) + expect(
        "end of the program", running.end(), 0
    )


def refuses(zetl, running, pid, reason, *options):
    result = subprocess.run(
        [zetl, "trace", "--attach", str(pid), *options], env=running.environment, capture_output=True, text=True, timeout=60
    )
    wrong = [] if reason in result.stderr else [f"not refused by {reason!r}: {result.stderr}"]
    return wrong + ([f"exit code of {reason!r}"] if result.returncode == 0 else [])


def says_why_it_does_not_attach(zetl, program, directory):
    running, closed = Running(zetl, program, directory), Running(zetl, program, directory, ZETL_ATTACH="0")
    wrong = refuses(zetl, running, closed.process.pid, "ZETL_ATTACH=1")
    wrong += refuses(zetl, running, 1 << 22, "there is no such process")
    wrong += refuses(zetl, running, running.process.pid, "belongs to the start of a program", "--emulated")
    other = subprocess.Popen(["sleep", "60"])
    wrong += refuses(zetl, running, other.pid, "has not loaded the tools layer")
    if os.geteuid() == 0:
        stranger = subprocess.Popen(["sleep", "60"], user=NOBODY)
        wrong += refuses(zetl, running, stranger.pid, f"belongs to user {NOBODY} and not to you")
        stranger.kill()
        stranger.wait()
    other.kill()
    other.wait()
    with attached(zetl, running, "-o", ""):
        wrong += refuses(zetl, running, running.process.pid, "another zetl records it already")
        running.work(1)
    return wrong + expect("end of the programs", [running.end(), closed.end()], [0, 0])


def main(zetl, program, kernels=None):
    wrong = []
    checks = (records_what_happens_meanwhile, outlives_a_killed_zetl, says_why_it_does_not_attach)
    for check in (knows_older_kernels,) if kernels else checks:
        with tempfile.TemporaryDirectory() as directory:
            wrong += check(zetl, program, Path(directory))
    print("\n".join(wrong) or "recorded and refused as documented")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
