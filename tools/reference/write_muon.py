"""Writes six Muon steps of PyTorch on a wide, a tall and a narrow matrix, at changing learning rates.

    python tools/reference/write_muon.py

torch.optim.Muon (torch 2.9.1) orthogonalizes in bfloat16; here its rounding is switched off, so that the steps are those of the formula.
"""

import json
from pathlib import Path

import torch

FILE = Path(__file__).resolve().parents[2] / "packages" / "optim" / "fixtures" / "muon.json"
SHAPES = {"wide": (3, 5), "tall": (6, 4), "row": (1, 7)}
RATES = [1e-3, 1e-3, 5e-4, 0.0, 1e-2, 1e-8]
DECAY = 0.05


def main():
    torch.manual_seed(1)
    torch.Tensor.bfloat16 = lambda tensor: tensor.clone()
    parameters = {name: torch.nn.Parameter(torch.randn(shape, dtype=torch.float64)) for name, shape in SHAPES.items()}
    start = values(parameters)
    optimizer = torch.optim.Muon(parameters.values(), weight_decay=DECAY, adjust_lr_fn="match_rms_adamw")
    steps = []
    for rate in RATES:
        for group in optimizer.param_groups:
            group["lr"] = rate
        for parameter in parameters.values():
            parameter.grad = torch.randn(parameter.shape, dtype=torch.float64) * 10.0 ** float(torch.randint(-5, 3, ()))
        gradient = {name: parameter.grad.flatten().tolist() for name, parameter in parameters.items()}
        optimizer.step()
        steps.append({"learning_rate": rate, "gradient": gradient, "after": values(parameters)})
    FILE.write_text(json.dumps({"weight_decay": DECAY, "shapes": SHAPES, "start": start, "steps": steps}) + "\n")


def values(parameters):
    return {name: parameter.detach().flatten().tolist() for name, parameter in parameters.items()}


if __name__ == "__main__":
    main()
