"""NumPy's functions on the GPU by dpnp: element by element, reductions, sorting, selection, linear algebra, random numbers."""

import dpctl
import dpctl.memory
import dpnp
import numpy

from comparison import Comparison


def positive_definite(n, kind):
    half = numpy.random.RandomState(n).rand(n, n).astype(kind)
    return half @ half.T + n * numpy.eye(n, dtype=kind)


def elements(comparison):
    values = numpy.linspace(-3, 3, 100_001, dtype="f4")
    device = dpnp.asarray(values)
    for name in ("sin", "exp", "tanh", "square", "floor", "cumsum", "sort", "argsort", "isnan", "signbit"):
        comparison.step(name, lambda: dpnp.asnumpy(getattr(dpnp, name)(device)), getattr(numpy, name)(values))
    for name in ("sum", "mean", "min", "max", "argmax", "std"):
        comparison.step(name, lambda: dpnp.asnumpy(getattr(dpnp, name)(device)), getattr(numpy, name)(values), 1e-3)
    comparison.step("where", lambda: dpnp.asnumpy(dpnp.where(device > 0, device, 1)), numpy.where(values > 0, values, 1), 0)
    comparison.step("boolean index", lambda: dpnp.asnumpy(device[device > 1]), values[values > 1], 0)
    comparison.step("histogram", lambda: dpnp.asnumpy(dpnp.histogram(device, 20)[0]), numpy.histogram(values, 20)[0], 0)
    whole = numpy.arange(20_000) * 7919 % 1009
    comparison.step("unique", lambda: dpnp.asnumpy(dpnp.unique(dpnp.asarray(whole))), numpy.unique(whole), 0)


def layouts(comparison):
    values = numpy.arange(60_000, dtype="f4").reshape(200, 300)
    device = dpnp.asarray(values)
    layout = {
        "steps": lambda a: a[::3, ::7].copy(),
        "transposed steps": lambda a: a.T[5:60:2].copy(),
        "backwards": lambda a: a[:, ::-1].copy(),
        "three dimensions": lambda a: a.reshape(20, 10, 300).transpose(2, 0, 1).copy(),
        "column sums": lambda a: a[::2, 1::3].sum(axis=0),
    }
    for name, make in layout.items():
        comparison.step(name, lambda: dpnp.asnumpy(make(device)), make(values), 1e-6)
    for n in (4, 33, 65):
        comparison.step(f"eye {n}", lambda: dpnp.asnumpy(dpnp.eye(n)), numpy.eye(n), 0)
        comparison.step(f"tril {n}", lambda: dpnp.asnumpy(dpnp.tril(device[:n, :n])), numpy.tril(values[:n, :n]), 0)


def linear_algebra(comparison):
    for kind, tolerance in (("f4", 1e-4), ("f8", 1e-10)):
        for n in (4, 17, 64, 130, 256):
            matrix = positive_definite(n, kind)
            device = dpnp.asarray(matrix)
            comparison.step(f"matmul {kind} {n}", lambda: dpnp.asnumpy(device @ device), matrix @ matrix, tolerance)
            comparison.step(f"cholesky {kind} {n}", lambda: dpnp.asnumpy(dpnp.linalg.cholesky(device)),
                            numpy.linalg.cholesky(matrix), tolerance)
        for n in (4, 17, 32):
            comparison.step(*inverse(f"inv {kind} {n}", positive_definite(n, kind), tolerance))
    draw = numpy.random.RandomState(5)
    for kind in ("f4", "f8", "c8", "c16", "i4"):
        for n in (192, 384, 512):
            products(comparison, draw.randint(0, 4, (2, n, n)).astype(kind))


def products(comparison, pair):
    """Of whole numbers, so that they are exact: oneMKL has kernels of its own for sizes, transposes and a matrix with itself."""
    a, b = pair
    device_a, device_b = dpnp.asarray(a), dpnp.asarray(b)
    forms = {"a b": lambda x, y: x @ y, "a' b": lambda x, y: x.T @ y, "a b'": lambda x, y: x @ y.T, "a a'": lambda x, y: x @ x.T}
    for name, form in forms.items():
        comparison.step(f"{name} {a.dtype} {len(a)}", lambda: dpnp.asnumpy(form(device_a, device_b)), form(a, b), 0)


def inverse(name, matrices, tolerance):
    return name, lambda: dpnp.asnumpy(dpnp.linalg.inv(dpnp.asarray(matrices))), numpy.linalg.inv(matrices), tolerance


def vector_code(comparison):
    """Its loads are of a form that compiler 22.43 refuses as it is (docs/reference/clients.md)."""
    draw = numpy.random.RandomState(3)
    for kind, tolerance in (("f4", 1e-4), ("f8", 1e-10), ("c8", 1e-4), ("c16", 1e-10)):
        for n in (64, 130):
            comparison.step(*inverse(f"inv {kind} {n}", positive_definite(n, kind), tolerance))
        for shape in ((4, 1, 1), (2, 3, 3), (2, 4, 8, 8)):
            imaginary = 1j * draw.rand(*shape) if kind[0] == "c" else 0
            matrices = (draw.rand(*shape) + imaginary + 3 * numpy.eye(shape[-1])).astype(kind)
            comparison.step(*inverse(f"inv {kind} {shape}", matrices, tolerance))
    drawn = dpnp.asnumpy(dpnp.random.gumbel(size=100_000))
    comparison.step("gumbel", lambda: [drawn.mean(), drawn.var()], [0.5772, 1.6449], 0.02)


def transforms(comparison):
    """oneMKL generates OpenCL C for them and has it compiled by the OpenCL device of the same GPU."""
    draw = numpy.random.RandomState(4)
    for kind, tolerance in (("f4", 1e-5), ("f8", 1e-12), ("c8", 1e-5), ("c16", 1e-12)):
        for n in (16, 100, 1000):
            values = draw.rand(n).astype(kind)
            comparison.step(f"fft {kind} {n}", lambda: dpnp.asnumpy(dpnp.fft.fft(dpnp.asarray(values))), numpy.fft.fft(values),
                            tolerance)
    plane = draw.rand(12, 34)
    comparison.step("fft2", lambda: dpnp.asnumpy(dpnp.fft.fft2(dpnp.asarray(plane))), numpy.fft.fft2(plane), 1e-12)
    comparison.step("rfft", lambda: dpnp.asnumpy(dpnp.fft.rfft(dpnp.asarray(plane))), numpy.fft.rfft(plane), 1e-12)


def memory_and_devices(comparison):
    device = dpctl.select_default_device()
    comparison.step("driver", lambda: int("emulated" in device.name), 1)
    words = numpy.random.RandomState(1).bytes(4096)
    shared = dpctl.memory.MemoryUSMShared(4096)
    shared.copy_from_host(numpy.frombuffer(words, "u1"))
    there = dpctl.memory.MemoryUSMDevice(4096)
    there.copy_from_device(shared)
    comparison.step("copies", lambda: numpy.frombuffer(there.copy_to_host(), "u1"), numpy.frombuffer(words, "u1"), 0)
    dpnp.random.seed(7)
    drawn = dpnp.asnumpy(dpnp.random.normal(size=100_000))
    comparison.step("normal", lambda: [drawn.mean(), drawn.std()], [0, 1], 0.02)


comparison = Comparison(f"dpctl {dpctl.__version__}, dpnp {dpnp.__version__}")
for part in (memory_and_devices, elements, layouts, linear_algebra, transforms, vector_code):
    part(comparison)
comparison.end()
