"""Names of the Level Zero devices that a program finds, by the loader alone."""
import ctypes

loader = ctypes.CDLL("libze_loader.so.1")


def call(name, *arguments):
    result = getattr(loader, name)(*arguments)
    if result:
        raise SystemExit(f"{name} -> {result:#x}")


def handles(name, *of):
    count = ctypes.c_uint32()
    call(name, *of, ctypes.byref(count), None)
    found = (ctypes.c_void_p * count.value)()
    call(name, *of, ctypes.byref(count), found)
    return [ctypes.c_void_p(each) for each in found]


class Properties(ctypes.Structure):
    """ze_device_properties_t."""
    _fields_ = [("stype", ctypes.c_uint32), ("next", ctypes.c_void_p), ("others", ctypes.c_uint64 * 12), ("name", ctypes.c_char * 256)]


call("zeInit", 0)
for driver in handles("zeDriverGet"):
    for device in handles("zeDeviceGet", driver):
        properties = Properties(stype=3)
        call("zeDeviceGetProperties", device, ctypes.byref(properties))
        print(properties.name.decode())
