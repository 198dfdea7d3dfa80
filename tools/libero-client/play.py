"""Plays LIBERO for a run that waits with version 2 of the wire, here or on another machine.

    python tools/libero-client/play.py --connect http://127.0.0.1:7860 --suite libero_spatial

See README.md beside this file. The wire, the command line's parts, the processes of their own and the pictures are those of the ALFWorld client.
"""

import os
import sys
from functools import partial

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "alfworld-client"))

import version2  # noqa: E402
from command import Parser, number, played_at_once, say, status_of, whole  # noqa: E402
from connection import Connection  # noqa: E402
from libero_world import LiberoWorld  # noqa: E402
from starts import STATES, SUITES, NoStarts, starts_of  # noqa: E402
from worker import Worker  # noqa: E402


def parser() -> Parser:
    it = Parser(prog="play.py", description=__doc__.split("\n")[0])
    add = it.add_argument
    add("--connect", required=True, help="address of the run, such as http://127.0.0.1:7860")
    add("--suite", choices=tuple(SUITES), action="append", help="several are offered together (default: libero_spatial)")
    add("--task", type=whole(0), action="append", metavar="N", help="only this task of each suite; several")
    number(it, "--states", 1, STATES, "initial states of each task, from the first")
    number(it, "--size", 8, 256, "pixels of a picture's side")
    number(it, "--settle", 0, 10, "steps at the start in which things come to rest")
    number(it, "--max-steps", 1, None, "actions after which an episode is cut off", "the published limit of the suite")
    number(it, "--at-once", 1, 1, "episodes at once")
    number(it, "--retry-seconds", 0, 60, "tries so long while nobody answers")
    number(it, "--step-seconds", 1, 100, "longest step; give the run's own --step-seconds more")
    return it


def play(options, starts) -> None:
    """One place of the run. Raises Unavailable."""
    connection = Connection(options.connect, options.retry_seconds)
    make = partial(LiberoWorld, size=options.size, settle=options.settle, max_steps=options.max_steps)
    # a simulator is started again only where it fails
    world = Worker(make, games_per_process=10**9, step_seconds=options.step_seconds)
    try:
        version2.play(connection, world, starts, "LIBERO", True, say)
    finally:
        world.close()


def main() -> int:
    options = parser().parse_args()

    def program() -> int:
        starts = starts_of(options.suite or ["libero_spatial"], options.task, options.states)
        say(f"{len(starts)} starts for {options.connect}")
        played_at_once(partial(play, options, starts), options.at_once)
        say("the run has ended")
        return 0

    return status_of(program, NoStarts)


if __name__ == "__main__":
    sys.exit(main())
