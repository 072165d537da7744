"""llama.cpp's SYCL backend by cyllama: a model of some thousand random weights, made here, and NumPy's own llama beside it."""

import os
import tempfile

import numpy

import llama
from comparison import Comparison

SHAPE = llama.Shape(tokens=64, width=64, layers=2, heads=4, key_heads=4, hidden=128)
PROMPT = [1, 7, 33, 20, 7, 50, 63, 2, 9]


def weights():
    """The tensors of a llama, by GGUF's names; matrices are rows of outputs."""
    draw = numpy.random.RandomState(5)
    found = {name: (draw.randn(*size) / numpy.sqrt(size[1])).astype("f4") for name, size in SHAPE.matrices().items()}
    found |= {name: (1 + 0.1 * draw.randn(SHAPE.width)).astype("f4") for name in SHAPE.norms()}
    return found | {"output_norm": numpy.ones(SHAPE.width, "f4")}


def normalised(x, scale):
    return x / numpy.sqrt((x * x).mean(axis=-1, keepdims=True) + llama.EPSILON) * scale


def turned(x):
    """Rotary positions: neighbouring elements of each head are a plane."""
    size = x.shape[-1]
    angles = numpy.arange(len(x))[:, None, None] / llama.BASE ** (numpy.arange(0, size, 2) / size)
    even, odd = x[..., 0::2], x[..., 1::2]
    planes = numpy.stack((even * numpy.cos(angles) - odd * numpy.sin(angles), even * numpy.sin(angles) + odd * numpy.cos(angles)), -1)
    return planes.reshape(x.shape)


def expected_logits(tensors, tokens):
    tensors = {name: values.astype("f8") for name, values in tensors.items()}
    x = tensors["token_embd"][tokens]
    hidden = numpy.triu(numpy.full((len(tokens), len(tokens)), -numpy.inf), 1)
    for layer in range(SHAPE.layers):
        of = lambda name: tensors[f"blk.{layer}.{name}"]
        heads = lambda y, name: (y @ of(name).T).reshape(len(tokens), SHAPE.heads, -1)
        y = normalised(x, of("attn_norm"))
        query, key, value = turned(heads(y, "attn_q")), turned(heads(y, "attn_k")), heads(y, "attn_v")
        scores = numpy.einsum("ihd,jhd->hij", query, key) / numpy.sqrt(SHAPE.width / SHAPE.heads) + hidden
        shares = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        x = x + numpy.einsum("hij,jhd->ihd", shares, value).reshape(x.shape) @ of("attn_output").T
        y = normalised(x, of("ffn_norm"))
        gate = y @ of("ffn_gate").T
        x = x + (gate / (1 + numpy.exp(-gate)) * (y @ of("ffn_up").T)) @ of("ffn_down").T
    return normalised(x[-1], tensors["output_norm"]) @ tensors["output"].T


def expected_text(tensors, tokens, count):
    for _ in range(count):
        tokens = tokens + [int(expected_logits(tensors, tokens).argmax())]
    return tokens[-count:]


print(llama.start())
comparison = Comparison("cyllama")
tensors = weights()
with tempfile.TemporaryDirectory() as place:
    path = os.path.join(place, "tiny.gguf")
    llama.write(path, SHAPE, tensors.items())
    model = llama.Model(path, on_gpu=True)
    comparison.step("logits", lambda: llama.logits_after(model.context(), PROMPT, 0), expected_logits(tensors, PROMPT), 1e-3)
    comparison.step("text", lambda: llama.written(model.context(), PROMPT, 12), expected_text(tensors, PROMPT, 12), 0)
comparison.end()
