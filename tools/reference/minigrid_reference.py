"""What the published package MiniGrid 3.1.0 or 3.2.0 does, for comparison: a line of JSON is answered by a line of JSON.

    pip install minigrid==3.2.0
    python tools/reference/minigrid_reference.py < requests

{"id", "seed", "actions": "0213…", "maxSteps": null or n, "tileSize": n, "highlight": bool}
    plays the actions from `reset(seed)` on, `reset()` after each end, and answers {"steps": […]}: for the reset and each action
    (after an end: of the step, then of the reset) "observation:frame:outcome", each the first eight hex digits of a SHA-256 of
    image bytes (column, row, channel) + direction byte + mission; RGB bytes; reward as float64, little-endian + a byte of
    1 if terminated + 2 if truncated. Frames of every third entry only, the first included; nothing stands for the others.
{"id", "bench": steps, "frames": bool}
    takes random steps, resetting after each end, and answers {"seconds"}, of the processor.

With `--fixture OUT` standard input is a list of walks (the first form), and OUT becomes {"minigrid": version, "digests": {id: […]}}: for each
walk the first sixteen hex digits of a SHA-256 of its steps joined by blanks. The walks are those of
`packages/minigrid/src/transcript.test.data.ts`; README.md has the command.
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


def seen(environment, observation, outcome: bytes, number: int) -> str:
    direction = bytes([int(observation["direction"])])
    words = digest(observation["image"].tobytes(), direction, observation["mission"].encode())
    frame = digest(environment.render().tobytes()) if number % 3 == 0 else ""
    return f"{words}:{frame}:{digest(outcome)}"


def play(request):
    environment = make(request)
    observation, _ = environment.reset(seed=int(request["seed"]))
    steps = [seen(environment, observation, b"", 0)]
    for action in request["actions"]:
        observation, reward, terminated, truncated, _ = environment.step(int(action))
        outcome = struct.pack("<dB", reward, terminated + 2 * truncated)
        steps.append(seen(environment, observation, outcome, len(steps)))
        if terminated or truncated:
            observation, _ = environment.reset()
            steps.append(seen(environment, observation, b"", len(steps)))
    return {"steps": steps}


def bench(request):
    environment = make(request)
    environment.reset(seed=0)
    walk(environment, request["bench"] // 10, request["frames"])  # tiles are drawn once for each process
    start = time.process_time()
    walk(environment, request["bench"], request["frames"])
    return {"seconds": time.process_time() - start}


def walk(environment, steps: int, frames: bool) -> None:
    for action in random.Random(0).choices(range(7), k=steps):
        _, _, terminated, truncated, _ = environment.step(action)
        if frames:
            environment.render()
        if terminated or truncated:
            environment.reset()


def write_fixture(path: str) -> None:
    digests = {}
    for walk in json.load(sys.stdin):
        steps = " ".join(play(walk)["steps"])
        digests.setdefault(walk["id"], []).append(hashlib.sha256(steps.encode()).hexdigest()[:16])
    with open(path, "w") as file:
        json.dump({"minigrid": minigrid.__version__, "digests": digests}, file, indent=2)


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
