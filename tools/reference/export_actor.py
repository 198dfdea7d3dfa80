"""Writes an actor with a critic as PyTorch exports one: what `emac train --method ppo --policy FILE.onnx` trains.

    python tools/reference/export_actor.py packages/small-networks/fixtures/actor.onnx

Needs torch, onnx and onnxscript. Its rows are those of gym_cards/NumberLine: two numbers of 0 to 5, each one place in a list of
zeros. Logits and value share a layer.
"""

import sys
from pathlib import Path

import torch
from export_networks import strip
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self, inputs, actions, width=32):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(inputs, width), nn.Tanh())
        self.actor = nn.Linear(width, actions)
        self.critic = nn.Linear(width, 1)
        nn.init.orthogonal_(self.actor.weight, 0.01)

    def forward(self, x):
        shared = self.shared(x)
        return self.actor(shared), self.critic(shared).squeeze(-1)


def main(path):
    torch.manual_seed(1)
    path.parent.mkdir(parents=True, exist_ok=True)
    batch = torch.export.Dim("batch", min=2)
    options = {"input_names": ["x"], "output_names": ["logits", "value"], "opset_version": 18}
    torch.onnx.export(ActorCritic(12, 2), (torch.randn(2, 12),), path, dynamo=True, dynamic_shapes=({0: batch},), external_data=False, verbose=False, **options)
    strip(path, None)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
