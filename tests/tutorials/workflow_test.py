#!/usr/bin/env python3
"""Runs what a job of continuous integration runs: the steps of the workflow in docs/how-to/ci.md, and the script of the action.

    workflow_test.py SOURCE_TREE ZETL KERNEL_PROGRAM FAILING_PROGRAM

The project that is tested has one test, KERNEL_PROGRAM, which launches kernels; FAILING_PROGRAM reports calls that fail.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SECONDS = 120
CMAKE = """cmake_minimum_required(VERSION 3.22)
project(gpu_tests LANGUAGES NONE)
enable_testing()
add_test(NAME kernels COMMAND {program})
"""


def steps_of(page):
    workflow = page.split("\n## Copy this workflow\n")[1].split("\n```\n")[1]
    return re.findall(r"^ +(?:- )?run: (.*)$", workflow, re.M)


def run(command, place, environment):
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", command], cwd=place, env=environment, timeout=SECONDS,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def unreadable(place, names):
    """What is wrong with these reports."""
    for name in names:
        try:
            text = (place / name).read_text()
            if name.endswith(".sarif"):
                if json.loads(text)["version"] != "2.1.0":
                    yield f"{name}: another version"
            elif name.endswith(".xml"):
                if int(ElementTree.fromstring(text)[0].get("failures")) != 0:
                    yield f"{name}: something failed\n{text}"
            elif not text:
                yield f"{name}: empty"
        except (OSError, ValueError, KeyError, ElementTree.ParseError) as failure:
            yield f"{name}: {failure!r}"


def workflow(root, place, environment):
    steps = steps_of((root / "docs/how-to/ci.md").read_text())
    if len(steps) < 6:
        yield f"the workflow has {len(steps)} steps"
    save = "zetl baseline save --device small kernels.json -- $TESTS"
    for step in [*steps[:2], save, *steps[2:]]:
        code, output = run(step, place, environment)
        # A problem of this machine, such as a loader that is too old, is none of the workflow.
        if code != 0 and step != "zetl doctor":
            yield f"{step}: exit code {code}\n{output}"
    yield from unreadable(place, ["kernels.info", "coverage/index.html", "kernels.sarif", "kernels.xml", "costs.xml", "schedules.xml",
                                  "failures.xml", "summary.md"])


def action(root, place, environment):
    script = root / ".ci/action/run"
    inputs = {"COMMAND": environment["TESTS"], "COVERAGE": "0", "CHECK": "default", "BASELINE": "costs.json", "GITHUB_ACTIONS": "true"}
    for expected in ("costs.json is new", "0 changes in"):
        code, output = run(str(script), place, {**environment, **inputs})
        if code != 0 or expected not in output:
            yield f"action: exit code {code}, not {expected!r}\n{output}"
    reports = ["kernels.info", "check.sarif", "check.xml", "baseline.sarif", "baseline.xml"]
    yield from unreadable(place / "zetl-reports", reports)
    inputs = {"COMMAND": environment["PROGRAM"], "FAIL": "memory=OUT_OF_DEVICE_MEMORY", "SCHEDULES": "2"}
    code, output = run(str(script), place, {**environment, **inputs})
    if code != 0:
        yield f"action: exit code {code}\n{output}"
    yield from unreadable(place / "zetl-reports", ["fail.sarif", "fail.xml", "schedules.sarif", "schedules.xml"])
    code, output = run(str(script), place, {**environment, "COMMAND": "exit 7", "CHECK": "nonsense"})
    if code != 7 or "check: exit code 2" not in output:
        yield f"action: exit code {code}, not the first of several\n{output}"


def main(root, zetl, kernels, failing):
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "CMakeLists.txt").write_text(CMAKE.format(program=kernels))
        environment = {**os.environ, "PATH": f"{Path(zetl).parent}:{os.environ['PATH']}", "TESTS": "ctest --test-dir build",
                       "PROGRAM": f"{failing} reports", "GITHUB_STEP_SUMMARY": str(place / "summary.md")}
        return [*workflow(root, place, environment), *action(root, place, environment)]


if __name__ == "__main__":
    problems = main(Path(sys.argv[1]), *sys.argv[2:])
    print("\n".join(problems) or "the workflow and the action do what they say")
    sys.exit(1 if problems else 0)
