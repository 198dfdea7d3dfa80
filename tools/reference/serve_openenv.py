"""Serves an environment in Python by PyPI's openenv 0.10.0, for its own client and for `--env openenv:…`.

python serve_openenv.py echo PORT      # the environment that `openenv init echo_env` writes
python serve_openenv.py minigrid PORT  # MiniGrid-DoorKey-5x5-v0 of PyPI's minigrid 3.2.0, texts alone

64 sessions at a time, as `emac env serve` has. The echo environment never ends an episode.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import uvicorn
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

SESSIONS = 64


def echo():
    folder = tempfile.mkdtemp()
    subprocess.run(["openenv", "init", "echo_env"], cwd=folder, check=True, capture_output=True)
    sys.path.insert(0, str(Path(folder) / "echo_env"))
    from models import EchoAction, EchoObservation
    from server.echo_env_environment import EchoEnvironment

    return EchoEnvironment, EchoAction, EchoObservation


class LevelAction(Action):
    action: str


class LevelObservation(Observation):
    text: str
    admissible: list[str]


ACTIONS = ["turn left", "turn right", "move forward", "pick up", "drop", "toggle", "done"]


class Level(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        import gymnasium
        import minigrid  # noqa: F401, which registers the levels

        self.level = gymnasium.make("MiniGrid-DoorKey-5x5-v0")
        self.steps = 0

    def reset(self, seed=None, episode_id=None, **_):
        seen, _ = self.level.reset(seed=seed)
        self.steps = 0
        return self.observed(seen, 0.0, False)

    def step(self, action, **_):
        seen, reward, ended, cut, _ = self.level.step(ACTIONS.index(action.action))
        self.steps += 1
        return self.observed(seen, float(reward), ended or cut)

    def observed(self, seen, reward, done):
        return LevelObservation(text=seen["mission"], admissible=ACTIONS, reward=reward, done=done)

    @property
    def state(self):
        return State(step_count=self.steps)


def main(environment, port):
    parts = echo() if environment == "echo" else (Level, LevelAction, LevelObservation)
    app = create_app(*parts, env_name=environment, max_concurrent_envs=SESSIONS)
    uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="warning")


if __name__ == "__main__":
    main(*sys.argv[1:])
