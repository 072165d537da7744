"""Runs a package's own tests by pytest, file by file, each in processes of its own, and counts them.

suite_program.py PACKAGE DIRECTORY SECONDS [PATTERN...]

DIRECTORY takes a log and the outcomes of each file, and a file that has ended is not run again. SECONDS is what a file may take; what
it has counted by then counts. PATTERN: those files whose path contains one. A test in which the process ends counts as died, and the
tests behind it run in the next process."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import time

KINDS = ("passed", "failed", "skipped", "died", "left")


def counts_of(outcomes):
    """How many tests there are of each kind; a test that fails twice, by itself and as it ends, is one."""
    worst, left = {}, 0
    order = ("began", "passed", "skipped", "failed")
    for line in outcomes.read_text(encoding="utf-8").splitlines() if outcomes.exists() else []:
        outcome, test = line.split(" ", 1)
        if outcome == "left":
            left = int(test) + len(worst)
        elif outcome in order:
            worst[test] = max(worst.get(test, "began"), outcome, key=order.index)
    found = {kind: sum(outcome == kind for outcome in worst.values()) for kind in order}
    return {**found, "died": found.pop("began"), "left": max(0, left - len(worst))}, worst


def run(tests, file, outcomes, log, until):
    """One process; its exit code, or None if the time ran out."""
    options = ["-p", "suite_outcomes", "-p", "no:cacheprovider", "-q", "--tb=short"]
    environment = {**os.environ, "ZETL_SUITE_OUTCOMES": str(outcomes),
                   "PYTHONPATH": os.pathsep.join([str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")])}
    with open(log, "a", encoding="utf-8") as words:
        try:
            return subprocess.run([sys.executable, "-m", "pytest", *options, str(file)], cwd=tests.parent.parent, env=environment,
                                  stdout=words, stderr=subprocess.STDOUT, timeout=max(1, until - time.time()), check=False).returncode
        except subprocess.TimeoutExpired:
            take_back_the_last(outcomes)
            return None


def take_back_the_last(outcomes):
    """The test that the time ran out in is left, as those behind it are."""
    lines = outcomes.read_text(encoding="utf-8").splitlines(keepends=True) if outcomes.exists() else []
    if lines and lines[-1].startswith("began "):
        outcomes.write_text("".join(lines[:-1]), encoding="utf-8")


def run_file(tests, file, directory, seconds):
    name = str(file.relative_to(tests).with_suffix("")).replace("/", "-")
    outcomes, log, ended = (directory / f"{name}.{kind}" for kind in ("outcomes", "log", "ended"))
    until = time.time() + seconds
    while not ended.exists() and time.time() < until:
        before = len(counts_of(outcomes)[1])
        code = run(tests, file, outcomes, log, until)
        if code is None:
            break
        died = code not in (0, 1, 5)  # pytest's: all passed, some failed, none were there
        if not died or len(counts_of(outcomes)[1]) == before:
            ended.write_text(f"{code}\n", encoding="utf-8")
    code = int(ended.read_text(encoding="utf-8")) if ended.exists() else 0
    return counts_of(outcomes)[0], "" if code in (0, 1, 5) else f" (pytest ended with {code}: {log})"


def main(package, directory, seconds, *patterns):
    tests = pathlib.Path(importlib.util.find_spec(package).origin).parent / "tests"
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    total = dict.fromkeys(KINDS, 0)
    for file in sorted(tests.rglob("test_*.py")):
        path = str(file.relative_to(tests))
        if patterns and not any(pattern in path for pattern in patterns):
            continue
        counts, words = run_file(tests, file, directory, float(seconds))
        for kind in KINDS:
            total[kind] += counts[kind]
        print(f"{path}: " + ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind]) + words, flush=True)
    print(f"{package}: " + ", ".join(f"{total[kind]} {kind}" for kind in KINDS))


main(*sys.argv[1:])
