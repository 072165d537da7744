"""JAX through its plugin for oneAPI: compiled functions, products of matrices, gradients, sorting, random numbers."""

import jax
import jax.numpy as jnp
import numpy

from comparison import Comparison

comparison = Comparison(f"jax {jax.__version__}")
comparison.step("device", lambda: int(jax.devices()[0].platform != "cpu"), 1)
values = numpy.random.RandomState(1).rand(64, 64).astype("f4") - 0.5
comparison.step("sum", lambda: jnp.sum(jnp.arange(1000.0)), 499_500.0)
comparison.step("jit", lambda: jax.jit(lambda a: jnp.tanh(a @ a) + 1)(values), numpy.tanh(values @ values) + 1)
comparison.step("grad", lambda: jax.grad(lambda a: jnp.sum(a * a * a))(values), 3 * values * values)
comparison.step("sort", lambda: jnp.sort(values.ravel()), numpy.sort(values.ravel()), 0)
drawn = numpy.asarray(jax.random.normal(jax.random.PRNGKey(3), (50_000,)))
comparison.step("normal", lambda: [drawn.mean(), drawn.std()], [0, 1], 0.02)
comparison.end()
