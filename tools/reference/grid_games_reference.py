"""What the published FrozenLake does, for comparison: a line of JSON is answered by a line of JSON.

    pip install gymnasium==1.4.0
    python tools/reference/grid_games_reference.py < requests

{"game": "frozen-lake", "id", "arguments": {…}, "random": size or null, "seed", "actions": "0213…", "maxSteps": null or n}
    plays the actions from `reset(seed)` on, `reset()` after each end. `arguments` go to `gymnasium.make`; `random` draws a map of that size
    by the seed.

The answer is {"steps": […]}: for the reset and each action (after an end: of the step, then of the reset) the first eight hex digits of a
SHA-256 of numbers (int32, then float64, little-endian) and the text. Numbers of FrozenLake: state, terminated + 2 · truncated; reward and
probability. The text is RAGEN's.

With `--fixture OUT` standard input is a list of requests, and OUT becomes {"versions": {…}, "digests": […]}: for each request the first
sixteen hex digits of a SHA-256 of its steps joined by blanks. The requests are those of `packages/grid-games/src/walks.test.data.ts`; README.md
has the command.
"""

import argparse
import hashlib
import json
import struct
import sys


def entry(whole, real, text: str) -> str:
    numbers = struct.pack(f"<{len(whole)}i{len(real)}d", *whole, *real)
    return hashlib.sha256(numbers + text.encode()).hexdigest()[:8]


# ---- FrozenLake


def make_lake(request):
    import gymnasium
    from gymnasium.envs.toy_text.frozen_lake import generate_random_map

    arguments = dict(request["arguments"])
    if request["random"]:
        arguments["desc"] = generate_random_map(size=request["random"], seed=request["seed"])
    if request["maxSteps"]:
        arguments["max_episode_steps"] = request["maxSteps"]
    return gymnasium.make(request["id"], **arguments)


def lake_text(environment) -> str:
    lake = environment.unwrapped
    rows = []
    for y, row in enumerate(lake.desc.astype(str)):
        shown = ["".join({"S": "_", "F": "_", "H": "O", "G": "G"}[cell] for cell in row)][0]
        x = lake.s - y * len(row)
        if 0 <= x < len(row):
            shown = shown[:x] + {"S": "P", "F": "P", "H": "X", "G": "√"}[row[x]] + shown[x + 1 :]
        rows.append(shown)
    return "\n".join(rows)


def play_lake(request):
    environment = make_lake(request)

    def begin(**seed):
        state, info = environment.reset(**seed)
        return entry([state, 0], [0, info["prob"]], lake_text(environment))

    steps = [begin(seed=request["seed"])]
    for action in request["actions"]:
        state, reward, terminated, truncated, info = environment.step(int(action))
        flags = terminated + 2 * truncated
        steps.append(entry([state, flags], [reward, info["prob"]], lake_text(environment)))
        if flags:
            steps.append(begin())
    return steps


# ---- all


plays = {"frozen-lake": play_lake}


def play(request):
    return plays[request["game"]](request)


def versions():
    from importlib.metadata import version

    return {name: version(name) for name in ["gymnasium"]}


def write_fixture(path: str) -> None:
    digests = [hashlib.sha256(" ".join(play(each)).encode()).hexdigest()[:16] for each in json.load(sys.stdin)]
    with open(path, "w") as file:
        json.dump({"versions": versions(), "digests": digests}, file, indent=2)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixture")
    path = parser.parse_args().fixture
    if path:
        write_fixture(path)
        return
    for line in sys.stdin:
        print(json.dumps({"steps": play(json.loads(line))}), flush=True)


main()
