"""How long dpnp's operations take beside NumPy's, in one run, best of several: a benchmark, which `scripts/clients speed` prints.

What was built is kept on disk, so the first call of a second run builds nothing: `first` is that call's time. `processor` is by processor
time, of all threads, which other load on the machine disturbs less.
"""

import sys
import time

import dpnp
import numpy


class Times:
    """The shortest of several calls, in milliseconds: on the clock and of the processor."""

    def __init__(self, operation, repeats):
        self.clock = self.processor = float("inf")
        for _ in range(repeats):
            clock, processor = time.perf_counter(), time.process_time()
            operation()
            self.processor = min(self.processor, 1e3 * (time.process_time() - processor))
            self.clock = min(self.clock, 1e3 * (time.perf_counter() - clock))


def operations():
    draw = numpy.random.RandomState(1)
    million = draw.rand(1_000_000).astype("f4")
    ten_million = draw.rand(10_000_000).astype("f4")
    square = draw.rand(512, 512).astype("f4")
    yield "add of 1 M float32", lambda a: a + a, million
    yield "sum of 10 M float32", lambda a: a.sum(), ten_million
    yield "sort of 1 M float32", lambda a: a.__class__.sort(a.copy()), million
    yield "sin of 1 M float32", lambda a: (dpnp if isinstance(a, dpnp.ndarray) else numpy).sin(a), million
    yield "matmul of 512 x 512 float32", lambda a: a @ a, square
    yield "add of 1 element", lambda a: a + a, million[:1]


def row(name, operation, values, repeats):
    there = dpnp.asarray(values)

    def on_device():
        operation(there)
        there.sycl_queue.wait()

    first, device = Times(on_device, 1), Times(on_device, repeats)
    host = Times(lambda: operation(values), repeats)
    print(f"{name:28} {first.clock:9.1f} {device.clock:9.3f} {host.clock:9.3f} {device.clock / host.clock:8.1f}"
          f" {device.processor / host.processor:10.1f}", flush=True)


print(f"{'dpnp ' + dpnp.__version__ + ', ms':28} {'first':>9} {'emulated':>9} {'NumPy':>9} {'times':>8} {'processor':>10}")
for operation in operations():
    row(*operation, repeats=int(sys.argv[1]) if len(sys.argv) > 1 else 7)
