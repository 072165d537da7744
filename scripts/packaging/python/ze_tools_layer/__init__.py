"""ze-tools-layer: run, trace, profile and debug Level Zero, SYCL and OpenCL programs, also without an Intel GPU.

Importing this package changes nothing. The emulated GPU is there for programs started by `zetl run`, after enable(), and in
tests that run with `pytest --zetl-gpu`.
"""
import ctypes
import os
import pathlib
import platform
import subprocess
import sys

_HERE = pathlib.Path(__file__).resolve().parent
_LIB = _HERE / "lib"
_SLOTS = _LIB / "ze-tools-layer"
_LOADER = _SLOTS / "loader" / "libze_loader.so.1"
_ZETL = _HERE / "bin" / "zetl"

DEFAULT_DEVICE = "max1550"

_kept = []  # libraries that enable() opened
_enabled = None  # the device that it was called for

__all__ = ["enable", "is_enabled", "prefix"]


def prefix():
    """The directory that holds bin/zetl, lib/ and include/."""
    return _HERE


def is_enabled():
    """Whether enable() has been called in this process."""
    return _enabled is not None


def _require_usable():
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        raise RuntimeError(f"ze-tools-layer runs on x86-64 Linux, not on {sys.platform} {platform.machine()}")
    # Asked of the C library: the interpreter's file may have been linked statically.
    try:
        ctypes.CDLL(None).gnu_get_libc_version
    except AttributeError:
        raise RuntimeError(
            "ze-tools-layer needs the GNU C library; this system's is another one (musl?). "
            "Use a distribution with glibc, such as Debian or Fedora") from None
    if not _ZETL.exists():
        raise RuntimeError(
            f"{_ZETL} is missing. Either the installation is incomplete (pip install --force-reinstall ze-tools-layer), "
            f"or another directory named ze_tools_layer comes first in sys.path: {_HERE}")


def _loaded(name):
    """The file of a library that this process has loaded, by the beginning of its name."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            path = line.split(maxsplit=5)[-1].strip()
            if os.path.basename(path).startswith(name):
                return path
    return None


def _set_default(name, value):
    if not os.environ.get(name):
        os.environ[name] = value


def _require_device(device):
    """Asks zetl, which knows the profiles; `true` is run on the device, and does nothing."""
    asked = subprocess.run([_ZETL, "run", "--device", str(device), "--", "true"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, check=False)
    if asked.returncode:
        raise ValueError(asked.stdout.strip().removeprefix("zetl: "))


def enable(device=None, layer=True):
    """Gives this process and its children the emulated GPU.

    Call it before Level Zero is initialised, which most packages do when they are imported. `device` is a profile's name,
    such as "small" or "b580", or the path of a .yaml file; without it, ZETL_EMULATED_DEVICE or the default counts.
    `layer=False` leaves out the tools layer. Raises RuntimeError if Level Zero is already loaded, and ValueError, which lists
    the profiles, if there is no such device.
    """
    global _enabled
    _require_usable()
    if _enabled is not None:
        if device not in (None, _enabled):
            raise RuntimeError(f"enable() was called with {_enabled!r} before, and cannot change to {device!r}")
        return
    loader = _loaded("libze_loader.so")
    if loader is not None and loader != str(_LOADER):
        raise RuntimeError(
            f"a Level Zero loader is already in this process ({loader}); call ze_tools_layer.enable() before importing packages "
            "that use the GPU, or start the program with `zetl run -- python ...`")
    wanted = device or os.environ.get("ZETL_EMULATED_DEVICE")
    if wanted:
        _require_device(wanted)
    os.environ["ZE_ENABLE_ALT_DRIVERS"] = str(_LIB / "libze_emulated_gpu.so.1")
    os.environ["OCL_ICD_FILENAMES"] = str(_LIB / "libze_emulated_opencl.so")
    if device:
        os.environ["ZETL_EMULATED_DEVICE"] = str(device)
    _set_default("ONEAPI_DEVICE_SELECTOR", "level_zero:gpu")
    _set_default("ZETL_LOG", "error")
    paths = [_SLOTS / "loader"]
    if layer:
        paths.insert(0, _SLOTS)
        for name in ("ZE_ENABLE_TRACING_LAYER", "ZE_ENABLE_VALIDATION_LAYER"):
            os.environ[name] = "1"
        for name in ("ZET_ENABLE_METRICS", "ZET_ENABLE_PROGRAM_INSTRUMENTATION"):
            _set_default(name, "1")
        # The loader finds layers by these names, here and only then in the search path, which this process has read already.
        for name in ("libze_tracing_layer.so.1", "libze_validation_layer.so.1"):
            _kept.append(ctypes.CDLL(str(_SLOTS / name)))
    _kept.append(ctypes.CDLL(str(_LOADER)))
    _put_first("LD_LIBRARY_PATH", paths)  # for children
    _enabled = device or os.environ.get("ZETL_EMULATED_DEVICE", DEFAULT_DEVICE)


def _put_first(variable, paths):
    wanted = [str(path) for path in paths]
    others = [entry for entry in os.environ.get(variable, "").split(":") if entry and entry not in wanted]
    os.environ[variable] = ":".join(wanted + others)


def main():
    """The command `zetl`: becomes the program of that name in this package."""
    try:
        _require_usable()
    except RuntimeError as refusal:
        print(f"zetl: {refusal}", file=sys.stderr)
        return 1
    # Packages of SYCL's run time put their libraries here, and some of them look nowhere else than in the search path.
    runtime = pathlib.Path(sys.prefix) / "lib"
    if any(runtime.glob("libsycl.so*")):
        old = os.environ.get("LD_LIBRARY_PATH", "")
        if str(runtime) not in old.split(":"):
            os.environ["LD_LIBRARY_PATH"] = f"{old}:{runtime}" if old else str(runtime)
    try:
        os.execv(_ZETL, ["zetl", *sys.argv[1:]])
    except OSError as failure:
        print(f"zetl: {_ZETL}: {failure.strerror}", file=sys.stderr)
        return 126
