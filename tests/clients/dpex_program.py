"""Kernels in Python by numba-dpex: element by element, local memory with barriers, private memory, atomics, loops in parallel."""

import dpctl
import dpnp
import numba_dpex as dpex
import numpy
from numba_dpex import kernel_api as kapi

from comparison import Comparison

GROUP = 64


@dpex.kernel
def scale_and_add(item: kapi.Item, a, b, c):
    i = item.get_id(0)
    c[i] = 2 * a[i] + b[i]


@dpex.kernel
def reverse_groups(item: kapi.NdItem, a, c, shared):
    i = item.get_global_id(0)
    j = item.get_local_id(0)
    shared[j] = a[i]
    kapi.group_barrier(item.get_group(), kapi.MemoryScope.WORK_GROUP)
    c[i] = shared[GROUP - 1 - j]


@dpex.kernel
def count(item: kapi.Item, a, counts):
    i = item.get_id(0)
    kapi.AtomicRef(counts, index=a[i]).fetch_add(1)


@dpex.kernel
def powers(item: kapi.Item, a, c):
    i = item.get_id(0)
    own = kapi.PrivateArray(5, dtype=numpy.float32)
    value = a[i]
    for n in range(5):
        own[n] = value
        value = value * a[i]
    total = own[0]
    for n in range(1, 5):
        total = total + own[n]
    c[i] = total


@dpex.dpjit
def smooth(a, c):
    for i in dpex.prange(a.shape[0] - 2):  # from 0: numba-dpex 0.23.0 takes no other beginning
        c[i + 1] = (a[i] + a[i + 1] + a[i + 2]) / 3


def kernels(comparison):
    draw = numpy.random.RandomState(2)
    a, b = draw.rand(2, 4096).astype("f4")
    on_device, other, out = dpnp.asarray(a), dpnp.asarray(b), dpnp.zeros(4096, dtype="f4")

    def after(kernel, extent, *arguments):
        dpex.call_kernel(kernel, extent, *arguments)
        return dpnp.asnumpy(arguments[-1] if kernel is not reverse_groups else arguments[1])

    comparison.step("sum", lambda: after(scale_and_add, kapi.Range(4096), on_device, other, out), 2 * a + b)
    comparison.step("groups", lambda: after(reverse_groups, kapi.NdRange((4096,), (GROUP,)), on_device, out,
                                            kapi.LocalAccessor(GROUP, dtype=out.dtype)),
                    a.reshape(-1, GROUP)[:, ::-1].ravel(), 0)
    comparison.step("powers", lambda: after(powers, kapi.Range(4096), on_device, out), sum(a**n for n in range(1, 6)))
    numbers = draw.randint(0, 10, 4096)
    comparison.step("atomics", lambda: after(count, kapi.Range(4096), dpnp.asarray(numbers), dpnp.zeros(10, dtype="i8")),
                    numpy.bincount(numbers, minlength=10), 0)

    def smoothed():
        result = dpnp.zeros(4096, dtype="f4")
        smooth(on_device, result)
        return dpnp.asnumpy(result)

    expected = numpy.zeros(4096, dtype="f4")
    expected[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
    comparison.step("prange", smoothed, expected)


comparison = Comparison(f"numba-dpex {dpex.__version__}, dpctl {dpctl.__version__}, dpnp {dpnp.__version__}")
kernels(comparison)
comparison.end()
