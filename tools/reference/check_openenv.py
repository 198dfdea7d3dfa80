"""Plays `emac env serve ENV --openenv` with the client of PyPI's openenv 0.10.0, and says what differs.

python check_openenv.py URL transcripts TRANSCRIPTS.jsonl.gz  # served: --games GAMES --max-steps 100 --observe text
python check_openenv.py URL walkthroughs GAMES                # served: --eval-on GAMES --max-steps 100 --observe text
python check_openenv.py URL sessions 64                       # any environment: so many sessions at once, in step
python check_openenv.py URL speed 20 SESSIONS [ACTION]        # steps a second in as many seconds; an action in JSON

`serve_openenv.py` serves a Python environment beside which `speed` compares. Ends with 1 where something differs.
"""

import asyncio
import gzip
import json
import sys
import time
from pathlib import Path

import requests
from openenv import GenericEnvClient

URL = sys.argv[1]


def tasks(split):
    name = requests.get(f"{URL}/list_environments").json()[0]
    found = requests.post(f"{URL}/{name}/tasks", json={"split": split}).json()["tasks"]
    return {task["id"]: task["index"] for task in found}


def transcripts(path):
    """Every recorded state: text, admissible commands, done, won. Recordings go on after a win, episodes do not."""
    recorded = {}
    for line in gzip.open(path, "rt"):
        state = json.loads(line)
        recorded.setdefault((state["game"], state["file"], state["episode"]), []).append(state)
    index = tasks("train")
    differ, states = [], 0
    with GenericEnvClient(base_url=URL).sync() as env:
        for (game, file, episode), expected in recorded.items():
            game_id = "/".join(game.split("/")[1:]) + f"@{file}"
            for state in expected:
                if state["command"] is None:
                    result = env.reset(split="train", index=index[game_id])
                else:
                    result = env.step({"action": state["command"]})
                seen = result.observation
                if result.metadata["step"] < state["step"]:
                    continue
                states += 1
                found = (seen["text"], seen["admissible"], result.done, result.metadata["won"])
                if found != (state["obs"], state["admissible"], state["done"], state["won"]):
                    differ.append((game_id, episode, state["step"]))
                if result.reward not in (None, 0) and not state["won"]:
                    differ.append((game_id, episode, state["step"], "reward"))
    print(f"transcripts: {len(recorded)} episodes, {states} states, {len(differ)} differ", differ[:5])
    return not differ


def walkthroughs(folder):
    """Every game is won by its walkthrough's last command, with a reward of 1, and not before."""
    index = tasks("test")
    steps = {}
    for path in Path(folder).rglob("*.tw-pddl"):
        game = f"{path.parent.parent.name}/{path.parent.name}"
        steps[game] = json.loads(path.read_text())["walkthrough"]
    wrong = []
    with GenericEnvClient(base_url=URL).sync() as env:
        for game, number in index.items():
            env.reset(split="test", index=number, seed=number)
            results = [env.step({"action": command}) for command in steps[game]]
            rewards = [result.reward for result in results]
            dones = [result.done for result in results]
            if rewards != [0] * (len(rewards) - 1) + [1] or dones != [False] * (len(dones) - 1) + [True]:
                wrong.append(game)
            if results[-1].observation["reward"] != 1 or not results[-1].observation["done"]:
                wrong.append(game)
    print(f"walkthroughs: {len(index)} games, {len(wrong)} not won as they should be", wrong[:5])
    return not wrong


async def played(seed, steps=10):
    """Texts and rewards of an episode that takes the first admissible action each time."""
    async with GenericEnvClient(base_url=URL) as env:
        result = await env.reset(seed=seed)
        seen = []
        for _ in range(steps):
            seen.append((result.observation["text"], result.reward, result.done))
            if result.done:
                break
            result = await env.step({"action": result.observation["admissible"][0]})
        return seen


async def at_once(count):
    together = await asyncio.gather(*(played(seed) for seed in range(count)))
    alone = [await played(seed) for seed in range(count)]
    differ = [seed for seed in range(count) if together[seed] != alone[seed]]
    print(f"sessions: {count} at once, {len(differ)} differ from those alone", differ[:5])
    return not differ


async def stepping(until, counts, action):
    async with GenericEnvClient(base_url=URL) as env:
        seed = len(counts)
        while time.monotonic() < until:
            result = await env.reset(seed=seed)
            while not result.done and time.monotonic() < until:
                result = await env.step(action)
                counts[0] += 1


async def speed(seconds, sessions, action):
    counts = [0]
    start = time.monotonic()
    await asyncio.gather(*(stepping(start + seconds, counts, action) for _ in range(sessions)))
    print(f"speed: {sessions} sessions, {counts[0] / (time.monotonic() - start):.0f} steps a second")
    return True


def main(check, *arguments):
    if check == "sessions":
        return asyncio.run(at_once(int(arguments[0])))
    if check == "speed":
        action = json.loads(arguments[2]) if len(arguments) > 2 else {"action": "look"}
        return asyncio.run(speed(float(arguments[0]), int(arguments[1]), action))
    return {"transcripts": transcripts, "walkthroughs": walkthroughs}[check](arguments[0])


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[2:]) else 1)
