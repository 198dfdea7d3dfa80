"""Compares GGUF files with model folders, tensor by tensor and bit by bit.

    python tools/reference/check_gguf.py import FILE.gguf FOLDER     # after emac model import
    python tools/reference/check_gguf.py export FOLDER FILE.gguf     # after emac model export

Import: every tensor is what the `gguf` package dequantizes, rounded once where the folder has float16. Export: every tensor has the bytes
that the package's own `quantize` gives, and transformers loads the file with the values that these bytes stand for.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
import transformers
from gguf import GGUFReader, GGMLQuantizationType as Type, dequantize, quantize
from safetensors import safe_open

TOP = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
LAYER = {
    "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm", "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}


def folder_name(name):
    module, kind = name.rsplit(".", 1)
    if module in TOP:
        return f"{TOP[module]}.{kind}"
    _, layer, rest = module.split(".")
    return f"model.layers.{layer}.{LAYER[rest]}.{kind}"


class File:
    def __init__(self, path):
        self.path = Path(path)
        self.reader = GGUFReader(path)
        self.architecture = self.field("general.architecture")
        self.tensors = [tensor for tensor in self.reader.tensors if tensor.name != "rope_freqs.weight"]

    def field(self, key):
        return self.reader.fields[key].contents() if key in self.reader.fields else None

    def heads(self, name):
        """Heads whose rows stand interleaved, or None."""
        if self.architecture != "llama":
            return None
        heads = self.field("llama.attention.head_count")
        if ".attn_q." in name:
            return heads
        return (self.field("llama.attention.head_count_kv") or heads) if ".attn_k." in name else None

    def restored(self, tensor):
        """Values in a folder's order."""
        weights, heads = dequantize(tensor.data, tensor.tensor_type), self.heads(tensor.name)
        if not heads:
            return weights
        return weights.reshape(heads, len(weights) // heads // 2, 2, *weights.shape[1:]).swapaxes(1, 2).reshape(weights.shape)


def folder_tensors(folder):
    index = Path(folder, "model.safetensors.index.json")
    files = set(json.loads(index.read_text())["weight_map"].values()) if index.exists() else ["model.safetensors"]
    tensors = {}
    for name in files:
        with safe_open(Path(folder, name), "pt") as file:
            tensors.update({key: file.get_tensor(key) for key in file.keys()})
    return tensors


def same(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == np.ascontiguousarray(b).tobytes()


def check_import(path, folder):
    file, tensors, wrong = File(path), folder_tensors(folder), []
    for tensor in file.tensors:
        found = tensors.pop(folder_name(tensor.name)).numpy()
        if not same(found, file.restored(tensor).astype(found.dtype)):
            wrong.append(tensor.name)
    return len(file.tensors), wrong + list(tensors)


def check_export(folder, path):
    file, tensors, wrong = File(path), folder_tensors(folder), []
    for tensor in file.tensors:
        weights, heads = tensors[folder_name(tensor.name)].float().numpy(), file.heads(tensor.name)
        if heads:
            weights = weights.reshape(heads, 2, len(weights) // heads // 2, *weights.shape[1:]).swapaxes(1, 2).reshape(weights.shape)
        if tensor.data.tobytes() != np.ascontiguousarray(quantize(np.ascontiguousarray(weights), tensor.tensor_type)).tobytes():
            wrong.append(tensor.name)
    if file.architecture != "qwen3" or file.field("qwen3.attention.key_length") == 128:
        # transformers 4.57.1 takes 128 for the size of a head of Qwen3, whatever the file says
        wrong += transformers_differences(file)
    return len(file.tensors), wrong


def transformers_differences(file):
    model = transformers.AutoModelForCausalLM.from_pretrained(
        file.path.parent, gguf_file=file.path.name, dtype=torch.float32
    )
    state = model.state_dict()
    return [
        f"transformers: {tensor.name}"
        for tensor in file.tensors
        if not same(state[folder_name(tensor.name)].numpy(), file.restored(tensor))
    ]


def main():
    how, source, target = sys.argv[1:]
    count, wrong = check_import(source, target) if how == "import" else check_export(source, target)
    print(f"{target}: {count} tensors, {len(wrong)} differ {' '.join(wrong[:5])}".rstrip())
    sys.exit(1 if wrong else 0)


main()
