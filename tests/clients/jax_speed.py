"""JAX's programs on the GPU beside JAX's on the processor."""

import jax
import jax.numpy as jnp
import numpy

from times import Table


def layer(weights, x):
    return jnp.tanh(x @ weights)


def loss(weights, x, y):
    return jnp.mean((layer(weights, x) - y) ** 2)


def train(weights, x, y):
    return weights - 0.1 * jax.grad(loss)(weights, x, y)


def convolve(image, kernel):
    return jax.lax.conv(image, kernel, (1, 1), "SAME")


draw = numpy.random.RandomState(0)
square = draw.rand(1024, 1024).astype("f4")
small = draw.rand(256, 256).astype("f4")
programs = {
    "product and softmax, 1,024": (lambda a: jax.nn.softmax(a @ a), (square,)),
    "transposition and sums, 1,024": (lambda a: jnp.cumsum(a.T, axis=0), (square,)),
    "sort of 1 M float32": (jnp.sort, (square.reshape(-1),)),
    "gelu and sum, 1,024": (lambda a: jax.nn.gelu(a) + a, (square,)),
    "convolution, 16 x 64 x 64, 3 x 3": (convolve, (draw.rand(1, 16, 64, 64).astype("f4"), draw.rand(16, 16, 3, 3).astype("f4"))),
    "training step, 256": (train, (small, small, small)),
}


def on(device, function, arguments):
    there = [jax.device_put(argument, device) for argument in arguments]
    compiled = jax.jit(function)
    return lambda: compiled(*there).block_until_ready()


table = Table(f"JAX {jax.__version__}", "JAX's CPU")
for name, (function, arguments) in programs.items():
    table.row(name, on(jax.devices()[0], function, arguments), on(jax.devices("cpu")[0], function, arguments))
