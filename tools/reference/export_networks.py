"""Writes small networks as PyTorch exports them, with what PyTorch computes on them, for the importer of `graph`.

    python tools/reference/export_networks.py packages/onnx-import/src/fixtures

Needs torch, onnx, onnxscript and safetensors. Each NAME.onnx has a NAME.safetensors beside it: `input:*` what is fed,
`output:*` what comes out, `seed:*` random factors of the outputs, `gradient:*` the gradient of sum(seed * output)
with respect to inputs and to the initializers of that name.
"""

import argparse
import warnings
from pathlib import Path

import numpy
import onnx
import onnx.numpy_helper
import torch
from safetensors.torch import save_file
from torch import nn

torch.backends.mha.set_fastpath_enabled(False)
warnings.filterwarnings("ignore")


def mlp():
    return nn.Sequential(nn.Linear(6, 10), nn.GELU(), nn.LayerNorm(10), nn.Linear(10, 8), nn.SiLU(), nn.Linear(8, 3), nn.LogSoftmax(-1))


class ConvolutionNet(nn.Module):
    """Strides, padding (with arithmetic on the shape), groups, batch norm, both poolings, a residual connection."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(2, 4, 3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(4)
        self.depthwise = nn.Conv2d(4, 4, 3, padding=1, groups=4)
        self.pointwise = nn.Conv2d(4, 4, 1)
        self.head = nn.Linear(4 * 4 + 4, 5)
        nn.init.normal_(self.norm.running_mean)
        nn.init.uniform_(self.norm.running_var, 0.5, 2)
        nn.init.normal_(self.norm.weight, 1, 0.2)

    def forward(self, x):
        x = nn.functional.pad(x, (1, 0, x.shape[1] - 2, 1))
        x = torch.relu(self.norm(self.stem(x)))
        x = x + nn.functional.hardswish(self.pointwise(self.depthwise(x)))
        pooled = nn.functional.max_pool2d(x, 2).flatten(1)
        small = nn.functional.avg_pool2d(pooled.view(-1, 4, 2, 2), 2).flatten(1)
        return self.head(torch.cat([pooled, small + x.mean((2, 3))], 1)).softmax(-1)


class TemporalNet(nn.Module):
    """1D convolutions, dilated and transposed, with a free length."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(3, 6, 3, padding=2, dilation=2, bias=False)
        self.norm = nn.InstanceNorm1d(6, affine=True)
        self.second = nn.Conv1d(6, 6, 3, groups=2, padding=1)
        self.up = nn.ConvTranspose1d(6, 2, 4, stride=2, padding=1)

    def forward(self, x):
        x = nn.functional.elu(self.norm(self.first(x)))
        return self.up(nn.functional.leaky_relu(self.second(x), 0.1)).tanh()


class Encoder(nn.Module):
    """Token ids to an encoder layer of the library, with positions and a padding mask."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(11, 8)
        self.positions = nn.Parameter(torch.randn(16, 8))
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, activation="gelu", batch_first=True)
        for norm in (self.layer.norm1, self.layer.norm2):
            nn.init.normal_(norm.weight, 1, 0.1)  # equal parameters are written once
            nn.init.normal_(norm.bias)

    def forward(self, ids, extra):
        x = self.tokens(ids) + self.positions[: ids.shape[1]] + extra
        return self.layer(x, src_key_padding_mask=ids == 0)[:, 0]


class OwnAttention(nn.Module):
    """Attention written by hand: fused projection, chunk, heads by view, causal mask by where."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        batch, length, width = x.shape
        heads = [part.view(batch, length, 2, width // 2).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)]
        scores = heads[0] @ heads[1].transpose(-1, -2) / (width // 2) ** 0.5
        causal = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        weights = scores.masked_fill(~causal, float("-inf")).softmax(-1)
        mixed = (weights @ heads[2]).transpose(1, 2).reshape(batch, length, width)
        return self.out(mixed).pow(2).mean(1), mixed.amax(1)


def record(model, feeds, path):
    """What PyTorch computes: outputs, seeds, gradients of the floating inputs and of the parameters that the file has."""
    names = [value.name for value in onnx.load(path).graph.output]
    for feed in feeds.values():
        feed.requires_grad_(feed.is_floating_point())
    results = model(*feeds.values())
    results = results if isinstance(results, tuple) else (results,)
    seeds = [torch.randn_like(result) for result in results]
    sum((seed * result).sum() for seed, result in zip(seeds, results)).backward()
    tensors = {f"input:{name}": feed for name, feed in feeds.items()}
    tensors |= {f"output:{name}": result for name, result in zip(names, results)}
    tensors |= {f"seed:{name}": seed for name, seed in zip(names, seeds)}
    tensors |= {f"gradient:{name}": feed.grad for name, feed in feeds.items() if feed.grad is not None}
    tensors |= {f"gradient:{name}": p.grad for name, p in model.named_parameters() if is_stored(name, p, path)}
    return {name: tensor.detach().contiguous().clone() for name, tensor in tensors.items()}


def is_stored(name, parameter, path):
    """Exporters fold batch norms into weights and transpose others: those are no parameters of the network any more."""
    stored = {tensor.name: onnx.numpy_helper.to_array(tensor, path.parent) for tensor in onnx.load(path).graph.initializer}
    return name in stored and numpy.array_equal(stored[name], parameter.detach().numpy())


def write(folder, name, job):
    model, feeds = job["model"].eval(), job["feeds"]
    outputs = job.get("outputs", ["y"])
    options = {"input_names": list(feeds), "output_names": outputs, "opset_version": job["opset"]}
    path = folder / f"{name}.onnx"
    if job.get("dynamo"):
        torch.onnx.export(model, tuple(feeds.values()), path, dynamo=True, dynamic_shapes=job.get("dynamic"), external_data=False, verbose=False, **options)
    else:
        torch.onnx.export(model, tuple(feeds.values()), path, dynamo=False, dynamic_axes=job.get("dynamic"), **options)
    strip(path, job.get("external"))
    save_file(record(model, {key: make() for key, make in job["run"].items()}, path), folder / f"{name}.safetensors")


def strip(path, external):
    """Leaves out what says how the file was made (stack traces, metadata): fixtures stay small and say nothing of a machine."""
    proto = onnx.load(path)
    proto.doc_string = ""
    del proto.metadata_props[:]
    for part in [proto.graph, *proto.graph.node, *proto.graph.input, *proto.graph.output, *proto.graph.value_info, *proto.graph.initializer]:
        part.doc_string = ""
        del part.metadata_props[:]
    if external:
        onnx.save(proto, path, save_as_external_data=True, location=external, size_threshold=64)
    else:
        onnx.save(proto, path)


def jobs():
    batch, length = torch.export.Dim("batch", min=2), torch.export.Dim("length", min=2, max=16)
    ids = lambda: torch.tensor([[3, 7, 1, 10, 2], [5, 4, 0, 0, 0]])
    return {
        "mlp": {"model": mlp(), "opset": 18, "dynamo": True, "dynamic": ({0: batch},), "feeds": {"x": torch.randn(2, 6)}, "run": {"x": lambda: torch.randn(4, 6)}},
        "mlp-external": {"model": mlp(), "opset": 20, "dynamic": {"x": {0: "N", 1: "M"}}, "external": "weights/mlp.bin", "feeds": {"x": torch.randn(2, 3, 6)}, "run": {"x": lambda: torch.randn(4, 2, 6)}},
        "convolution": {"model": ConvolutionNet(), "opset": 11, "dynamic": {"x": {0: "batch"}}, "feeds": {"x": torch.randn(2, 2, 8, 8)}, "run": {"x": lambda: torch.randn(3, 2, 8, 8)}},
        "convolution-dynamo": {"model": ConvolutionNet(), "opset": 21, "dynamo": True, "feeds": {"x": torch.randn(3, 2, 8, 8)}, "run": {"x": lambda: torch.randn(3, 2, 8, 8)}},
        "temporal": {"model": TemporalNet(), "opset": 13, "dynamic": {"x": {0: "batch", 2: "length"}}, "feeds": {"x": torch.randn(2, 3, 7)}, "run": {"x": lambda: torch.randn(2, 3, 6)}},
        "encoder": {
            "model": Encoder(), "opset": 17, "dynamic": {"ids": {0: "batch"}, "extra": {0: "batch"}},
            "feeds": {"ids": ids()[[0, 1, 0]], "extra": torch.randn(3, 5, 8)}, "run": {"ids": ids, "extra": lambda: torch.randn(2, 5, 8)},
        },
        "encoder-dynamo": {
            "model": Encoder(), "opset": 18, "dynamo": True, "dynamic": ({0: batch, 1: length}, {0: batch, 1: length}),
            "feeds": {"ids": ids()[:, :4], "extra": torch.randn(2, 4, 8)}, "run": {"ids": ids, "extra": lambda: torch.randn(2, 5, 8)},
        },
        "attention": {
            "model": OwnAttention(), "opset": 14, "outputs": ["y", "peak"], "dynamic": {"x": {0: "batch", 1: "length"}},
            "feeds": {"x": torch.randn(2, 4, 8)}, "run": {"x": lambda: torch.randn(3, 5, 8)},
        },
        "attention-dynamo": {
            "model": OwnAttention(), "opset": 20, "dynamo": True, "outputs": ["y", "peak"], "dynamic": ({0: batch, 1: length},),
            "feeds": {"x": torch.randn(2, 4, 8)}, "run": {"x": lambda: torch.randn(3, 5, 8)},
        },
    }


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    folder = arguments.parse_args().folder
    (folder / "weights").mkdir(parents=True, exist_ok=True)
    torch.manual_seed(20)
    for name, job in jobs().items():
        write(folder, name, job)
        operators = sorted({node.op_type for node in onnx.load(folder / f"{name}.onnx", load_external_data=False).graph.node})
        print(name, (folder / f"{name}.onnx").stat().st_size, *operators)


if __name__ == "__main__":
    main()
