"""One DPO update as published, in PyTorch: vision model and Q-Former for every sample, policy and reference on the chosen
and on the rejected answers (four forward and two backward passes), logits at every position, AdamW on the projection.

    bench_update.py MODEL_FOLDER SAMPLES_FOLDER

SAMPLES_FOLDER holds `samples.json` (token ids of prompts and answers, settings) and `samples.safetensors`
(`pixel_values` and both projections). A process is kept alive: each line on stdin is a request, {} for an update or
{"calibrate": true} to choose the fastest number of threads, each line on stdout its answer.
Operators are PyTorch's fused ones: F.scaled_dot_product_attention, F.rms_norm, F.cross_entropy, AdamW(fused=True).
Rows are padded on the right, so that a causal mask is all that attention needs.
"""

import json
import os
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file


def load_weights(folder: Path) -> dict[str, torch.Tensor]:
    return {name: value for file in sorted(folder.glob("model*.safetensors")) for name, value in load_file(file).items()}


def heads(x: torch.Tensor, count: int) -> torch.Tensor:
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def merged(x: torch.Tensor) -> torch.Tensor:
    return x.transpose(1, 2).flatten(2)


class Network:
    """A part of the model: its sizes, and its weights by name."""

    def __init__(self, sizes: dict, weights: dict[str, torch.Tensor]):
        self.sizes, self.weights = sizes, weights

    def linear(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias"))

    def layer_norm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return F.layer_norm(x, x.shape[-1:], weight, bias, self.sizes["layer_norm_eps"])


class Vision(Network):
    def __call__(self, pixel_values: torch.Tensor) -> torch.Tensor:
        place = "vision_model.embeddings"
        weight, bias = (self.weights[f"{place}.patch_embedding.{part}"] for part in ("weight", "bias"))
        patches = F.conv2d(pixel_values, weight, bias, stride=self.sizes["patch_size"]).flatten(2).transpose(1, 2)
        first = self.weights[f"{place}.class_embedding"].expand(len(patches), -1, -1)
        x = torch.cat([first, patches], 1) + self.weights[f"{place}.position_embedding"]
        for index in range(self.sizes["num_hidden_layers"]):
            x = self.layer(f"vision_model.encoder.layers.{index}", x)
        return self.layer_norm("vision_model.post_layernorm", x)

    def layer(self, name: str, x: torch.Tensor) -> torch.Tensor:
        seen = self.linear(f"{name}.self_attn.qkv", self.layer_norm(f"{name}.layer_norm1", x))
        mixed = F.scaled_dot_product_attention(*(heads(part, self.sizes["num_attention_heads"]) for part in seen.chunk(3, -1)))
        x = x + self.linear(f"{name}.self_attn.projection", merged(mixed))
        inner = F.gelu(self.linear(f"{name}.mlp.fc1", self.layer_norm(f"{name}.layer_norm2", x)))
        return x + self.linear(f"{name}.mlp.fc2", inner)


class QFormer(Network):
    """Without text."""

    def __call__(self, image: torch.Tensor) -> torch.Tensor:
        x = self.layer_norm("qformer.embeddings.layernorm", self.weights["query_tokens"]).expand(len(image), -1, -1)
        for index in range(self.sizes["num_hidden_layers"]):
            name = f"qformer.encoder.layer.{index}"
            x = self.attend(f"{name}.attention", x, x)
            if index % self.sizes["cross_attention_frequency"] == 0:
                x = self.attend(f"{name}.crossattention", x, image)
            inner = F.gelu(self.linear(f"{name}.intermediate_query.dense", x))
            x = self.layer_norm(f"{name}.output_query.LayerNorm", self.linear(f"{name}.output_query.dense", inner) + x)
        return x

    def attend(self, name: str, x: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        sources = {"query": x, "key": other, "value": other}
        count = self.sizes["num_attention_heads"]
        parts = (heads(self.linear(f"{name}.attention.{part}", source), count) for part, source in sources.items())
        mixed = merged(F.scaled_dot_product_attention(*parts))
        return self.layer_norm(f"{name}.output.LayerNorm", self.linear(f"{name}.output.dense", mixed) + x)


class Llama(Network):
    def __init__(self, sizes: dict, weights: dict[str, torch.Tensor]):
        super().__init__(sizes, weights)
        self.heads = sizes["num_attention_heads"]
        size = sizes.get("head_dim", sizes["hidden_size"] // self.heads)
        frequencies = 1 / sizes.get("rope_theta", 10000) ** (torch.arange(0, size, 2, dtype=torch.float32) / size)
        angles = torch.outer(torch.arange(sizes["max_position_embeddings"], dtype=torch.float32), frequencies)
        self.cos = torch.cat([angles.cos()] * 2, -1)
        self.sin = torch.cat([angles.sin()] * 2, -1)

    def norm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(x, x.shape[-1:], self.weights[f"language_model.model.{name}.weight"], self.sizes["rms_norm_eps"])

    def rotate(self, x: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2, -1)
        length = x.shape[-2]
        return x * self.cos[:length] + torch.cat([-second, first], -1) * self.sin[:length]

    def layer(self, index: int, x: torch.Tensor) -> torch.Tensor:
        name = f"language_model.model.layers.{index}"
        seen = self.norm(f"layers.{index}.input_layernorm", x)
        query, key, value = (heads(self.linear(f"{name}.self_attn.{part}_proj", seen), self.heads) for part in "qkv")
        mixed = F.scaled_dot_product_attention(self.rotate(query), self.rotate(key), value, is_causal=True)
        x = x + self.linear(f"{name}.self_attn.o_proj", merged(mixed))
        seen = self.norm(f"layers.{index}.post_attention_layernorm", x)
        gate = F.silu(self.linear(f"{name}.mlp.gate_proj", seen))
        return x + self.linear(f"{name}.mlp.down_proj", gate * self.linear(f"{name}.mlp.up_proj", seen))

    def mean_log_probabilities(self, visual: torch.Tensor, rows: dict[str, torch.Tensor]) -> torch.Tensor:
        """[B]; `ids` [B, T], `labels` [B, Nq + T − 1] with −100 where there is none."""
        x = torch.cat([visual, F.embedding(rows["ids"], self.weights["language_model.model.embed_tokens.weight"])], 1)
        for index in range(self.sizes["num_hidden_layers"]):
            x = self.layer(index, x)
        logits = self.linear("language_model.lm_head", self.norm("norm", x))[:, :-1]
        losses = F.cross_entropy(logits.flatten(0, 1), rows["labels"].flatten(), reduction="none")
        return -losses.view_as(rows["labels"]).sum(1) / (rows["labels"] != -100).sum(1)


class Update:
    def __init__(self, model: Path, samples: Path):
        config = json.loads((model / "config.json").read_text())
        weights = load_weights(model)
        self.settings = json.loads((samples / "samples.json").read_text())
        tensors = load_file(samples / "samples.safetensors")
        self.pixel_values = tensors["pixel_values"]
        self.vision = Vision({"layer_norm_eps": 1e-6, **config["vision_config"]}, weights)
        self.qformer = QFormer({"layer_norm_eps": 1e-12, **config["qformer_config"]}, weights)
        self.llama = Llama(config["text_config"], weights)
        name = "language_projection"
        self.policy = [tensors[f"policy.{name}.{part}"].requires_grad_() for part in ("weight", "bias")]
        self.reference = [tensors[f"reference.{name}.{part}"] for part in ("weight", "bias")]
        self.batches = [self.batch(config["num_query_tokens"], which) for which in ("chosen", "rejected")]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": self.policy[:1], "weight_decay": self.settings["weightDecay"]},
                {"params": self.policy[1:], "weight_decay": 0.0},
            ],
            lr=self.settings["learningRate"], betas=self.settings["betas"], eps=self.settings["epsilon"], fused=True,
        )

    def batch(self, queries: int, which: str) -> dict[str, torch.Tensor]:
        pairs = self.settings["pairs"]
        width = max(len(pair["prompt"]) + len(pair[which]) for pair in pairs)
        fill = lambda row, value: row + [value] * (width - len(row))
        ids = [fill(pair["prompt"] + pair[which], 0) for pair in pairs]
        labels = [[-100] * (queries - 1) + fill([-100] * len(pair["prompt"]) + pair[which], -100) for pair in pairs]
        return {"ids": torch.tensor(ids), "labels": torch.tensor(labels)}

    def loss(self) -> torch.Tensor:
        with torch.no_grad():
            # rounded as features are that are stored, so that both compute the same
            features = self.qformer(self.vision(self.pixel_values)).half().float()
            visual = F.linear(features, *self.reference)
            reference = [self.llama.mean_log_probabilities(visual, batch) for batch in self.batches]
        visual = F.linear(features, *self.policy)
        policy = [self.llama.mean_log_probabilities(visual, batch) for batch in self.batches]
        difference = (policy[0] - policy[1]) - (reference[0] - reference[1])
        beta, mix_ratio = self.settings["beta"], self.settings["mixRatio"]
        return (-F.logsigmoid(beta * difference) - mix_ratio * policy[0]).mean()

    def __call__(self) -> dict:
        start = time.perf_counter()
        self.optimizer.zero_grad()
        loss = self.loss()
        loss.backward()
        self.optimizer.step()
        milliseconds = 1000 * (time.perf_counter() - start)
        squares = sum(parameter.grad.square().sum() for parameter in self.policy)
        return {"ms": milliseconds, "loss": loss.item(), "gradientNorm": squares.sqrt().item()}

    def calibrate(self) -> dict:
        """The parameters stay what they are: only the loss and its gradient are computed."""
        times = {}
        for threads in {os.cpu_count(), max(1, os.cpu_count() // 2)}:
            torch.set_num_threads(threads)
            self.loss().backward()
            start = time.perf_counter()
            self.loss().backward()
            times[threads] = time.perf_counter() - start
        threads = min(times, key=times.get)
        torch.set_num_threads(threads)
        return {"threads": threads}


def main() -> None:
    update = Update(Path(sys.argv[1]), Path(sys.argv[2]))
    for line in sys.stdin:
        answer = update.calibrate() if json.loads(line).get("calibrate") else update()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
