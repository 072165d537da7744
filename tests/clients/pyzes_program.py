"""Sysman from Python: which drivers and devices it names. The package opens the system's own loader by its path."""

import ctypes

import pyzes

from comparison import Comparison


def devices():
    drivers = ctypes.c_uint32(0)
    if pyzes.zesInit(0) or pyzes.zesDriverGet(ctypes.byref(drivers), None) or not drivers.value:
        raise RuntimeError("no driver")
    handles = (pyzes.zes_driver_handle_t * drivers.value)()
    pyzes.zesDriverGet(ctypes.byref(drivers), handles)
    found = ctypes.c_uint32(0)
    result = pyzes.zesDeviceGet(handles[0], ctypes.byref(found), None)
    if result:
        raise RuntimeError(f"zesDeviceGet gave {result:#x}")
    return found.value


comparison = Comparison("pyzes")
comparison.step("devices", devices, 1)
comparison.end()
