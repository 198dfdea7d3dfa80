"""Writes advantages and returns of Stable-Baselines3's RolloutBuffer on random numbers with ends and limits of steps.

    pip install stable-baselines3==2.9.2
    python tools/reference/write_rollouts.py

At a limit of steps SB3's collect_rollouts adds γ V(last observation) to the reward before it stores the step as an end.
"""

import json
from pathlib import Path

import gymnasium
import numpy as np
import torch
from stable_baselines3.common.buffers import RolloutBuffer

FILE = Path(__file__).resolve().parents[2] / "packages" / "rollout" / "fixtures" / "sb3-rollouts.json"
CASES = [
    # name, steps, environments, discount, trace, shares of terminated and truncated steps
    ("no end", 6, 1, 0.99, 0.95, 0.0, 0.0),
    ("ends", 8, 3, 0.9, 0.95, 0.3, 0.0),
    ("limits", 8, 3, 0.99, 0.8, 0.0, 0.3),
    ("ends and limits", 12, 4, 0.97, 0.9, 0.2, 0.2),
    ("undiscounted, whole returns", 7, 2, 1.0, 1.0, 0.2, 0.2),
]


def main():
    generator = np.random.default_rng(7)
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps([case(generator, *each) for each in CASES]) + "\n")


def case(generator, name, steps, environments, discount, trace, terminated_share, truncated_share):
    shape = (steps, environments)
    numbers = lambda *of: np.round(generator.normal(size=of), 3).astype(np.float32)
    rewards, values, final_values = numbers(*shape), numbers(*shape), numbers(*shape)
    next_values = numbers(environments)
    terminated = generator.random(shape) < terminated_share
    truncated = (generator.random(shape) < truncated_share) & ~terminated
    buffer = RolloutBuffer(
        steps, gymnasium.spaces.Discrete(2), gymnasium.spaces.Discrete(2),
        gae_lambda=trace, gamma=discount, n_envs=environments,
    )
    starts = np.ones(environments)
    zeros = np.zeros((environments, 1))
    for step in range(steps):
        reward = rewards[step] + discount * final_values[step] * truncated[step]
        buffer.add(zeros, zeros, reward, starts, torch.tensor(values[step]), torch.zeros(environments))
        starts = terminated[step] | truncated[step]
    buffer.compute_returns_and_advantage(torch.tensor(next_values), starts)
    of_steps = {
        "rewards": rewards, "values": values, "terminated": terminated.astype(int),
        "truncated": truncated.astype(int), "final_values": final_values, "next_values": next_values,
    }
    listed = {key: np.round(value.astype(np.float64), 3).tolist() for key, value in of_steps.items()}
    return {
        "name": name, "discount": discount, "trace": trace, "environments": environments, "steps": listed,
        "advantages": np.round(buffer.advantages.astype(np.float64), 6).tolist(),
        "returns": np.round(buffer.returns.astype(np.float64), 6).tolist(),
    }


if __name__ == "__main__":
    main()
