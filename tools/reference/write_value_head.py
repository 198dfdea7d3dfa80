"""Value heads in PyTorch: values and gradients, for packages/model/src/value-head.test.ts.

python write_value_head.py; it writes packages/model/fixtures/value-head.safetensors.

Three heads: n → h → h → 1 with biases, the same without, and n → 1. Of each: parameters as `nn.Sequential(Linear, ReLU, …)` named
`value_head` has them, states, slopes ∂loss/∂value, values, and the gradients of Σ slope · value.
"""

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

CASES = {"deep": (24, [16, 8], True), "without bias": (24, [16, 8], False), "single": (24, [], True)}


def case(width, hidden, bias):
    sizes = [width, *hidden, 1]
    layers = []
    for inner, outer in zip(sizes, sizes[1:]):
        layers += [nn.Linear(inner, outer, bias=bias), nn.ReLU()]
    module = nn.Module()
    module.value_head = nn.Sequential(*layers[:-1])
    states = torch.randn(7, width, requires_grad=True)
    slopes = torch.randn(7)
    values = module.value_head(states)[:, 0]
    (values * slopes).sum().backward()
    yield from ((f"parameter.{name}", each.detach()) for name, each in module.named_parameters())
    yield from ((f"gradient.{name}", each.grad) for name, each in module.named_parameters())
    yield from [("states", states.detach()), ("slopes", slopes), ("values", values.detach())]
    yield "gradient.states", states.grad


torch.manual_seed(0)
tensors = {f"{name}/{key}": value.contiguous() for name, of in CASES.items() for key, value in case(*of)}
folder = Path(__file__).parents[2] / "packages/model/fixtures"
folder.mkdir(exist_ok=True)
save_file(tensors, folder / "value-head.safetensors")
