"""A monitor in Python: Intel's package pyzes beside a process that works on the device. The package opens the system's own
loader by its path.

    pyzes_program.py         the monitor, which starts the other one
    pyzes_program.py load    fills device memory until its standard input ends
"""

import contextlib
import ctypes
import subprocess
import sys
import threading
import time

BYTES = 64 << 20
TIMEOUT = 60  # seconds for a reading to show the load


class Description(ctypes.Structure):
    """The common beginning of descriptors, and as many zeros as the longest of those here has members."""

    _fields_ = [("stype", ctypes.c_uint32), ("next", ctypes.c_void_p), ("members", ctypes.c_uint32 * 5)]


CONTEXT, QUEUE, DEVICE_MEMORY = 0xD, 0xE, 0x15
SYNCHRONOUS = 1
COMPUTE = 1 << 1  # of zes_engine_type_flags_t, which the package does not name


def load():
    """Works with the core's functions, on an immediate list of the compute engine."""
    loader = ctypes.CDLL("libze_loader.so.1")

    def call(name, *arguments):
        result = getattr(loader, name)(*arguments)
        if result:
            raise RuntimeError(f"{name} gave {result:#x}")

    driver, device, context, queue, memory = (ctypes.c_void_p() for _ in range(5))
    one = ctypes.c_uint32(1)
    call("zeInit", 0)
    call("zeDriverGet", ctypes.byref(one), ctypes.byref(driver))
    call("zeDeviceGet", driver, ctypes.byref(one), ctypes.byref(device))
    call("zeContextCreate", driver, ctypes.byref(Description(CONTEXT)), ctypes.byref(context))
    description = Description(QUEUE)
    description.members[3] = SYNCHRONOUS
    call("zeCommandListCreateImmediate", context, device, ctypes.byref(description), ctypes.byref(queue))
    size = ctypes.c_size_t(BYTES)
    call("zeMemAllocDevice", context, ctypes.byref(Description(DEVICE_MEMORY)), size, ctypes.c_size_t(64), device,
         ctypes.byref(memory))
    pattern = ctypes.c_uint32(7)
    print("ready", flush=True)
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    while not ended.is_set():
        call("zeCommandListAppendMemoryFill", queue, memory, ctypes.byref(pattern), ctypes.c_size_t(4), size, None, 0, None)


if sys.argv[1:] == ["load"]:
    load()
    sys.exit(0)

import pyzes

from comparison import Comparison


def checked(name, *arguments):
    result = getattr(pyzes, name)(*arguments)
    if result:
        raise RuntimeError(f"{name} gave {result:#x}")


def listed(name, kind, parent, stype=None):
    """The handles or structures of a function that counts and then fills."""
    count = ctypes.c_uint32(0)
    checked(name, *parent, ctypes.byref(count), None)
    found = (kind * count.value)()
    for each in found if stype else ():
        each.stype = stype
    checked(name, *parent, ctypes.byref(count), found)
    return list(found[:count.value])


class Monitor:
    def __init__(self):
        checked("zesInit", 0)
        driver = listed("zesDriverGet", pyzes.zes_driver_handle_t, ())[0]
        self.devices = listed("zesDeviceGet", pyzes.zes_device_handle_t, (driver,))
        self.device = self.devices[0]

    def compute(self):
        """Active and total microseconds of the engines that compute."""
        for engine in listed("zesDeviceEnumEngineGroups", pyzes.zes_engine_handle_t, (self.device,)):
            properties = pyzes.zes_engine_properties_t()
            properties.stype = pyzes.ZES_STRUCTURE_TYPE_ENGINE_PROPERTIES
            checked("zesEngineGetProperties", engine, ctypes.byref(properties))
            stats = pyzes.zes_engine_stats_t()
            checked("zesEngineGetActivity", engine, ctypes.byref(stats))
            if properties.type == pyzes.ZES_ENGINE_GROUP_COMPUTE_ALL:
                return stats.activeTime, stats.timestamp
        raise RuntimeError("no engine computes")

    def utilization(self):
        """Percent of a tenth of a second."""
        first = self.compute()
        time.sleep(0.1)
        last = self.compute()
        return 100 * (last[0] - first[0]) / (last[1] - first[1])

    def free(self):
        state = pyzes.zes_mem_state_t()
        state.stype = pyzes.ZES_STRUCTURE_TYPE_MEM_STATE
        memory = listed("zesDeviceEnumMemoryModules", pyzes.zes_mem_handle_t, (self.device,))[0]
        checked("zesMemoryGetState", memory, ctypes.byref(state))
        return state.free

    def process(self, pid):
        all_ = listed("zesDeviceProcessesGetState", pyzes.zes_process_state_t, (self.device,),
                      pyzes.ZES_STRUCTURE_TYPE_PROCESS_STATE)
        return next((each for each in all_ if each.processId == pid), None)


@contextlib.contextmanager
def loaded():
    child = subprocess.Popen([sys.executable, __file__, "load"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    child.stdout.readline()
    yield child.pid
    child.stdin.close()
    child.wait()


def when(condition):
    """Whether it became true in time."""
    end = time.monotonic() + TIMEOUT
    while not condition():
        if time.monotonic() > end:
            return False
    return True


comparison = Comparison("pyzes")
monitor = Monitor()
comparison.step("devices", lambda: len(monitor.devices), 1)
idle = monitor.free()
with loaded() as pid:
    comparison.step("utilization", lambda: when(lambda: monitor.utilization() > 20), True)
    print(f"compute engine: {monitor.utilization():.0f} %, memory in use: {(idle - monitor.free()) >> 20} MiB")
    comparison.step("memory", lambda: idle - monitor.free() >= BYTES, True)
    comparison.step("process's memory", lambda: monitor.process(pid).memSize >= BYTES, True)
    comparison.step("process's engine", lambda: monitor.process(pid).engines, COMPUTE, 0)
comparison.step("the end of the process", lambda: when(lambda: monitor.process(pid) is None), True)
comparison.step("memory afterwards", lambda: monitor.free() == idle, True)
comparison.end()
