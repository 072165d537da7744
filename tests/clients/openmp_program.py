"""OpenMP offload by Intel's run time and its Level Zero plugin: memory of the device, mapped data, target regions.

No package has a compiler that makes such regions for this device: the calls that one makes are made here, of a kernel in OpenCL C.
"""

import ctypes

import numpy

from comparison import Comparison
from spirv import compiled

REGION = "__omp_offloading_twice"
# A region's first argument is its launch's environment; numbers come as pointers. The variable is the run time's.
SOURCE = f"""
global char __omp_spirv_program_data[64] = {{1}};
kernel void {REGION}(global char* environment, global float* values, global char* count) {{
    const long i = get_global_id(0);
    if (i < (long)count) values[i] = 2 * values[i] + 1;
}}
"""
TO, FROM, PARAMETER, LITERAL = 1, 2, 0x20, 0x100  # how an argument is mapped


class Entry(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_uint64), ("version", ctypes.c_uint16), ("kind", ctypes.c_uint16), ("flags", ctypes.c_uint32),
                ("address", ctypes.c_void_p), ("name", ctypes.c_char_p), ("size", ctypes.c_uint64), ("data", ctypes.c_uint64),
                ("auxiliary", ctypes.c_void_p)]


class Image(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("begin", "end", "entries", "entries_end")]


class Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_int32), ("images", ctypes.c_void_p), ("entries", ctypes.c_void_p), ("entries_end", ctypes.c_void_p)]


class Launch(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("count", ctypes.c_uint32), ("bases", ctypes.c_void_p), ("pointers", ctypes.c_void_p),
                ("sizes", ctypes.c_void_p), ("kinds", ctypes.c_void_p), ("names", ctypes.c_void_p), ("mappers", ctypes.c_void_p),
                ("iterations", ctypes.c_uint64), ("flags", ctypes.c_uint64), ("teams", ctypes.c_uint32 * 3),
                ("threads", ctypes.c_uint32 * 3), ("dynamic", ctypes.c_uint32)]


class Offload:
    """The run time, with one image of one region: what a compiled program does before main()."""

    def __init__(self, code):
        ctypes.CDLL("libiomp5.so", mode=ctypes.RTLD_GLOBAL)
        self.runtime = ctypes.CDLL("libomptarget.so", mode=ctypes.RTLD_GLOBAL)
        self.runtime.omp_target_alloc.restype = ctypes.c_void_p
        self.region = ctypes.create_string_buffer(8)  # its address names the region
        self.entry = Entry(0, 1, 1, 0, ctypes.addressof(self.region), REGION.encode(), 0, 0, None)
        self.code = ctypes.create_string_buffer(code, len(code))
        entries = ctypes.addressof(self.entry), ctypes.addressof(self.entry) + ctypes.sizeof(Entry)
        begin = ctypes.addressof(self.code)
        self.image = Image(begin, begin + len(code), *entries)
        self.program = Program(1, ctypes.addressof(self.image), *entries)
        self._call("__tgt_register_requires", ctypes.c_int64(1))
        self._call("__tgt_register_lib", ctypes.byref(self.program))
        self._call("__tgt_init_all_rtls")

    def devices(self):
        return self.runtime.omp_get_num_devices()

    def through_device(self, values):
        """A copy of them, by way of the device's memory."""
        host, size = self.runtime.omp_get_initial_device(), ctypes.c_size_t(values.nbytes)
        there, back, none = self.runtime.omp_target_alloc(size, 0), numpy.zeros_like(values), ctypes.c_size_t(0)
        self._copy(ctypes.c_void_p(there), values.ctypes.data_as(ctypes.c_void_p), size, none, none, 0, host)
        self._copy(back.ctypes.data_as(ctypes.c_void_p), ctypes.c_void_p(there), size, none, none, host, 0)
        self.runtime.omp_target_free(ctypes.c_void_p(there), 0)
        return back

    def run(self, values, threads=64):
        """#pragma omp target map(tofrom: values) of one thread an element."""
        teams = -(-len(values) // threads)
        pointers = (ctypes.c_void_p * 3)(values.ctypes.data, len(values), 0)  # the environment counts as one
        sizes = (ctypes.c_int64 * 3)(values.nbytes, 8, 8)
        kinds = (ctypes.c_int64 * 3)(TO | FROM | PARAMETER, LITERAL | PARAMETER, LITERAL | PARAMETER)
        launch = Launch(3, 3, *(ctypes.addressof(a) for a in (pointers, pointers, sizes, kinds)), None, None, len(values), 0,
                        (teams, 1, 1), (threads, 1, 1), 0)
        if self._call("__tgt_target_kernel", None, ctypes.c_int64(-1), teams, threads, ctypes.byref(self.region), ctypes.byref(launch)):
            raise RuntimeError("the region did not run")
        return values

    def _copy(self, *arguments):
        if self.runtime.omp_target_memcpy(*arguments):
            raise RuntimeError("omp_target_memcpy failed")

    def _call(self, name, *arguments):
        return getattr(self.runtime, name)(*arguments)


offload = Offload(compiled(SOURCE))
comparison = Comparison("openmp")
comparison.step("devices", offload.devices, 1)
whole = numpy.arange(100_000, dtype="i4")
comparison.step("device memory", lambda: offload.through_device(whole), whole, 0)
values = numpy.linspace(-3, 3, 10_001, dtype="f4")
comparison.step("target region", lambda: offload.run(values.copy()), 2 * values + 1, 1e-6)
comparison.step("again", lambda: offload.run(offload.run(values.copy())), 4 * values + 3, 1e-6)
comparison.end()
