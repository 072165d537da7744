"""pytest --zetl-gpu[=DEVICE]: the tests run on the emulated GPU.

The device is there before any conftest.py is imported. Workers of pytest-xdist do the same for themselves.

With --zetl-check or --zetl-coverage, zetl runs pytest a second time, below `zetl check` or `zetl coverage`, which sees all
processes of the tests. This pytest only waits for it.
"""
import os
import subprocess
import sys

import pytest

import ze_tools_layer

_BELOW_ZETL = "_ZE_TOOLS_LAYER_PYTEST"  # set in the environment of the pytest that zetl runs


def pytest_addoption(parser):
    group = parser.getgroup("ze-tools-layer")
    group.addoption("--zetl-gpu", nargs="?", const="", default=None, metavar="DEVICE",
                    help="run the tests on ze-tools-layer's emulated GPU; DEVICE is a profile, such as small or b580")
    group.addoption("--zetl-check", nargs="?", const="", default=None, metavar="KINDS",
                    help="find mistakes in kernels, as `zetl check` does; KINDS is a list, such as memory,race")
    group.addoption("--zetl-coverage", default=None, metavar="FILE",
                    help="write which lines of kernels the tests executed, as `zetl coverage -o FILE` does")
    group.addoption("--zetl-fail", action="append", default=[], metavar="RULE",
                    help="let calls fail on purpose, as `zetl run --fail RULE` does, such as "
                         "'zeMemAllocDevice:3=OUT_OF_DEVICE_MEMORY'; may be repeated")


def _zetl():
    return str(ze_tools_layer.prefix() / "bin" / "zetl")


def _require_gpu(options):
    """The other options mean nothing without the emulated GPU."""
    if options.zetl_gpu is not None:
        return
    for name, value in (("--zetl-check", options.zetl_check), ("--zetl-coverage", options.zetl_coverage),
                        ("--zetl-fail", options.zetl_fail or None)):
        if value is not None:
            raise pytest.UsageError(f"{name} needs the emulated GPU: add --zetl-gpu={ze_tools_layer.DEFAULT_DEVICE}")


def _let_fail(rules):
    if not rules:
        return
    asked = [word for rule in rules for word in ("--fail", rule)]
    answer = subprocess.run([_zetl(), "env", *asked], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if answer.returncode:
        raise pytest.UsageError(answer.stderr.strip().removeprefix("zetl: ").replace("--fail", "--zetl-fail", 1))
    os.environ["ZETL_FAIL"] = ";".join(rules)


def _command(options):
    """What runs pytest again; empty if nothing has to."""
    command = []
    if options.zetl_check is not None:
        command += [_zetl(), "check", *(["--kinds", options.zetl_check] if options.zetl_check else []), "--"]
    if options.zetl_coverage is not None:
        command += [_zetl(), "coverage", "-o", options.zetl_coverage, "--"]
    return command


def _run_again(config, options):
    command = _command(options)
    if not command or _BELOW_ZETL in os.environ:
        return
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is not None:
        capture.suspend_global_capture(in_=True)
    done = subprocess.run([*command, sys.executable, "-m", "pytest", *config.invocation_params.args],
                          env={**os.environ, _BELOW_ZETL: "1"}, check=False)
    raise SystemExit(done.returncode if done.returncode >= 0 else 128 - done.returncode)


def _refuse_path(option, value, what, example):
    """An option whose value may be left out takes the next word for it."""
    if value and os.path.exists(value) and not value.endswith(".yaml"):
        raise pytest.UsageError(f"{option} {value}: that is a path, not {what}; write {option}={example} {value}")


def _enable(device):
    if device is None:
        return
    _refuse_path("--zetl-gpu", device, "a device", ze_tools_layer.DEFAULT_DEVICE)
    try:
        ze_tools_layer.enable(device or None)
    except (RuntimeError, ValueError) as refusal:
        raise pytest.UsageError(f"--zetl-gpu: {refusal}") from None


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    options = early_config.known_args_namespace
    if not hasattr(options, "zetl_gpu"):
        return
    _refuse_path("--zetl-check", options.zetl_check, "a list of kinds", "memory,race")
    _require_gpu(options)
    _let_fail(options.zetl_fail)
    _run_again(early_config, options)
    _enable(options.zetl_gpu)


def pytest_configure(config):
    config.addinivalue_line("markers", "zetl_gpu: the test needs the emulated GPU and is skipped without --zetl-gpu")
    _enable(config.getoption("--zetl-gpu"))


def pytest_collection_modifyitems(config, items):
    if config.getoption("--zetl-gpu") is not None:
        return
    for item in items:
        if item.get_closest_marker("zetl_gpu"):
            item.add_marker(pytest.mark.skip(reason="needs the emulated GPU: pytest --zetl-gpu"))
