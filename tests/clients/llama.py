"""Models of llama.cpp by cyllama: what a GGUF file needs, and tokens in and out."""

from dataclasses import dataclass

import gguf
import numpy
from cyllama.llama import llama_cpp

EPSILON, BASE = 1e-5, 10000.0


@dataclass(frozen=True)
class Shape:
    tokens: int
    width: int
    layers: int
    heads: int
    key_heads: int
    hidden: int

    def matrices(self):
        """Outputs and inputs of each matrix, by GGUF's names."""
        keys = self.width // self.heads * self.key_heads
        of_layer = {"attn_q": (self.width, self.width), "attn_k": (keys, self.width), "attn_v": (keys, self.width),
                    "attn_output": (self.width, self.width), "ffn_gate": (self.hidden, self.width),
                    "ffn_up": (self.hidden, self.width), "ffn_down": (self.width, self.hidden)}
        found = {"token_embd": (self.tokens, self.width), "output": (self.tokens, self.width)}
        for layer in range(self.layers):
            found |= {f"blk.{layer}.{name}": size for name, size in of_layer.items()}
        return found

    def norms(self):
        """The scales of each layer's two norms, by GGUF's names."""
        return [f"blk.{layer}.{name}" for layer in range(self.layers) for name in ("attn_norm", "ffn_norm")]


def write(path, shape, tensors, kind=None):
    """`tensors`: pairs of a name and its values, which are bytes of blocks where they are of type uint8, then of format `kind`."""
    file = gguf.GGUFWriter(path, "llama")
    file.add_context_length(512)
    file.add_embedding_length(shape.width)
    file.add_block_count(shape.layers)
    file.add_feed_forward_length(shape.hidden)
    file.add_head_count(shape.heads)
    file.add_head_count_kv(shape.key_heads)
    file.add_layer_norm_rms_eps(EPSILON)
    file.add_rope_dimension_count(shape.width // shape.heads)
    file.add_rope_freq_base(BASE)
    file.add_vocab_size(shape.tokens)
    file.add_tokenizer_model("no_vocab")
    for name, values in tensors:
        file.add_tensor(f"{name}.weight", values, raw_dtype=kind if values.dtype == numpy.uint8 else None)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def start():
    """Loads the backends, and says which there are."""
    llama_cpp.disable_logging()
    llama_cpp.llama_backend_init()
    llama_cpp.ggml_backend_load_all()
    return llama_cpp.ggml_backend_dev_info()


class Model:
    """All of it on the GPU, or all of it on the processor."""

    def __init__(self, path, on_gpu, threads=4):
        parameters = llama_cpp.LlamaModelParams()
        parameters.n_gpu_layers = 999 if on_gpu else 0
        self.model = llama_cpp.LlamaModel(path, parameters, verbose=False)
        self.settings = llama_cpp.LlamaContextParams()
        self.settings.n_ctx = 512
        self.settings.n_threads = self.settings.n_threads_batch = threads
        self.settings.offload_kqv = self.settings.op_offload = on_gpu

    def context(self):
        return llama_cpp.LlamaContext(self.model, self.settings, verbose=False)


def logits_after(context, tokens, position):
    """Of the last of `tokens`, the first of which is at `position`; all at once."""
    batch = llama_cpp.LlamaBatch(n_tokens=len(tokens), embd=0, n_seq_max=1)
    batch.set_batch(tokens, position, False)
    batch.set_last_logits_to_true()
    context.decode(batch)
    return numpy.array(context.get_logits_ith(len(tokens) - 1))


def written(context, tokens, count):
    """The likeliest tokens that follow, one by one."""
    found = []
    logits, at = logits_after(context, tokens, 0), len(tokens)
    for _ in range(count):
        found.append(int(logits.argmax()))
        logits, at = logits_after(context, found[-1:], at), at + 1
    return found
