"""A function that JAX compiles, on its oneAPI device."""
import jax
import jax.numpy as jnp

total = jax.jit(jnp.sum)(jnp.arange(1024, dtype="float32"))
print(jax.devices()[0], "sum", float(total))
