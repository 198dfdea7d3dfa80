"""Plays ALFWorld for `emac train|eval|collect --world http`, here or on another machine.

    python tools/alfworld-client/play.py --connect http://127.0.0.1:7860 --games train

See README.md for the installation; `--check` lists missing parts.
"""

import argparse
import importlib.metadata
import sys
from functools import partial

import checks
import published
import version2
from command import CHECK_FAILED, Parser, number, played_at_once, say, status_of
from connection import Connection
from games import SPLITS, NoGames, find_games
from text_world import TextWorld
from thor_world import ThorWorld
from worker import Worker


def parser() -> Parser:
    it = Parser(prog="play.py", description=__doc__.split("\n")[0])
    add = it.add_argument
    add("--connect", required=True, help="address of the run, such as http://127.0.0.1:7860")
    add("--wire", choices=("2", "published"), default="2", help="version of the wire (default: 2)")
    add("--env", choices=("text", "thor"), default="text", help="TextWorld or AI2-THOR (default: text)")
    add("--games", default="train", help=f"{', '.join(SPLITS)} of $ALFWORLD_DATA, a folder or a file (default: train)")
    add("--game", action="append", metavar="ID", help="play only this <task>/<trial>; repeat for several, in order")
    add("--check", action="store_true", help="list missing parts and play nothing; exit status 2 if there are any")
    number(it, "--at-once", 1, 1, "--wire 2: episodes played in parallel")
    number(it, "--rounds", 1, None, "--wire published: passes over the games", "as many as the run takes")
    number(it, "--max-steps", 1, None, "--wire published: step limit of a game", "the run decides")
    number(it, "--retry-seconds", 0, 60, "seconds to retry while the run does not answer")
    number(it, "--step-seconds", 1, 100, "longest step in seconds; must be below the run's --step-seconds")
    number(it, "--games-per-process", 1, 25, "games until the process is replaced, since ALFWorld never frees memory")
    controllers = ("oracle", "oracle_astar", "mrcnn", "mrcnn_astar")
    carries = "--env thor: ALFWorld's controller, which executes commands (default: oracle)"
    add("--controller", choices=controllers, default="oracle", help=carries)
    goals = "--env thor: share of goals in a person's words, 0 to 1 (default: 0)"
    add("--human-goals", type=share, default=0.0, metavar="SHARE", help=goals)
    return it


def share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, got {text}")
    return value


def refuse_misplaced(it: Parser, options) -> None:
    if options.wire == "published" and options.at_once > 1:
        it.error("--at-once: belongs to --wire 2; the published wire plays one episode at a time")
    for name in ("rounds", "max_steps"):
        if options.wire == "2" and getattr(options, name) is not None:
            it.error(f"--{name.replace('_', '-')}: belongs to --wire published, which was not given")
    if options.env == "text" and (options.controller != "oracle" or options.human_goals > 0):
        it.error("--controller, --human-goals: belong to --env thor, which was not given")


def maker(options):
    """A function that makes the environment in another process."""
    if options.env == "text":
        return TextWorld
    return partial(ThorWorld, controller=options.controller, human_goals=options.human_goals)


def play(options, games) -> None:
    """Plays one episode at a time for the run. Raises Unavailable."""
    pictures = options.env == "thor"
    connection = Connection(options.connect, options.retry_seconds)
    world = Worker(maker(options), options.games_per_process, options.step_seconds)
    try:
        if options.wire == "published":
            published.play(connection, world, games, pictures, say, options.rounds, options.max_steps)
        else:
            version2.play(connection, world, games, f"alfworld {version()} {options.env}", pictures, say)
    finally:
        world.close()


def version() -> str:
    try:
        return importlib.metadata.version("alfworld")
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version"


def main() -> int:
    it = parser()
    options = it.parse_args()
    refuse_misplaced(it, options)

    def program() -> int:
        if options.check:
            return 0 if checks.all_there(options, maker(options)) else CHECK_FAILED
        games = find_games(options.games, options.env, options.game)
        say(f"{len(games)} games for {options.connect}")
        played_at_once(partial(play, options, games), options.at_once)
        say("the run has ended")
        return 0

    return status_of(program, NoGames)


if __name__ == "__main__":
    sys.exit(main())
