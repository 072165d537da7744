#!/usr/bin/env python3
"""Reads the JUnit file of `zetl check` as services do that show test results.

    check_files_test.py ZETL MISTAKEN_PROGRAM

The rules are those of the schema that most readers share: a root of testsuites, suites with a name and counts that agree with their
cases, cases with a class, a name and a time, and in a case at most one failure, with a type and a message. Where the package
junitparser is installed, it reads the file, too.
"""

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

MISTAKE_FOUND = 99
COUNTS = ("tests", "failures", "errors", "skipped")
# element: attributes that it must have, those that it may have, and elements that it may contain
SCHEMA = {
    "testsuites": (set(), {"name", "time", *COUNTS}, {"testsuite"}),
    "testsuite": ({"name", *COUNTS}, {"time", "timestamp", "hostname", "id", "package"}, {"properties", "testcase", "system-out", "system-err"}),
    "testcase": ({"classname", "name", "time"}, {"file", "line"}, {"failure", "error", "skipped", "system-out", "system-err"}),
    "failure": ({"type", "message"}, set(), set()),
}


def wrong(element):
    """What is wrong in an element and those below it."""
    if element.tag not in SCHEMA:
        return [f"{element.tag}: no such element"]
    needed, allowed, children = SCHEMA[element.tag]
    given = set(element.keys())
    found = [f"{element.tag} lacks {name}" for name in sorted(needed - given)]
    found += [f"{element.tag} has {name}" for name in sorted(given - needed - allowed)]
    for child in element:
        found += wrong(child) if child.tag in children else [f"{element.tag} contains {child.tag}"]
    return found


def miscounted(suite):
    cases = suite.findall("testcase")
    failed = [case for case in cases if case.find("failure") is not None]
    found = [f"{case.get('name')}: {len(case)} results" for case in cases if len(case) > 1]
    for name, count in (("tests", len(cases)), ("failures", len(failed)), ("errors", 0), ("skipped", 0)):
        if int(suite.get(name)) != count:
            found.append(f"{name} is {suite.get(name)}, not {count}")
    return found


def read_by_others(path):
    try:
        import junitparser
    except ImportError:
        return []
    suites = list(junitparser.JUnitXml.fromfile(str(path)))
    failures = [case for suite in suites for case in suite if any(isinstance(one, junitparser.Failure) for one in case.result)]
    return [] if len(suites) == 1 and len(failures) == 1 else [f"junitparser sees {len(suites)} suites and {len(failures)} failures"]


def main(zetl, program):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "findings.xml"
        command = [zetl, "check", "--device", "tiny", "--kinds", "memory", "--junit", str(path), "--", program, "beyond"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if run.returncode != MISTAKE_FOUND:
            return [f"zetl check exits with {run.returncode}", run.stderr]
        root = ElementTree.parse(path).getroot()
        found = wrong(root) + [text for suite in root for text in miscounted(suite)] + read_by_others(path)
        if len(root.findall("testsuite/testcase/failure")) != 1:
            found.append("not one failure")
        broken = ElementTree.fromstring('<testsuites><testsuite name="x" tests="1"><testcase/></testsuite></testsuites>')
        return found if wrong(broken) else [*found, "the schema accepts what it should not"]


if __name__ == "__main__":
    problems = main(*sys.argv[1:])
    print("\n".join(problems) or "the JUnit file keeps the rules")
    sys.exit(1 if problems else 0)
