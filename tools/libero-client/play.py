"""Plays LIBERO for a run that waits with version 2 of the wire, here or on another machine.

    python tools/libero-client/play.py --connect http://127.0.0.1:7860 --suite libero_spatial

See README.md. Wire, flags, processes and pictures come from the ALFWorld client.
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
    add("--suite", choices=tuple(SUITES), action="append", help="suite to offer; repeat for several (default: libero_spatial)")
    add("--task", type=whole(0), action="append", metavar="N", help="offer only this task of each suite; repeat for several")
    number(it, "--states", 1, STATES, "number of initial states of each task, from the first")
    number(it, "--size", 8, 256, "width and height of a picture in pixels")
    number(it, "--settle", 0, 10, "steps without action at the start, until objects rest")
    number(it, "--max-steps", 1, None, "step limit of an episode", "the published limit of the suite")
    number(it, "--at-once", 1, 1, "episodes played in parallel")
    number(it, "--retry-seconds", 0, 60, "seconds to retry while the run does not answer")
    number(it, "--step-seconds", 1, 100, "longest step in seconds; must be below the run's --step-seconds")
    return it


def play(options, starts) -> None:
    """Plays one episode at a time for the run. Raises Unavailable."""
    connection = Connection(options.connect, options.retry_seconds)
    make = partial(LiberoWorld, size=options.size, settle=options.settle, max_steps=options.max_steps)
    # a simulator restarts only after a failure
    world = Worker(make, games_per_process=10**9, step_seconds=options.step_seconds)
    try:
        version2.play(connection, world, starts, "LIBERO", True, say)
    finally:
        world.close()


def main() -> int:
    options = parser().parse_args()

    def program() -> int:
        starts = starts_of(options.suite or ["libero_spatial"], options.task, options.states)
        say(f"{len(starts)} initial states for {options.connect}")
        played_at_once(partial(play, options, starts), options.at_once)
        say("the run has ended")
        return 0

    return status_of(program, NoStarts)


if __name__ == "__main__":
    sys.exit(main())
