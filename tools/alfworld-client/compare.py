"""Plays transcripts of our engine in ALFWorld itself and reports every difference.

Needs Python 3.11 and `pip install alfworld==0.4.2` (which brings TextWorld and the planner library). Nothing here
is needed to install, test or run the project.

    node tools/dist/world/write-transcripts.js OUT --games json_2.1.1:230 --generated 110
    python tools/alfworld-client/compare.py OUT/transcripts.jsonl OUT/results.jsonl

Compared at every state: the observation, the complete sorted list of admissible commands, won, done and the score
(the reference sets no score before the first step). Each game's result is appended when it is finished; a second
run continues after the last one. The reference's planner library keeps memory of every game it loaded, so a fresh
process takes over after every 25 games. The exit status is 2 when anything differed.

`--plain` runs the reference exactly as installed. Without it, two of its pure functions (parsing a text template,
translating a problem) remember their last results, which changes no answer and makes it several times faster.
"""

import argparse
import copy
import functools
import json
import multiprocessing
import sys
import time

import fast_downward
from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
from textworld import EnvInfos
from textworld.envs.pddl import PddlEnv, textgen


def remember_results():
    """Caches for pure functions; parsed templates are copied because derivation writes into them."""
    parse = textgen._parse_and_convert
    parsed = {}

    def parse_once(text, **options):
        if text not in parsed:
            parsed[text] = parse(text, **options)
        return copy.deepcopy(parsed[text])

    textgen._parse_and_convert = parse_once
    fast_downward.pddl2sas = functools.lru_cache(maxsize=2)(fast_downward.pddl2sas)


def play(path, episodes):
    """Yields (episode kind, state number, expected, actual) for every state."""
    env = AlfredDemangler(PddlEnv(EnvInfos(won=True, admissible_commands=True)))
    env.load(path)
    for episode in episodes:
        for number, expected in enumerate(episode["steps"]):
            if expected["command"] is None:
                state, score, done = env.reset(), None, None
            else:
                state, score, done = env.step(expected["command"])
            actual = {
                "observation": state.feedback,
                "admissible": list(state.admissible_commands),
                "won": bool(state.won),
                "score": score,
                "done": done,
            }
            yield episode["kind"], number, expected, actual


def differences(expected, actual):
    found = {}
    for key in ("observation", "admissible", "won"):
        if expected[key] != actual[key]:
            found[key] = difference_of(expected[key], actual[key])
    if actual["score"] is not None:
        if actual["score"] != int(expected["won"]) or bool(actual["done"]) != expected["won"]:
            found["score"] = {"ours": int(expected["won"]), "reference": [actual["score"], actual["done"]]}
    return found


def difference_of(ours, reference):
    if isinstance(ours, list) and sorted(ours) != sorted(reference):
        return {
            "only ours": [each for each in ours if each not in reference],
            "only reference": [each for each in reference if each not in ours],
        }
    return {"ours": ours, "reference": reference}


def compare_game(game):
    result = {"path": game["path"], "ours": game["ours"], "states": 0, "won": False, "differences": []}
    commands = []
    try:
        for kind, number, expected, actual in play(game["path"], game["episodes"]):
            commands = commands + [expected["command"]] if number else []
            result["states"] += 1
            if kind == "walkthrough":
                result["won"] = actual["won"]
            found = differences(expected, actual)
            if found:
                where = {"episode": kind, "state": number, "commands": commands, "found": found}
                result["differences"].append(where)
                break
    except Exception as error:  # a crash of the reference is a result as well
        result["differences"].append({"crash": f"{type(error).__name__}: {error}", "commands": commands})
    return result


def finished(path):
    try:
        with open(path, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines if line.endswith("\n")]
    except FileNotFoundError:
        return []


def summary(results):
    ours = [each for each in results if each["ours"]]
    return (
        f"{len(results)} games ({len(ours)} generated), {sum(each['states'] for each in results)} states, "
        f"{sum(1 for each in results if each['differences'])} with a difference; "
        f"generated games won by their walkthrough: {sum(1 for each in ours if each['won'])}/{len(ours)}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("transcripts")
    parser.add_argument("results")
    parser.add_argument("--plain", action="store_true", help="the reference exactly as installed (slow)")
    parser.add_argument("--limit", type=int, default=0, help="stop after this many games")
    options = parser.parse_args()
    results = finished(options.results)
    done = {each["path"] for each in results}
    with open(options.transcripts, encoding="utf-8") as lines:
        waiting = [game for game in map(json.loads, lines) if game["path"] not in done]
    if options.limit:
        waiting = waiting[: options.limit]
    started = time.monotonic()
    prepare = None if options.plain else remember_results
    workers = multiprocessing.get_context("spawn").Pool(1, prepare, maxtasksperchild=25)
    with workers, open(options.results, "a", encoding="utf-8") as out:
        for played, result in enumerate(workers.imap(compare_game, waiting), start=1):
            results.append(result)
            out.write(json.dumps(result) + "\n")
            out.flush()
            for difference in result["differences"]:
                print(f"{result['path']}: {json.dumps(difference, indent=2)}", flush=True)
            if played % 20 == 0:
                print(f"{summary(results)} ({time.monotonic() - started:.0f} s)", flush=True)
    print(summary(results))
    return 2 if any(each["differences"] for each in results) else 0


if __name__ == "__main__":
    sys.exit(main())
