"""PPO of this product, Stable-Baselines3 and CleanRL on MiniGrid's partial view: equal steps, settings and networks, in turns.

    bench_ppo.py CLEANRL_PPO_PY [--env MiniGrid-Empty-Random-5x5-v0] [--steps 100000] [--seeds 0,1,2,3,4] [--out FILE]

CLEANRL_PPO_PY is `cleanrl/ppo.py` of the wheel cleanrl 1.2.0, which is run as it is; it speaks gym's old language, which this file
translates to gymnasium's. Needs stable-baselines3 2.9.2, minigrid 3.1.0, tensorboard, and this repository built.
A line of JSON for each run: seconds of learning (imports left out) and the mean return of the episodes that ended in the last tenth of the
steps, as played while learning. Then means, standard errors and medians. One thread each.

Settings are those of the preset `tiny`: 8 environments of 128 steps, minibatches of 256, 4 epochs, Adam 1e-3 falling on a line, discount
0.99, trace 0.95, clips 0.2, entropy 0.01, values 0.5, gradients to 0.5; two tanh layers of 64, for policy and values apart, over every
number of the view as one place in zeros. They end at a tenth of the learning rate here and in Stable-Baselines3, at zero in CleanRL.
"""

import argparse
import contextlib
import io
import json
import os
import re
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path

import gymnasium
import minigrid  # noqa: F401, registers its environments
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS, STEPS_PER_UPDATE = 8, 128
CATEGORIES = (11, 6, 3)


class OneHotView(gymnasium.ObservationWrapper):
    """Cells of object, colour and state, and the direction, each one place in a list of zeros."""

    def __init__(self, env):
        super().__init__(env)
        sizes = np.array(CATEGORIES * 49 + (4,))
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.observation_space = gymnasium.spaces.Box(0, 1, (int(sizes.sum()),), np.float32)

    def observation(self, observation):
        row = np.zeros(self.observation_space.shape, np.float32)
        row[self.starts + np.append(observation["image"].reshape(-1), observation["direction"])] = 1
        return row


def environment(env_id):
    return OneHotView(gymnasium.make(env_id))


def last_tenth(episodes, steps):
    """episodes: (steps made when it ended, return)"""
    returns = [value for at, value in episodes if at > 0.9 * steps]
    return statistics.fmean(returns)


def run_stable_baselines(env_id, steps, seed):
    vector = DummyVecEnv([lambda: Monitor(environment(env_id)) for _ in range(ENVIRONMENTS)])
    model = PPO(
        "MlpPolicy",
        vector,
        learning_rate=lambda left: 1e-3 * (0.1 + 0.9 * left),
        n_steps=STEPS_PER_UPDATE,
        batch_size=256,
        n_epochs=4,
        gamma=0.99,
        gae_lambda=0.95,
        clip_range=0.2,
        clip_range_vf=0.2,
        ent_coef=0.01,
        vf_coef=0.5,
        max_grad_norm=0.5,
        policy_kwargs={"net_arch": [64, 64]},
        seed=seed,
        device="cpu",
    )
    episodes = []

    def note(found, _):
        for info in found["infos"]:
            if "episode" in info:
                episodes.append((model.num_timesteps, info["episode"]["r"]))
        return True

    began = time.perf_counter()
    model.learn(steps, callback=note)
    return time.perf_counter() - began, last_tenth(episodes, steps)


class OldEnvironment:
    """gym 0.23's words for a gymnasium environment."""

    def __init__(self, env_id):
        self.env = environment(env_id)
        self.action_space, self.observation_space = self.env.action_space, self.env.observation_space
        self.first_seed = None

    def seed(self, seed):
        self.first_seed = seed

    def reset(self):
        observation, _ = self.env.reset(seed=self.first_seed)
        self.first_seed, self.total, self.length = None, 0.0, 0
        return observation

    def step(self, action):
        observation, reward, terminated, truncated, _ = self.env.step(action)
        self.total, self.length = self.total + reward, self.length + 1
        done = terminated or truncated
        info = {"episode": {"r": self.total, "l": self.length}} if done else {}
        return self.reset() if done else observation, reward, done, info


class OldVector:
    def __init__(self, makers):
        self.environments = [make() for make in makers]
        self.single_action_space = self.environments[0].action_space
        self.single_observation_space = self.environments[0].observation_space

    def reset(self):
        return np.stack([each.reset() for each in self.environments])

    def step(self, actions):
        observations, rewards, done, info = zip(*(e.step(a) for e, a in zip(self.environments, actions)))
        return np.stack(observations), np.array(rewards), np.array(done), info

    def close(self):
        pass


def old_gym():
    gym = types.ModuleType("gym")
    gym.make = OldEnvironment
    gym.spaces = gymnasium.spaces
    gym.vector = types.SimpleNamespace(SyncVectorEnv=OldVector)
    gym.wrappers = types.SimpleNamespace(RecordEpisodeStatistics=lambda env: env)
    return gym


def run_cleanrl(program, env_id, steps, seed):
    sys.modules["gym"] = old_gym()
    sys.argv = ["ppo.py", "--env-id", env_id, "--total-timesteps", str(steps), "--seed", str(seed)]
    sys.argv += ["--learning-rate", "1e-3", "--num-envs", str(ENVIRONMENTS), "--num-steps", str(STEPS_PER_UPDATE)]
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        began = time.perf_counter()
        runpy.run_path(program, run_name="__main__")
        seconds = time.perf_counter() - began
    found = re.findall(r"global_step=(\d+), episodic_return=([-\d.e]+)", printed.getvalue())
    return seconds, last_tenth([(int(at), float(value)) for at, value in found], steps)


def run_ours(env_id, steps, seed):
    with tempfile.TemporaryDirectory() as folder:
        program = ROOT / "tools/dist/small-ppo/main.js"
        flags = ["--env", env_id, "--env-steps", str(steps), "--seeds", str(seed), "--episodes", "1"]
        made = subprocess.run(
            ["node", program, folder, *flags, "--verbose", "--json"], capture_output=True, text=True, check=True
        )
    lines = [json.loads(line) for line in made.stderr.splitlines() if line.startswith("{")]
    late = [line for line in lines if line["environment_steps"] > 0.9 * steps]
    episodes = sum(line["episodes"] for line in late)
    mean = sum(line["mean_return"] * line["episodes"] for line in late if line["episodes"]) / episodes
    return json.loads(made.stdout)[0]["seconds"], mean


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cleanrl", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--env", default="MiniGrid-Empty-Random-5x5-v0")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--seeds", default="0,1,2,3,4")
    parser.add_argument("--out")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    runs = {
        "ours": run_ours,
        "stable-baselines3": run_stable_baselines,
        "cleanrl": lambda *rest: run_cleanrl(options.cleanrl, *rest),
    }
    results = {name: [] for name in runs}
    for seed in map(int, options.seeds.split(",")):
        for name, run in runs.items():
            seconds, value = run(options.env, options.steps, seed)
            results[name].append((seconds, value))
            line = {"library": name, "env": options.env, "seed": seed, "seconds": round(seconds, 1), "return": round(value, 4)}
            print(json.dumps(line), flush=True)
            if options.out:
                with open(options.out, "a") as file:
                    file.write(json.dumps(line) + "\n")
    for name, found in results.items():
        seconds, returns = zip(*found)
        error = statistics.stdev(returns) / len(returns) ** 0.5 if len(returns) > 1 else float("nan")
        print(
            f"{name}: median {statistics.median(seconds):.1f} s, {options.steps / statistics.median(seconds):.0f} steps/s, "
            f"return {statistics.fmean(returns):.4f} ± {error:.4f}"
        )


main()
