"""What the published FrozenLake and Sokoban do, for comparison: a line of JSON is answered by a line of JSON.

    pip install gymnasium==1.4.0 gym-sokoban==0.0.6 "setuptools<81" matplotlib
    python tools/reference/grid_games_reference.py < requests

Sokoban of RAGEN also needs EMAC_RAGEN, the path of `ragen/env/sokoban/utils.py` in a copy of github.com/RAGEN-AI/RAGEN.

{"game": "frozen-lake", "id", "arguments": {…}, "random": size or null, "seed", "actions": "0213…", "maxSteps": null or n}
    plays the actions from `reset(seed)` on, `reset()` after each end. `arguments` go to `gymnasium.make`; `random` draws a map of that size
    by the seed.
{"game": "sokoban", "from": "ragen" or "gym-sokoban", "room": [rows, columns], "boxes", "depth", "seed", "actions", "maxSteps": n}
    plays the actions in the room of the seed. Where no room is found, both streams go on, as in gym-sokoban.

The answer is {"steps": […]}: for the reset and each action (after an end: of the step, then of the reset) the first eight hex digits of a
SHA-256 of numbers (int32, then float64, little-endian) and the text. Numbers of FrozenLake: state, terminated + 2 · truncated; reward and
probability. Of Sokoban: cells, terminated + 2 · truncated, moved_player + 2 · moved_box, and of the reset in RAGEN's rooms with one box the
length of the shortest way, else 0; reward. The text is RAGEN's; Sokoban's is followed by the bytes of the tiny picture, 3 pixels a cell.

With `--fixture OUT` standard input is a list of requests, and OUT becomes {"versions": {…}, "digests": […]}: for each request the first
sixteen hex digits of a SHA-256 of its steps joined by blanks. The requests are those of `packages/grid-games/src/walks.test.data.ts`; README.md
has the command.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import random
import struct
import sys


def entry(whole, real, text: str, picture: bytes = b"") -> str:
    numbers = struct.pack(f"<{len(whole)}i{len(real)}d", *whole, *real)
    return hashlib.sha256(numbers + text.encode() + picture).hexdigest()[:8]


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


# ---- Sokoban


def room_makers():
    from gym_sokoban.envs import room_utils

    makers = {"gym-sokoban": room_utils}
    if os.environ.get("EMAC_RAGEN"):
        spec = importlib.util.spec_from_file_location("ragen_sokoban", os.environ["EMAC_RAGEN"])
        makers["ragen"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(makers["ragen"])
    return makers


def make_room(request, maker):
    import numpy

    random.seed(request["seed"])
    numpy.random.seed(request["seed"])
    arguments = {"dim": tuple(request["room"]), "num_boxes": request["boxes"], "num_steps": int(1.7 * sum(request["room"]))}
    if request["from"] == "ragen":
        arguments["search_depth"] = request["depth"]
    while True:
        try:
            return maker.generate_room(**arguments)[:2]
        except (RuntimeError, RuntimeWarning):
            pass


def play_sokoban(request):
    import numpy
    from gym_sokoban.envs.sokoban_env import SokobanEnv

    maker = room_makers()[request["from"]]
    environment = SokobanEnv(
        dim_room=tuple(request["room"]), max_steps=request["maxSteps"], num_boxes=request["boxes"], reset=False
    )
    environment.room_fixed, environment.room_state = make_room(request, maker)
    environment.player_position = numpy.argwhere(environment.room_state == 5)[0]
    environment.num_env_steps = environment.reward_last = environment.boxes_on_target = 0
    is_ragen = request["from"] == "ragen"

    def seen(whole, reward):
        cells = numpy.where(
            (environment.room_state == 5) & (environment.room_fixed == 2), 6, environment.room_state
        ).astype(int)
        text = "\n".join("".join("#_O√XPS"[cell] for cell in row) for row in cells.tolist())
        picture = environment.get_image("tiny_rgb_array", scale=3).tobytes()
        return entry([*cells.flatten().tolist(), *whole], [reward], text, picture)

    way = []
    if is_ragen and request["boxes"] == 1:
        way = maker.get_shortest_action_path(environment.room_fixed, environment.room_state)
    steps = [seen([0, 0, len(way)], 0)]
    for action in request["actions"]:
        number = int(action) + 1 if is_ragen else int(action)
        _, reward, done, info = environment.step(number, observation_mode="tiny_rgb_array")
        won, cut = environment._check_if_all_boxes_on_target(), environment._check_if_maxsteps()
        assert done == (won or cut)
        moved = info["action.moved_player"] + 2 * info["action.moved_box"]
        steps.append(seen([int(won) + 2 * int(cut), int(moved), 0], reward))
    return steps


# ---- all


plays = {"frozen-lake": play_lake, "sokoban": play_sokoban}


def play(request):
    return plays[request["game"]](request)


def versions():
    from importlib.metadata import version

    return {name: version(name) for name in ["gymnasium", "gym-sokoban"]}


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
