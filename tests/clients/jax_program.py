"""JAX through its plugin for oneAPI: compiled functions, products of matrices, gradients, sorting, random numbers,
linear algebra."""

import sys

import jax
import jax.numpy as jnp
import numpy

from comparison import Comparison

DRAW = numpy.random.RandomState(1)
MATRIX = DRAW.rand(24, 24).astype("f4")
POSITIVE = MATRIX @ MATRIX.T + 24 * numpy.eye(24, dtype="f4")


def functions(comparison):
    values = DRAW.rand(64, 64).astype("f4") - 0.5
    comparison.step("device", lambda: int(jax.devices()[0].platform != "cpu"), 1)
    comparison.step("sum", lambda: jnp.sum(jnp.arange(1000.0)), 499_500.0)
    comparison.step("jit", lambda: jax.jit(lambda a: jnp.tanh(a @ a) + 1)(values), numpy.tanh(values @ values) + 1)
    comparison.step("grad", lambda: jax.grad(lambda a: jnp.sum(a * a * a))(values), 3 * values * values)
    comparison.step("vmap", lambda: jax.vmap(lambda row: jnp.dot(row, row))(values), (values * values).sum(axis=1))
    comparison.step("sort", lambda: jnp.sort(values.ravel()), numpy.sort(values.ravel()), 0)
    comparison.step("scan", lambda: jax.lax.scan(lambda a, x: (a + x, a * x), 0.0, values[0])[0], values[0].sum())
    comparison.step("while", lambda: jax.lax.while_loop(lambda x: x < 100, lambda x: 2 * x + 1, 1), 127)
    comparison.step("fft", lambda: jnp.fft.fft(values[0]), numpy.fft.fft(values[0]))
    drawn = numpy.asarray(jax.random.normal(jax.random.PRNGKey(3), (50_000,)))
    comparison.step("normal", lambda: [drawn.mean(), drawn.std()], [0, 1], 0.02)


def linear_algebra(comparison):
    lower = numpy.tril(POSITIVE)
    solved = numpy.linalg.solve(lower, MATRIX)
    comparison.step("triangular", lambda: jax.scipy.linalg.solve_triangular(lower, MATRIX, lower=True), solved)
    comparison.step("cholesky", lambda: jnp.linalg.cholesky(POSITIVE), numpy.linalg.cholesky(POSITIVE))
    comparison.step("solve", lambda: jnp.linalg.solve(POSITIVE, MATRIX), numpy.linalg.solve(POSITIVE, MATRIX))
    comparison.step("inv", lambda: jnp.linalg.inv(POSITIVE), numpy.linalg.inv(POSITIVE))
    comparison.step("det", lambda: jnp.linalg.slogdet(MATRIX)[1], numpy.linalg.slogdet(MATRIX)[1])
    comparison.step("qr", lambda: jnp.abs(jnp.linalg.qr(MATRIX)[1]), numpy.abs(numpy.linalg.qr(MATRIX)[1]))


def eigenvalues(comparison):
    """What the older plugin has no code for (docs/reference/clients.md)."""
    comparison.step("eigh", lambda: jnp.linalg.eigh(POSITIVE)[0], numpy.linalg.eigh(POSITIVE)[0])
    comparison.step("svd", lambda: jnp.linalg.svd(MATRIX, compute_uv=False), numpy.linalg.svd(MATRIX, compute_uv=False))


def bfloat16(comparison):
    """What compiler 22.43 takes for half, unless a library has made the machine code (docs/reference/clients.md)."""
    brain = jnp.asarray(MATRIX, jnp.bfloat16)
    comparison.step("bfloat16", lambda: (brain @ brain).astype("f4"), MATRIX @ MATRIX, 0.01)


comparison = Comparison(f"jax {jax.__version__}")
functions(comparison)
linear_algebra(comparison)
if "openxla" not in sys.argv:
    eigenvalues(comparison)
if "openxla" in sys.argv or "bfloat16" in sys.argv:
    bfloat16(comparison)
comparison.end()
