"""llama.cpp's SYCL backend by cyllama: a model of some thousand random weights, made here, and NumPy's own llama beside it."""

import os
import sys
import tempfile

import gguf
import numpy
from cyllama.llama import llama_cpp

from comparison import Comparison

TOKENS, WIDTH, LAYERS, HEADS, HIDDEN = 64, 64, 2, 4, 128
EPSILON, BASE = 1e-5, 10000.0
PROMPT = [1, 7, 33, 20, 7, 50, 63, 2, 9]


def weights():
    """The tensors of a llama, by GGUF's names; matrices are rows of outputs."""
    draw = numpy.random.RandomState(5)
    matrix = lambda rows, columns: (draw.randn(rows, columns) / numpy.sqrt(columns)).astype("f4")
    found = {"token_embd": matrix(TOKENS, WIDTH), "output": matrix(TOKENS, WIDTH), "output_norm": numpy.ones(WIDTH, "f4")}
    for layer in range(LAYERS):
        shapes = {"attn_q": (WIDTH, WIDTH), "attn_k": (WIDTH, WIDTH), "attn_v": (WIDTH, WIDTH), "attn_output": (WIDTH, WIDTH),
                  "ffn_gate": (HIDDEN, WIDTH), "ffn_up": (HIDDEN, WIDTH), "ffn_down": (WIDTH, HIDDEN)}
        for name, shape in shapes.items():
            found[f"blk.{layer}.{name}"] = matrix(*shape)
        for name in ("attn_norm", "ffn_norm"):
            found[f"blk.{layer}.{name}"] = (1 + 0.1 * draw.randn(WIDTH)).astype("f4")
    return found


def write(path, tensors):
    file = gguf.GGUFWriter(path, "llama")
    file.add_context_length(256)
    file.add_embedding_length(WIDTH)
    file.add_block_count(LAYERS)
    file.add_feed_forward_length(HIDDEN)
    file.add_head_count(HEADS)
    file.add_layer_norm_rms_eps(EPSILON)
    file.add_rope_dimension_count(WIDTH // HEADS)
    file.add_rope_freq_base(BASE)
    file.add_vocab_size(TOKENS)
    file.add_tokenizer_model("no_vocab")
    for name, values in tensors.items():
        file.add_tensor(f"{name}.weight", values)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def normalised(x, scale):
    return x / numpy.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON) * scale


def turned(x):
    """Rotary positions: neighbouring elements of each head are a plane."""
    size = x.shape[-1]
    angles = numpy.arange(len(x))[:, None, None] / BASE ** (numpy.arange(0, size, 2) / size)
    even, odd = x[..., 0::2], x[..., 1::2]
    planes = numpy.stack((even * numpy.cos(angles) - odd * numpy.sin(angles), even * numpy.sin(angles) + odd * numpy.cos(angles)), -1)
    return planes.reshape(x.shape)


def expected_logits(tensors, tokens):
    tensors = {name: values.astype("f8") for name, values in tensors.items()}
    x = tensors["token_embd"][tokens]
    hidden = numpy.triu(numpy.full((len(tokens), len(tokens)), -numpy.inf), 1)
    for layer in range(LAYERS):
        of = lambda name: tensors[f"blk.{layer}.{name}"]
        heads = lambda y, name: (y @ of(name).T).reshape(len(tokens), HEADS, -1)
        y = normalised(x, of("attn_norm"))
        query, key, value = turned(heads(y, "attn_q")), turned(heads(y, "attn_k")), heads(y, "attn_v")
        scores = numpy.einsum("ihd,jhd->hij", query, key) / numpy.sqrt(WIDTH / HEADS) + hidden
        shares = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        x = x + numpy.einsum("hij,jhd->ihd", shares, value).reshape(x.shape) @ of("attn_output").T
        y = normalised(x, of("ffn_norm"))
        gate = y @ of("ffn_gate").T
        x = x + (gate / (1 + numpy.exp(-gate)) * (y @ of("ffn_up").T)) @ of("ffn_down").T
    return normalised(x[-1], tensors["output_norm"]) @ tensors["output"].T


class Model:
    def __init__(self, path, layers_on_gpu):
        parameters = llama_cpp.LlamaModelParams()
        parameters.n_gpu_layers = layers_on_gpu
        self.model = llama_cpp.LlamaModel(path, parameters, verbose=False)
        self.settings = llama_cpp.LlamaContextParams()
        self.settings.n_ctx = 256

    def context(self):
        return llama_cpp.LlamaContext(self.model, self.settings, verbose=False)

    def logits(self, tokens):
        """Of the last token, the whole prompt at once."""
        return self._after(self.context(), tokens, 0)

    def written(self, tokens, count):
        """The likeliest tokens that follow, one by one."""
        context, found = self.context(), []
        logits, at = self._after(context, tokens, 0), len(tokens)
        for _ in range(count):
            found.append(int(logits.argmax()))
            logits, at = self._after(context, found[-1:], at), at + 1
        return found

    @staticmethod
    def _after(context, tokens, position):
        batch = llama_cpp.LlamaBatch(n_tokens=len(tokens), embd=0, n_seq_max=1)
        batch.set_batch(tokens, position, False)
        batch.set_last_logits_to_true()
        context.decode(batch)
        return numpy.array(context.get_logits_ith(len(tokens) - 1))


def expected_text(tensors, tokens, count):
    for _ in range(count):
        tokens = tokens + [int(expected_logits(tensors, tokens).argmax())]
    return tokens[-count:]


llama_cpp.disable_logging()
llama_cpp.llama_backend_init()
llama_cpp.ggml_backend_load_all()
comparison = Comparison("cyllama")
print(llama_cpp.ggml_backend_dev_info())
tensors = weights()
with tempfile.TemporaryDirectory() as place:
    path = os.path.join(place, "tiny.gguf")
    write(path, tensors)
    model = Model(path, LAYERS + 1)
    comparison.step("logits", lambda: model.logits(PROMPT), expected_logits(tensors, PROMPT), 1e-3)
    comparison.step("text", lambda: model.written(PROMPT, 12), expected_text(tensors, PROMPT, 12), 0)
comparison.end()
