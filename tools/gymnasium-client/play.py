"""Plays a Gymnasium environment for a run that waits with version 2 of the wire, here or on another machine.

    python tools/gymnasium-client/play.py --connect http://127.0.0.1:7860 --env CartPole-v1 --envs 4

See README.md. Wire, flags and pictures come from the ALFWorld client.
"""

import os
import sys
from functools import partial

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "alfworld-client"))

from command import CHECK_FAILED, Parser, number, played_at_once, say, status_of  # noqa: E402


class NotThere(Exception):
    """Gymnasium or the environment is missing, or cannot be described."""


def parser() -> Parser:
    it = Parser(prog="play.py", description=__doc__.split("\n")[0])
    add = it.add_argument
    add("--env", required=True, metavar="ID", help="id of the environment, such as CartPole-v1")
    add("--connect", help="address of the run, such as http://127.0.0.1:7860")
    number(it, "--envs", 1, 1, "environments that play at once; each is a client of the run")
    add("--make", action="append", default=[], metavar="KEY=VALUE", help="setting of gymnasium.make; repeat for several")
    add("--import", action="append", default=[], dest="imports", metavar="MODULE", help="module that registers the environment")
    add("--render", choices=("auto", "rgb_array", "ansi", "none"), default="auto", help="pictures, or a drawing as the text (default: auto, pictures if there are any)")
    number(it, "--max-steps", 1, None, "step limit of an episode", "the environment's own")
    add("--actions", help="names of the numbered actions, separated by commas (default: the environment's own, else numbers)")
    number(it, "--bins", 2, None, "number a box of actions: so many values for each of its numbers", "actions are texts of numbers")
    add("--rewards", metavar="LOW,HIGH", help="lowest and highest reward of a step (default: unknown)")
    number(it, "--retry-seconds", 0, 60, "seconds to retry while the run does not answer")
    add("--check", action="store_true", help="play alone, and say what breaks the contract")
    number(it, "--check-steps", 1, 1000, "--check: random steps for each seed")
    return it


def making_of(options):
    """Raises ValueError for a flag of another form."""
    from gym_world import Making, setting

    rewards = None
    if options.rewards is not None:
        try:
            low, high = map(float, options.rewards.split(","))
        except ValueError:
            raise ValueError(f"--rewards {options.rewards}: must be two numbers, such as -1,1") from None
        rewards = (low, high)
    actions = None if options.actions is None else [each.strip() for each in options.actions.split(",")]
    return Making(
        id=options.env,
        settings=dict(map(setting, options.make)),
        imports=tuple(options.imports),
        render=options.render,
        max_steps=options.max_steps,
        actions=actions,
        bins=options.bins,
        rewards=rewards,
    )


def opened(making):
    """Raises NotThere."""
    from gym_world import GymWorld

    try:
        return GymWorld(making)
    except Exception as fault:  # whatever an environment throws
        raise NotThere(f"--env {making.id}: {' '.join(str(fault).split()) or type(fault).__name__}") from fault


def play(options, making) -> None:
    """Plays one episode at a time for the run. Raises Unavailable, NotThere."""
    from connection import Connection
    from wire import Place, play_at

    world = opened(making)
    try:
        play_at(Place(Connection(options.connect, options.retry_seconds), world, say), say)
    finally:
        world.close()


def checked(options, making) -> int:
    from checks import findings

    opened(making).close()
    found = findings(making, options.check_steps)
    for each in found:
        print(each, flush=True)
    if not found:
        print(f"{making.id}: keeps the contract in {options.check_steps} steps from each of 3 seeds", flush=True)
    return CHECK_FAILED if found else 0


def main() -> int:
    it = parser()
    options = it.parse_args()
    if options.connect is None and not options.check:
        it.error("--connect: is required, unless --check plays alone")

    def program() -> int:
        try:
            import gymnasium  # noqa: F401
        except ImportError:
            raise NotThere("gymnasium does not import; pip install -r tools/gymnasium-client/requirements.txt") from None
        making = making_of(options)
        if options.check:
            return checked(options, making)
        world = opened(making)
        count = len(world.described["actions"] or [])
        say(f"{world.id}: {f'{count} actions' if count else 'actions of numbers'}, at most {world.described['steps']} steps, for {options.connect}")
        world.close()
        played_at_once(partial(play, options, making), options.envs)
        say("the run has ended")
        return 0

    return status_of(program, NotThere)


if __name__ == "__main__":
    sys.exit(main())
