"""ALFWorld's text games: TextWorld with ALFWorld's own wrappers, one game at a time.

ALFWorld plays games in batches and in an order of its own; here every episode is a batch of one, the requested game.
Names are not shuffled, and there is no step limit: the run has its own.
"""

import random

from state import State


class TextWorld:
    shows_pictures = False

    def __init__(self):
        self._env = None

    def begin(self, path: str, seed: int, pictures: bool) -> State:
        import textworld
        import textworld.gym
        from alfworld.agents.environment.alfred_tw_env import AlfredDemangler, AlfredInfos

        self.close()
        random.seed(seed)
        name = textworld.gym.register_games(
            [path],
            textworld.EnvInfos(won=True, admissible_commands=True, extras=["gamefile"]),
            batch_size=1,
            asynchronous=False,
            max_episode_steps=None,
            wrappers=[AlfredDemangler, AlfredInfos],
        )
        self._env = textworld.gym.make(name)
        texts, infos = self._env.reset()
        return state_of(texts, [False], infos)

    def step(self, command: str) -> State:
        texts, _scores, dones, infos = self._env.step([command])
        return state_of(texts, dones, infos)

    def close(self) -> None:
        if self._env is not None:
            self._env.close()
        self._env = None


def state_of(texts, dones, infos) -> State:
    return State(
        text=texts[0],
        admissible=list(infos["admissible_commands"][0]),
        frame=None,
        won=bool(infos["won"][0]),
        done=bool(dones[0]),
        gamefile=infos["extra.gamefile"][0],
    )
