"""llama.cpp's SYCL backend on the GPU beside its own backend for the processor: 1.2 billion random weights, in three formats.

Each model is a file of up to 2.5 GB in the directory for temporary files (TMPDIR), and is loaded twice.
"""

import os
import tempfile
from importlib.metadata import version

import gguf
import numpy

import llama
from times import Table

SHAPE = llama.Shape(tokens=128256, width=2048, layers=16, heads=32, key_heads=8, hidden=8192)
KINDS = (gguf.GGMLQuantizationType.Q4_0, gguf.GGMLQuantizationType.Q8_0, gguf.GGMLQuantizationType.F16)
PROMPT = 128


def matrix(draw, kind, rows, columns):
    """Blocks with one scale each, or halves. What the weights are costs nothing, unless products leave the range of a half."""
    if kind == gguf.GGMLQuantizationType.F16:
        return (draw.integers(-128, 128, (rows, columns), dtype="i2") / numpy.float32(8192)).astype("f2")
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = numpy.frombuffer(draw.bytes(rows * columns // elements * size), "u1").reshape(-1, size).copy()
    blocks[:, :2] = numpy.array([1e-3], "f2").view("u1")
    return blocks.reshape(rows, -1)


def tensors(kind):
    """One by one, so that the file is held once. The embedding is the output's matrix, as in models of this size."""
    draw = numpy.random.default_rng(5)
    for name, size in SHAPE.matrices().items():
        if name != "output":
            yield name, matrix(draw, kind, *size)
    for name in (*SHAPE.norms(), "output_norm"):
        yield name, numpy.ones(SHAPE.width, "f4")


class Reader:
    """Reads the prompt again and again."""

    def __init__(self, model):
        self.context = model.context()

    def __call__(self):
        self.context.kv_cache_clear()
        llama.logits_after(self.context, list(range(PROMPT)), 0)


class Writer:
    """Writes one token more with each call."""

    def __init__(self, reader):
        self.context, self.position = reader.context, PROMPT

    def __call__(self):
        llama.logits_after(self.context, [7], self.position)
        self.position += 1


llama.start()
table = Table(f"llama.cpp, cyllama-sycl {version('cyllama-sycl')}", "its CPU", repeats=3)
with tempfile.TemporaryDirectory() as place:
    for kind in KINDS:
        path = os.path.join(place, f"{kind.name}.gguf")
        llama.write(path, SHAPE, tensors(kind), kind)
        readers = [Reader(llama.Model(path, on_gpu, len(os.sched_getaffinity(0)))) for on_gpu in (True, False)]
        table.row(f"prompt of {PROMPT}, {kind.name}", *readers)
        table.row(f"a token, {kind.name}", *map(Writer, readers))
        del readers
        os.remove(path)
