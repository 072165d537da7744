"""A plugin for pytest: writes each test's outcome at once, so that a process that dies or runs out of time has counted what it ran.
Tests that the file already has are not run again. ZETL_SUITE_OUTCOMES names the file: "began", "passed", "failed", "skipped", a
space, the test; "left", how many are to run; "why", what a test failed by."""

import os

import pytest

outcomes = os.environ["ZETL_SUITE_OUTCOMES"]


def write(outcome, what):
    with open(outcomes, "a", encoding="utf-8") as file:
        file.write(f"{outcome} {what!r}\n")


def begun():
    try:
        with open(outcomes, encoding="utf-8") as file:
            return {line.rstrip("\n").split(" ", 1)[1] for line in file}
    except FileNotFoundError:
        return set()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    before = begun()
    again = [item for item in items if repr(item.nodeid) in before]
    if again:
        config.hook.pytest_deselected(items=again)
        items[:] = [item for item in items if repr(item.nodeid) not in before]


def pytest_collection_finish(session):
    write("left", len(session.items))


def pytest_runtest_logstart(nodeid):
    write("began", nodeid)


def pytest_runtest_logreport(report):
    """A test is skipped or fails in any of its phases, and passes in its own."""
    if report.failed or report.skipped or report.when == "call":
        write(report.outcome, report.nodeid)
    if report.failed:
        write("why", str(getattr(getattr(report.longrepr, "reprcrash", report.longrepr), "message", report.longrepr)))
