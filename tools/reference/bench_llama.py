"""The benchmark's LLaMA in PyTorch: forward, and forward with the gradient of the embeddings, weights frozen.

Attention is the fused one (F.scaled_dot_product_attention). A process is kept alive: its argument is a model
folder, each line on stdin is a request {"backward": bool, "inputs": FILE} (safetensors with embeddings [B, S, D],
labels [B * S]), and each line on stdout its answer {"ms": M, "loss": L, "gradientNorm": G}.
"""

import json
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file


class Llama:
    """LLaMA from a checkpoint in Hugging Face's naming; all operators are PyTorch's own fused ones."""

    def __init__(self, folder: Path):
        sizes = json.loads((folder / "config.json").read_text())
        self.layers = sizes["num_hidden_layers"]
        self.heads = sizes["num_attention_heads"]
        self.epsilon = sizes["rms_norm_eps"]
        self.weights = load_file(folder / "model.safetensors")
        size = sizes["hidden_size"] // self.heads
        frequencies = 1 / sizes["rope_theta"] ** (torch.arange(0, size, 2, dtype=torch.float32) / size)
        angles = torch.outer(torch.arange(sizes["max_position_embeddings"], dtype=torch.float32), frequencies)
        self.cos = torch.cat([angles.cos()] * 2, -1)
        self.sin = torch.cat([angles.sin()] * 2, -1)

    def linear(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.weights[f"model.{name}.weight"])

    def norm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(x, x.shape[-1:], self.weights[f"model.{name}.weight"], self.epsilon)

    def rotate(self, x: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2, -1)
        length = x.shape[-2]
        return x * self.cos[:length] + torch.cat([-second, first], -1) * self.sin[:length]

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def layer(self, index: int, x: torch.Tensor) -> torch.Tensor:
        prefix = f"layers.{index}"
        seen = self.norm(f"{prefix}.input_layernorm", x)
        query, key, value = (self.split(self.linear(f"{prefix}.self_attn.{n}_proj", seen)) for n in "qkv")
        mixed = F.scaled_dot_product_attention(self.rotate(query), self.rotate(key), value, is_causal=True)
        x = x + self.linear(f"{prefix}.self_attn.o_proj", mixed.transpose(1, 2).flatten(2))
        seen = self.norm(f"{prefix}.post_attention_layernorm", x)
        gate = F.silu(self.linear(f"{prefix}.mlp.gate_proj", seen))
        return x + self.linear(f"{prefix}.mlp.down_proj", gate * self.linear(f"{prefix}.mlp.up_proj", seen))

    def loss(self, embeddings: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        x = embeddings
        for index in range(self.layers):
            x = self.layer(index, x)
        logits = F.linear(self.norm("norm", x), self.weights["lm_head.weight"])
        return F.cross_entropy(logits.flatten(0, 1), labels, reduction="sum")


def answer(model: Llama, inputs: dict[str, torch.Tensor], is_backward: bool) -> dict:
    embeddings = inputs["embeddings"].clone().requires_grad_(is_backward)
    start = time.perf_counter()
    with torch.set_grad_enabled(is_backward):
        loss = model.loss(embeddings, inputs["labels"])
        if is_backward:
            loss.backward()
    milliseconds = 1000 * (time.perf_counter() - start)
    norm = {"gradientNorm": embeddings.grad.norm().item()} if is_backward else {}
    return {"ms": milliseconds, "loss": loss.item(), **norm}


def main() -> None:
    model = Llama(Path(sys.argv[1]))
    files: dict[str, dict[str, torch.Tensor]] = {}
    for line in sys.stdin:
        request = json.loads(line)
        file = request["inputs"]
        if file not in files:
            files[file] = load_file(file)
        print(json.dumps(answer(model, files[file], request["backward"])), flush=True)


if __name__ == "__main__":
    main()
