"""A client of a run that describes its environment: arrays, numbered actions, episodes by seed.

docs/reference/wire.md has the messages.
"""

import re
from typing import NamedTuple

import gymnasium
from version2 import Place as GamesPlace
from version2 import play_at
from gym_world import GymWorld, Seen, observation_of
from state import WorldFault

__all__ = ["Place", "play_at"]


class Game(NamedTuple):
    id: str
    type: None
    path: str


class Place(GamesPlace):
    """One client; any fault of the environment costs one episode."""

    def __init__(self, connection, world: GymWorld, say):
        has_pictures = world.described["picture"] is not None
        name = f"gymnasium {gymnasium.__version__}"
        super().__init__(connection, Guarded(world), [Game(world.id, None, world.id)], name, has_pictures, say)
        self._hello["environment"] = world.described

    def seen(self, state: Seen) -> dict:
        return observation_of(state)

    def outcome(self, state: Seen) -> dict:
        return {"reward": state.reward, "won": state.won, "done": state.done, "truncated": state.truncated}


class Guarded:
    """The same environment; whatever it throws is a WorldFault."""

    def __init__(self, world: GymWorld):
        self._world = world

    def begin(self, *asked) -> Seen:
        return self._guarded(self._world.begin, asked)

    def step(self, *asked) -> Seen:
        return self._guarded(self._world.step, asked)

    def _guarded(self, work, asked):
        try:
            return work(*asked)
        except WorldFault:
            raise
        except Exception as fault:
            raise WorldFault(re.sub(r"\s+", " ", f"{type(fault).__name__}: {fault}")) from fault
