"""OpenCL C by PoCL's driver for Level Zero."""

import numpy
import pyopencl
import pyopencl.array
import pyopencl.clmath

from comparison import Comparison

SOURCE = """
__kernel void block_sums(__global const int* values, __global int* sums, __local int* part) {
    const size_t lane = get_local_id(0);
    part[lane] = values[get_global_id(0)];
    for (size_t count = get_local_size(0) / 2; count > 0; count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < count) part[lane] += part[lane + count];
    }
    if (lane == 0) sums[get_group_id(0)] = part[0];
}
"""


def block_sums(queue, values):
    program = pyopencl.Program(queue.context, SOURCE).build()
    sums = pyopencl.array.zeros(queue, len(values) // 64, "i4")
    source = pyopencl.array.to_device(queue, values)
    program.block_sums(queue, values.shape, (64,), source.data, sums.data, pyopencl.LocalMemory(256))
    return sums.get()


device = [d for p in pyopencl.get_platforms() for d in p.get_devices()][0]
queue = pyopencl.CommandQueue(pyopencl.Context([device]))
comparison = Comparison(f"pyopencl {pyopencl.VERSION_TEXT}, {" ".join(device.platform.version.split()[2:4])}")
comparison.step("device", lambda: int("emulated" in device.name), 1)
whole = numpy.arange(4096, dtype="i4")
comparison.step("local memory and barriers", lambda: block_sums(queue, whole), whole.reshape(-1, 64).sum(axis=1), 0)
values = numpy.linspace(0, 6, 5000, dtype="f4")
there = pyopencl.array.to_device(queue, values)
comparison.step("sum", lambda: pyopencl.array.sum(there).get(), values.sum(), 1e-5)
comparison.step("sin", lambda: pyopencl.clmath.sin(there).get(), numpy.sin(values), 1e-6)
comparison.step("arithmetic", lambda: (there * there + 2).get(), values * values + 2, 1e-6)
comparison.end()
