"""MPICH between two ranks, from and to memory of the device that Level Zero gave: the program is both ranks (mpiexec -n 2)."""

import ctypes
import os
import sys

import numpy

from comparison import Comparison

WORLD, BYTE, NO_STATUS = 0x44000000, 0x4C00010D, 1  # MPICH's own values
ELEMENTS = 100_000


class Device:
    """Memory of the first Level Zero device, and copies to and from it."""

    def __init__(self):
        self.ze = ctypes.CDLL("libze_loader.so.1")
        self._call("zeInit", 0)
        self.driver = self._first("zeDriverGet")
        self.device = self._first("zeDeviceGet", self.driver)
        self.context = ctypes.c_void_p()
        self._call("zeContextCreate", self.driver, self._description(0xD), ctypes.byref(self.context))
        self.list = ctypes.c_void_p()
        queue = self._description(0xE)
        queue[7] = 1  # synchronous
        self._call("zeCommandListCreateImmediate", self.context, self.device, queue, ctypes.byref(self.list))

    def memory(self, values):
        found = ctypes.c_void_p()
        self._call("zeMemAllocDevice", self.context, self._description(0x15), ctypes.c_size_t(values.nbytes), ctypes.c_size_t(64),
                   self.device, ctypes.byref(found))
        self._copy(found, values.ctypes.data_as(ctypes.c_void_p), values.nbytes)
        return found

    def values(self, memory, like):
        there = numpy.empty_like(like)
        self._copy(there.ctypes.data_as(ctypes.c_void_p), memory, there.nbytes)
        return there

    def _copy(self, to, source, size):
        self._call("zeCommandListAppendMemoryCopy", self.list, to, source, ctypes.c_size_t(size), None, 0, None)

    @staticmethod
    def _description(kind):
        words = (ctypes.c_uint32 * 16)()
        words[0] = kind
        return words

    def _first(self, function, *owner):
        count, found = ctypes.c_uint32(1), ctypes.c_void_p()
        self._call(function, *owner, ctypes.byref(count), ctypes.byref(found))
        return found

    def _call(self, function, *arguments):
        result = getattr(self.ze, function)(*arguments)
        if result:
            raise RuntimeError(f"{function} gave {result:#x}")


class Ranks:
    def __init__(self):
        self.mpi = ctypes.CDLL("libmpich.so.12")
        self._call("MPI_Init", None, None)
        rank = ctypes.c_int()
        self._call("MPI_Comm_rank", WORLD, ctypes.byref(rank))
        self.rank = rank.value

    def send(self, memory, size):
        self._call("MPI_Send", memory, size, BYTE, 1 - self.rank, 7, WORLD)

    def receive(self, memory, size):
        self._call("MPI_Recv", memory, size, BYTE, 1 - self.rank, 7, WORLD, ctypes.c_void_p(NO_STATUS))

    def end(self):
        self._call("MPI_Finalize")

    def _call(self, function, *arguments):
        if getattr(self.mpi, function)(*arguments):
            raise RuntimeError(f"{function} failed")


def sent(kind, ranks, device):
    """What rank 1 has after rank 0 sent it, and sent it back: host memory to the device's or the other way round."""
    values = numpy.arange(ELEMENTS, dtype="i4") * 3
    here, there = values.copy(), numpy.zeros_like(values)
    source = device.memory(here) if kind[ranks.rank] == "device" else None
    target = device.memory(there) if kind[ranks.rank] == "device" else None
    out = source or here.ctypes.data_as(ctypes.c_void_p)
    back = target or there.ctypes.data_as(ctypes.c_void_p)
    if ranks.rank == 0:
        ranks.send(out, values.nbytes)
        ranks.receive(back, values.nbytes)
    else:
        ranks.receive(back, values.nbytes)
        ranks.send(back, values.nbytes)
    return device.values(target, there) if target else there


def main():
    ranks, device = Ranks(), Device()
    comparison = Comparison("mpich") if ranks.rank == 0 else None
    expected = numpy.arange(ELEMENTS, dtype="i4") * 3
    for kind in (("host", "host"), ("device", "host"), ("host", "device"), ("device", "device")):
        found = sent(kind, ranks, device)
        if comparison:
            comparison.step(" to ".join(kind), lambda: found, expected, 0)
    ranks.end()
    if comparison:
        comparison.end()


main()
