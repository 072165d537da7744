"""dpnp's operations beside NumPy's."""

import dpnp
import numpy

from times import Table


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


def add_row(table, name, operation, values):
    there = dpnp.asarray(values)

    def on_device():
        operation(there)
        there.sycl_queue.wait()

    table.row(name, on_device, lambda: operation(values))


table = Table(f"dpnp {dpnp.__version__}", "NumPy")
for operation in operations():
    add_row(table, *operation)
