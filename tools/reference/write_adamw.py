"""Writes six AdamW steps of PyTorch on small tensors of very different gradients, at changing learning rates.

    python tools/reference/write_adamw.py
"""

import json
from pathlib import Path

import torch

FILE = Path(__file__).resolve().parents[2] / "packages" / "optim" / "fixtures" / "adamw.json"
OPTIONS = {"betas": [0.9, 0.999], "epsilon": 1e-8, "weight_decay": 0.05}
RATES = [1e-3, 1e-3, 5e-4, 0.0, 1e-2, 1e-8]


def main():
    torch.manual_seed(1)
    weight, bias = torch.nn.Parameter(torch.randn(4, 3)), torch.nn.Parameter(torch.randn(4))
    start = values(weight, bias)
    optimizer = torch.optim.AdamW(
        [{"params": [weight], "weight_decay": OPTIONS["weight_decay"]}, {"params": [bias], "weight_decay": 0.0}],
        betas=OPTIONS["betas"], eps=OPTIONS["epsilon"],
    )
    steps = []
    for rate in RATES:
        for group in optimizer.param_groups:
            group["lr"] = rate
        # from 1e-7 to 1e2, and now and then none
        scale = lambda shape: 10.0 ** torch.randint(-7, 3, shape) * (torch.rand(shape) < 0.9)
        weight.grad, bias.grad = torch.randn(4, 3) * scale((4, 3)), torch.randn(4) * scale((4,))
        gradient = {"weight": weight.grad.flatten().tolist(), "bias": bias.grad.tolist()}
        optimizer.step()
        steps.append({"learning_rate": rate, "gradient": gradient, "after": values(weight, bias)})
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps({**OPTIONS, "start": start, "steps": steps}) + "\n")


def values(weight, bias):
    return {"weight": weight.detach().flatten().tolist(), "bias": bias.detach().tolist()}


if __name__ == "__main__":
    main()
