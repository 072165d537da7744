"""pytest --zetl-gpu[=DEVICE]: the tests run on the emulated GPU.

The device is there before any conftest.py is imported. Workers of pytest-xdist do the same for themselves.
"""
import os

import pytest

import ze_tools_layer


def pytest_addoption(parser):
    group = parser.getgroup("ze-tools-layer")
    group.addoption("--zetl-gpu", nargs="?", const="", default=None, metavar="DEVICE",
                    help="run the tests on ze-tools-layer's emulated GPU; DEVICE is a profile, such as small or b580")


def _enable(device):
    if device is None:
        return
    if os.path.exists(device) and not device.endswith(".yaml"):
        raise pytest.UsageError(f"--zetl-gpu {device}: that is a path, not a device; write --zetl-gpu={ze_tools_layer.DEFAULT_DEVICE} {device}")
    try:
        ze_tools_layer.enable(device or None)
    except (RuntimeError, ValueError) as refusal:
        raise pytest.UsageError(f"--zetl-gpu: {refusal}") from None


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    _enable(getattr(early_config.known_args_namespace, "zetl_gpu", None))


def pytest_configure(config):
    config.addinivalue_line("markers", "zetl_gpu: the test needs the emulated GPU and is skipped without --zetl-gpu")
    _enable(config.getoption("--zetl-gpu"))


def pytest_collection_modifyitems(config, items):
    if config.getoption("--zetl-gpu") is not None:
        return
    for item in items:
        if item.get_closest_marker("zetl_gpu"):
            item.add_marker(pytest.mark.skip(reason="needs the emulated GPU: pytest --zetl-gpu"))
