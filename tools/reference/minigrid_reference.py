"""What the published package MiniGrid 3.1.0 does, for comparison: a line of JSON is answered by a line of JSON.

    pip install minigrid==3.1.0
    python tools/reference/minigrid_reference.py < requests

{"id", "seed", "actions": "0213…", "maxSteps": null or n, "tileSize": n, "highlight": bool}
    plays the actions from `reset(seed)` on, `reset()` after each end, and answers {"steps": […]}: for the reset and each action
    (after an end: of the step, then of the reset) "observation:frame:outcome", each the first eight hex digits of a SHA-256 of
    image bytes (column, row, channel) + direction byte + mission; RGB bytes; reward as float64, little-endian + a byte of
    1 if terminated + 2 if truncated.
{"id", "bench": steps, "frames": bool}
    takes random steps, resetting after each end, and answers {"seconds"}.

Without standard input in mind: `--fixture OUT` reads {"walks": […requests…]} from standard input and writes it with "digest" added to
each walk, the first sixteen hex digits of a SHA-256 of its steps joined by blanks.
"""

import argparse
import hashlib
import json
import random
import struct
import sys
import time

import gymnasium
import minigrid  # registers the ids


def digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()[:8]


def make(request):
    options = {"tile_size": request.get("tileSize", 32), "highlight": request.get("highlight", True)}
    if request.get("maxSteps"):
        options["max_steps"] = request["maxSteps"]
    return gymnasium.make(request["id"], render_mode="rgb_array", **options).unwrapped


def seen(environment, observation, outcome: bytes) -> str:
    direction = bytes([int(observation["direction"])])
    words = digest(observation["image"].tobytes(), direction, observation["mission"].encode())
    return f"{words}:{digest(environment.render().tobytes())}:{digest(outcome)}"


def play(request):
    environment = make(request)
    observation, _ = environment.reset(seed=int(request["seed"]))
    steps = [seen(environment, observation, b"")]
    for action in request["actions"]:
        observation, reward, terminated, truncated, _ = environment.step(int(action))
        steps.append(seen(environment, observation, struct.pack("<dB", reward, terminated + 2 * truncated)))
        if terminated or truncated:
            observation, _ = environment.reset()
            steps.append(seen(environment, observation, b""))
    return {"steps": steps}


def bench(request):
    environment = make(request)
    actions = random.Random(0).choices(range(7), k=request["bench"])
    environment.reset(seed=0)
    start = time.perf_counter()
    for action in actions:
        _, _, terminated, truncated, _ = environment.step(action)
        if request["frames"]:
            environment.render()
        if terminated or truncated:
            environment.reset()
    return {"seconds": time.perf_counter() - start}


def write_fixture(path: str) -> None:
    walks = json.load(sys.stdin)["walks"]
    for walk in walks:
        walk["digest"] = hashlib.sha256(" ".join(play(walk)["steps"]).encode()).hexdigest()[:16]
    lines = ",\n".join(json.dumps(walk) for walk in walks)
    with open(path, "w") as file:
        file.write(f'{{\n"minigrid": "{minigrid.__version__}",\n"walks": [\n{lines}\n]}}\n')


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixture")
    path = parser.parse_args().fixture
    if path:
        write_fixture(path)
        return
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(bench(request) if "bench" in request else play(request)), flush=True)


main()
